//! Which dialect a text is written in, as its content tells: the fields of the root decide, then fields further in, then
//! how layer types are spelled, then custom.
//!
//! Only what is complete counts, so a name that is being typed decides nothing. Only the beginning of a text is looked
//! at: what decides stands there or nowhere.

use std::collections::HashMap;

use crate::schema::builtin::{self, Dialect};
use crate::schema::model::{MessageId, Schema};
use crate::schema::toolkit::Toolkit;
use crate::syntax::lexer::TokenKind;
use crate::syntax::tree::{Body, Item, ItemKind, NameKind, TokenView, Tree, Value};

/// So many fields are looked at.
const MAX_FIELDS: usize = 2_000;
/// No field of a dialect lies deeper.
const MAX_DEPTH: usize = 8;

/// What a text seems to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A configuration of AMCT.
    Dialect(Dialect, Why),
    /// Something that AMCT never reads.
    Foreign(Foreign),
}

/// What decided for a dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// A field that other dialects do not have.
    Field(String),
    /// The spelling of a layer type.
    LayerType(String),
    /// Nothing in the text: the most usual of those that fit.
    Custom,
}

/// Files of the same world that bear similar names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// A JSON file such as `fusion_switch.cfg`.
    Json,
    /// An INI file such as `setup.cfg`.
    Ini,
    /// A preprocessing configuration of ATC.
    Aipp,
}

impl Default for Content {
    fn default() -> Self {
        Self::Dialect(Dialect::default(), Why::Custom)
    }
}

/// Looks at the content of a text.
pub fn detect(tree: &Tree) -> Content {
    let custom = Dialect::ALL[0];
    // Most texts fit the first dialect, and then the schemas of the others are not even read.
    let first = Evidence::of(tree, &[custom]);
    if first.missing[0] == (0, 0) && first.types.iter().all(|(toolkit, _)| *toolkit == custom.toolkit()) {
        let why = first.types.into_iter().next().map_or(Why::Custom, |(_, name)| Why::LayerType(name));
        return Content::Dialect(custom, why);
    }
    let all = Evidence::of(tree, Dialect::ALL);
    if all.known == 0
        && let Some(foreign) = foreign(tree)
    {
        return Content::Foreign(foreign);
    }
    // The first of several equal ones comes first: dialects stand in the order of custom.
    let mut ranking: Vec<_> = (0..Dialect::ALL.len()).collect();
    ranking.sort_by_key(|&at| all.misfit(at));
    Content::Dialect(Dialect::ALL[ranking[0]], all.why(&ranking))
}

/// What was seen in a text, for some dialects.
struct Evidence {
    schemas: Vec<std::sync::Arc<Schema>>,
    /// For each dialect, how many fields of the root and how many fields further in it does not have.
    missing: Vec<(usize, usize)>,
    /// How many fields any dialect has.
    known: usize,
    /// Names that some of the dialects have, and which.
    shared: Vec<(String, Vec<bool>)>,
    /// Layer types that only one toolkit spells like this, in order.
    types: Vec<(Toolkit, String)>,
    left: usize,
    /// The blocks that were come by so far; the first one is the root.
    spots: Vec<Spot>,
    names: Vec<Name>,
}

/// A kind of block.
struct Spot {
    /// For each dialect which message it is, if it knows.
    messages: Vec<Option<MessageId>>,
    /// The names that were seen in it: most names of a text stand there many times.
    names: HashMap<String, usize>,
}

/// What a name means in a kind of block.
struct Name {
    /// Some dialect has it.
    is_known: bool,
    /// For each dialect whether it knows the block and yet not the name.
    lacking: Vec<bool>,
    /// The kind of block behind it.
    inner: Option<usize>,
}

impl Evidence {
    fn of(tree: &Tree, dialects: &[Dialect]) -> Self {
        let schemas: Vec<_> = dialects.iter().map(|dialect| builtin::schema(*dialect)).collect();
        let messages = schemas.iter().map(|schema| Some(schema.root)).collect();
        let mut evidence = Self {
            missing: vec![(0, 0); dialects.len()],
            schemas,
            known: 0,
            shared: Vec::new(),
            types: Vec::new(),
            left: MAX_FIELDS,
            spots: vec![Spot { messages, names: HashMap::new() }],
            names: Vec::new(),
        };
        evidence.fields(tree.root(), 0, 0);
        evidence
    }

