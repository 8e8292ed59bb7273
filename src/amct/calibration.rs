//! How activations are calibrated: `FMRQuantize` and `HFMGQuantize`, which post-training quantisation and the key/value
//! cache both have. Their checks differ and stand with the families.

use super::bind::Binder;
use super::json::Json;
use super::place::{Place, Placed};
use super::reason::{Reason, ReasonKind};
use crate::python;
use crate::schema::value::MessageValue;

/// How activations are calibrated.
#[derive(Clone, Debug, PartialEq)]
pub enum Activation {
    /// `ifmr_quantize`
    Ifmr(Ifmr),
    /// `hfmg_quantize`
    Hfmg(Hfmg),
}

/// `FMRQuantize`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ifmr {
    /// `search_range_start`
    pub start: Option<Placed<f32>>,
    /// `search_range_end`
    pub end: Option<Placed<f32>>,
    /// `search_step`
    pub step: Option<Placed<f32>>,
    /// `max_percentile`
    pub max: Option<Placed<f32>>,
    /// `min_percentile`
    pub min: Option<Placed<f32>>,
    /// What both algorithms have.
    pub common: Common,
}

/// `HFMGQuantize`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hfmg {
    /// `num_of_bins`
    pub bins: Option<Placed<u64>>,
    /// What both algorithms have.
    pub common: Common,
}

/// The fields of both algorithms.
#[derive(Clone, Debug, PartialEq)]
pub struct Common {
    /// The block.
    pub place: Place,
    /// `asymmetric`
    pub asymmetric: Option<Placed<bool>>,
    /// `dst_type`
    pub dst_type: Option<Placed<String>>,
    /// `quant_granularity`
    pub granularity: Option<Placed<String>>,
}

impl Default for Common {
    fn default() -> Self {
        Self { place: Place::FILE, asymmetric: None, dst_type: None, granularity: None }
    }
}

impl Activation {
    /// Binds the oneof of a `CalibrationConfig`.
    pub fn bind(b: &mut Binder, config: &MessageValue) -> Option<Self> {
        let ifmr = b.message(config, "ifmr_quantize", |b, place, ifmr| {
            Self::Ifmr(Ifmr {
                start: b.float(ifmr, "search_range_start"),
                end: b.float(ifmr, "search_range_end"),
                step: b.float(ifmr, "search_step"),
                max: b.float(ifmr, "max_percentile"),
                min: b.float(ifmr, "min_percentile"),
                common: bind_common(b, place, ifmr),
            })
        });
        ifmr.or_else(|| {
            b.message(config, "hfmg_quantize", |b, place, hfmg| {
                Self::Hfmg(Hfmg { bins: b.uint(hfmg, "num_of_bins"), common: bind_common(b, place, hfmg) })
            })
        })
    }

    /// The fields of both algorithms.
    pub fn common(&self) -> &Common {
        match self {
            Self::Ifmr(ifmr) => &ifmr.common,
            Self::Hfmg(hfmg) => &hfmg.common,
        }
    }

    /// The name in AMCT's JSON.
    pub fn algorithm(&self) -> &'static str {
        match self {
            Self::Ifmr(_) => "ifmr",
            Self::Hfmg(_) => "hfmg",
        }
    }

    /// The values that are written, as reasons.
    pub fn reasons(&self) -> Vec<Reason> {
        let mut reasons = Vec::new();
        let mut set = |field: &'static str, value: String, place: Place| {
            reasons.push(Reason { kind: ReasonKind::Set { field, value }, place: Some(place) });
        };
        match self {
            Self::Ifmr(ifmr) => {
                for (field, value) in [
                    ("max_percentile", &ifmr.max),
                    ("min_percentile", &ifmr.min),
                    ("search_range_start", &ifmr.start),
                    ("search_range_end", &ifmr.end),
                    ("search_step", &ifmr.step),
                ] {
                    if let Some(value) = value {
                        set(field, short(value.value), value.place);
                    }
                }
            }
            Self::Hfmg(hfmg) => {
                if let Some(bins) = &hfmg.bins {
                    set("num_of_bins", bins.value.to_string(), bins.place);
                }
            }
        }
        let common = self.common();
        if let Some(asymmetric) = &common.asymmetric {
            set("asymmetric", asymmetric.value.to_string(), asymmetric.place);
        }
        for (field, value) in [("dst_type", &common.dst_type), ("quant_granularity", &common.granularity)] {
            if let Some(value) = value {
                set(field, value.value.clone(), value.place);
            }
        }
        reasons
    }
}

fn bind_common(b: &mut Binder, place: Place, message: &MessageValue) -> Common {
    Common {
        place,
        asymmetric: b.bool(message, "asymmetric"),
        dst_type: b.enum_name(message, "dst_type"),
        granularity: b.enum_name(message, "quant_granularity"),
    }
}

impl Ifmr {
    /// The values, defaults filled in: max_percentile, min_percentile, start, end, step.
    pub fn values(&self) -> [f32; 5] {
        let or =
            |value: &Option<Placed<f32>>, default: f32| value.as_ref().map_or(default, |value| value.value);
        [
            or(&self.max, 0.999_999),
            or(&self.min, 0.999_999),
            or(&self.start, 0.7),
            or(&self.end, 1.3),
            or(&self.step, 0.01),
        ]
    }

    /// Where a value stands: of one that does not, its block.
    pub fn place(&self, value: &Option<Placed<f32>>) -> Place {
        value.as_ref().map_or(self.common.place, |value| value.place)
    }

    /// The search in AMCT's JSON.
    pub fn to_json(&self) -> Vec<(String, Json)> {
        let [max, min, start, end, step] = self.values();
        let entry = |key: &str, value: Json| (key.to_owned(), value);
        vec![
            entry("max_percentile", Json::shortest(max)),
            entry("min_percentile", Json::shortest(min)),
            entry("search_range", Json::Array(vec![Json::shortest(start), Json::shortest(end)])),
            entry("search_step", Json::shortest(step)),
        ]
    }
}

impl Hfmg {
    /// `num_of_bins`, by default 4096.
    pub fn bins(&self) -> u64 {
        self.bins.as_ref().map_or(4096, |bins| bins.value)
    }

    /// Where `num_of_bins` stands, else the block.
    pub fn bins_place(&self) -> Place {
        self.bins.as_ref().map_or(self.common.place, |bins| bins.place)
    }

    /// True for the numbers of bins that AMCT takes.
    pub fn has_good_bins(&self) -> bool {
        [1024, 2048, 4096, 8192].contains(&self.bins())
    }
}

/// A 32-bit float as its shortest decimal.
pub fn short(value: f32) -> String {
    match Json::shortest(value) {
        Json::Float(value) => python::float_repr(value),
        _ => String::new(),
    }
}
