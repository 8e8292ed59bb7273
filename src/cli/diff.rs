//! `quantcfg diff`: what two files do differently, layer by layer.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::Common;
use super::compare;
use super::subject::{Subject, workspace_root};
use crate::ide::effective;
use crate::language::Language;
use crate::workspace::choice::Wish;

/// Print what changes in effect between two configuration files, layer by layer.
#[derive(Debug, clap::Args)]
pub(super) struct Diff {
    /// The file before
    before: PathBuf,
    /// The file after
    after: PathBuf,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people
    Table,
    /// For tools
    Json,
}

impl Diff {
    pub(super) fn run(&self, common: &Common) -> anyhow::Result<ExitCode> {
        let language = match self.format {
            Format::Table => common.language(),
            Format::Json => common.machine_language(),
        };
        let (before, before_dialect) = self.output(&self.before, common, language)?;
        let (after, after_dialect) = self.output(&self.after, common, language)?;
        anyhow::ensure!(
            before_dialect == after_dialect,
            "{}",
            language.pick("the files are of different dialects", "两个文件的方言不同")
        );
        let differences = compare::compare(&before, &after).unwrap_or_default();
        let mut out = anstream::stdout();
        match self.format {
            Format::Table => {
                let [before, after] = [&self.before, &self.after].map(|path| path.display().to_string());
                compare::write_table(&mut out, [&before, &after], &differences, language)?;
            }
            Format::Json => writeln!(out, "{}", compare::to_json(&differences))?,
        }
        Ok(if differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// What AMCT writes for a file, and its dialect.
    fn output(
        &self,
        path: &Path,
        common: &Common,
        language: Language,
    ) -> anyhow::Result<(String, Option<&'static str>)> {
        let wish = common.wish(language, self.format != Format::Table)?;
        let wish = Wish { root: workspace_root(path), ..wish };
        let subject = Subject::read(path, None, &wish, language)?;
        let shown = path.display();
        if subject.snapshot.context().layers.is_none() {
            anyhow::bail!("{shown}: {}", language.pick("no layer list", "没有层列表"));
        }
        if let Some(refused) = effective::refused(&subject.snapshot, &subject.bytes) {
            anyhow::bail!("{shown}: {}: {}", refused.kind, refused.message);
        }
        let effective = subject.snapshot.analysis().effective.as_ref();
        let output = effective.and_then(|effective| effective.explanation().output.clone());
        let Some(output) = output else {
            anyhow::bail!(
                "{shown}: {}",
                language.pick("what AMCT does is not known", "无法得知 AMCT 的结果")
            );
        };
        Ok((output, subject.snapshot.context().dialect.map(|dialect| dialect.name())))
    }
}
