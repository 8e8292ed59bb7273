//! Which files a command is about: those that are named, and in folders those that have the name of a configuration or
//! that quantcfg.toml says are one.
//!
//! Folders are searched as git sees them: what `.gitignore` and `.ignore` name and what is hidden is passed over.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use super::subject::workspace_root;
use crate::workspace::settings;

/// The files to read, in order and each once, and what went wrong while folders were searched.
pub(super) fn find(paths: &[PathBuf]) -> (Vec<PathBuf>, Vec<anyhow::Error>) {
    let (mut files, mut errors) = (Vec::new(), Vec::new());
    for path in paths {
        if path.is_dir() {
            let folder = std::path::absolute(path).unwrap_or_else(|_| path.clone());
            let (settings, ..) = settings::find(&folder, workspace_root(path).as_deref());
            let is_meant = |file: &Path| {
                let below = file.strip_prefix(path).unwrap_or(file);
                settings.is_configuration(&folder.join(below))
            };
            let mut inside = Vec::new();
            for entry in WalkBuilder::new(path).require_git(false).build() {
                match entry {
                    Ok(entry)
                        if entry.file_type().is_some_and(|kind| kind.is_file()) && is_meant(entry.path()) =>
                    {
                        inside.push(entry.into_path());
                    }
                    Ok(_) => {}
                    Err(error) => errors.push(error.into()),
                }
            }
            inside.sort();
            files.extend(inside);
        } else {
            // Also what does not exist: reading it says so.
            files.push(path.clone());
        }
    }
    let mut seen = std::collections::HashSet::new();
    files.retain(|file| seen.insert(file.clone()));
    (files, errors)
}
