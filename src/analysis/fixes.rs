//! How to mend what an engine finds: edits of the text for the findings where it is clear what is meant.

mod layout;
mod names;

use super::diagnostic::Fix;
use super::effective::Effective;
use crate::amct::finding::{Dropped, Finding, FindingKind};
use crate::amct::refusal::{Cause, Refusal};
use crate::amct::{Basis, Place};
use crate::language::Language;
use crate::syntax::tree::{Item, ItemKind, Tree};
use crate::text::Edit;

use layout::{Fields, Layout};

/// So many unknown names get a proposal: each is compared with every name of the network.
const MAX_GUESSES: usize = 32;

/// Finds fixes for the findings of one document.
pub(super) struct Fixer<'a> {
    layout: Layout<'a>,
    effective: &'a Effective,
    language: Language,
    guesses: usize,
}

/// What a name was probably meant to be, with the fix that changes it.
pub(super) struct Meant {
    pub(super) name: String,
    pub(super) fix: Fix,
}

impl<'a> Fixer<'a> {
    pub(super) fn new(tree: &'a Tree, effective: &'a Effective, language: Language) -> Self {
        Self { layout: Layout::new(tree), effective, language, guesses: 0 }
    }

    /// The ways to mend a finding, the best first.
    pub(super) fn fixes(&self, finding: &Finding) -> Vec<Fix> {
        let language = self.language;
        let fix = match &finding.kind {
            FindingKind::Refused(refusal) => self.refusal(refusal),
            FindingKind::SkipCancelled { item, .. }
            | FindingKind::RepeatedSkip { item, .. }
            | FindingKind::SkipListedTwice { item, .. }
            | FindingKind::SkipCoveredByType { item, .. }
            | FindingKind::SkipOfAbsentType { item } => self.remove_entry(
                finding.place,
                language.pick(format!("Remove `{item}` from the list"), format!("从列表中删去 `{item}`")),
            ),
            FindingKind::OverrideDropsValues { key, dropped, .. } => {
                self.inherit(finding.place, key, dropped)
            }
            FindingKind::BareOverride { key, dropped, .. } if !dropped.is_empty() => {
                self.inherit(finding.place, key, dropped)
            }
            FindingKind::BareOverride { key, .. }
            | FindingKind::IgnoredOverride { key, .. }
            | FindingKind::AbsentType { key }
            | FindingKind::ShadowedOverride { key } => self.remove_override(finding.place, key),
            _ => None,
        };
        fix.into_iter().collect()
    }

    fn refusal(&self, refusal: &Refusal) -> Option<Fix> {
        let language = self.language;
        match &refusal.cause {
            Cause::RepeatedOverride { key } => self.merge(*refusal.related.first()?, refusal.place, key),
            Cause::OneSidedClip { missing } => self.supply_clip(refusal.place, missing),
            Cause::ChannelWiseOnFullyConnected { cure: Some(cure), .. } => {
                let mut fields = Fields::default();
                fields.add(&[cure.field, cure.key_field], &quoted(&cure.key));
                for (path, value) in &cure.values {
                    let path: Vec<_> = [cure.field].into_iter().chain(path.iter().copied()).collect();
                    fields.add(&path, value);
                }
                let title = language.pick(
                    format!("Add an override for `{}` with `channel_wise: false`", cure.key),
                    format!("为 `{}` 添加 `channel_wise: false` 的重写块", cure.key),
                );
                Some(Fix { title, edits: vec![self.layout.append(&fields)] })
            }
            Cause::ChannelWiseOnFullyConnected { cure: None, .. } => self.replace(refusal.place, "false"),
            Cause::BatchNumZero => self.replace(refusal.place, "1"),
            Cause::ClipOutOfRange { value, .. } if *value != 0.0 && value.is_finite() => {
                let text = crate::python::float_repr(f64::from(-value));
                let short = (-value).to_string();
                let short = if short.contains('.') { short } else { format!("{short}.0") };
                self.replace(refusal.place, if short.len() < text.len() { &short } else { &text })
            }
            Cause::EmptyPruneConfig => {
                let path = self.path(refusal.place)?;
                let title = language.pick("Remove the empty block", "删去空块").to_owned();
                Some(Fix { title, edits: vec![self.layout.remove(path.last().copied()?, None)] })
            }
            _ => None,
        }
    }

