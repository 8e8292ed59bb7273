//! Findings for tools: one object a file.

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::analysis::Diagnostic;
use crate::cli::subject::Subject;
use crate::ide::effective::{certainty_json, json_range};
use crate::language::Language;
use crate::text::Buffer;

/// A file as `--format json` prints it.
#[derive(Serialize)]
pub(super) struct FileReport<'a> {
    path: &'a str,
    schema: Option<&'a str>,
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
    serializer.collect_seq(diagnostics.iter().map(|finding| finding_json(text, finding, language)))
}

impl<'a> FileReport<'a> {
    pub(super) fn of(subject: &'a Subject, diagnostics: &'a [Diagnostic]) -> Self {
        let context = subject.snapshot.context();
        // What AMCT never reads it does not refuse either; nor can we say without a schema.
        let is_unknown = !context.is_checked();
        let load = subject.load();
        Self {
            path: &subject.path,
            schema: (!is_unknown)
                .then(|| context.dialect.map_or(&*context.schema.root().full_name, |dialect| dialect.name())),
            loads: load.is_ok() && !is_unknown,
            amct_error: match load {
                _ if is_unknown => None,
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

/// A finding: lines as LSP breaks them and columns in code points, both from 1, and byte offsets.
fn finding_json(text: &Buffer, diagnostic: &Diagnostic, language: Language) -> Value {
    let related: Vec<_> = diagnostic
        .related
        .iter()
        .map(|related| json!({"message": related.message, "range": json_range(text, related.range)}))
        .collect();
    let fixes: Vec<_> = diagnostic
        .fixes
        .iter()
        .map(|fix| {
            let edits: Vec<_> = fix
                .edits
                .iter()
                .map(|edit| json!({"range": json_range(text, edit.range), "text": edit.text}))
                .collect();
            json!({"title": fix.title, "edits": edits})
        })
        .collect();
    json!({
        "code": diagnostic.code,
        "severity": diagnostic.severity.name(),
        "message": diagnostic.message,
        "range": json_range(text, diagnostic.range),
        "related": related,
        "fixes": fixes,
        "certainty": certainty_json(diagnostic.certainty, language),
    })
}
