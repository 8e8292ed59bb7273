//! `quantcfg lsp`: the language server on stdin and stdout.

use std::process::ExitCode;

/// Serve the language server protocol on stdin and stdout; logs go to stderr.
#[derive(Debug, clap::Args)]
pub(super) struct Lsp {
    /// Accepted for clients that pass it: stdio is the only transport
    #[arg(long)]
    stdio: bool,
    /// Accepted for clients that pass it: the process that started the server
    #[arg(long = "clientProcessId", value_name = "N")]
    client_process_id: Option<u32>,
}

impl Lsp {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        crate::server::run()
    }
}
