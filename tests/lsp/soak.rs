//! A long session: random edits, questions, openings and closings beside a model of the texts, while layers and schema
//! change on disk. Whatever the server answers at the end of a round, a fresh one answers too, and memory stays flat.
//!
//! A round takes a fraction of a second. For an hour of it:
//!
//! ```sh
//! QUANTCFG_SOAK_SECONDS=3600 cargo test --release --test lsp soak -- --nocapture
//! ```

use std::collections::HashMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::Client;
use crate::folder::{Folder, SAMPLE};
use crate::model::{Dice, Model};

const NAMES: [&str; 3] = ["quant.cfg", "b.quant.cfg", "own.cfg"];
const OWN: &str = "# proto-file: own.proto\n# proto-message: own.M\nM1: 1\ndeep { M2: 2 }\n";
const ROUNDS: u64 = 24;
/// What the allocator keeps depends on chance; a leak of a document a round is far beyond this.
const MAX_GROWTH: u64 = 24 << 20;

struct Document {
    name: &'static str,
    uri: String,
    version: i64,
    text: Model,
}

/// Pieces that make texts which are nearly right.
const PIECES: [&str; 16] = [
    "skip_layers: \"conv2\"\n",
    "skip_layer_types: \"nn.Dense\"\n",
    "override_layer_configs { layer_name: \"conv1\" }\n",
    "retrain_data_quant_config: {\n    ulq_quantize: {\n",
    "}\n",
    "\n",
    "x",
    "\"",
    "{",
    "层😀",
    "# 量化\n",
    ": ",
    "batch_num: 1\n",
    "prune_config {}\n",
    "common_config {}\n",
    "",
];

fn layers(dice: &mut Dice) -> String {
    let count = 1 + dice.roll(4);
    (1..=count).map(|at| format!("conv{at} {}\n", ["nn.Conv2D", "nn.Dense"][dice.roll(2)])).collect()
}

fn schema(dice: &mut Dice) -> String {
    let number = 1 + dice.roll(3);
    format!(
        "syntax = 'proto2'; package own; message M {{ optional int32 M{number} = 1; optional M deep = 2; }}"
    )
}

/// Everything that can be asked about a document, at some places of it.
fn ask_all(client: &Client, document: &Document, places: &[[usize; 2]]) -> Vec<Value> {
    let id = json!({ "uri": document.uri });
    let mut answers = vec![
        client.ask("textDocument/codeLens", json!({ "textDocument": id })),
        client.ask("quantcfg/effective", id.clone()),
    ];
    for [line, character] in places {
        let params = json!({ "textDocument": id, "position": { "line": line, "character": character } });
        answers.push(client.ask("textDocument/hover", params.clone()));
        answers.push(client.ask("textDocument/completion", params));
    }
    answers
}

/// Resident memory in bytes, where the system tells it.
fn memory(client: &Client) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", client.process())).unwrap_or_default();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    resident.and_then(|text| text.trim().strip_suffix(" kB")?.parse::<u64>().ok()).unwrap_or(0) << 10
}

/// What an editor would show: the findings of each document that came last.
#[derive(Default)]
struct Published(HashMap<String, (Value, Value)>);

impl Published {
    fn hear(&mut self, client: &Client) {
        let all = client.notifications().into_iter();
        for mut notification in all.filter(|n| n["method"] == "textDocument/publishDiagnostics") {
            let params = notification["params"].take();
            let uri = params["uri"].as_str().unwrap_or_default().to_owned();
            self.0.insert(uri, (params["version"].clone(), params["diagnostics"].clone()));
        }
    }

    /// Those of the document as it is.
    fn of(&mut self, client: &Client, document: &Document) -> Value {
        for _ in 0..2000 {
            self.hear(client);
            if let Some((version, findings)) = self.0.get(&document.uri)
                && *version == document.version
            {
                return findings.clone();
            }
            // Whatever was sent before this answer is heard with it.
            client.text(&document.uri);
        }
        panic!("no findings for {} {}", document.name, document.version);
    }
}

#[test]
fn a_long_session_stays_right_and_small() {
    let seconds = std::env::var("QUANTCFG_SOAK_SECONDS").ok().and_then(|text| text.parse().ok());
    let end = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let folder = Folder::new("soak");
    let mut dice = Dice(11);
    folder.write("quant.layers.json", &layers(&mut dice));
    folder.write("own.proto", &schema(&mut dice));
    let client = Client::start();
    let mut open: Vec<Document> = Vec::new();
    let mut published = Published::default();
    let (mut warm, mut round) = (0, 0);
    while end.map_or(round < ROUNDS, |end| Instant::now() < end) {
        round += 1;
        for _ in 0..60 {
            step(&client, &folder, &mut open, &mut dice);
        }
        // Whatever changed on disk is known after a save.
        if let Some(document) = open.first() {
            let params = json!({ "textDocument": { "uri": document.uri } });
            client.notify("textDocument/didSave", params);
        }
        let fresh = Client::start();
        for document in &open {
            let text = document.text.text();
            assert_eq!(client.text(&document.uri), text, "round {round}, {}", document.name);
            fresh.open(&document.uri, &text);
            let places: Vec<_> = (0..3).map(|_| document.text.place(&mut dice)).collect();
            let (ours, theirs) = (ask_all(&client, document, &places), ask_all(&fresh, document, &places));
            let (ours_found, theirs_found) =
                (published.of(&client, document), fresh.findings(&document.uri, 1));
            assert_eq!(ours_found, theirs_found, "round {round}, {}:\n{text}", document.name);
            assert_eq!(ours, theirs, "round {round}, {} at {places:?}:\n{text}", document.name);
        }
        if round == ROUNDS / 3 {
            warm = memory(&client);
        }
    }
    let last = memory(&client);
    println!(
        "{round} rounds, memory {} KiB after the first {}, {} KiB at the end",
        warm >> 10,
        ROUNDS / 3,
        last >> 10
    );
    assert!(last < warm + MAX_GROWTH, "memory grew from {warm} to {last} bytes");
}

fn step(client: &Client, folder: &Folder, open: &mut Vec<Document>, dice: &mut Dice) {
    match dice.roll(40) {
        0 => folder.write("quant.layers.json", &layers(dice)),
        1 => folder.write("own.proto", &schema(dice)),
        2 if open.len() > 1 => {
            let closed = open.swap_remove(dice.roll(open.len()));
            client.notify("textDocument/didClose", json!({ "textDocument": { "uri": closed.uri } }));
        }
        3..=5 => {
            let closed: Vec<_> = NAMES.iter().filter(|name| open.iter().all(|d| d.name != **name)).collect();
            if let Some(&&name) = closed.first() {
                let text = if name == "own.cfg" { OWN } else { SAMPLE };
                let uri = folder.uri_of(name);
                client.open(&uri, text);
                open.push(Document { name, uri, version: 1, text: Model::new(text) });
            }
        }
        6..=8 if !open.is_empty() => {
            let document = &open[dice.roll(open.len())];
            let [line, character] = document.text.place(dice);
            let position = json!({ "line": line, "character": character });
            let params = json!({ "textDocument": { "uri": document.uri }, "position": position });
            client.request(["textDocument/hover", "textDocument/completion"][dice.roll(2)], params);
        }
        _ if !open.is_empty() => {
            let at = dice.roll(open.len());
            let document = &mut open[at];
            let (range, text) = (document.text.range(dice), PIECES[dice.roll(PIECES.len())]);
            document.version += 1;
            document.text.replace(range, text);
            client.change(&document.uri, document.version, &[(range.map(|n| n as u32), text)]);
        }
        _ => {}
    }
}
