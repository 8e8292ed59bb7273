//! Findings as SARIF 2.1.0 (OASIS standard), which code scanning services read.

use std::io::{self, Write};
use std::path::{Component, Path};

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Value, json};

use crate::analysis::{Diagnostic, Fix, Related, Severity};
use crate::text::{Buffer, Encoding, TextRange};

/// What a path may not hold as it is in a URI, besides what is not ASCII.
const RESERVED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}')
    .add(b':')
    .add(b'\\');

/// Behind the results.
pub(super) const FOOT: &str = "]}]}\n";

/// Before the results.
pub(super) fn head() -> String {
    let driver = json!({
        "name": env!("CARGO_PKG_NAME"),
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
    });
    format!(
        "{{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\
         \"runs\":[{{\"tool\":{{\"driver\":{driver}}},\"columnKind\":\"unicodeCodePoints\",\"results\":["
    )
}

/// Writes the results of a file, commas between them.
pub(super) fn write(
    out: &mut impl Write,
    path: &str,
    text: &Buffer,
    findings: &[Diagnostic],
) -> io::Result<()> {
    let file = json!({ "uri": uri(path) });
    for (at, finding) in findings.iter().enumerate() {
        let comma = if at > 0 { "," } else { "" };
        write!(out, "{comma}{}", result(&file, text, finding))?;
    }
    Ok(())
}

fn result(file: &Value, text: &Buffer, finding: &Diagnostic) -> Value {
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information | Severity::Hint => "note",
    };
    let mut result = json!({
        "ruleId": finding.code,
        "level": level,
        "message": { "text": finding.message },
        "locations": [{ "physicalLocation": location(file, text, finding.range) }],
    });
    let related = |related: &Related| {
        json!({
            "message": { "text": related.message },
            "physicalLocation": location(file, text, related.range),
        })
    };
    if !finding.related.is_empty() {
        result["relatedLocations"] = finding.related.iter().map(related).collect();
    }
    if !finding.fixes.is_empty() {
        result["fixes"] = finding.fixes.iter().map(|fix| fix_json(file, text, fix)).collect();
    }
    result
}

fn fix_json(file: &Value, text: &Buffer, fix: &Fix) -> Value {
    let replacement = |edit: &crate::text::Edit| {
        json!({
            "deletedRegion": region(text, edit.range),
            "insertedContent": { "text": edit.text },
        })
    };
    let replacements: Vec<_> = fix.edits.iter().map(replacement).collect();
    json!({
        "description": { "text": fix.title },
        "artifactChanges": [{ "artifactLocation": file, "replacements": replacements }],
    })
}

fn location(file: &Value, text: &Buffer, range: TextRange) -> Value {
    json!({ "artifactLocation": file, "region": region(text, range) })
}

fn region(text: &Buffer, range: TextRange) -> Value {
    let start = text.position_of(range.start, Encoding::Utf32);
    let end = text.position_of(range.end, Encoding::Utf32);
    json!({
        "startLine": start.line + 1,
        "startColumn": start.character + 1,
        "endLine": end.line + 1,
        "endColumn": end.character + 1,
    })
}

/// A path as a URI reference: relative ones stay relative, to where the command ran.
fn uri(path: &str) -> String {
    let mut parts = Vec::new();
    let mut is_absolute = false;
    for component in Path::new(path).components() {
        match component {
            Component::Prefix(prefix) => parts.push(prefix.as_os_str().to_string_lossy().into_owned()),
            Component::RootDir => is_absolute = true,
            Component::CurDir => {}
            Component::ParentDir => parts.push("..".to_owned()),
            Component::Normal(part) => {
                parts.push(utf8_percent_encode(&part.to_string_lossy(), RESERVED).to_string());
            }
        }
    }
    let path = parts.join("/");
    if is_absolute { format!("file:///{path}") } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("./net 1/层.cfg"), "net%201/%E5%B1%82.cfg");
        assert_eq!(uri("/a/b:c#d.cfg"), "file:///a/b%3Ac%23d.cfg");
        assert_eq!(uri("../<stdin>"), "../%3Cstdin%3E");
    }
}
