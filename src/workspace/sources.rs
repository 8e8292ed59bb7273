//! What the files of a workspace hold, as far as configurations are read against them: schemas that were good, and
//! schemas that an editor has not saved yet.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::schema::file::{self, Access, Loaded, SchemaError};
use crate::schema::model::Schema;

/// See the module.
#[derive(Debug, Default)]
pub struct Sources {
    buffers: HashMap<PathBuf, Arc<str>>,
    /// The last good schema of a file and a root message.
    good: HashMap<(PathBuf, String), Arc<Schema>>,
    /// What files were like when they were last read.
    stamps: HashMap<PathBuf, Stamp>,
}

/// Size and time of change of a file; `None` when there is none.
pub type Stamp = Option<(u64, SystemTime)>;

impl Sources {
    /// Takes the text of a schema in an editor for that on disk, from now on or (`None`) no longer.
    pub fn set_buffer(&mut self, path: &Path, text: Option<&str>) {
        match text {
            Some(text) => self.buffers.insert(path.to_owned(), text.into()),
            None => self.buffers.remove(path),
        };
    }

    /// Takes note of what a file is like. Call it before the file is read, so that no change is missed.
    pub(super) fn note(&mut self, path: &Path) {
        self.stamps.insert(path.to_owned(), stamp(path));
    }

    /// What files were like when they were last read.
    pub fn stamps(&self, paths: &BTreeSet<PathBuf>) -> Vec<(PathBuf, Stamp)> {
        paths.iter().filter_map(|path| Some((path.clone(), *self.stamps.get(path)?))).collect()
    }

    /// The schema in a file. Where it is broken, the last good one stays in force.
    pub(super) fn schema(&mut self, path: &Path, root: &str, limit: Option<PathBuf>) -> SchemaReading {
        let access = Access { limit, buffers: self.buffers.clone() };
        let key = (path.to_owned(), root.to_owned());
        match file::load_with(path, root, &access) {
            Ok(Loaded { schema, files }) => {
                self.good.insert(key, schema.clone());
                SchemaReading { schema: Some(schema), files, error: None }
            }
            Err(error) => {
                // What is missing may come to lie beside it.
                let around = [Some(path), path.parent(), Some(&*error.file)];
                let files = around.into_iter().flatten().map(Path::to_owned).collect();
                SchemaReading { schema: self.good.get(&key).cloned(), files, error: Some(error) }
            }
        }
    }
}

/// What a file is like now.
pub fn stamp(path: &Path) -> Stamp {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.len(), metadata.modified().ok()?))
}

/// What came of reading a schema.
pub(super) struct SchemaReading {
    /// The schema, or the last good one.
    pub(super) schema: Option<Arc<Schema>>,
    /// The files on which it depends.
    pub(super) files: Vec<PathBuf>,
    /// What is wrong with it now.
    pub(super) error: Option<SchemaError>,
}
