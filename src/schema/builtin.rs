//! The dialects that are built in: AMCT's own schemas, from the .proto files in `proto/`.
//!
//! Nothing is read before a dialect is first asked for.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use protobuf::Message;
use protobuf::descriptor::FileDescriptorSet;

use super::lower::{self, Source};
use super::model::{Numbers, Schema};
use super::proto_source;
use super::toolkit::Toolkit;

/// Declares the dialects: name, .proto file, root message, whether its field numbers are those of AMCT.
macro_rules! dialects {
    ($($(#[$doc:meta])* $dialect:ident = $name:literal, $file:literal, $root:literal, $numbers:ident;)*) => {
        /// A schema of AMCT.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum Dialect {
            $($(#[$doc])* $dialect,)*
        }

        impl Dialect {
            /// All dialects, the one that is most usual among equal ones first.
            pub const ALL: &[Self] = &[$(Self::$dialect),*];

            /// The name in flags, settings and headers.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$dialect => $name,)*
                }
            }

            /// The name of the documented .proto.
            pub const fn file_name(self) -> &'static str {
                match self {
                    $(Self::$dialect => concat!($file, ".proto"),)*
                }
            }

            /// The documented .proto.
            pub const fn source(self) -> &'static str {
                match self {
                    $(Self::$dialect => include_str!(concat!("../../proto/", $file, ".proto")),)*
                }
            }

            const fn parts(self) -> (&'static [u8], &'static str, Numbers) {
                match self {
                    $(Self::$dialect => (
                        include_bytes!(concat!(env!("OUT_DIR"), "/", $file, ".descriptor")),
                        $root,
                        Numbers::$numbers,
                    ),)*
                }
            }
        }
    };
}

dialects! {
    /// Quantisation-aware training with MindSpore.
    #[default]
    MindsporeQat = "mindspore-qat", "retrain_config_mindspore", "AMCTMindsporeProto.AMCTRetrainConfig", Inferred;
    /// Quantisation-aware training and sparsity with PyTorch.
    PytorchQat = "pytorch-qat", "retrain_config_pytorch", "AMCTPytorchProto.AMCTRetrainConfig", Public;
    /// Post-training quantisation with PyTorch.
    PytorchPtq = "pytorch-ptq", "calibration_config_pytorch", "AMCTPytorchProto.AMCTConfig", Public;
    /// Quantisation of the key/value cache with PyTorch.
    PytorchKvCache = "pytorch-kv-cache", "quant_calibration_config_pytorch", "AMCTPytorchQuantCaliProto.AMCTQuantCaliConfig", Public;
    /// Distillation layer by layer with PyTorch.
    PytorchDistill = "pytorch-distill", "distill_config_pytorch", "AMCTPytorchDistillProto.AMCTDistillConfig", Public;
    /// The search for a channel pruning with PyTorch.
    AutoChannelPrune = "auto-channel-prune", "basic_info", "AMCTProto.AutoChannelPruneConfig", Public;
    /// Post-training quantisation with MindSpore.
    MindsporePtq = "mindspore-ptq", "calibration_config_mindspore", "AMCTMindsporeProto.AMCTConfig", Inferred;
    /// Quantisation-aware training with Caffe.
    CaffeQat = "caffe-qat", "retrain_config_caffe", "AMCTCaffeProto.AMCTRetrainConfig", Inferred;
    /// Post-training quantisation with Caffe.
    CaffePtq = "caffe-ptq", "calibration_config_caffe", "AMCTCaffeProto.AMCTConfig", Inferred;
    /// Quantisation-aware training and sparsity with TensorFlow.
    TensorflowQat = "tensorflow-qat", "retrain_config_tf", "AMCTTensorflowProto.AMCTRetrainConfig", Inferred;
    /// Post-training quantisation with TensorFlow.
    TensorflowPtq = "tensorflow-ptq", "calibration_config_tf", "AMCTTensorflowProto.AMCTConfig", Inferred;
    /// Post-training quantisation with ONNX.
    OnnxPtq = "onnx-ptq", "calibration_config_onnx", "AMCTOnnxProto.AMCTConfig", Inferred;
}

impl Dialect {
    /// The dialect of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|dialect| dialect.name() == name)
    }

    /// The toolkit that reads it.
    pub fn toolkit(self) -> Toolkit {
        match self.name().split('-').next() {
            Some("mindspore") => Toolkit::MindSpore,
            Some("caffe") => Toolkit::Caffe,
            Some("tensorflow") => Toolkit::TensorFlow,
            Some("onnx") => Toolkit::Onnx,
            _ => Toolkit::PyTorch,
        }
    }
}

/// The schema of a dialect; made once.
pub fn schema(dialect: Dialect) -> Arc<Schema> {
    static SCHEMAS: [OnceLock<Arc<Schema>>; Dialect::ALL.len()] =
        [const { OnceLock::new() }; Dialect::ALL.len()];
    SCHEMAS[dialect as usize].get_or_init(|| Arc::new(read(dialect))).clone()
}

fn read(dialect: Dialect) -> Schema {
    let (file, (descriptor, root, numbers)) = (dialect.file_name(), dialect.parts());
    // The build script made the descriptor from the same file, so neither step can fail.
    let set = FileDescriptorSet::parse_from_bytes(descriptor).unwrap_or_default();
    let scanned = proto_source::scan(dialect.source());
    let source = Source { name: file.to_owned(), path: Arc::new(PathBuf::from(file)), file: scanned };
    lower::schema(&set.file, &[source], root, numbers).unwrap_or_else(|| unreachable!("{root} is in {file}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    #[test]
    fn every_dialect_can_be_read_and_everything_in_it_is_documented_in_both_languages() {
        for &dialect in Dialect::ALL {
            assert_eq!(Dialect::from_name(dialect.name()), Some(dialect));
            let schema = schema(dialect);
            let messages = schema.messages.iter().flat_map(|message| {
                let fields = message.fields.iter().map(|field| (&field.name, &field.doc));
                fields.chain([(&message.name, &message.doc)])
            });
            let enums = schema.enums.iter().flat_map(|kind| {
                let values = kind.values.iter().map(|value| (&value.name, &value.doc));
                values.chain([(&kind.name, &kind.doc)])
            });
            for (name, doc) in messages.chain(enums) {
                let (english, chinese) = (doc.text(Language::English), doc.text(Language::Chinese));
                assert!(english.is_ascii() && !english.is_empty(), "{name}: {english}");
                assert!(!chinese.is_ascii(), "{name} lacks Chinese");
            }
            // Every annotation is understood.
            let annotations = dialect.source().matches("// @").count();
            let limits = schema.messages.iter().flat_map(|message| &message.fields);
            assert_eq!(
                limits.filter(|field| field.limits.is_some()).count(),
                annotations,
                "{}",
                dialect.name()
            );
        }
    }
}
