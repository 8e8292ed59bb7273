//! How fast a text is read in full, and how fast again after a keystroke, beside others that read the same texts in the
//! same run.
//!
//! `cargo bench --bench syntax` prints the tables of README.md beside this file; with `-- --short` it takes seconds, and
//! fails only when something is slower by a factor that no busy machine explains.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and fails where it cannot go on"
)]

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor};
use quantcfg::ide::Snapshot;
use quantcfg::syntax::tree::Tree;
use quantcfg::text::{Buffer, Change, Edit, TextRange};

fn main() {
    let is_short = std::env::args().any(|argument| argument == "--short");
    let sizes: &[usize] = if is_short { &[100, 10_000] } else { &[100, 10_000, 100_000] };
    let mut faults = full(sizes, if is_short { 3 } else { 15 });
    faults.extend(keystrokes(if is_short { 10_000 } else { 100_000 }, if is_short { 300 } else { 4_000 }));
    faults.iter().for_each(|fault| println!("\nTOO SLOW: {fault}"));
    std::process::exit(i32::from(!faults.is_empty()));
}

/// Overrides as AMCT's documentation writes them, so many lines of them.
fn nested(lines: usize) -> String {
    let mut text = String::from("# global quantize parameter\nskip_layers: \"conv0\"\n");
    let mut at = 2;
    while at < lines {
        text += &format!(
            "\noverride_layer_configs : {{\n    layer_name: \"backbone.layer{at}.conv\"\n    retrain_data_quant_config: {{\n        ulq_quantize: {{\n            clip_max_min: {{\n                clip_max: {}.5\n                clip_min: -3.0\n            }}\n            fixed_min: true\n        }}\n    }}\n    retrain_weight_quant_config: {{\n        arq_retrain: {{\n            channel_wise: false\n        }}\n    }}\n}}\n",
            at % 9
        );
        at += 18;
    }
    text
}

fn flat(lines: usize) -> String {
    (0..lines).map(|line| format!("skip_layers: \"backbone.layer{line}\"\n")).collect()
}

fn wrapped(lines: usize) -> String {
    let inner: String = nested(lines).lines().map(|line| format!("    {line}\n")).collect();
    format!("wrapped {{\n{inner}}}\n")
}

fn message() -> MessageDescriptor {
    let source = include_str!("../data/vectors/retrain.proto");
    let mut pool = DescriptorPool::new();
    pool.add_file_descriptor_proto(protox_parse::parse("retrain.proto", source).unwrap()).unwrap();
    pool.get_message_by_name("AMCTMindsporeProto.AMCTRetrainConfig").unwrap()
}

fn tree_sitter_parser() -> tree_sitter::Parser {
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&tree_sitter_textproto::LANGUAGE.into()).unwrap();
    parser
}

