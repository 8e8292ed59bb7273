//! `quantcfg explain`: the effective configuration of every layer.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;

use super::subject::{STDIN, Subject, workspace_root};
use super::table::table;
use super::{Common, compare, report};
use crate::analysis::Effective;
use crate::ide::LayerSource;
use crate::ide::effective::{self, Refused};
use crate::inventory;
use crate::language::Language;
use crate::workspace::choice::Wish;

/// The sample of AMCT's documentation, and a network for it.
const SAMPLE: &str = include_str!("explain/quant.cfg");
const SAMPLE_LAYERS: &str = include_str!("explain/quant.layers.json");

/// Print the effective configuration of every layer, exactly as AMCT will compute it.
#[derive(Debug, clap::Args)]
pub(super) struct Explain {
    /// The configuration file [default: a built-in sample]; `-` is stdin
    file: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Compare with what AMCT wrote (exit: 1 differs)
    #[arg(long, value_name = "AMCT.json")]
    against: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Findings and a table, for people
    Table,
    /// Values and reasons, for tools
    Json,
    /// The very text that AMCT writes
    Amct,
}

impl Explain {
    pub(super) fn run(&self, common: &Common) -> anyhow::Result<ExitCode> {
        let language = match self.format {
            Format::Table => common.language(),
            Format::Json | Format::Amct => common.machine_language(),
        };
        let wish = common.wish(language, self.format != Format::Table)?;
        let subject = match &self.file {
            Some(path) => {
                let wish = Wish { root: workspace_root(path), ..wish };
                Subject::read(path, None, &wish, language)?
            }
            None => sample(wish, language)?,
        };
        let Some(effective) = &subject.snapshot.analysis().effective else {
            anyhow::bail!("{}", no_engine(&subject, language));
        };
        let has_layers = subject.snapshot.context().layers.is_some();
        let refused = effective::refused(&subject.snapshot, &subject.bytes);
        match &refused {
            // What the loader refuses it refuses for every network.
            Some(refused) if has_layers || subject.load().is_err() => {
                return self.refused(&subject, refused, language);
            }
            _ if !has_layers => anyhow::bail!("{}", no_layers(&subject, language)),
            _ => {}
        }
        if let Some(name) = effective.explanation().undetermined.first() {
            anyhow::bail!("{}", unknown_type(name, language));
        }
        let mut out = anstream::stdout();
        if let Some(path) = &self.against {
            return self.compare(&mut out, effective, path, language);
        }
        match self.format {
            Format::Table => self.print_table(&mut out, &subject, effective, language)?,
            Format::Json => {
                writeln!(out, "{}", pretty(&effective::json(&subject.snapshot, None).unwrap_or_default())?)?
            }
            Format::Amct => {
                write!(out, "{}", effective.explanation().output.as_deref().unwrap_or_default())?;
                out.flush()?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Ours against what AMCT wrote.
    fn compare(
        &self,
        out: &mut impl Write,
        effective: &Effective,
        path: &Path,
        language: Language,
    ) -> anyhow::Result<ExitCode> {
        let theirs = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let ours = effective.explanation().output.as_deref().unwrap_or_default();
        let Some(differences) = compare::compare(&theirs, ours) else {
            let text = language.pick("this is no JSON that AMCT wrote", "不是 AMCT 写出的 JSON");
            anyhow::bail!("{}: {text}", path.display());
        };
        match self.format {
            Format::Json => writeln!(out, "{}", compare::to_json(&differences))?,
            Format::Table | Format::Amct => {
                let names = ["AMCT", language.pick("computed", "计算结果")];
                compare::write_table(out, names, &differences, language)?;
            }
        }
        Ok(if differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn print_table(
        &self,
        out: &mut impl Write,
        subject: &Subject,
        effective: &Effective,
        language: Language,
    ) -> anyhow::Result<()> {
        let diagnostics = subject.diagnostics();
        report::human::write(out, &subject.path, subject.buffer(), &diagnostics, language)?;
        if let Some(summary) = report::Counts::of(&diagnostics).text(language) {
            writeln!(out, "{summary}\n")?;
        }
        let header = effective::header(language);
        writeln!(out, "{}", table(&header, &effective::rows(effective, language)))?;
        for layer in &effective.explanation().layers {
            writeln!(out, "{}", layer.name)?;
            for reason in &layer.because {
                writeln!(
                    out,
                    "  - {}",
                    effective::reason_text(&subject.snapshot, effective, reason, language)
                )?;
            }
        }
        Ok(())
    }

    /// AMCT would refuse: its words are the last line of stderr.
    fn refused(&self, subject: &Subject, refused: &Refused, language: Language) -> anyhow::Result<ExitCode> {
        match self.format {
            Format::Table => {
                let mut out = anstream::stderr();
                report::human::write(
                    &mut out,
                    &subject.path,
                    subject.buffer(),
                    &subject.diagnostics(),
                    language,
                )?;
            }
            Format::Json => {
                let json = effective::json(&subject.snapshot, Some(refused)).unwrap_or_default();
                writeln!(anstream::stdout(), "{}", pretty(&json)?)?;
            }
            Format::Amct => {}
        }
        eprintln!("{}: {}", refused.kind, refused.message);
        Ok(ExitCode::FAILURE)
    }
}

fn pretty(value: &serde_json::Value) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(value)?)
}

fn sample(wish: Wish, language: Language) -> anyhow::Result<Subject> {
    let list = inventory::json::read(SAMPLE_LAYERS.as_bytes())
        .map_err(|error| anyhow::Error::msg(error.message(language)))?;
    let built_in = Arc::new(LayerSource { path: Path::new("quant.layers.json").to_owned(), list });
    let wish = Wish { layers: wish.layers.or(Some(built_in)), ..wish };
    Ok(Subject::of("quant.cfg".to_owned(), SAMPLE.as_bytes().to_vec(), None, &wish, language))
}

fn no_engine(subject: &Subject, language: Language) -> String {
    let path = &subject.path;
    match subject.snapshot.context().dialect {
        Some(dialect) => {
            let name = dialect.name();
            language.pick(
                format!("{path}: values not modelled: what AMCT computes from {name} is not known here"),
                format!("{path}：尚未建模：无法计算 {name} 实际生效的配置"),
            )
        }
        None => language.pick(
            format!(
                "{path}: what AMCT computes is known for built-in dialects only, not for a schema of your own"
            ),
            format!("{path}：只有内置方言才能计算实际生效的配置，自定义 schema 不行"),
        ),
    }
}

fn no_layers(subject: &Subject, language: Language) -> String {
    let path = &subject.path;
    // A list that was found and could not be read is the better explanation.
    if let Some(problem) = subject.snapshot.context().problems.first() {
        return format!("{path}: {}", problem.message);
    }
    if path == STDIN {
        return language
            .pick("no layer list: name one with --layers", "没有层列表：请用 --layers 指定")
            .to_owned();
    }
    let name = Path::new(path).file_stem().map_or_else(|| "quant".into(), |stem| stem.to_string_lossy());
    language.pick(
        format!(
            "{path}: no layer list: name one with --layers, or lay {name}.layers.json beside it, such as \
             [{{\"name\": \"conv1\", \"type\": \"nn.Conv2D\"}}]"
        ),
        format!(
            "{path}：没有层列表：请用 --layers 指定，或在旁边放置 {name}.layers.json，例如 \
             [{{\"name\": \"conv1\", \"type\": \"nn.Conv2D\"}}]"
        ),
    )
}

fn unknown_type(name: &str, language: Language) -> String {
    language.pick(
        format!("the layer list has no type for `{name}`, and its values depend on it"),
        format!("层列表中没有 `{name}` 的类型，而它的取值取决于类型"),
    )
}
