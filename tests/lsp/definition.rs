//! Going to definitions: into the .proto of a dialect, of the user, and to what headers name.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::client::{Client, capabilities};
use crate::folder::{Folder, SAMPLE};

fn at(uri: &str, text: &str, needle: &str) -> Value {
    let offset = text.find(needle).unwrap();
    let line = text[..offset].matches('\n').count();
    let character = offset - text[..offset].rfind('\n').map_or(0, |line_break| line_break + 1);
    json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } })
}

/// The text at a target: in a file on disk, unless another one is given.
fn text_at(uri: &Value, range: &Value, text: Option<&str>) -> String {
    let path = PathBuf::from(uri.as_str().unwrap().strip_prefix("file://").unwrap());
    let text = text.map_or_else(|| std::fs::read_to_string(path).unwrap(), str::to_owned);
    let number = |place: &str, key: &str| range[place][key].as_u64().unwrap() as usize;
    assert_eq!(number("start", "line"), number("end", "line"));
    let line = text.lines().nth(number("start", "line")).unwrap();
    line[number("start", "character")..number("end", "character")].to_owned()
}

#[test]
fn a_built_in_dialect_is_shown_as_a_copy_that_nobody_can_change() {
    let folder = Folder::new("definition");
    let (client, uri) = (Client::start(), folder.uri());
    client.open(&uri, SAMPLE);
    let links = client.ask("textDocument/definition", at(&uri, SAMPLE, "ulq_quantize"));
    let link = &links[0];
    let target = link["targetUri"].as_str().unwrap();
    assert!(target.ends_with("/quantcfg/schemas/retrain_config_mindspore.proto"), "{target}");
    assert_eq!(text_at(&link["targetUri"], &link["targetSelectionRange"], None), "ulq_quantize");
    assert_eq!(text_at(&json!(uri), &link["originSelectionRange"], Some(SAMPLE)), "ulq_quantize");
    let copy = PathBuf::from(target.strip_prefix("file://").unwrap());
    assert!(std::fs::metadata(&copy).unwrap().permissions().readonly());
    let links = client.ask("textDocument/typeDefinition", at(&uri, SAMPLE, "ulq_quantize"));
    assert_eq!(text_at(&links[0]["targetUri"], &links[0]["targetSelectionRange"], None), "ULQuantize");
    // It is made anew when it is gone.
    std::fs::remove_file(&copy).unwrap();
    client.ask("textDocument/definition", at(&uri, SAMPLE, "skip_layers"));
    assert!(copy.is_file());
    assert_eq!(client.ask("textDocument/definition", at(&uri, SAMPLE, "# ")), Value::Null);
}

#[test]
fn a_schema_of_the_users_is_shown_where_it_lies() {
    let folder = Folder::new("definition-own");
    let proto =
        "syntax = 'proto3';\npackage own;\nmessage M { int32 depth = 1; N inner = 2; }\nmessage N {}\n";
    folder.write("own.proto", proto);
    folder.write("net.layers.json", "[]");
    let mut able = capabilities();
    able["textDocument"]["definition"] = json!({});
    let (client, uri) = (Client::start_with(json!({ "capabilities": able })), folder.uri());
    let text =
        "# proto-file: own.proto\n# proto-message: own.M\n# quantcfg-layers: net.layers.json\ninner {}\n";
    client.open(&uri, text);
    let go = |kind: &str, needle: &str| client.ask(&format!("textDocument/{kind}"), at(&uri, text, needle));
    let found = go("definition", "inner");
    assert_eq!(text_at(&found["uri"], &found["range"], None), "inner");
    let found = go("typeDefinition", "inner");
    assert_eq!(text_at(&found["uri"], &found["range"], None), "N");
    let found = go("definition", "own.M");
    assert_eq!(text_at(&found["uri"], &found["range"], None), "M");
    let start = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } });
    for (needle, file) in [("own.proto", "own.proto"), ("net.layers", "net.layers.json")] {
        let found = go("definition", needle);
        assert_eq!((found["uri"].as_str(), &found["range"]), (Some(&*folder.uri_of(file)), &start));
    }
    // What is open counts as it is in the editor.
    let moved = format!("\n// More.\n{proto}");
    client.open(&folder.uri_of("own.proto"), &moved);
    client.change(&uri, 2, &[([3, 0, 3, 8], "inner { }")]);
    client.findings(&uri, 2);
    let found = go("definition", "inner");
    assert_eq!(text_at(&found["uri"], &found["range"], Some(&moved)), "inner");
}