/// The reader of a whole text and its name.
type Reader = (&'static str, Box<dyn FnMut(&str)>);

/// The table of full parses; what is too slow in it.
fn full(sizes: &[usize], rounds: usize) -> Vec<String> {
    let message = message();
    let mut grammar = tree_sitter_parser();
    let mut readers: [Reader; 4] = [
        ("quantcfg, lossless and tolerant", Box::new(|text| drop(black_box(Tree::parse(text))))),
        (
            "prost-reflect, text format to message",
            Box::new(move |text| {
                black_box(DynamicMessage::parse_text_format(message.clone(), text).unwrap());
            }),
        ),
        ("tree-sitter-textproto", Box::new(move |text| drop(black_box(grammar.parse(text, None))))),
        (
            "memchr, counting lines",
            Box::new(|text| {
                black_box(memchr::memchr_iter(b'\n', text.as_bytes()).count());
            }),
        ),
    ];
    let mut table = vec![Vec::new(); readers.len()];
    for &size in sizes {
        let text = nested(size);
        let repeat = (20_000 / size).max(1);
        let mut times = vec![Vec::new(); readers.len()];
        // One after the other in every round, so that all suffer alike from what else the machine does.
        for _ in 0..rounds {
            for ((_, read), times) in readers.iter_mut().zip(&mut times) {
                let start = Instant::now();
                (0..repeat).for_each(|_| read(&text));
                times.push(start.elapsed() / repeat as u32);
            }
        }
        for (row, times) in table.iter_mut().zip(&mut times) {
            row.push(text.len() as f64 / percentile(times, 50).as_secs_f64() / 1e6);
        }
    }
    println!("Full parse in MB/s, median of {rounds}\n");
    let header: String = sizes.iter().map(|size| format!(" {size} lines |")).collect();
    println!("| reader |{header}\n|---|{}", "---|".repeat(sizes.len()));
    for ((name, _), row) in readers.iter().zip(&table) {
        let cells: String = row.iter().map(|speed| format!(" {speed:.0} |")).collect();
        println!("| {name} |{cells}");
    }
    let (ours, theirs) = (table[0].last().unwrap(), table[1].last().unwrap());
    (ours * 2.0 < *theirs)
        .then(|| format!("a full parse: {ours:.0} MB/s, prost-reflect {theirs:.0} MB/s"))
        .into_iter()
        .collect()
}

/// Small numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

/// The table of keystrokes; what is too slow in it.
fn keystrokes(lines: usize, count: usize) -> Vec<String> {
    const TYPED: &[&str] = &["a", "e", "x", "_", "1", "7", ".", " "];
    const HOSTILE: &[&str] = &["{", "}", "[", "]", "\"", "'"];
    println!(
        "\nKeystroke in {lines} lines: {count} times a character is put in and taken out again, in µs\n"
    );
    println!("| text | keys | median | p99 | longest | full parse |\n|---|---|---|---|---|---|");
    let mut faults = Vec::new();
    for (name, text) in [("nested", nested(lines)), ("flat", flat(lines)), ("in one block", wrapped(lines))] {
        let start = Instant::now();
        let tree = black_box(Tree::parse(&text));
        let whole = start.elapsed();
        for (kind, keys) in
            [("letters", TYPED), ("brackets and quotes", HOSTILE), ("letters, with all findings", TYPED)]
        {
            let mut times = match kind {
                "letters" => typed(&text, tree.clone(), keys, count),
                "brackets and quotes" => typed(&text, tree.clone(), keys, count / 10),
                _ => typed_with_findings(&text, keys, count / 20),
            };
            let [median, p99, longest] = [50, 99, 100].map(|part| percentile(&mut times, part));
            let micros = |time: Duration| time.as_secs_f64() * 1e6;
            println!(
                "| {name} | {kind} | {:.0} | {:.0} | {:.0} | {:.0} |",
                micros(median),
                micros(p99),
                micros(longest),
                micros(whole)
            );
            if kind == "letters" && median * 10 > whole {
                faults.push(format!(
                    "a keystroke in the {name} text: {median:?}, a full parse takes {whole:?}"
                ));
            }
        }
    }
    let text = nested(lines);
    let mut times = typed_in_tree_sitter(&text, TYPED, (count / 40).max(5));
    println!(
        "| nested, tree-sitter-textproto | letters | {:.0} | | | |",
        percentile(&mut times, 50).as_secs_f64() * 1e6
    );
    faults
}

/// An edit somewhere in the text, and the one that undoes it.
fn random_edit(dice: &mut Dice, text: &Buffer, keys: &[&str]) -> [Edit; 2] {
    let line = text.line_range(dice.roll(text.line_count()));
    let at = line.start + dice.roll(line.len() + 1);
    let typed = Edit::insert(at, keys[dice.roll(keys.len())]);
    let undo = Edit::replace(typed.new_range(), "");
    [typed, undo]
}

fn typed(text: &str, mut tree: Tree, keys: &[&str], count: usize) -> Vec<Duration> {
    let mut dice = Dice(1);
    let mut text = Buffer::new(text);
    let mut times = Vec::new();
    for _ in 0..count {
        for edit in random_edit(&mut dice, &text, keys) {
            text.apply(&edit);
            let start = Instant::now();
            // What the old tree costs to drop belongs to the keystroke.
            tree = tree.reparse(Change::from(&edit), &text);
            times.push(start.elapsed());
        }
    }
    black_box(tree);
    times
}

fn typed_with_findings(text: &str, keys: &[&str], count: usize) -> Vec<Duration> {
    let mut dice = Dice(1);
    let mut snapshot = Snapshot::open(text, Arc::default());
    snapshot.diagnostics();
    let mut times = Vec::new();
    for _ in 0..count {
        for edit in random_edit(&mut dice, &snapshot.text, keys) {
            let start = Instant::now();
            snapshot = snapshot.edit(&[edit]);
            black_box(snapshot.diagnostics());
            times.push(start.elapsed());
        }
    }
    times
}

fn typed_in_tree_sitter(text: &str, keys: &[&str], count: usize) -> Vec<Duration> {
    let mut dice = Dice(1);
    let mut parser = tree_sitter_parser();
    let mut tree = parser.parse(text, None).unwrap();
    let mut text = Buffer::new(text);
    let mut times = Vec::new();
    let point = |text: &Buffer, offset: usize| {
        let line = text.line_of(offset);
        tree_sitter::Point { row: line, column: offset - text.line_start(line) }
    };
    for _ in 0..count {
        for edit in random_edit(&mut dice, &text, keys) {
            let TextRange { start, end } = edit.range;
            let new_end = edit.new_range().end;
            let (start_position, old_end_position) = (point(&text, start), point(&text, end));
            text.apply(&edit);
            let flat = text.to_string();
            let begin = Instant::now();
            tree.edit(&tree_sitter::InputEdit {
                start_byte: start,
                old_end_byte: end,
                new_end_byte: new_end,
                start_position,
                old_end_position,
                new_end_position: point(&text, new_end),
            });
            tree = parser.parse(&flat, Some(&tree)).unwrap();
            times.push(begin.elapsed());
        }
    }
    times
}

fn percentile(times: &mut [Duration], part: usize) -> Duration {
    times.sort_unstable();
    times[(times.len() * part / 100).min(times.len() - 1)]
}
