//! The functions of AMCT that read a file of the dialect `pytorch-qat`, and which of them a file is meant for.

/// A function of AMCT that reads a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entry {
    /// `create_quant_retrain_config`: quantisation alone.
    Retrain,
    /// `create_compressed_retrain_model` and `create_prune_retrain_model`: the file decides whether it quantises, prunes
    /// or does both.
    Compressed,
}

impl Entry {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Retrain, Self::Compressed];

    /// The name in flags and answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Retrain => "retrain",
            Self::Compressed => "compressed",
        }
    }

    /// The entry of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|entry| entry.name() == name)
    }
}
