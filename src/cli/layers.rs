//! `quantcfg layers`: the layers of a model file or list.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use super::Common;
use crate::inventory::json;
use crate::workspace::choice;

/// Print the layers of a model file (.mindir, .ckpt, .onnx) or of a layer list as JSON, to be completed by hand.
#[derive(Debug, clap::Args)]
pub(super) struct Layers {
    /// The file
    file: PathBuf,
}

impl Layers {
    pub(super) fn run(&self, common: &Common) -> anyhow::Result<ExitCode> {
        let layers = choice::read_layers(&self.file, common.language()).map_err(anyhow::Error::msg)?;
        writeln!(anstream::stdout(), "{}", json::write(&layers.list))?;
        Ok(ExitCode::SUCCESS)
    }
}
