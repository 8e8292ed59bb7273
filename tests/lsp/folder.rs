//! A folder on disk for one test.

use std::fs;
use std::path::{Path, PathBuf};

pub const SAMPLE: &str = include_str!("../data/sample/quant.cfg");

/// A folder of its own for one test, with the sample in it.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("quant.cfg"), SAMPLE).unwrap();
        Self(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// The address of the sample.
    pub fn uri(&self) -> String {
        self.uri_of("quant.cfg")
    }

    pub fn uri_of(&self, name: &str) -> String {
        format!("file://{}", self.path(name).display())
    }
}
