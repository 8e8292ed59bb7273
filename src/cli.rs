//! The command line: what can be typed, and which file does it.
//!
//! Exit codes are those of each command's documentation: 0 good, 1 AMCT would refuse, 2 could not be done.

mod check;
mod compare;
mod completions;
mod diff;
mod explain;
mod files;
mod fmt;
mod layers;
mod lsp;
mod man;
mod report;
mod schema;
mod subject;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::amct::Entry;
use crate::language::Language;

/// Shows what AMCT will make of a quant.cfg before it runs.
#[derive(Debug, Parser)]
#[command(name = "quantcfg", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    common: Common,
}

/// Options of every command. They beat everything that stands in the file.
#[derive(Debug, Args)]
struct Common {
    /// Read files as this dialect, or as a message of your own schema
    #[arg(long, global = true, value_name = "DIALECT|PATH.proto:pkg.Message")]
    schema: Option<String>,
    /// The function of AMCT that reads the file (pytorch-qat) [default: what its content is meant for]
    #[arg(long, global = true, value_name = "ENTRY")]
    entry: Option<EntryName>,
    /// The layers of the network: [{"name": …, "type": …}, …] in network order, or lines `name type`
    #[arg(long, global = true, value_name = "FILE")]
    layers: Option<PathBuf>,
    /// Read also what headers and settings name outside of the workspace (the folder with .git)
    #[arg(long, global = true)]
    allow_outside_workspace: bool,
    /// Language of messages [default: from the environment; machine formats: en]
    #[arg(long, global = true, value_name = "LANG")]
    lang: Option<Lang>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Lang {
    #[value(name = "en")]
    English,
    #[value(name = "zh-CN", alias = "zh-cn", alias = "zh")]
    Chinese,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum EntryName {
    /// create_quant_retrain_config
    Retrain,
    /// create_compressed_retrain_model, create_prune_retrain_model
    Compressed,
}

impl From<EntryName> for Entry {
    fn from(name: EntryName) -> Self {
        match name {
            EntryName::Retrain => Self::Retrain,
            EntryName::Compressed => Self::Compressed,
        }
    }
}

impl Common {
    /// The language for people: the flag, else the locale of the environment.
    fn language(&self) -> Language {
        let locale = || {
            ["LC_ALL", "LC_MESSAGES", "LANG"]
                .into_iter()
                .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
        };
        self.flag_language().unwrap_or_else(|| Language::of_locale(&locale().unwrap_or_default()))
    }

    /// The language for machines: English unless the flag says otherwise.
    fn machine_language(&self) -> Language {
        self.flag_language().unwrap_or_default()
    }

    fn flag_language(&self) -> Option<Language> {
        self.lang.map(|lang| match lang {
            Lang::English => Language::English,
            Lang::Chinese => Language::Chinese,
        })
    }
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the language server protocol on stdin and stdout
    Lsp(lsp::Lsp),
    /// Report what AMCT would refuse or silently do otherwise (exit: 0 no error, 1 errors, 2 usage or I/O)
    Check(check::Check),
    /// Print the effective configuration of every layer (exit: 1 AMCT would refuse, 2 no layer list)
    Explain(explain::Explain),
    /// Print what changes in effect between two files (exit: 0 same, 1 differs, 2 could not)
    Diff(diff::Diff),
    /// Print the layers of a model file or list as JSON (exit: 2 unreadable, or no layer in it)
    Layers(layers::Layers),
    /// Format files in place (exit: 0 done, 1 with --check: would change, 2 I/O, not UTF-8, or a foreign file)
    Fmt(fmt::Fmt),
    /// List the built-in schemas, or print one as a documented .proto
    Schema(schema::Schema),
    /// Print a completion script for a shell
    Completions(completions::Completions),
    /// Print the manual page
    Man,
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let Cli { command, common } = Cli::parse();
    let result = match command {
        Command::Lsp(command) => command.run(),
        Command::Check(command) => command.run(&common),
        Command::Explain(command) => command.run(&common),
        Command::Diff(command) => command.run(&common),
        Command::Layers(command) => command.run(&common),
        Command::Fmt(command) => command.run(&common),
        Command::Schema(command) => command.run(),
        Command::Completions(command) => command.run(),
        Command::Man => man::run(),
    };
    result.unwrap_or_else(|error| {
        if is_broken_pipe(&error) {
            return ExitCode::SUCCESS;
        }
        eprintln!("quantcfg: {error:#}");
        ExitCode::from(2)
    })
}

/// True when whoever read our output has left (`quantcfg explain | head -1`): not our failure.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
}
