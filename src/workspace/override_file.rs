//! Looks at the file that the `override_prune_cfg` of a text names. AMCT resolves the path from the folder that it runs in.

use std::path::{Component, Path, PathBuf};

use crate::amct::Certainty;
use crate::amct::auto_prune::{OverrideContent, OverrideFile};
use crate::loader;
use crate::schema::builtin::{self, Dialect};
use crate::schema::value::ValueKind;

const FIELD: &str = "override_prune_cfg";
/// Larger files are no such files.
const MAX_BYTES: u64 = 4 << 20;

/// The file that a text names, with AMCT running in `folder`; `None` when it names none or cannot be read.
pub fn find(text: &str, folder: &Path, certainty: Certainty) -> Option<OverrideFile> {
    if !text.contains(FIELD) {
        return None;
    }
    let schema = builtin::schema(Dialect::AutoChannelPrune);
    let values = loader::load(text.as_bytes(), &schema).ok()?;
    let ValueKind::String(written) = &values.get_one(&schema, FIELD)?.kind else { return None };
    let path = normal(&folder.join(written));
    let (written, shown) = (written.clone(), path.display().to_string());
    Some(OverrideFile { written, shown, content: content(&path), certainty })
}

fn content(path: &Path) -> OverrideContent {
    let Ok(metadata) = std::fs::metadata(path) else { return OverrideContent::Missing };
    if metadata.is_dir() {
        return OverrideContent::Folder;
    }
    if !metadata.is_file() || metadata.len() > MAX_BYTES {
        return OverrideContent::Missing;
    }
    let Ok(bytes) = std::fs::read(path) else { return OverrideContent::Missing };
    match loader::load(&bytes, &builtin::schema(Dialect::PytorchQat)) {
        Ok(values) => OverrideContent::Values(values),
        Err(error) => OverrideContent::Refused(error.kind.name(), error.python_text()),
    }
}

/// The path without `.` and `..`, as Python's `os.path.abspath` has it.
pub(super) fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}