    /// The name that was probably meant in the place of an unknown one.
    pub(super) fn meant(&mut self, finding: &Finding) -> Option<Meant> {
        let FindingKind::Refused(refusal) = &finding.kind else { return None };
        if self.guesses >= MAX_GUESSES {
            return None;
        }
        self.guesses += 1;
        let name = match &refusal.cause {
            Cause::UnknownType { name, supported } => {
                names::nearest(name, supported.iter().copied())?.to_owned()
            }
            Cause::UnknownLayer { name, .. } if self.effective.answer.basis() != Basis::Supposed => {
                let answer = &self.effective.answer;
                let layers = (0..answer.layer_count()).map(|layer| answer.layer_name(layer));
                names::nearest(name, layers)?.to_owned()
            }
            _ => return None,
        };
        let fix = self.replace(refusal.place, &quoted(&name))?;
        Some(Meant { name, fix })
    }

    fn replace(&self, place: Place, text: &str) -> Option<Fix> {
        let range = self.effective.range(place);
        let title = self.language.pick(format!("Change to `{text}`"), format!("改为 `{text}`"));
        (!range.is_empty()).then(|| Fix { title, edits: vec![Edit::replace(range, text)] })
    }

    /// The items around the start of a value.
    fn path(&self, place: Place) -> Option<Vec<Item<'a>>> {
        let range = self.effective.range(place);
        (!range.is_empty()).then(|| self.layout.tree.path_at(range.start))
    }

    /// The override whose key stands at a place, and what is around it.
    fn override_at(&self, key: Place) -> Option<(Item<'a>, Option<Item<'a>>)> {
        let mut path = self.path(key)?;
        path.pop()?;
        let item = path.pop()?;
        Some((item, path.pop()))
    }

    fn remove_entry(&self, place: Place, title: String) -> Option<Fix> {
        let mut path = self.path(place)?;
        let item = path.pop()?;
        Some(Fix { title, edits: vec![self.layout.remove(item, path.pop())] })
    }

    fn remove_override(&self, key_place: Place, key: &str) -> Option<Fix> {
        let (item, around) = self.override_at(key_place)?;
        let title =
            self.language.pick(format!("Remove the override for `{key}`"), format!("删去 `{key}` 的重写块"));
        Some(Fix { title, edits: vec![self.layout.remove(item, around)] })
    }

    /// Writes the values that an override would have to inherit into it.
    fn inherit(&self, key_place: Place, key: &str, dropped: &[Dropped]) -> Option<Fix> {
        let (item, _) = self.override_at(key_place)?;
        let mut fields = Fields::default();
        dropped.iter().for_each(|value| fields.add(&value.path, &value.value));
        let title = self.language.pick(
            format!("Repeat the dropped values in the override for `{key}`"),
            format!("在 `{key}` 的重写块中重写丢失的值"),
        );
        Some(Fix { title, edits: self.layout.insert(&fields, item)? })
    }

    /// The bound that is missing: the one that is there, with the other sign.
    fn supply_clip(&self, clip: Place, missing: &[&'static str]) -> Option<Fix> {
        let [missing] = missing else { return None };
        let start = self.effective.range(clip).start;
        let item = self.layout.tree.path_at(start).into_iter().rfind(|item| item.body().is_some())?;
        let there = item.body()?.items().filter(|item| item.kind() == ItemKind::Field).last()?;
        let value = self.layout.text(there.value()?.range());
        let value = value.trim();
        let other = match value.strip_prefix('-') {
            Some(positive) => positive.trim().to_owned(),
            None => format!("-{value}"),
        };
        let mut fields = Fields::default();
        fields.add(&[missing], &other);
        let title =
            self.language.pick(format!("Add `{missing}: {other}`"), format!("添加 `{missing}: {other}`"));
        Some(Fix { title, edits: self.layout.insert(&fields, item)? })
    }

    /// Moves what the second of two overrides sets into the first, as AMCT would merge them if they were one.
    fn merge(&self, first: Place, second: Place, key: &str) -> Option<Fix> {
        let ((into, _), (from, around)) = (self.override_at(first)?, self.override_at(second)?);
        let key_item = self.path(second)?.pop()?;
        let mut edits = self.layout.merge(into, from, key_item.range())?;
        edits.push(self.layout.remove(from, around));
        let title = self.language.pick(
            format!("Merge the overrides for `{key}` into the first"),
            format!("将 `{key}` 的重写块合并到第一个"),
        );
        edits.sort_by_key(|edit| edit.range.start);
        Some(Fix { title, edits })
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
