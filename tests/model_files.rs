//! Layers out of model files: one network saved in three ways, and files that lie.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use expect_test::{Expect, expect};
use quantcfg::Language;
use quantcfg::inventory::model::{ModelKind, read};

const CKPT: &[u8] = include_bytes!("data/models/net.ckpt");
const MINDIR: &[u8] = include_bytes!("data/models/net.mindir");
const ONNX: &[u8] = include_bytes!("data/models/net.onnx");

fn check(mut bytes: &[u8], kind: ModelKind, expected: Expect) {
    let list = read(&mut bytes, kind).unwrap();
    assert!(!list.complete);
    let lines = list.layers.iter().map(|layer| {
        let mut line = format!("{} {}", layer.name, layer.type_name.as_deref().unwrap_or("?"));
        for (word, is_so) in [
            ("inferred", layer.inferred),
            ("depthwise", layer.depthwise),
            ("unpackable", !layer.int4_packable),
            ("without bias", !layer.bias),
        ] {
            if is_so {
                line += &format!(", {word}");
            }
        }
        line + "\n"
    });
    expected.assert_eq(&lines.collect::<String>());
}

#[test]
fn a_checkpoint_knows_what_has_parameters() {
    check(
        CKPT,
        ModelKind::Ckpt,
        expect![[r#"
        conv1 Conv2d, inferred, unpackable
        layer1.0.conv1 Conv2d, inferred
        layer1.0.bn1 BatchNorm2d, inferred
        layer1.0.dw Conv2d, inferred, depthwise, unpackable
        layer1.1.conv1 Conv2d, inferred
        layer1.1.bn1 BatchNorm2d, inferred
        layer1.1.dw Conv2d, inferred, depthwise, unpackable
        conv2 Conv2d, inferred
        fc Dense, inferred
        up Conv2d, inferred
    "#]],
    );
}

#[test]
fn a_mindir_knows_what_is_called() {
    check(
        MINDIR,
        ModelKind::Mindir,
        expect![[r#"
        conv1 Conv2d, unpackable
        layer1.0.conv1 Conv2d
        layer1.0.dw Conv2d, depthwise, unpackable
        layer1.0.bn1 BatchNorm2d
        layer1.0.relu ReLU
        layer1.1.conv1 Conv2d
        layer1.1.dw Conv2d, depthwise, unpackable
        layer1.1.bn1 BatchNorm2d
        layer1.1.relu ReLU
        conv2 Conv2d
        flatten Flatten
        fc Dense
    "#]],
    );
}

#[test]
fn an_onnx_graph_knows_what_has_weights() {
    check(
        ONNX,
        ModelKind::Onnx,
        expect![[r#"
        conv1 Conv2d, inferred, unpackable
        layer1.0.conv1 Conv2d, inferred
        layer1.0.dw Conv2d, inferred, depthwise, unpackable
        layer1.0.bn1 BatchNorm2d, inferred
        layer1.1.conv1 Conv2d, inferred
        layer1.1.dw Conv2d, inferred, depthwise, unpackable
        layer1.1.bn1 BatchNorm2d, inferred
        conv2 Conv2d, inferred
        fc Dense, inferred
    "#]],
    );
}

#[test]
fn damaged_files_give_an_error_or_fewer_layers_and_never_a_panic() {
    for (bytes, kind) in [(CKPT, ModelKind::Ckpt), (MINDIR, ModelKind::Mindir), (ONNX, ModelKind::Onnx)] {
        let all = read(&mut &bytes[..], kind).unwrap().layers.len();
        for len in (0..bytes.len()).step_by(97) {
            if let Ok(list) = read(&mut &bytes[..len], kind) {
                assert!(list.layers.len() <= all);
            }
        }
        let mut state = 1_u32;
        for _ in 0..300 {
            let mut damaged = bytes.to_vec();
            for _ in 0..4 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let at = state as usize % damaged.len().min(4096);
                damaged[at] = (state >> 24) as u8;
            }
            let _ = read(&mut &damaged[..], kind);
        }
    }
}

#[test]
fn lies_about_lengths_take_no_memory() {
    let error = |mut bytes: &[u8], kind| read(&mut bytes, kind).unwrap_err().message(Language::English);
    let mut shown = String::new();
    for (what, bytes) in [
        ("nothing", &b""[..]),
        ("text", b"not a model at all"),
        ("a zip archive", b"PK\x03\x04\x14\x00"),
        ("a message of 2^63 bytes", b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x0a\x05"),
        ("a name of 2^31 bytes", b"\x0a\xff\xff\xff\xff\x7f\x0a\xff\xff\xff\xff\x07abc"),
        ("groups", b"\x0b\x0b\x0b\x0b"),
        ("field 0", b"\x02\x01a"),
    ] {
        shown += &format!("{what}: {}\n", error(bytes, ModelKind::Ckpt));
    }
    expect![[r#"
        nothing: there is no layer in it; write a layer list by hand
        text: this is no such model file, or it is damaged or cut short (tag 110); save it again
        a zip archive: this is no such model file, or it is damaged or cut short (tag 3); save it again
        a message of 2^63 bytes: this is no such model file, or it is damaged or cut short (Unexpected end of file); save it again
        a name of 2^31 bytes: it has more than any network: a name; write a layer list by hand
        groups: this is no such model file, or it is damaged or cut short (tag 11); save it again
        field 0: this is no such model file, or it is damaged or cut short (field 0); save it again
    "#]].assert_eq(&shown);
}
