//! How sure an answer is: [`Certainty`] goes with every finding and every computed value.

use crate::language::Language;

/// Whether an answer is known, or rests on something that the program could not look up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Certainty {
    /// AMCT will do exactly this.
    #[default]
    Known,
    /// AMCT will do this if the assumption holds.
    Assumed(Assumption),
}

/// What an answer rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Assumption {
    /// There is no layer list: the network is taken to have every layer that the file mentions.
    NoLayerList,
    /// The text has errors, so AMCT would refuse it: this is what could be read of it.
    TextErrors,
    /// The layer list comes from a model file, which need not name every layer.
    IncompleteLayerList,
    /// The type of the layer was guessed from a model file.
    InferredType,
    /// Which function of AMCT reads the file was guessed from its content.
    Entry,
    /// The folder that AMCT runs in, from which it resolves paths.
    WorkingDirectory,
    /// The release of Python's protobuf: they differ here.
    ProtobufRelease,
}

impl Certainty {
    /// Both at once: known only if both are; else the first assumption.
    pub fn and(self, other: Self) -> Self {
        if self == Self::Known { other } else { self }
    }

    /// True for [`Certainty::Known`].
    pub fn is_known(self) -> bool {
        self == Self::Known
    }
}

impl Assumption {
    /// The assumption as a short phrase.
    pub fn text(self, language: Language) -> &'static str {
        match self {
            Self::NoLayerList => language.pick("no layer list", "没有层列表"),
            Self::TextErrors => language.pick("the file has errors", "文件有错误"),
            Self::IncompleteLayerList => {
                language.pick("the layer list may be incomplete", "层列表可能不完整")
            }
            Self::InferredType => language.pick("the layer's type is a guess", "层类型是推测的"),
            Self::Entry => language.pick("the AMCT function is a guess", "调用的 AMCT 接口是推测的"),
            Self::WorkingDirectory => language.pick("the working directory is a guess", "工作目录是推测的"),
            Self::ProtobufRelease => language.pick("depends on the protobuf release", "取决于 protobuf 版本"),
        }
    }
}
