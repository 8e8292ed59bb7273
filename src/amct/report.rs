//! Collects what AMCT refuses and warns of, in its order, for the engines that have one error after another.

use super::basis::Basis;
use super::certainty::Certainty;
use super::place::Place;
use super::refusal::{AmctError, Cause, Refusal, Warning};
use super::text::Text;

/// What was collected so far.
#[derive(Clone, Debug)]
pub struct Report {
    basis: Basis,
    /// Everything that AMCT would refuse, in its order.
    pub refusals: Vec<Refusal>,
    /// Which of them AMCT raises.
    pub raised: Option<usize>,
    /// What AMCT logs before that, each once.
    pub warnings: Vec<Warning>,
}

/// A refusal in the words of AMCT and in ours.
pub struct Fault<'a> {
    /// Stable name of the kind of fault.
    pub code: &'static str,
    /// Python's name of the exception.
    pub type_name: &'static str,
    /// AMCT's text.
    pub message: String,
    /// What is wrong and how to mend it.
    pub text: Text,
    /// Where.
    pub place: Place,
    /// The layer that it is about.
    pub layer: Option<&'a str>,
    /// Whether AMCT raises for sure.
    pub certainty: Certainty,
}

impl<'a> Fault<'a> {
    /// A `ValueError`, for sure.
    pub fn new(code: &'static str, message: impl Into<String>, text: Text, place: Place) -> Self {
        let (type_name, message) = ("ValueError", message.into());
        Self { code, type_name, message, text, place, layer: None, certainty: Certainty::Known }
    }

    /// The same, if something holds.
    pub fn if_holds(self, certainty: Certainty) -> Self {
        Self { certainty, ..self }
    }

    /// The same, about a layer.
    pub fn about(self, layer: &'a str) -> Self {
        Self { layer: Some(layer), ..self }
    }

    /// The same, as another exception.
    pub fn of_type(self, type_name: &'static str) -> Self {
        Self { type_name, ..self }
    }
}

impl Report {
    /// Nothing yet.
    pub fn new(basis: Basis) -> Self {
        Self { basis, refusals: Vec::new(), raised: None, warnings: Vec::new() }
    }

    /// Adds a refusal. Those that differ in nothing but the layer become one.
    pub fn refuse(&mut self, fault: Fault<'_>) {
        let Fault { code, type_name, message, text, place, layer, certainty } = fault;
        let cause = Cause::Plain { code, text };
        // The layers of a supposed network do not exist; their names would only mislead.
        let layer = layer.filter(|_| self.basis != Basis::Supposed).map(str::to_owned);
        if layer.is_some()
            && let Some(same) = self.refusals.iter_mut().find(|old| old.place == place && old.cause == cause)
        {
            same.layers.extend(layer);
            if certainty.is_known() {
                same.certainty = certainty;
            }
            return;
        }
        // A list that may be incomplete proves nothing: what it makes doubtful does not stop AMCT here.
        let raises = self.basis != Basis::Incomplete || certainty.is_known();
        if raises && self.raised.is_none() {
            self.raised = Some(self.refusals.len());
        }
        self.refusals.push(Refusal {
            error: AmctError { type_name, message: message.into() },
            cause,
            place,
            related: Vec::new(),
            layers: layer.into_iter().collect(),
            certainty,
        });
    }

    /// Adds a warning, unless AMCT has raised before.
    pub fn warn(&mut self, message: impl Into<String>, places: Vec<Place>) {
        if self.raised.is_none() {
            self.warnings.push(Warning { message: message.into(), places });
        }
    }

    /// What AMCT raises.
    pub fn error(&self) -> Option<&Refusal> {
        self.raised.map(|index| &self.refusals[index])
    }
}
