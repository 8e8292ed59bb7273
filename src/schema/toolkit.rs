//! AMCT comes as one toolkit a framework, and each spells the types of layers in its framework's way.

/// One of AMCT's toolkits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toolkit {
    /// AMCT for MindSpore.
    MindSpore,
    /// AMCT for PyTorch.
    PyTorch,
    /// AMCT for Caffe.
    Caffe,
    /// AMCT for TensorFlow.
    TensorFlow,
    /// AMCT for ONNX.
    Onnx,
}

impl Toolkit {
    /// All toolkits.
    pub const ALL: [Self; 5] = [Self::MindSpore, Self::PyTorch, Self::Caffe, Self::TensorFlow, Self::Onnx];

    /// Types that this toolkit alone spells like this, among those that can be quantised.
    const fn layer_types(self) -> &'static [&'static str] {
        match self {
            Self::MindSpore => &["nn.Conv2D", "nn.Dense"],
            Self::PyTorch => &[
                "Conv1d",
                "Conv2d",
                "Conv3d",
                "Linear",
                "ConvTranspose1d",
                "ConvTranspose2d",
                "ConvTranspose3d",
                "AvgPool2d",
                "LSTM",
                "GRU",
            ],
            Self::Caffe => &["Convolution", "InnerProduct", "Deconvolution", "Pooling"],
            Self::TensorFlow => &["Conv2D", "DepthwiseConv2dNative", "Conv2DBackpropInput"],
            Self::Onnx => &["Conv", "Gemm", "ConvTranspose", "AveragePool"],
        }
    }

    /// The toolkit that spells a type like this; `None` when several do or none.
    pub fn of_layer_type(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|toolkit| toolkit.layer_types().contains(&name))
    }
}
