//! Tables for people: columns aligned by the width that characters have on a terminal, CJK ones being two wide.

use unicode_width::UnicodeWidthStr;

/// Lays out rows of cells below a header; two spaces part the columns, the last one is not padded.
pub(super) fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width());
        cells.chain([header[column].width()]).max().unwrap_or(0)
    };
    let widths: Vec<_> = (0..header.len()).map(width).collect();
    let line = |cells: Vec<&str>| {
        let padded = cells.iter().zip(&widths).map(|(cell, &width)| {
            let padding = width.saturating_sub(cell.width());
            format!("{cell}{}", " ".repeat(padding))
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    let rule: Vec<_> = widths.iter().map(|&width| "-".repeat(width)).collect();
    let head = line(header.to_vec());
    // Bold on a terminal; whoever prints it takes the codes out elsewhere.
    let mut out = format!("\u{1b}[1m{}\u{1b}[0m\n", head.trim_end());
    out += &line(rule.iter().map(String::as_str).collect());
    rows.iter().for_each(|row| out += &line(row.iter().map(String::as_str).collect()));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn wide_characters_take_two_columns() {
        let rows = [vec!["卷积1".into(), "on".into()], vec!["fc".into(), "off".into()]];
        let shown = anstream::adapter::strip_str(&table(&["layer", "state"], &rows)).to_string();
        expect![[r"
            layer  state
            -----  -----
            卷积1  on
            fc     off
        "]]
        .assert_eq(&shown);
    }
}
