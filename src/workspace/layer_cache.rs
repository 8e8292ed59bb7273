//! Layer lists that were read, as long as their files keep size and time. A checkpoint of gigabytes is read once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use crate::ide::LayerSource;

/// More files than anybody has open; then all are forgotten.
const MAX_FILES: usize = 64;

/// What a file looked like from outside when it was read.
type Stamp = (u64, SystemTime);
type Cache = HashMap<PathBuf, (Stamp, Arc<LayerSource>)>;

/// The list of a file: the one that is known, or what `read` gives. Failures are not kept.
pub(super) fn get(
    path: &Path,
    read: impl FnOnce() -> Result<LayerSource, String>,
) -> Result<Arc<LayerSource>, String> {
    static CACHE: OnceLock<Mutex<Cache>> = OnceLock::new();
    let cache = || CACHE.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    let stamp = stamp(path);
    if let Some(stamp) = stamp
        && let Some((known, source)) = cache().get(path)
        && *known == stamp
    {
        return Ok(source.clone());
    }
    let source = Arc::new(read()?);
    if let Some(stamp) = stamp {
        let mut cache = cache();
        if cache.len() >= MAX_FILES {
            cache.clear();
        }
        cache.insert(path.to_owned(), (stamp, source.clone()));
    }
    Ok(source)
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.len(), metadata.modified().ok()?))
}