    /// Looks at the fields of a block.
    fn fields(&mut self, body: Body<'_>, spot: usize, depth: usize) {
        for item in body.items() {
            if self.left == 0 || depth > MAX_DEPTH {
                return;
            }
            match item.kind() {
                ItemKind::Field => self.field(item, spot, depth),
                // Braces around the whole text.
                ItemKind::Error if item.name().is_none() => {
                    if let Some(inner) = item.body() {
                        self.fields(inner, spot, depth);
                    }
                }
                _ => {}
            }
        }
    }

    fn field(&mut self, item: Item<'_>, spot: usize, depth: usize) {
        let (Some(name), Some(value)) = (item.name(), item.value()) else { return };
        if name.kind != NameKind::Plain {
            return;
        }
        self.left -= 1;
        let seen = self.spots[spot].names.get(&*name.text).copied();
        let at = seen.unwrap_or_else(|| self.learn(spot, &name.text));
        let Name { is_known, ref lacking, inner } = self.names[at];
        for ((root, further), _) in self.missing.iter_mut().zip(lacking).filter(|(_, lacking)| **lacking) {
            *(if depth == 0 { root } else { further }) += 1;
        }
        self.known += usize::from(is_known);
        if name.text == "layer_type" || name.text.ends_with("_types") {
            self.layer_types(value);
        }
        if let Some(inner) = inner {
            self.values(value, inner, depth + 1);
        }
    }

    /// Looks up what a name means where it was not seen before.
    fn learn(&mut self, spot: usize, name: &str) -> usize {
        let messages = &self.spots[spot].messages;
        let found: Vec<_> = (messages.iter().zip(&self.schemas))
            .map(|(message, schema)| schema.message((*message)?).find(name).map(|(_, field)| field))
            .collect();
        let has: Vec<_> = found.iter().map(Option::is_some).collect();
        let lacking = messages.iter().zip(&has).map(|(message, has)| message.is_some() && !has).collect();
        let inner: Vec<_> = found.iter().map(|field| field.and_then(|field| field.message())).collect();
        let is_known = has.contains(&true);
        if is_known && has.contains(&false) && !self.shared.iter().any(|(known, _)| known == name) {
            self.shared.push((name.to_owned(), has));
        }
        let inner = inner.iter().any(Option::is_some).then(|| {
            self.spots.push(Spot { messages: inner, names: HashMap::new() });
            self.spots.len() - 1
        });
        self.names.push(Name { is_known, lacking, inner });
        self.spots[spot].names.insert(name.to_owned(), self.names.len() - 1);
        self.names.len() - 1
    }

    fn values(&mut self, value: Value<'_>, spot: usize, depth: usize) {
        match value {
            Value::Block(block) => self.fields(block.body(), spot, depth),
            Value::List(list) => {
                for element in list.elements().items() {
                    if let Some(Value::Block(block)) = element.value() {
                        self.fields(block.body(), spot, depth);
                    }
                }
            }
            Value::Scalar(_) => {}
        }
    }

