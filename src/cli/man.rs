//! `quantcfg man`: the manual page.

use std::io::Write;
use std::process::ExitCode;

use clap::CommandFactory;
use clap_mangen::Man;

/// Writes the manual page of the command and, behind it, of each subcommand.
pub(super) fn run() -> anyhow::Result<ExitCode> {
    let command = super::Cli::command();
    let mut page = Vec::new();
    let man = Man::new(command.clone());
    man.render(&mut page)?;
    for subcommand in command.get_subcommands().filter(|subcommand| subcommand.get_name() != "help") {
        writeln!(page, ".SH {} {}", command.get_name().to_uppercase(), subcommand.get_name().to_uppercase())?;
        let man = Man::new(subcommand.clone());
        man.render_synopsis_section(&mut page)?;
        man.render_description_section(&mut page)?;
        man.render_options_section(&mut page)?;
    }
    std::io::stdout().write_all(&page)?;
    Ok(ExitCode::SUCCESS)
}
