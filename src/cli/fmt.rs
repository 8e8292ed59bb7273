//! `quantcfg fmt`: lays files out, as formatting in an editor does.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;

use super::subject::{STDIN, Subject, workspace_root};
use super::{Common, files};
use crate::ide::format::{apply, format};
use crate::language::Language;
use crate::workspace::choice::Wish;

/// Format files in place, in the style of AMCT's documentation.
#[derive(Debug, clap::Args)]
pub(super) struct Fmt {
    /// Files, or folders to search for quant.cfg and *.quant.cfg; `-` is stdin [default: the current folder]
    paths: Vec<PathBuf>,
    /// Write nothing; exit with 1 if a file would change
    #[arg(long)]
    check: bool,
    /// Write nothing; print what would change
    #[arg(long)]
    diff: bool,
}

/// What became of a file.
enum Outcome {
    Same,
    Changed,
    Failed,
}

impl Fmt {
    pub(super) fn run(&self, common: &Common) -> anyhow::Result<ExitCode> {
        let language = common.language();
        let wish = common.wish(language, false)?;
        let here = [PathBuf::from(".")];
        let (files, errors) = files::find(if self.paths.is_empty() { &here } else { &self.paths });
        errors.iter().for_each(|error| eprintln!("quantcfg: {error:#}"));
        let (mut has_changed, mut has_failed) = (false, !errors.is_empty());
        for path in &files {
            let wish = Wish { root: workspace_root(path), ..wish.clone() };
            match self.file(path, &wish, language) {
                Ok(Outcome::Same) => {}
                Ok(Outcome::Changed) => has_changed = true,
                Ok(Outcome::Failed) => has_failed = true,
                Err(error) => {
                    eprintln!("quantcfg: {error:#}");
                    has_failed = true;
                }
            }
        }
        Ok(match (has_failed, has_changed && self.check) {
            (true, _) => ExitCode::from(2),
            (false, true) => ExitCode::FAILURE,
            (false, false) => ExitCode::SUCCESS,
        })
    }

    fn file(&self, path: &Path, wish: &Wish, language: Language) -> anyhow::Result<Outcome> {
        let is_stdin = path.as_os_str() == "-";
        let shown = if is_stdin { STDIN.to_owned() } else { path.display().to_string() };
        let mut bytes = Vec::new();
        if is_stdin {
            std::io::stdin().read_to_end(&mut bytes).context(STDIN)?;
        } else {
            bytes = std::fs::read(path).with_context(|| shown.clone())?;
        }
        let Ok(text) = String::from_utf8(bytes) else {
            eprintln!(
                "quantcfg: {shown}: {}",
                language.pick("is not UTF-8, left as it is", "不是 UTF-8，保持原样")
            );
            return Ok(Outcome::Failed);
        };
        let place = Some(path).filter(|_| !is_stdin);
        let subject = Subject::of(shown.clone(), text.clone().into_bytes(), place, wish, language);
        if !subject.snapshot.context().is_checked() {
            let finding = subject.snapshot.diagnostics().first().map(|finding| finding.message.clone());
            eprintln!("quantcfg: {shown}: {}", finding.unwrap_or_default());
            return Ok(Outcome::Failed);
        }
        let broken = subject.snapshot.tree().errors().len();
        if broken > 0 {
            let words = language.pick(
                format!("{broken} broken places are left as they are"),
                format!("{broken} 处有语法错误，保持原样"),
            );
            eprintln!("quantcfg: {shown}: {words}");
        }
        let after = apply(&text, &format(&subject.snapshot, None));
        let has_changed = after != text;
        let mut out = anstream::stdout();
        if self.diff {
            write!(out, "{}", difference(&shown, &text, &after))?;
        } else if self.check {
            if has_changed {
                let words = language.pick("would change", "需要格式化");
                writeln!(out, "{shown}: {words}")?;
            }
        } else if is_stdin {
            write!(out, "{after}")?;
        } else if has_changed {
            replace(path, &after).with_context(|| shown.clone())?;
        }
        Ok(if has_changed { Outcome::Changed } else { Outcome::Same })
    }
}

/// A unified diff.
fn difference(path: &str, before: &str, after: &str) -> String {
    let diff = similar::TextDiff::from_lines(before, after);
    diff.unified_diff().context_radius(3).header(path, path).to_string()
}

/// Writes a file anew: at once or not at all, so that no half of it is left when something goes wrong. What is a link
/// stays one, and rights stay as they are.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let path = path.canonicalize()?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".quantcfg-").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(std::fs::metadata(&path)?.permissions())?;
    file.persist(&path)?;
    Ok(())
}