    fn layer_types(&mut self, value: Value<'_>) {
        let mut add = |value: Value<'_>| {
            if let Value::Scalar(scalar) = value {
                let text: String =
                    scalar.tokens().map(|token| token.text.trim_matches(['"', '\''])).collect();
                if let Some(toolkit) = Toolkit::of_layer_type(&text) {
                    self.types.push((toolkit, text));
                }
            }
        };
        match value {
            Value::List(list) => list.elements().items().filter_map(|element| element.value()).for_each(add),
            value => add(value),
        }
    }

    /// How badly a dialect fits.
    fn misfit(&self, dialect: usize) -> ((usize, usize), bool) {
        let toolkit = Dialect::ALL[dialect].toolkit();
        (self.missing[dialect], self.toolkit().is_some_and(|spelled| spelled != toolkit))
    }

    /// The toolkit whose spelling most layer types have.
    fn toolkit(&self) -> Option<Toolkit> {
        let count = |toolkit: &Toolkit| self.types.iter().filter(|(found, _)| found == toolkit).count();
        let most = Toolkit::ALL.into_iter().rev().max_by_key(count);
        most.filter(|toolkit| count(toolkit) > 0)
    }

    /// Why the first of a ranking fits best: by the layer types, if custom had named another one of those whose fields
    /// fit as well; else by a field that it has and the next worse has not, rather one that few have.
    fn why(&self, ranking: &[usize]) -> Why {
        let best = ranking[0];
        let custom = self.missing.iter().position(|missing| *missing == self.missing[best]);
        if custom == Some(best) && best > 0 {
            let worse = ranking.iter().find(|at| self.missing[**at] > self.missing[best]);
            let speaking = worse
                .into_iter()
                .flat_map(|worse| self.shared.iter().filter(|(_, has)| has[best] && !has[*worse]));
            if let Some((name, _)) = speaking.min_by_key(|(_, has)| has.iter().filter(|has| **has).count()) {
                return Why::Field(name.clone());
            }
        }
        let toolkit = Dialect::ALL[best].toolkit();
        let spelled = self.types.iter().find(|(found, _)| *found == toolkit);
        spelled.map_or(Why::Custom, |(_, name)| Why::LayerType(name.clone()))
    }
}

/// What a text is that has no field of any dialect.
fn foreign(tree: &Tree) -> Option<Foreign> {
    let items = || tree.root().items();
    let first = items().next()?;
    if first.name().is_some_and(|name| name.text == "aipp_op") {
        return Some(Foreign::Aipp);
    }
    let tokens: Vec<_> = items().flat_map(significant).take(3).collect();
    let kinds: Vec<_> = tokens.iter().map(|token| token.kind).collect();
    match kinds[..] {
        [TokenKind::OpenBrace, TokenKind::String | TokenKind::CloseBrace, ..]
        | [TokenKind::OpenBracket, TokenKind::OpenBrace | TokenKind::String | TokenKind::CloseBracket, ..] => {
            Some(Foreign::Json)
        }
        // A heading: fields can have names in brackets, but with a value behind them.
        [TokenKind::OpenBracket, TokenKind::Ident, TokenKind::CloseBracket] => {
            first.value().is_none().then_some(Foreign::Ini)
        }
        _ => (items().take(2).filter(|item| is_assignment(*item)).count() == 2).then_some(Foreign::Ini),
    }
}

/// `KEY=VALUE`, which the text format does not have.
fn is_assignment(item: Item<'_>) -> bool {
    significant(item).nth(1).is_some_and(|token| token.text == "=")
}

