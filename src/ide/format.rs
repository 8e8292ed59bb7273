//! Lays a text out in the style of AMCT's documentation: one field a line, `key: {`, a step of blanks a level.
//!
//! Only white space changes, `,` and `;` behind fields, the colon that a block may have, and `< >`. Comments stay where they
//! belong, single blank lines part paragraphs, and what is broken is left as it is. The result is compared with the
//! text before anything is answered.

mod layout;

use super::Snapshot;
use crate::syntax::lexer::TokenKind;
use crate::syntax::tree::Tree;
use crate::text::{Edit, TextRange};

use layout::Layout;

/// The edits, in order, each in offsets of the text as it is; with `within` only those that touch lines of that range.
/// Nothing for a text that is not held against any schema, as it may be something else.
pub fn format(snapshot: &Snapshot, within: Option<TextRange>) -> Vec<Edit> {
    let context = snapshot.context();
    if !context.is_checked() {
        return Vec::new();
    }
    let text = snapshot.text.to_string();
    let edits = edits(&text, snapshot.tree(), context.preferences.indent());
    match within {
        None => edits,
        Some(range) => {
            let lines = TextRange::new(
                snapshot.text.line_start(snapshot.text.line_of(range.start)),
                snapshot.text.line_range(snapshot.text.line_of(range.end)).end,
            );
            let is_meant = |edit: &Edit| lines.start <= edit.range.end && edit.range.end <= lines.end;
            edits.into_iter().filter(is_meant).collect()
        }
    }
}

/// The edits that lay a text out.
fn edits(text: &str, tree: &Tree, indent: usize) -> Vec<Edit> {
    // A lone CR is white space to AMCT and a line break to an editor: no layout is right for both.
    let is_strange = text.match_indices('\r').any(|(at, _)| text.as_bytes().get(at + 1) != Some(&b'\n'));
    if is_strange || text.starts_with('\u{feff}') {
        return Vec::new();
    }
    let edits = Layout::of(text, tree, indent).edits(text);
    let after = apply(text, &edits);
    // A fault of ours must not cost anybody's text.
    if content(tree) == content(&Tree::parse(&after)) { edits } else { Vec::new() }
}

/// The text after edits that are in order and do not overlap.
pub fn apply(text: &str, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        out.push_str(&text[at..edit.range.start]);
        out.push_str(&edit.text);
        at = edit.range.end;
    }
    out + &text[at..]
}

/// What layout must not change: all tokens and comments but those that carry no meaning.
fn content(tree: &Tree) -> Vec<String> {
    let tokens = tree.tokens().into_iter();
    let meant = tokens.filter(|token| {
        use TokenKind as Kind;
        !matches!(token.kind, Kind::Whitespace | Kind::Comma | Kind::Semicolon | Kind::Colon)
    });
    meant
        .map(|token| match token.kind {
            TokenKind::OpenAngle => "{".to_owned(),
            TokenKind::CloseAngle => "}".to_owned(),
            _ => token.text.trim_end().to_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Expect) {
        let formatted = apply(text, &edits(text, &Tree::parse(text), 4));
        // Carriage returns in a picture would not be seen.
        expected.assert_eq(&formatted.replace('\r', "␍"));
        let again = edits(&formatted, &Tree::parse(&formatted), 4);
        assert_eq!(again, [], "a second time");
    }

    #[test]
    fn one_field_a_line_and_a_step_a_level() {
        check(
            "retrain_data_quant_config<ulq_quantize{clip_max_min:{clip_max:6.0,clip_min:-6.0;}fixed_min :true}> skip_layers:\"a\" skip_layers : 'b'  'c'",
            expect![[r#"
                retrain_data_quant_config: {
                    ulq_quantize: {
                        clip_max_min: {
                            clip_max: 6.0
                            clip_min: -6.0
                        }
                        fixed_min: true
                    }
                }
                skip_layers: "a"
                skip_layers: 'b' 'c'
            "#]],
        );
    }

    #[test]
    fn comments_and_paragraphs_stay() {
        check(
            "\n\n# first\n\n\n\nbatch_num: 1   # how many\n  # of its own\n\n\n  a { # opens\n# inside\n\n\n b: 1 # b\n\n # last\n}# closed\n# end",
            expect![[r#"
                # first

                batch_num: 1 # how many
                # of its own

                a: { # opens
                    # inside

                    b: 1 # b

                    # last
                } # closed
                # end
            "#]],
        );
        check(
            "a {\n}\nb { # only\n}\nc {\n# only\n}\n",
            expect![[r#"
            a: {}
            b: { # only
            }
            c: {
                # only
            }
        "#]],
        );
        check("", expect![""]);
        check("  \n\n", expect![""]);
        check(
            "# alone",
            expect![[r#"
            # alone
        "#]],
        );
    }

    #[test]
    fn lists_stay_on_a_line_if_they_were_and_fit() {
        check(
            "a:[1,2 ,3]\nb: [\n'x', 'y'\n]\nc: []",
            expect![[r#"
            a: [1, 2, 3]
            b: [
                'x',
                'y'
            ]
            c: []
        "#]],
        );
        check(
            "a: [{b: 1}, {c: 2 d: 3}]\ne: [ # why\n1,\n# two\n2]",
            expect![[r#"
            a: [
                {
                    b: 1
                },
                {
                    c: 2
                    d: 3
                }
            ]
            e: [ # why
                1,
                # two
                2
            ]
        "#]],
        );
        check(
            &format!("skip_layers: [{}]", ["\"backbone.layer\""; 8].join(", ")),
            expect![[r#"
            skip_layers: [
                "backbone.layer",
                "backbone.layer",
                "backbone.layer",
                "backbone.layer",
                "backbone.layer",
                "backbone.layer",
                "backbone.layer",
                "backbone.layer"
            ]
        "#]],
        );
    }

    #[test]
    fn strings_that_follow_one_another_keep_their_lines() {
        check(
            "a: 'x'   'y'\n'z'\n",
            expect![[r#"
            a: 'x' 'y'
                'z'
        "#]],
        );
        check(
            "[a . b / c] {  v:1 }",
            expect![[r#"
            [a.b/c]: {
                v: 1
            }
        "#]],
        );
    }

    #[test]
    fn what_is_broken_is_left_alone() {
        check(
            "a   :   1\n  b   c:   2\nd   {  e:  1\n  f: }\n g:   3\n",
            expect![[r#"
            a: 1
              b   c:   2
            d: {
                e: 1
              f:
            }
            g: 3
        "#]],
        );
        check(
            "a { b:1\n   c   {",
            expect![[r#"
            a { b:1
               c   {
        "#]],
        );
        check(
            "a # why\n   :  1\nb:1",
            expect![[r#"
            a # why
               :  1
            b: 1
        "#]],
        );
    }

    #[test]
    fn line_breaks_are_those_of_the_text() {
        check(
            "a:1\r\nb { c:1 }# d\r\n",
            expect![[r#"
                a: 1␍
                b: {␍
                    c: 1␍
                } # d␍
            "#]],
        );
        assert_eq!(edits("a:1\rb:2\n", &Tree::parse("a:1\rb:2\n"), 4), []);
    }
}
