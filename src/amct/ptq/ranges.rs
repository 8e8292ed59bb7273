//! The ranges of the values that a layer uses (section 6 step 13 and section 7), compared after rounding to 32 bits.

use super::model::{Ada, Weights};
use super::resolve::Resolved;
use super::{Run, types};
use crate::amct::calibration::{Activation, Ifmr};
use crate::amct::kv_cache::bad_bins;
use crate::amct::place::{Place, Placed};
use crate::amct::report::Fault;
use crate::amct::text::Text;

impl Run<'_> {
    /// Checks everything that a layer uses, skipped or not.
    pub(super) fn check_ranges(&mut self, layer: &Resolved<'_>) {
        match &layer.activation {
            Activation::Ifmr(ifmr) => self.check_ifmr(layer, ifmr),
            Activation::Hfmg(hfmg) if !hfmg.has_good_bins() => {
                let bins = hfmg.bins();
                let message = format!("num_of_bins {bins} must be in [1024, 2048, 4096, 8192]");
                self.refuse(layer, &message, bad_bins(bins), hfmg.bins_place());
            }
            Activation::Hfmg(_) => {}
        }
        let weights = layer.block.weights.as_ref();
        if let Some(Weights::Ada(ada)) = weights {
            self.check_ada(layer, ada);
        }
        if layer.channel_wise && !types::has_channels(layer.class()) {
            let class = layer.class();
            let text = Text::new(
                format!(
                    "`channel_wise: true` reaches layers of type {class}, which cannot have one factor a channel, \
                     skipped or not; add an override for {class}, an empty one is enough"
                ),
                format!(
                    "`channel_wise: true` 作用到了 {class} 类型的层，该类型不能逐通道量化，跳过也不行；请为 {class} \
                     加一个重写块，空的即可"
                ),
            );
            let message = format!("The channel_wise must be False for layer type {class}");
            let place = weights.and_then(Weights::channel_wise).map_or(Place::FILE, |value| value.place);
            self.refuse(layer, &message, text, place);
        }
        if !matches!(layer.weight_bits, 4 | 6 | 7 | 8) {
            let text = Text::new("`quant_bits` must be 4, 6, 7 or 8", "`quant_bits` 必须是 4、6、7 或 8");
            let place = match weights {
                Some(Weights::Arq { bits: Some(bits), .. }) => bits.place,
                _ => Place::FILE,
            };
            self.refuse(layer, "weight num_bits is not in [4, 6, 7, 8]", text, place);
        }
        if let Some(balancer) = &layer.block.balancer
            && (balancer.value() < 0.2 || balancer.value() > 0.8)
        {
            let text = Text::new(
                "`migration_strength` must be between 0.2 and 0.8",
                "`migration_strength` 必须在 0.2 到 0.8 之间",
            );
            let place = balancer.strength.as_ref().map_or(balancer.place, |value| value.place);
            self.refuse(layer, "The dmq_balancer_param must be in range [0.2, 0.8]", text, place);
        }
    }

    fn refuse(&mut self, layer: &Resolved<'_>, message: &str, text: Text, place: Place) {
        let message = format!("{message} in layer {}", layer.name());
        let fault = Fault::new("value-out-of-range", message, text, place);
        self.report.refuse(fault.about(layer.name()).if_holds(layer.module.certainty));
    }

    fn check_ifmr(&mut self, layer: &Resolved<'_>, ifmr: &Ifmr) {
        let [max, min, start, end, step] = ifmr.values();
        for (field, value, at) in [("max_percentile", max, &ifmr.max), ("min_percentile", min, &ifmr.min)] {
            if value <= 0.5 || value > 1.0 {
                let message = format!("The {field} must be greater than 0.5 and less than or equal to 1.0");
                let text = Text::new(
                    format!("`{field}` must be above 0.5 and at most 1"),
                    format!("`{field}` 必须大于 0.5 且不大于 1"),
                );
                self.refuse(layer, &message, text, ifmr.place(at));
            }
        }
        // AMCT compares decimals, and Python's refuse to be compared with what is no number.
        if let Some(at) = [(start, &ifmr.start), (end, &ifmr.end), (step, &ifmr.step)]
            .into_iter()
            .find_map(|(value, at)| value.is_nan().then_some(at))
        {
            let text = Text::new("nan crashes AMCT here", "nan 会使 AMCT 在此处崩溃");
            let message = "[<class 'decimal.InvalidOperation'>]";
            let fault = Fault::new("value-out-of-range", message, text, ifmr.place(at));
            let fault = fault.of_type("InvalidOperation").about(layer.name());
            self.report.refuse(fault.if_holds(layer.module.certainty));
            return;
        }
        if start <= 0.0 {
            let text = Text::new("`search_range_start` must be above 0", "`search_range_start` 必须大于 0");
            self.refuse(layer, "search_range[0] must be greater than zero", text, ifmr.place(&ifmr.start));
        }
        if start >= end {
            let text = Text::new(
                "`search_range_start` must be below `search_range_end`",
                "`search_range_start` 必须小于 `search_range_end`",
            );
            let message = "search_range[0] must be less than search_range[1]";
            self.refuse(layer, message, text, ifmr.place(&ifmr.start));
        }
        if step <= 0.0 {
            let text = Text::new("`search_step` must be above 0", "`search_step` 必须大于 0");
            self.refuse(layer, "The search_step must be greater than zero", text, ifmr.place(&ifmr.step));
        }
        if start < end && exceeds_range(step, start, end) {
            let text = Text::new(
                "`search_step`, 0.01 when it is not written, must not be larger than the search range",
                "`search_step`（不写时为 0.01）不能大于搜索范围",
            );
            let message = "The search_step must be less than or equal to (search_range[1] - search_range[0])";
            self.refuse(layer, message, text, ifmr.place(&ifmr.step));
        }
    }

    fn check_ada(&mut self, layer: &Resolved<'_>, ada: &Ada) {
        let value =
            |value: &Option<Placed<f32>>, default: f32| value.as_ref().map_or(default, |value| value.value);
        let place = |value: &Option<Placed<f32>>| value.as_ref().map_or(ada.place, |value| value.place);
        let unit = |this: &mut Self, field: &str, at: &Option<Placed<f32>>, default: f32| {
            let value = value(at, default);
            if value <= 0.0 || value >= 1.0 {
                let message = format!("{field} must be less than 1 and larger than 0");
                let text = Text::new(
                    format!("`{field}` must be above 0 and below 1"),
                    format!("`{field}` 必须大于 0 且小于 1"),
                );
                this.refuse(layer, &message, text, place(at));
            }
        };
        unit(self, "reg_param", &ada.reg_param, 0.01);
        let (start, end) = (value(&ada.beta_start, 20.0), value(&ada.beta_end, 2.0));
        if start <= end {
            let text = Text::new(
                "`beta_range_start` must be above `beta_range_end`",
                "`beta_range_start` 必须大于 `beta_range_end`",
            );
            let message = "beta_range beta_range_start must large than beta_range_end";
            self.refuse(layer, message, text, place(&ada.beta_start));
        }
        if end <= 0.0 {
            let text = Text::new("`beta_range_end` must be above 0", "`beta_range_end` 必须大于 0");
            self.refuse(layer, "beta_range beta_range_end must large than 0", text, place(&ada.beta_end));
        }
        unit(self, "warm_start", &ada.warm_start, 0.2);
    }
}

