//! The traps of pruning about which AMCT is silent (amct-semantics-prune.md sections 3 and 9).

use std::collections::HashMap;

use super::engine::{Resolution, Source};
use super::model::{Config, Pruner};
use super::network::Network;
use crate::amct::answer::Aspect;
use crate::amct::finding::{Finding, FindingKind, Level, Note};
use crate::amct::place::Place;
use crate::amct::text::Text;
use crate::language::Language;

/// All of them, in no particular order.
pub fn findings(config: &Config, network: &Network, resolution: &Resolution) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut skipped: HashMap<Source, (Place, Vec<&str>)> = HashMap::new();
    let mut dropped: Vec<&str> = Vec::new();
    let lists = [
        &config.skip_layers,
        &config.regular_prune_skip_layers,
        &config.skip_layer_types,
        &config.regular_prune_skip_types,
    ];
    let items: HashMap<_, _> =
        lists.into_iter().flatten().map(|item| (item.value.as_str(), item.place)).collect();
    for (layer, decision) in network.prunable.iter().zip(&resolution.pruning) {
        let Some(decision) = decision else { continue };
        if !decision.is_written {
            dropped.push(&layer.name);
            continue;
        }
        if decision.enabled || decision.source == Source::Global {
            continue;
        }
        let class = layer.layer_type.map(|kind| network.framework.type_name(kind));
        let skip = items.get(layer.name.as_str()).or_else(|| items.get(class?));
        if let Some(&skip) = skip {
            skipped.entry(decision.source).or_insert((skip, Vec::new())).1.push(&layer.name);
        }
    }
    for (source, (skip, layers)) in skipped {
        let Some(entry) = source.entry(config) else { continue };
        let names = names(&layers);
        let text = Text::new(
            format!(
                "For pruning a skip beats an override, other than for quantisation: {names} is not pruned"
            ),
            format!("对稀疏而言，跳过优先于重写（与量化相反）：{names} 不会稀疏"),
        );
        let place = entry.block.prune.as_ref().map_or(entry.place, |prune| prune.place);
        findings.push(Finding {
            kind: FindingKind::Plain { code: "pruning-skipped", level: Level::Warning, text },
            place,
            related: vec![(skip, Note::TypeSkip)],
            certainty: network.absence(),
        });
    }
    if let Some(prune) = config.global.prune.as_ref()
        && let Some(pruner) = &prune.pruner
    {
        // What the other way of pruning could do is what an author may expect of this one.
        let left: Vec<_> = network
            .prunable
            .iter()
            .filter(|layer| !layer.allows(pruner.kind()))
            .map(|layer| layer.name.as_str())
            .collect();
        if !left.is_empty() && network.basis != crate::amct::Basis::Supposed {
            let names = names(&left);
            let text = Text::new(
                format!(
                    "{names} cannot lose filters (depthwise or transposed), and AMCT leaves it out silently"
                ),
                format!("{names} 不支持滤波器稀疏（depthwise 或转置卷积），AMCT 会悄悄略过"),
            );
            findings.push(Finding {
                kind: FindingKind::Plain { code: "not-pruned", level: Level::Information, text },
                place: prune.place,
                related: Vec::new(),
                certainty: network.absence(),
            });
        }
    } else if !dropped.is_empty() {
        let names = names(&dropped);
        let text = Text::new(
            format!("An override without pruner fits {names}, and there is no global one: it is not pruned"),
            format!("{names} 的重写块没有稀疏设置，也没有全局设置：不会稀疏"),
        );
        findings.push(Finding {
            kind: FindingKind::Plain { code: "not-pruned", level: Level::Information, text },
            place: Place::FILE,
            related: Vec::new(),
            certainty: network.absence(),
        });
    }
    for pruner in config.by_name.iter().filter_map(|entry| entry.block.pruner()) {
        let differs = config.global.pruner().is_some_and(|global| global.kind() != pruner.kind());
        if differs {
            let own = match pruner {
                Pruner::Filter { .. } => "filter_pruner",
                Pruner::Selective { .. } => "n_out_of_m_pruner",
            };
            let text = Text::new(
                format!(
                    "`{own}` here and another pruner at the root: AMCT takes both, although its manual allows one"
                ),
                format!("此处为 `{own}`，根上是另一种：AMCT 两者都接受，但手册只允许一种"),
            );
            findings.push(Finding {
                kind: FindingKind::Plain { code: "two-pruners", level: Level::Information, text },
                place: pruner.place(),
                related: Vec::new(),
                certainty: crate::amct::Certainty::Known,
            });
        }
    }
    findings
}

/// A skip that is without effect on quantisation and not on pruning.
pub fn half_a_skip(item: &str, keys: &[String]) -> FindingKind {
    let keys = keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
    let [quantised, pruned] =
        [Aspect::Quantised, Aspect::Pruned].map(|aspect| aspect.text(Language::Chinese));
    FindingKind::Plain {
        code: "half-a-skip",
        level: Level::Warning,
        text: Text::new(
            format!(
                "`{item}` is not pruned, but it is quantised all the same: for quantisation the override for {keys} beats \
                 the skip"
            ),
            format!("`{item}` 不{pruned}，但仍会{quantised}：对量化而言 {keys} 的重写优先于跳过"),
        ),
    }
}

fn names(layers: &[&str]) -> String {
    let shown: Vec<_> = layers.iter().take(4).map(|layer| format!("`{layer}`")).collect();
    let more = if layers.len() > 4 { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}