fn significant(item: Item<'_>) -> impl Iterator<Item = TokenView<'_>> {
    item.tokens().filter(|token| !token.kind.is_trivia())
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, expected: Expect) {
        let shown = match detect(&Tree::parse(text)) {
            Content::Dialect(dialect, why) => format!("{}: {why:?}", dialect.name()),
            Content::Foreign(foreign) => format!("{foreign:?}"),
        };
        expected.assert_eq(&shown);
    }

    #[test]
    fn the_fields_of_the_root_decide() {
        check("", expect!["mindspore-qat: Custom"]);
        check("skip_layers: 'a'", expect!["mindspore-qat: Custom"]);
        check("batch_num: 1 retrain_data_quant_config {}", expect![[r#"pytorch-qat: Field("batch_num")"#]]);
        check(
            "skip_layers: 'a' prune_config { filter_pruner {} }",
            expect![[r#"pytorch-qat: Field("prune_config")"#]],
        );
        check("batch_num: 1 common_config {}", expect![[r#"pytorch-ptq: Field("common_config")"#]]);
        check("group_size: 1", expect![[r#"pytorch-distill: Field("group_size")"#]]);
        check("kv_cache_quant_config {}", expect![[r#"pytorch-kv-cache: Field("kv_cache_quant_config")"#]]);
        check("compress_ratio: 0.5", expect![[r#"auto-channel-prune: Field("compress_ratio")"#]]);
        // One that is out of place does not outweigh the others.
        check(
            "retrain_data_quant_config {} retrain_weight_quant_config {} group_size: 1",
            expect!["mindspore-qat: Custom"],
        );
    }

    #[test]
    fn then_fields_further_in_and_the_spelling_of_layer_types() {
        check(
            "override_layer_configs { layer_name: 'a' calibration_config {} }",
            expect![[r#"pytorch-ptq: Field("calibration_config")"#]],
        );
        check(
            "override_layer_configs { layer_name: 'a' retrain_data_quant_config {} }",
            expect!["mindspore-qat: Custom"],
        );
        check(
            "override_layer_configs { layer_name: 'a' prune_config {} }",
            expect![[r#"pytorch-qat: Field("prune_config")"#]],
        );
        check(
            "retrain_data_quant_config { ulq_quantize { dst_type: INT4 } }",
            expect![[r#"pytorch-qat: Field("dst_type")"#]],
        );
        check("skip_layer_types: ['Linear', 'Conv2d']", expect![[r#"pytorch-qat: LayerType("Linear")"#]]);
        check(
            "skip_layer_types: 'nn.Conv2D' skip_layer_types: 'nn.Dense'",
            expect![[r#"mindspore-qat: LayerType("nn.Conv2D")"#]],
        );
        check(
            "skip_layer_types: 'Convolution' batch_num: 1",
            expect![[r#"caffe-qat: LayerType("Convolution")"#]],
        );
        check("common_config {} skip_layer_types: 'Gemm'", expect![[r#"onnx-ptq: LayerType("Gemm")"#]]);
        check(
            "common_config {} skip_layer_types: 'nn.Dense'",
            expect![[r#"mindspore-ptq: LayerType("nn.Dense")"#]],
        );
        check("common_config {} joint_quant: true", expect![[r#"caffe-ptq: Field("joint_quant")"#]]);
        check(
            "prune_config {} skip_layer_types: 'DepthwiseConv2dNative'",
            expect![[r#"tensorflow-qat: LayerType("DepthwiseConv2dNative")"#]],
        );
        check(
            "override_layer_types { layer_type: 'Conv2d' retrain_data_quant_config {} }",
            expect![[r#"pytorch-qat: LayerType("Conv2d")"#]],
        );
    }

    #[test]
    fn what_is_being_typed_decides_nothing() {
        check("skip_layers: 'nn.a' prune_config", expect!["mindspore-qat: Custom"]);
        check("skip_layers: 'nn.a' batch_num: ", expect!["mindspore-qat: Custom"]);
        check(
            "common_config { activation_offset: true } retrain_data_quant_config",
            expect![[r#"pytorch-ptq: Field("common_config")"#]],
        );
        check(
            "common_config { activation_offset: true\nskip_layers: 'a'\n",
            expect![[r#"pytorch-ptq: Field("common_config")"#]],
        );
    }

    #[test]
    fn what_is_no_configuration_of_amct() {
        check("{ \"Switch\": { \"GraphFusion\": { \"ALL\": \"on\" } } }", expect!["Json"]);
        check("[{ \"name\": 1 }]", expect!["mindspore-qat: Custom"]);
        check("[metadata]\nname = amct\n", expect!["Ini"]);
        check("CLASS_NUM=80\nBIASES_NUM=18\n", expect!["Ini"]);
        check("aipp_op { aipp_mode: static }", expect!["Aipp"]);
        // These are meant to be one.
        check("{ \"skip_layers\": [\"a\"] }", expect!["mindspore-qat: Custom"]);
        check("skip_layers = 'a'\nskip_layer_types = 'b'", expect!["mindspore-qat: Custom"]);
        check("skip_layer = 1", expect!["mindspore-qat: Custom"]);
        check("# a comment alone", expect!["mindspore-qat: Custom"]);
    }
}