/// `step > end - start` on the shortest decimals of the three, as Python's `Decimal` compares them.
fn exceeds_range(step: f32, start: f32, end: f32) -> bool {
    if !(step.is_finite() && start.is_finite() && end.is_finite()) {
        return step > end - start;
    }
    let parts = [step, start, end].map(decimal);
    let lowest = parts.iter().map(|&(_, exponent)| exponent).min().unwrap_or(0);
    let scaled = parts.map(|(digits, exponent)| {
        let shift = u32::try_from(exponent - lowest).ok()?;
        10_i128.checked_pow(shift)?.checked_mul(digits)
    });
    match scaled {
        [Some(step), Some(start), Some(end)] => step > end - start,
        // So far apart that rounding does not matter.
        _ => f64::from(step) > f64::from(end) - f64::from(start),
    }
}

/// The shortest decimal of a float: digits and exponent of 10.
fn decimal(value: f32) -> (i128, i32) {
    let text = format!("{value:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let places = mantissa.split_once('.').map_or(0, |(_, behind)| behind.len() as i32);
    let digits = mantissa.replace('.', "").parse().unwrap_or(0);
    (digits, exponent.parse::<i32>().unwrap_or(0) - places)
}

#[cfg(test)]
mod tests {
    use super::exceeds_range;

    #[test]
    fn steps_are_compared_as_decimals() {
        assert!(!exceeds_range(0.6, 0.7, 1.3));
        assert!(exceeds_range(0.600_000_1, 0.7, 1.3));
        assert!(!exceeds_range(0.01, 1e-38, 3e38));
        assert!(exceeds_range(f32::INFINITY, 0.7, 1.3));
        assert!(!exceeds_range(0.01, 0.7, f32::INFINITY));
    }
}
