//! The `quantcfg` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    quantcfg::cli::main()
}
