//! Columns in the unit that was agreed on, with every kind of line break.

use serde_json::{Value, json};

use crate::client::Client;

const URI: &str = "file:///net/quant.cfg";

fn start(encodings: Value) -> (Client, String) {
    let client = Client::spawn();
    let capabilities = json!({ "general": { "positionEncodings": encodings } });
    let mut offer = client.ask("initialize", json!({ "capabilities": capabilities }));
    client.notify("initialized", json!({}));
    let Value::String(encoding) = offer["capabilities"]["positionEncoding"].take() else { panic!("{offer}") };
    (client, encoding)
}

fn units(text: &str, encoding: &str) -> u32 {
    (match encoding {
        "utf-8" => text.len(),
        "utf-16" => text.encode_utf16().count(),
        _ => text.chars().count(),
    }) as u32
}

#[test]
fn edits_hit_the_right_place_in_every_encoding_and_with_every_line_break() {
    for encoding in ["utf-8", "utf-16", "utf-32"] {
        for line_break in ["\n", "\r\n", "\r"] {
            let (client, agreed) = start(json!([encoding]));
            assert_eq!(agreed, encoding);
            let lines = ["skip_layers: \"🚀层conv\"", "", "# 量化\u{c}\u{2028}配置😀 é", "batch_num: 1"];
            let mut lines = lines.map(str::to_owned);
            client.open(URI, &lines.join(line_break));
            let mut version = 1;
            #[allow(clippy::needless_range_loop, reason = "the line number is what is tested")]
            for line in 0..lines.len() {
                // Behind every character put a mark, from the last to the first.
                let places: Vec<_> = lines[line].char_indices().map(|(at, c)| at + c.len_utf8()).collect();
                for at in places.into_iter().rev() {
                    let character = units(&lines[line][..at], encoding);
                    version += 1;
                    client.change(URI, version, &[([line as u32, character, line as u32, character], "中")]);
                    lines[line].insert(at, '中');
                }
            }
            assert_eq!(client.text(URI), lines.join(line_break), "{encoding} {line_break:?}");
        }
    }
}

#[test]
fn the_first_known_encoding_is_taken_and_utf_16_without_any() {
    for (offered, agreed) in [
        (json!(["utf-7", "utf-32", "utf-8"]), "utf-32"),
        (json!(["utf-8", "utf-16"]), "utf-8"),
        (json!([]), "utf-16"),
        (Value::Null, "utf-16"),
        (json!("utf-8"), "utf-16"),
    ] {
        assert_eq!(start(offered).1, agreed);
    }
}

#[test]
fn a_place_inside_a_character_means_its_start() {
    for (encoding, inside) in [("utf-8", 2), ("utf-16", 2)] {
        let (client, _) = start(json!([encoding]));
        client.open(URI, "a😀b");
        client.change(URI, 2, &[([0, inside, 0, inside], "-")]);
        assert_eq!(client.text(URI), "a-😀b");
    }
}
