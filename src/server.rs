//! The language server protocol over stdin and stdout; the only user of tower-lsp and of its types.
//!
//! | module | what it does |
//! |---|---|
//! | `framing` | bytes to bodies, with a way back after bytes that make no sense |
//! | `message` | bodies to messages |
//! | `transport` | the threads at stdin and stdout |
//! | `spelling` | addresses in the spelling of the client |
//! | `dispatch` | the loop: order, cancelling, panics, `shutdown` and `exit` |
//! | `backend` | one method of the protocol after the other |
//! | `session` | what they share: documents, settings |
//! | `publish` | findings, and when they go out |
//! | `definition` | the files that definitions lie in |
//! | `cache` | the files that it writes for the user to read |
//! | `librarian` | a thread that looks after schemas and layer lists |
//! | `page` | the effective configuration in a window of the client |
//! | `client_profile`, `from_lsp`, `to_lsp` | their types to ours and back |

mod backend;
mod cache;
mod client_profile;
mod definition;
mod dispatch;
mod framing;
mod from_lsp;
mod hooks;
mod librarian;
mod message;
mod page;
mod publish;
mod session;
mod spelling;
mod to_lsp;
mod transport;

use std::process::ExitCode;
use std::sync::Arc;

use tower_lsp::LspService;

use backend::Backend;
use dispatch::Ending;
use session::Session;
use transport::Outbox;

/// Serves on stdin and stdout until the client ends the session. The code is the one that the protocol asks for: 0 after
/// `shutdown`, else 1.
pub fn run() -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let (outbox, stdout_closed) = Outbox::to_stdout(Arc::default())?;
    let mut service =
        LspService::build(|client| Backend { session: Arc::new(Session::new(client, outbox.clone())) })
            .custom_method("quantcfg/effective", Backend::effective)
            .custom_method("$/setTrace", Backend::set_trace)
            .custom_method("window/workDoneProgress/cancel", Backend::cancel_progress);
    if std::env::var_os("QUANTCFG_TEST").is_some() {
        service = hooks::add(service);
    }
    let (service, client) = service.finish();
    let messages = transport::read_stdin()?;
    let ending = runtime.block_on(dispatch::serve(messages, service, client, outbox, stdout_closed));
    // A thread that reads stdin or analyses a document may go on; it ends with the process.
    runtime.shutdown_background();
    Ok(match ending {
        Ending::Orderly => ExitCode::SUCCESS,
        Ending::Abrupt => ExitCode::FAILURE,
    })
}
