//! The user's cache folder: the only place where the server writes.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::schema::builtin::Dialect;

/// Our folder in the user's cache. It need not exist.
pub(super) fn folder() -> Option<PathBuf> {
    let from = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = from("XDG_CACHE_HOME")
        .or_else(|| from("LOCALAPPDATA"))
        .or_else(|| from("HOME").map(|home| home.join(".cache")));
    Some(cache?.join("quantcfg"))
}

/// The .proto of a dialect as a file to look at, which nobody should change.
pub(super) fn schema(dialect: Dialect) -> Option<PathBuf> {
    let folder = folder()?.join("schemas");
    let path = folder.join(dialect.file_name());
    let is_there = std::fs::read_to_string(&path).is_ok_and(|text| text == dialect.source());
    if !is_there {
        write_read_only(&folder, &path, dialect.source()).ok()?;
    }
    Some(path)
}

/// Replaces the file in one step: another server may be looking at it.
fn write_read_only(folder: &Path, path: &Path, text: &str) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    let mut permissions = file.as_file().metadata()?.permissions();
    permissions.set_readonly(true);
    file.as_file().set_permissions(permissions)?;
    file.persist(path)?;
    Ok(())
}
