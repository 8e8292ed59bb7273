//! Documents follow the files that they are read against, without a key press.

use serde_json::{Value, json};

use crate::client::{Client, capabilities};
use crate::folder::Folder;

const HEADERS: &str = "# proto-file: own.proto\n# proto-message: own.M\n";
const ONE: &str = "syntax = 'proto2'; package own; message M { optional int32 one = 1; }";
const TWO: &str = "syntax = 'proto2'; package own; message M { optional int32 two = 1; }";

fn codes(params: &Value) -> Vec<&str> {
    params["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["code"].as_str().unwrap())
        .collect()
}

/// Waits until a document has these findings, and gives the message of the first.
#[track_caller]
fn wait_for(client: &Client, uri: &str, expected: &[&str]) -> String {
    let is_wanted = |params: &Value| params["uri"] == uri && codes(params) == expected;
    let found = client.wait_for("textDocument/publishDiagnostics", is_wanted);
    found["diagnostics"][0]["message"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_schema_on_disk_is_followed_and_the_last_good_one_kept() {
    let folder = Folder::new("live-disk");
    folder.write("own.proto", ONE);
    let (client, uri) = (Client::start(), folder.uri());
    client.open(&uri, &format!("{HEADERS}one: 1\n"));
    wait_for(&client, &uri, &[]);
    folder.write("own.proto", TWO);
    wait_for(&client, &uri, &["unknown-field"]);
    folder.write("own.proto", "syntax = 'proto2';\npackage own;\nmessage M { optional int32 }\n");
    let message = wait_for(&client, &uri, &["broken-schema", "unknown-field"]);
    assert!(message.contains("own.proto:3:") && message.contains("last good"), "{message}");
    folder.write("own.proto", ONE);
    wait_for(&client, &uri, &[]);
}

#[test]
fn what_an_import_lacks_may_come_later() {
    let folder = Folder::new("live-import");
    folder.write("own.proto", &format!("import 'later.proto'; {}", ONE.replace("int32", "Later")));
    let (client, uri) = (Client::start(), folder.uri());
    client.open(&uri, &format!("{HEADERS}one {{ x: 1 }}\n"));
    let message = wait_for(&client, &uri, &["broken-schema"]);
    assert!(message.contains("later.proto") && message.contains("nothing is checked"), "{message}");
    folder.write("later.proto", "syntax = 'proto2'; package own; message Later { optional int32 x = 1; }");
    // It now has a syntax statement behind an import, which is no place for it.
    folder.write(
        "own.proto",
        &ONE.replace("int32", "Later").replace("package own;", "package own; import 'later.proto';"),
    );
    wait_for(&client, &uri, &[]);
    folder.write("later.proto", "syntax = 'proto2'; package own; message Later { optional int32 y = 1; }");
    wait_for(&client, &uri, &["unknown-field"]);
}

#[test]
fn a_schema_in_the_editor_counts_before_it_is_saved() {
    let folder = Folder::new("live-buffer");
    folder.write("own.proto", ONE);
    let (client, uri, schema) = (Client::start(), folder.uri(), folder.uri_of("own.proto"));
    client.open(&uri, &format!("{HEADERS}one: 1\n"));
    wait_for(&client, &uri, &[]);
    client.open(&schema, ONE);
    let end = ONE.len() as u32;
    client.change(&schema, 2, &[([0, 0, 0, end], TWO)]);
    wait_for(&client, &uri, &["unknown-field"]);
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": schema } }));
    wait_for(&client, &uri, &[]);
}

#[test]
fn a_layer_list_is_followed() {
    let folder = Folder::new("live-layers");
    let (client, uri) = (Client::start(), folder.uri_of("net.cfg"));
    client.open(&uri, "skip_layers: \"a\"\nretrain_data_quant_config {}\nretrain_weight_quant_config {}\n");
    wait_for(&client, &uri, &[]);
    folder.write("net.layers.json", "b nn.Conv2D\n");
    wait_for(&client, &uri, &["unknown-layer"]);
    folder.write("net.layers.json", "a nn.Conv2D\nb nn.Conv2D\n");
    wait_for(&client, &uri, &[]);
}

#[test]
fn clients_that_watch_files_are_asked_to() {
    let folder = Folder::new("live-watched");
    folder.write("own.proto", ONE);
    let mut can = capabilities();
    can["workspace"]["didChangeWatchedFiles"] = json!({ "dynamicRegistration": true });
    let (client, uri) = (Client::start_with(json!({ "capabilities": can })), folder.uri());
    let asked = client.wait_for_request("client/registerCapability");
    let registrations = asked["params"]["registrations"].as_array().unwrap();
    assert!(registrations.iter().any(|r| r["method"] == "workspace/didChangeWatchedFiles"), "{asked}");
    client.open(&uri, &format!("{HEADERS}one: 1\n"));
    wait_for(&client, &uri, &[]);
    folder.write("own.proto", TWO);
    let change = json!({ "uri": folder.uri_of("own.proto"), "type": 2 });
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": [change] }));
    wait_for(&client, &uri, &["unknown-field"]);
}

#[test]
fn hostile_schemas_get_a_message_and_the_server_goes_on() {
    let folder = Folder::new("live-hostile");
    let nested =
        format!("syntax = 'proto2'; package own; {}{}", "message M {".repeat(5000), "}".repeat(5000));
    let cycle = "syntax = 'proto2'; package own; import 'own.proto'; message M {}";
    let double = "syntax = 'proto2'; package own; message M {} message M {}";
    let client = Client::start();
    for (at, text) in [
        nested.as_str(),
        cycle,
        double,
        "\u{feff}syntax = 'proto2';",
        "edition = '2023';",
        "",
        "message",
        "\0",
    ]
    .iter()
    .enumerate()
    {
        folder.write("own.proto", text);
        let uri = folder.uri_of(&format!("{at}.cfg"));
        client.open(&uri, &format!("{HEADERS}one: 1\n"));
        let message = wait_for(&client, &uri, &["broken-schema"]);
        assert!(message.contains("own.proto"), "{message}");
    }
}

#[test]
fn a_header_reads_nothing_outside_of_the_workspace() {
    let folder = Folder::new("live-outside/inside");
    let outside = folder.path("..");
    std::fs::write(outside.join("secret.proto"), ONE).unwrap();
    std::fs::write(outside.join("secret.json"), "a nn.Conv2D\n").unwrap();
    let import = "syntax = 'proto2'; package own; import 'secret.proto'; message N { optional M m = 1; }";
    folder.write("own.proto", import);
    #[cfg(unix)]
    std::os::unix::fs::symlink(outside.join("secret.proto"), folder.path("link.proto")).unwrap();
    let client = Client::start();
    let message_of = |name: &str, text: &str, code: &str| {
        let uri = folder.uri_of(name);
        client.open(&uri, text);
        let is_wanted = |params: &Value| params["uri"] == uri;
        let found = client.wait_for("textDocument/publishDiagnostics", is_wanted);
        let findings = found["diagnostics"].as_array().unwrap();
        let finding = findings.iter().find(|finding| finding["code"] == code);
        finding.unwrap_or_else(|| panic!("{name}: {found}"))["message"].as_str().unwrap().to_owned()
    };
    let proto = |path: &str| format!("# proto-file: {path}\n# proto-message: own.M\n");
    for (name, path) in [("a.cfg", "../secret.proto"), ("b.cfg", "link.proto"), ("c.cfg", "/etc/passwd")] {
        let message = message_of(name, &proto(path), "unreadable-header-file");
        assert!(message.contains("outside of the workspace"), "{message}");
    }
    let message = message_of("d.cfg", &proto("own.proto").replace("own.M", "own.N"), "broken-schema");
    assert!(message.contains("secret.proto"), "{message}");
    for (name, path) in
        [("e.cfg", "../secret.json"), ("f.cfg", "/dev/zero"), ("g.cfg", "."), ("h.cfg", "no\0name")]
    {
        message_of(name, &format!("# quantcfg-layers: {path}\n"), "unreadable-header-file");
    }
    // A pipe that nobody writes to would never end.
    let made = std::process::Command::new("mkfifo").arg(folder.path("pipe")).status();
    if made.is_ok_and(|status| status.success()) {
        message_of("i.cfg", "# quantcfg-layers: pipe\n", "unreadable-header-file");
    }
}

#[test]
fn headers_that_cannot_be_followed_get_one_finding() {
    let folder = Folder::new("live-headers");
    let client = Client::start();
    for (at, (header, code)) in [
        ("# quantcfg-schema: pytorch-qta\n", "unknown-schema"),
        ("# proto-file: own.proto\n", "incomplete-header"),
        ("# proto-message: own.M\n", "incomplete-header"),
    ]
    .iter()
    .enumerate()
    {
        let uri = folder.uri_of(&format!("{at}.cfg"));
        client.open(&uri, &format!("{header}foo: 1 bar {{\n"));
        wait_for(&client, &uri, &[code]);
    }
}

#[test]
fn settings_come_from_the_editor_and_from_a_file() {
    let folder = Folder::new("live-settings");
    folder.write("quantcfg.toml", "[severity]\nunknown-field = 'hint'\n");
    let options = json!({ "schemas": [{ "files": ["quant.cfg"], "schema": "own.proto:own.M" }] });
    let root = json!([{ "uri": folder.uri_of("").trim_end_matches('/'), "name": "net" }]);
    let can = json!({ "workspace": {}, "textDocument": {} });
    let params = json!({ "capabilities": can, "initializationOptions": options, "workspaceFolders": root });
    folder.write("own.proto", ONE);
    let (client, uri) = (Client::start_with(params), folder.uri());
    client.open(&uri, "two: 1\n");
    let severity = |wanted: u64| {
        let is_wanted =
            |params: &Value| params["uri"] == uri && params["diagnostics"][0]["severity"] == wanted;
        client.wait_for("textDocument/publishDiagnostics", is_wanted)
    };
    assert_eq!(severity(4)["diagnostics"][0]["code"], "unknown-field");
    folder.write("quantcfg.toml", "[severity]\nunknown-field = 'warning'\n");
    severity(2);
    // The editor wins.
    let settings = json!({ "quantcfg": { "severity": { "unknown-field": "information" } } });
    client.notify("workspace/didChangeConfiguration", json!({ "settings": settings }));
    severity(3);
    let settings =
        json!({ "quantcfg": { "diagnostics": { "enable": false }, "codeLens": { "enable": false } } });
    client.notify("workspace/didChangeConfiguration", json!({ "settings": settings }));
    wait_for(&client, &uri, &[]);
    let lenses = client.ask("textDocument/codeLens", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(lenses, json!([]));
}

#[test]
fn what_lies_outside_is_read_where_the_editor_allows_it() {
    let folder = Folder::new("live-allowed/inside");
    let outside = folder.path("..").join("installed.proto").canonicalize();
    let outside = outside.unwrap_or_else(|_| folder.path("../installed.proto"));
    std::fs::write(&outside, ONE).unwrap();
    let schema = format!("{}:own.M", outside.display());
    let uri = folder.uri();
    for (allows, expected) in [(false, "unreadable-header-file"), (true, "unknown-field")] {
        let options = json!({
            "schemas": [{ "files": ["*.cfg"], "schema": schema }],
            "allowOutsideWorkspace": allows,
        });
        let can = json!({ "workspace": {}, "textDocument": {} });
        let client = Client::start_with(json!({ "capabilities": can, "initializationOptions": options }));
        client.open(&uri, "two: 1\n");
        wait_for(&client, &uri, &[expected]);
    }
}
