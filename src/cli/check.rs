//! `quantcfg check`: what AMCT would refuse or silently do otherwise.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Value, json};

use super::subject::{Subject, workspace_root};
use super::{Common, report};
use crate::analysis::{Diagnostic, Severity};
use crate::workspace::choice::Wish;

/// Report what AMCT would refuse, and what it would silently do otherwise than the file seems to say.
#[derive(Debug, clap::Args)]
pub(super) struct Check {
    /// Files to check; `-` is stdin
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Exit with 1 for warnings too
    #[arg(long)]
    deny_warnings: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Excerpts of the files, for people
    Human,
    /// One object with every file, for tools
    Json,
}

impl Check {
    pub(super) fn run(&self, common: &Common) -> anyhow::Result<ExitCode> {
        let language = match self.format {
            Format::Human => common.language(),
            Format::Json => common.machine_language(),
        };
        let wish = common.wish(language)?;
        let mut files = Vec::new();
        let mut found: Vec<Diagnostic> = Vec::new();
        let mut failed = false;
        let mut out = anstream::stdout();
        for path in &self.paths {
            let wish = Wish { root: workspace_root(path), ..wish.clone() };
            let subject = match Subject::read(path, &wish, language) {
                Ok(subject) => subject,
                Err(error) => {
                    eprintln!("quantcfg: {error:#}");
                    failed = true;
                    continue;
                }
            };
            let diagnostics = subject.diagnostics();
            match self.format {
                Format::Human => {
                    write!(out, "{}", report::human(&subject.path, &subject.text, &diagnostics, language))?;
                }
                Format::Json => files.push(file_json(&subject, &diagnostics)),
            }
            found.extend(diagnostics);
        }
        match self.format {
            Format::Human => {
                let all_well = language.pick("No findings.", "没有问题。").to_owned();
                writeln!(out, "{}", report::summary(found.iter(), language).unwrap_or(all_well))?;
            }
            Format::Json => writeln!(out, "{}", json!({"files": files}))?,
        }
        let is_bad = |finding: &Diagnostic| match finding.severity {
            Severity::Error => true,
            Severity::Warning => self.deny_warnings,
            _ => false,
        };
        Ok(match (failed, found.iter().any(is_bad)) {
            (true, _) => ExitCode::from(2),
            (false, true) => ExitCode::FAILURE,
            (false, false) => ExitCode::SUCCESS,
        })
    }
}

fn file_json(subject: &Subject, diagnostics: &[Diagnostic]) -> Value {
    let context = &subject.snapshot.context;
    let language = context.language;
    let load = subject.load();
    let amct_error = match &load {
        Err(error) => json!({
            "stage": "load",
            "type": error.kind.name(),
            "line": error.line,
            "column": error.column,
            "message": error.message,
        }),
        Ok(_) => config_error(subject).unwrap_or(Value::Null),
    };
    json!({
        "path": subject.path,
        "schema": context.dialect.map_or_else(|| context.schema.root().full_name.clone(), |d| d.name().to_owned()),
        "loads": load.is_ok(),
        "amct_error": amct_error,
        "diagnostics": diagnostics.iter().map(|d| report::json(subject.buffer(), d, language)).collect::<Vec<_>>(),
    })
}

/// What AMCT raises once the file is loaded. It names no place; ours is the one to blame.
fn config_error(subject: &Subject) -> Option<Value> {
    let effective = subject.snapshot.analysis().effective.as_ref()?;
    let refusal = effective.explanation.error.as_ref()?;
    Some(json!({
        "stage": "config",
        "type": refusal.error.type_name,
        "line": null,
        "column": null,
        "message": &*refusal.error.message,
    }))
}
