//! `quantcfg schema`: the built-in dialects.

use std::io::Write;
use std::process::ExitCode;

use crate::schema::builtin::Dialect;

/// The built-in schemas.
#[derive(Debug, clap::Args)]
pub(super) struct Schema {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Print the names of the dialects
    List,
    /// Print one dialect as a documented .proto
    Show {
        /// Its name, as `schema list` prints it
        name: String,
    },
}

impl Schema {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        let mut out = anstream::stdout();
        match &self.action {
            Action::List => {
                for dialect in Dialect::ALL {
                    writeln!(out, "{}", dialect.name())?;
                }
            }
            Action::Show { name } => {
                let Some(dialect) = Dialect::from_name(name) else {
                    anyhow::bail!("there is no dialect `{name}`; `quantcfg schema list` names them");
                };
                write!(out, "{}", dialect.source())?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
