//! Model files: which kind a file is, and what can be wrong with it. Nothing of a weight is ever kept: files are read as
//! a stream, and what is not needed is skipped.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use super::wire::Wire;
use super::{LayerList, ckpt, mindir, onnx};
use crate::language::Language;

/// The kinds of model files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelKind {
    /// A checkpoint of MindSpore: parameters alone.
    Ckpt,
    /// A graph of MindSpore.
    Mindir,
    /// A graph in ONNX.
    Onnx,
}

impl ModelKind {
    /// All of them, in the order in which they are looked for beside a configuration.
    pub const ALL: [Self; 3] = [Self::Mindir, Self::Ckpt, Self::Onnx];

    /// The extension of its files.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Ckpt => "ckpt",
            Self::Mindir => "mindir",
            Self::Onnx => "onnx",
        }
    }

    /// The kind of a file by its extension.
    pub fn of_path(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?;
        Self::ALL.into_iter().find(|kind| extension.eq_ignore_ascii_case(kind.extension()))
    }
}

/// Why a model file gives no layers.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// It cannot be read.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// Its bytes are no protobuf message, or end too early.
    #[error("damaged, cut short, or no such model file ({0})")]
    Broken(String),
    /// More or longer names than any network has.
    #[error("beyond what any network has: {0}")]
    TooLarge(&'static str),
    /// It was read, and names no layer.
    #[error("there is no layer in it")]
    NoLayers,
}

impl ModelError {
    /// What is wrong, and what to do.
    pub fn message(&self, language: Language) -> String {
        match self {
            Self::Io(error) => {
                language.pick(format!("cannot be read: {error}"), format!("无法读取：{error}"))
            }
            Self::Broken(detail) => language.pick(
                format!(
                    "this is no such model file, or it is damaged or cut short ({detail}); save it again"
                ),
                format!("不是此类模型文件，或文件已损坏、不完整（{detail}）；请重新保存"),
            ),
            Self::TooLarge(what) => language.pick(
                format!("it has more than any network: {what}; write a layer list by hand"),
                format!("超出任何网络的规模：{what}；请手写层列表"),
            ),
            Self::NoLayers => language.pick(
                "there is no layer in it; write a layer list by hand".to_owned(),
                "其中没有任何层；请手写层列表".to_owned(),
            ),
        }
    }
}

impl From<protobuf::Error> for ModelError {
    fn from(error: protobuf::Error) -> Self {
        Self::Broken(error.to_string())
    }
}

/// Reads the layers of a model file.
pub fn read_file(path: &Path, kind: ModelKind) -> Result<LayerList, ModelError> {
    read(&mut BufReader::with_capacity(1 << 16, File::open(path)?), kind)
}

/// Reads the layers of a model. No format lists every layer, so the list is never complete.
pub fn read(input: &mut dyn BufRead, kind: ModelKind) -> Result<LayerList, ModelError> {
    let mut wire = Wire::new(input);
    let layers = match kind {
        ModelKind::Ckpt => ckpt::layers(&mut wire)?,
        ModelKind::Mindir => mindir::layers(&mut wire)?,
        ModelKind::Onnx => onnx::layers(&mut wire)?,
    };
    if layers.is_empty() {
        return Err(ModelError::NoLayers);
    }
    Ok(LayerList { layers, complete: false })
}
