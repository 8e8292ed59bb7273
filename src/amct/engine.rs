//! Which rules compute the effective configuration of a file: one engine a family of dialects.

use std::sync::Arc;

use super::answer::Answer;
use super::auto_prune::{self, OverrideFile};
use super::distill;
use super::entry::Entry;
use super::kv_cache;
use super::place::Places;
use super::ptq;
use super::qat::{self, Framework};
use crate::inventory::LayerList;
use crate::schema::builtin::Dialect;
use crate::schema::model::Schema;
use crate::schema::value::MessageValue;

/// The rules of a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Engine {
    /// `mindspore-qat`
    MindsporeQat,
    /// `pytorch-qat`; without an entry the content of the file decides which function reads it.
    PytorchQat(Option<Entry>),
    /// `pytorch-ptq`
    PytorchPtq,
    /// `pytorch-distill`
    PytorchDistill,
    /// `auto-channel-prune`
    AutoChannelPrune,
    /// `pytorch-kv-cache`
    PytorchKvCache,
}

impl Engine {
    /// The engine of a dialect. `entry` is the function that reads the file, where there are several.
    pub fn of(dialect: Dialect, entry: Option<Entry>) -> Option<Self> {
        Some(match dialect {
            Dialect::MindsporeQat => Self::MindsporeQat,
            Dialect::PytorchQat => Self::PytorchQat(entry),
            Dialect::PytorchPtq => Self::PytorchPtq,
            Dialect::PytorchDistill => Self::PytorchDistill,
            Dialect::AutoChannelPrune => Self::AutoChannelPrune,
            Dialect::PytorchKvCache => Self::PytorchKvCache,
            // What these toolkits compute is not public.
            Dialect::MindsporePtq
            | Dialect::CaffeQat
            | Dialect::CaffePtq
            | Dialect::TensorflowQat
            | Dialect::TensorflowPtq
            | Dialect::OnnxPtq => return None,
        })
    }

    /// Computes the answer for the values of a file; without layers, for a network that has every layer the file
    /// mentions and one of every type. `file` is what a path in the file leads to.
    pub fn answer(
        self,
        value: &MessageValue,
        schema: &Schema,
        layers: Option<&LayerList>,
        file: Option<&OverrideFile>,
    ) -> (Arc<dyn Answer>, Places) {
        match self {
            Self::MindsporeQat => qat::answer(Framework::MindSpore, None, value, schema, layers),
            Self::PytorchPtq => ptq::answer(value, schema, layers),
            Self::PytorchDistill => distill::answer(value, schema, layers),
            Self::AutoChannelPrune => auto_prune::answer(value, schema, layers, file),
            Self::PytorchKvCache => kv_cache::answer(value, schema, layers),
            Self::PytorchQat(entry) => qat::answer(Framework::PyTorch, entry, value, schema, layers),
        }
    }
}
