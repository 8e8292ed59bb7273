//! `quantcfg check`: what AMCT would refuse or silently do otherwise.

use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use serde::{Serialize, Serializer};

use super::subject::{Subject, workspace_root};
use super::{Common, report};
use crate::analysis::{Diagnostic, Severity};
use crate::language::Language;
use crate::text::Buffer;
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
        let mut files = 0;
        let mut found: Vec<Diagnostic> = Vec::new();
        let mut failed = false;
        let mut out = BufWriter::new(anstream::stdout());
        if self.format == Format::Json {
            write!(out, "{{\"files\":[")?;
        }
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
                    report::write_human(&mut out, &subject.path, subject.buffer(), &diagnostics, language)?;
                }
                // Many findings together are too big for one value.
                Format::Json => {
                    write!(out, "{}", if files > 0 { "," } else { "" })?;
                    serde_json::to_writer(&mut out, &FileReport::of(&subject, &diagnostics))?;
                }
            }
            files += 1;
            found.extend(diagnostics);
        }
        match self.format {
            Format::Human => {
                let all_well = language.pick("No findings.", "没有问题。").to_owned();
                writeln!(out, "{}", report::summary(found.iter(), language).unwrap_or(all_well))?;
            }
            Format::Json => writeln!(out, "]}}")?,
        }
        out.flush()?;
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

/// A file as `--format json` prints it.
#[derive(Serialize)]
struct FileReport<'a> {
    path: &'a str,
    schema: &'a str,
    loads: bool,
    amct_error: Option<AmctErrorReport>,
    #[serde(serialize_with = "each")]
    diagnostics: Findings<'a>,
}

/// The first error that AMCT itself raises.
#[derive(Serialize)]
struct AmctErrorReport {
    stage: &'static str,
    r#type: &'static str,
    line: Option<u32>,
    column: Option<u32>,
    message: String,
}

struct Findings<'a> {
    text: &'a Buffer,
    language: Language,
    diagnostics: &'a [Diagnostic],
}

fn each<S: Serializer>(findings: &Findings<'_>, serializer: S) -> Result<S::Ok, S::Error> {
    let &Findings { text, language, diagnostics } = findings;
    serializer.collect_seq(diagnostics.iter().map(|finding| report::json(text, finding, language)))
}

impl<'a> FileReport<'a> {
    fn of(subject: &'a Subject, diagnostics: &'a [Diagnostic]) -> Self {
        let context = &*subject.snapshot.context;
        let load = subject.load();
        Self {
            path: &subject.path,
            schema: context.dialect.map_or(&context.schema.root().full_name, |dialect| dialect.name()),
            loads: load.is_ok(),
            amct_error: match load {
                Err(error) => Some(AmctErrorReport {
                    stage: "load",
                    r#type: error.kind.name(),
                    line: error.line,
                    column: error.column,
                    message: error.message,
                }),
                Ok(_) => config_error(subject),
            },
            diagnostics: Findings { text: subject.buffer(), language: context.language, diagnostics },
        }
    }
}

/// What AMCT raises once the file is loaded. Python names no place.
fn config_error(subject: &Subject) -> Option<AmctErrorReport> {
    let effective = subject.snapshot.analysis().effective.as_ref()?;
    let refusal = effective.answer.error()?;
    Some(AmctErrorReport {
        stage: "config",
        r#type: refusal.error.type_name,
        line: None,
        column: None,
        message: refusal.error.message.to_string(),
    })
}
