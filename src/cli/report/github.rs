//! Findings as annotations of GitHub Actions: workflow commands, one a line.

use std::io::{self, Write};

use crate::analysis::{Diagnostic, Severity};
use crate::text::{Buffer, Encoding};

/// Writes a command a finding. Lines and columns count from 1.
pub(super) fn write(
    out: &mut impl Write,
    path: &str,
    text: &Buffer,
    findings: &[Diagnostic],
) -> io::Result<()> {
    for finding in findings {
        let command = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Information | Severity::Hint => "notice",
        };
        let start = text.position_of(finding.range.start, Encoding::Utf32);
        let end = text.position_of(finding.range.end, Encoding::Utf32);
        writeln!(
            out,
            "::{command} title={},file={},line={},endLine={},col={},endColumn={}::{}",
            finding.code,
            property(path),
            start.line + 1,
            end.line + 1,
            start.character + 1,
            end.character + 1,
            data(&finding.message),
        )?;
    }
    Ok(())
}

/// A message, which ends at the end of the line.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A value among properties, which commas part.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_command_is_escaped() {
        assert_eq!(data("100 %\r\nnext: a, b"), "100 %25%0D%0Anext: a, b");
        assert_eq!(property("C:\\a,b.cfg"), "C%3A\\a%2Cb.cfg");
    }
}
