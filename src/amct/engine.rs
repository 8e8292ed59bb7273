//! Which rules compute the effective configuration of a file: one engine a family of dialects.

use std::sync::Arc;

use super::answer::Answer;
use super::distill;
use super::entry::Entry;
use super::kv_cache;
use super::place::Places;
use super::ptq;
use super::qat::{self, Framework};
use crate::inventory::LayerList;
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
    /// `pytorch-kv-cache`
    PytorchKvCache,
}

impl Engine {
    /// Computes the answer for the values of a file; without layers, for a network that has every layer the file
    /// mentions and one of every type.
    pub fn answer(
        self,
        value: &MessageValue,
        schema: &Schema,
        layers: Option<&LayerList>,
    ) -> (Arc<dyn Answer>, Places) {
        match self {
            Self::MindsporeQat => qat::answer(Framework::MindSpore, None, value, schema, layers),
            Self::PytorchPtq => ptq::answer(value, schema, layers),
            Self::PytorchDistill => distill::answer(value, schema, layers),
            Self::PytorchKvCache => kv_cache::answer(value, schema, layers),
            Self::PytorchQat(entry) => qat::answer(Framework::PyTorch, entry, value, schema, layers),
        }
    }
}
