//! The `quantcfg` program.

use std::process::ExitCode;

fn main() -> anyhow::Result<ExitCode> {
    quantcfg::server::run()
}
