//! What the tests of the engines share: reading a configuration and binding it.

use quantcfg::amct::Places;
use quantcfg::amct::qat::{Config, Framework};
use quantcfg::loader::{self, LoadError};
use quantcfg::schema::builtin::{self, Dialect};

/// Reads a QAT configuration.
pub fn bind(framework: Framework, text: &str) -> Result<(Config, Places), LoadError> {
    let schema = builtin::schema(match framework {
        Framework::MindSpore => Dialect::MindsporeQat,
        Framework::PyTorch => Dialect::PytorchQat,
    });
    let root = loader::load(text.as_bytes(), &schema)?;
    Ok(Config::bind(&root, &schema))
}
