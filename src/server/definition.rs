//! Finds the files that definitions lie in. What the user has open is taken from the editor, the rest from the disk.

use tower_lsp::lsp_types::{GotoDefinitionResponse, Location, LocationLink, Url};

use super::client_profile::ClientProfile;
use super::session::Session;
use super::{cache, from_lsp, to_lsp};
use crate::ide::definition::{Definition, Target};
use crate::schema::file;
use crate::text::{Buffer, TextRange};

/// The answer about a definition in a document. Reads files.
pub(super) fn answer(
    session: &Session,
    document: &Url,
    text: &Buffer,
    found: Definition,
    client: &ClientProfile,
) -> Option<GotoDefinitionResponse> {
    let (path, range) = match found.target {
        Target::Dialect(dialect, range) => (cache::schema(dialect)?, range),
        Target::File(location) => (location.file.to_path_buf(), location.range),
        Target::Path(path) => {
            let path = document.to_file_path().ok()?.parent()?.join(path).canonicalize().ok()?;
            (Some(path).filter(|path| path.is_file())?, TextRange::empty(0))
        }
    };
    let uri = Url::from_file_path(&path).ok()?;
    let open = session.state().documents.get(&from_lsp::key(&uri)).map(|open| open.text().clone());
    let target = match open {
        Some(text) => text,
        // A file that only a header names can be anything, and its beginning needs no reading.
        None if range == TextRange::empty(0) => Buffer::new(""),
        None => Buffer::new(&file::read(&path).ok()?),
    };
    let target = to_lsp::range(&target, range, client.encoding);
    Some(match client.takes_links {
        true => GotoDefinitionResponse::Link(vec![LocationLink {
            origin_selection_range: Some(to_lsp::range(text, found.origin, client.encoding)),
            target_uri: uri,
            target_range: target,
            target_selection_range: target,
        }]),
        false => GotoDefinitionResponse::Scalar(Location { uri, range: target }),
    })
}
