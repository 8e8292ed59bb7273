//! Layer lists: the names and types of a network's layers, read from a file. Stands alone: knows neither
//! configuration files nor what AMCT does with a layer.

mod ckpt;
pub mod json;
mod mindir;
pub mod model;
mod onnx;
mod parameters;
mod wire;

/// A layer of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// Its full name, such as `backbone.conv1`.
    pub name: String,
    /// Its type as the list spells it; `None` when the list does not know it.
    pub type_name: Option<String>,
    /// A convolution with as many groups as input channels.
    pub depthwise: bool,
    /// False for grouped convolutions and odd input channels: AMCT writes weight INT4 as INT8.
    pub int4_packable: bool,
    /// False for a fully connected layer without bias.
    pub bias: bool,
    /// Whether AMCT can quantise it; `None` when its type decides.
    pub quantizable: Option<bool>,
    /// Whether AMCT can prune it; `None` when its type decides.
    pub prunable: Option<bool>,
    /// The module is called more than once.
    pub reused: bool,
    /// Names of the producers in the graph; `None` means the layer before it.
    pub inputs: Option<Vec<String>>,
    /// False for a functional operation: a node without module name.
    pub module: bool,
    /// The type was guessed from a model file.
    pub inferred: bool,
}

impl Layer {
    /// A layer of which only name and type are known.
    pub fn new(name: impl Into<String>, type_name: Option<&str>) -> Self {
        Self {
            name: name.into(),
            type_name: type_name.map(str::to_owned),
            depthwise: false,
            int4_packable: true,
            bias: true,
            quantizable: None,
            prunable: None,
            reused: false,
            inputs: None,
            module: true,
            inferred: false,
        }
    }
}

/// The layers of a network, in network order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LayerList {
    /// The layers. No two have the same name.
    pub layers: Vec<Layer>,
    /// True when every layer of the network is named, so that a name that is missing does not exist.
    pub complete: bool,
}
