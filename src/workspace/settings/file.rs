//! `quantcfg.toml`: settings that lie beside the files, so that command line, CI and editor agree.

use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Complaint, Settings};

/// The name of the file.
pub const NAME: &str = "quantcfg.toml";
/// A bigger file holds no settings.
const MAX_BYTES: u64 = 1 << 20;
/// What a repository may not grant itself.
const OUTSIDE: &str = "allowOutsideWorkspace";

/// The settings for a folder: those in the nearest `quantcfg.toml`, upwards to `root` or, without it, in the folder itself.
/// Gives also the places that were looked at, the last of which is the file if there is one.
pub fn find(folder: &Path, root: Option<&Path>) -> (Settings, Vec<Complaint>, Vec<PathBuf>) {
    let mut looked = Vec::new();
    let last = root.filter(|root| folder.starts_with(root)).unwrap_or(folder);
    for around in folder.ancestors() {
        let path = around.join(NAME);
        looked.push(path.clone());
        if path.is_file() {
            let (settings, complaints) = read(&path, around);
            return (settings, complaints, looked);
        }
        if around == last {
            break;
        }
    }
    (Settings::default(), Vec::new(), looked)
}

fn read(path: &Path, folder: &Path) -> (Settings, Vec<Complaint>) {
    let failed = |words: String| (Settings::default(), vec![Complaint::NotToml(words)]);
    let mut text = String::new();
    let file = std::fs::File::open(path).and_then(|file| file.take(MAX_BYTES).read_to_string(&mut text));
    if let Err(error) = file {
        return failed(error.to_string());
    }
    let mut section: Value = match toml::from_str(&text) {
        Ok(section) => section,
        Err(error) => {
            let line = error.span().map(|span| text[..span.start].matches('\n').count() + 1);
            let line = line.map(|line| format!("{line}: ")).unwrap_or_default();
            return failed(format!("{line}{}", error.message()));
        }
    };
    let granted = section.as_object_mut().and_then(|section| section.remove(OUTSIDE));
    let (settings, mut complaints) = Settings::read(&section, folder);
    complaints.extend(granted.map(|_| Complaint::NotHere(OUTSIDE.to_owned())));
    (settings, complaints)
}
