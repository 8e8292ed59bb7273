//! What the tests of the engines share: reading a configuration and binding it.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use quantcfg::Language;
use quantcfg::amct::Places;
use quantcfg::amct::qat::{Config, Framework};
use quantcfg::loader::{self, LoadError};
use quantcfg::schema::builtin::{self, Dialect};
use quantcfg::schema::file;
use quantcfg::schema::model::Schema;

/// Reads a QAT configuration.
pub fn bind(framework: Framework, text: &str) -> Result<(Config, Places), LoadError> {
    let schema = match framework {
        Framework::MindSpore => builtin::schema(Dialect::MindsporeQat),
        Framework::PyTorch => pytorch_schema(),
    };
    let root = loader::load(text.as_bytes(), &schema)?;
    Ok(Config::bind(&root, &schema))
}

fn pytorch_schema() -> Arc<Schema> {
    static SCHEMA: OnceLock<Arc<Schema>> = OnceLock::new();
    let load = || {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/vectors/pytorch_qat.proto");
        let loaded = file::load(&path, "AMCTPytorchProto.AMCTRetrainConfig");
        loaded.unwrap_or_else(|error| panic!("{}", error.message(Language::English))).schema
    };
    SCHEMA.get_or_init(load).clone()
}
