//! A file of the command line: its bytes, its text, and what it is read against.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;

use super::Common;
use crate::analysis::{Diagnostic, Severity};
use crate::ide::Snapshot;
use crate::ide::shown::shown;
use crate::language::Language;
use crate::loader;
use crate::text::{Buffer, TextRange};
use crate::workspace::choice::{self, SchemaWish, Wish};
use crate::workspace::{Settings, Sources};

/// What stdin is called in reports.
pub(super) const STDIN: &str = "<stdin>";

/// A file that was read.
pub(super) struct Subject {
    /// As it was named.
    pub(super) path: String,
    pub(super) bytes: Vec<u8>,
    /// The text, with a stand-in for what is not UTF-8, and what was found out about it.
    pub(super) snapshot: Snapshot,
}

impl Subject {
    /// Reads a file, or stdin for `-`, which is taken for the file `stdin_name` if there is one.
    pub(super) fn read(
        path: &Path,
        stdin_name: Option<&Path>,
        wish: &Wish,
        language: Language,
    ) -> anyhow::Result<Self> {
        let is_stdin = path.as_os_str() == "-";
        let place = if is_stdin { stdin_name } else { Some(path) };
        let shown = place.map_or_else(|| STDIN.to_owned(), |path| path.display().to_string());
        let bytes = if is_stdin {
            let mut bytes = Vec::new();
            std::io::stdin().read_to_end(&mut bytes).context("stdin")?;
            bytes
        } else {
            std::fs::read(path).with_context(|| shown.clone())?
        };
        Ok(Self::of(shown, bytes, place, wish, language))
    }

    /// A file whose bytes are known.
    pub(super) fn of(
        shown: String,
        bytes: Vec<u8>,
        path: Option<&Path>,
        wish: &Wish,
        language: Language,
    ) -> Self {
        let text = String::from_utf8_lossy(&bytes);
        // Settings and what lies beside the file are looked for in folders above it, too.
        let path = path.and_then(|path| std::path::absolute(path).ok());
        let context = choice::choose(&text, path.as_deref(), wish, language, &mut Sources::default());
        let snapshot = Snapshot::open(&text, Arc::new(context));
        Self { path: shown, bytes, snapshot }
    }

    /// All findings: those of the text, or the one that the bytes are no text.
    pub(super) fn diagnostics(&self) -> Vec<Diagnostic> {
        match std::str::from_utf8(&self.bytes) {
            Ok(_) => shown(&self.snapshot),
            Err(error) => {
                let before = String::from_utf8_lossy(&self.bytes[..error.valid_up_to()]).len();
                vec![not_utf8(&self.bytes, TextRange::at(before, '\u{fffd}'.len_utf8()), self.language())]
            }
        }
    }

    /// What AMCT's loader makes of the bytes.
    pub(super) fn load(&self) -> Result<crate::schema::value::MessageValue, loader::LoadError> {
        loader::load(&self.bytes, &self.snapshot.context().schema)
    }

    pub(super) fn buffer(&self) -> &Buffer {
        &self.snapshot.text
    }

    fn language(&self) -> Language {
        self.snapshot.context().language
    }
}

fn not_utf8(bytes: &[u8], range: TextRange, language: Language) -> Diagnostic {
    let text = if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        language.pick(
            "The file is saved as UTF-16, which AMCT refuses: save it as UTF-8.",
            "文件以 UTF-16 保存，AMCT 会拒绝：请另存为 UTF-8。",
        )
    } else {
        language.pick(
            "The file is not UTF-8, perhaps saved as GBK; AMCT refuses it, even for a comment: save it as UTF-8.",
            "文件不是 UTF-8（可能以 GBK 保存），即使只在注释中，AMCT 也会拒绝：请另存为 UTF-8。",
        )
    };
    Diagnostic::new("not-utf8", Severity::Error, range, text)
}

impl Common {
    /// What the flags ask for.
    pub(super) fn wish(&self, language: Language, is_for_machines: bool) -> anyhow::Result<Wish> {
        let schema = self.schema.as_deref().map(|text| SchemaWish::parse(text, language)).transpose()?;
        let layers = match &self.layers {
            Some(path) => Some(choice::read_layers(path, language).map_err(anyhow::Error::msg)?),
            None => None,
        };
        let settings = Settings {
            // What machines read is English, whatever quantcfg.toml says.
            language: self.flag_language().or(is_for_machines.then_some(language)),
            allows_outside: self.allow_outside_workspace.then_some(true),
            ..Settings::default()
        };
        Ok(Wish {
            schema,
            entry: self.entry.map(Into::into),
            layers,
            root: None,
            working_folder: std::env::current_dir().ok(),
            settings,
        })
    }
}

/// The folder above a file in which headers may point, for the command line: the nearest one with `.git`.
pub(super) fn workspace_root(path: &Path) -> Option<PathBuf> {
    let path = path.canonicalize().ok()?;
    path.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_owned)
}
