//! Finds the files that definitions lie in. What the user has open is taken from the editor, the rest from the disk.

use tower_lsp::lsp_types::{self, GotoDefinitionResponse, Location, LocationLink, Url};

use super::client_profile::ClientProfile;
use super::session::Session;
use super::{cache, from_lsp, to_lsp};
use crate::ide::definition::{Definition, Target};
use crate::schema::{file, proto_source};
use crate::text::Buffer;

/// The answer about a definition in a document. Reads files.
pub(super) fn answer(
    session: &Session,
    document: &Url,
    text: &Buffer,
    found: Definition,
    client: &ClientProfile,
) -> Option<GotoDefinitionResponse> {
    let (path, range, name) = match found.target {
        Target::Dialect(dialect, range) => (cache::schema(dialect)?, Some(range), None),
        Target::File(location, name) => (location.file.to_path_buf(), Some(location.range), Some(name)),
        Target::Path(path) => {
            let path = document.to_file_path().ok()?.parent()?.join(path).canonicalize().ok()?;
            (Some(path).filter(|path| path.is_file())?, None, None)
        }
    };
    let uri = Url::from_file_path(&path).ok()?;
    // A file that only a header names can be anything, and its beginning needs no reading.
    let target = match range {
        Some(range) => {
            let open =
                session.state().documents.get(&from_lsp::key(&uri)).map(|open| open.text().to_string());
            let text = open.or_else(|| file::read(&path).ok())?;
            let now = name.and_then(|name| Some(proto_source::scan(&text).entries.get(&name)?.range));
            to_lsp::range(&Buffer::new(&text), now.unwrap_or(range), client.encoding)
        }
        None => lsp_types::Range::default(),
    };
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
