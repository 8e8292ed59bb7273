//! The architecture as a test: who may use whom, and how every file is kept.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::{Path, PathBuf};

/// Each module and the modules that it may use. `language` and `python` may be used by all.
const ARROWS: &[(&str, &[&str])] = &[
    ("language", &[]),
    ("python", &[]),
    ("text", &[]),
    ("syntax", &["text"]),
    ("schema", &["text"]),
    ("loader", &["text", "syntax", "schema"]),
    ("inventory", &[]),
    ("amct", &["text", "schema", "inventory"]),
    ("analysis", &["text", "syntax", "schema", "inventory", "amct"]),
    ("ide", &["text", "syntax", "schema", "loader", "inventory", "amct", "analysis"]),
    ("workspace", &["text", "syntax", "schema", "loader", "inventory", "amct", "analysis", "ide"]),
    ("server", &["text", "schema", "amct", "analysis", "ide", "workspace"]),
    (
        "cli",
        &[
            "text",
            "syntax",
            "schema",
            "loader",
            "inventory",
            "amct",
            "analysis",
            "ide",
            "workspace",
            "server",
        ],
    ),
];

/// Libraries that one module alone may use.
const PRIVATE: &[(&str, &str)] = &[("ropey", "text"), ("tower_lsp", "server"), ("clap", "cli")];

const MAX_LINES: usize = 600;

#[test]
fn the_house_is_in_order() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut faults = Vec::new();
    for path in rust_files(&root.join("src")) {
        let text = fs::read_to_string(&path).unwrap();
        let shown = path.strip_prefix(root).unwrap().display().to_string();
        let mut fault = |what: String| faults.push(format!("{shown}: {what}"));
        if !text.starts_with("//!") {
            fault("does not say in `//!` what it is".into());
        }
        if path.ends_with("mod.rs") {
            fault("modules are named `foo.rs`, not `foo/mod.rs`".into());
        }
        let lines = text.lines().count();
        if lines > MAX_LINES {
            fault(format!("has {lines} lines; split it below {MAX_LINES}"));
        }
        let module = module(&path, root);
        let (code, _) = text.split_once("#[cfg(test)]\nmod tests").unwrap_or((&text, ""));
        for used in uses(code) {
            let allowed = ARROWS.iter().find(|(name, _)| *name == module).map(|(_, allowed)| *allowed);
            let is_known = ARROWS.iter().any(|(name, _)| *name == used);
            let is_fine = used == module || used == "language" || used == "python" || !is_known;
            if !is_fine && allowed.is_some_and(|allowed| !allowed.contains(&used)) {
                fault(format!("`{module}` may not use `{used}`"));
            }
        }
        for (library, owner) in PRIVATE {
            if module != *owner && code.contains(&format!("{library}::")) {
                fault(format!("only `{owner}` may use {library}"));
            }
        }
        for word in [".unwrap()", "todo!", "unimplemented!", "#[ignore"] {
            if code.contains(word) {
                fault(format!("holds `{word}`"));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn every_module_has_its_arrows() {
    let lib = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    let modules = lib.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    for module in modules {
        assert!(ARROWS.iter().any(|(name, _)| *name == module), "{module} is not in the table");
    }
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The top-level module that a file belongs to.
fn module(path: &Path, root: &Path) -> String {
    let inside = path.strip_prefix(root.join("src")).unwrap();
    let first = inside.components().next().unwrap().as_os_str().to_str().unwrap();
    first.trim_end_matches(".rs").to_owned()
}

/// The modules named in `crate::…` paths.
fn uses(code: &str) -> Vec<&str> {
    code.match_indices("crate::")
        .filter(|(at, _)| !code[..*at].ends_with('$'))
        .map(|(at, path)| {
            let rest = &code[at + path.len()..];
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            &rest[..end]
        })
        .collect()
}
