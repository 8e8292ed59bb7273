//! Items that stand in a list more than once, which AMCT reports with one text for all its lists.

use std::collections::HashMap;

use super::place::{Place, Placed};
use crate::python;

/// The items of a list that stand in it more than once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repeats {
    /// Each such item and all its places, in the order of their first places.
    pub items: Vec<(String, Vec<Place>)>,
}

impl Repeats {
    /// Finds the repeated items.
    pub fn find<'a>(list: impl IntoIterator<Item = &'a Placed<String>>) -> Self {
        Self::find_pairs(list.into_iter().map(|item| (item.value.as_str(), item.place)))
    }

    /// Finds the repeated items of a list of texts and places.
    pub fn find_pairs<'a>(list: impl IntoIterator<Item = (&'a str, Place)>) -> Self {
        let mut index: HashMap<&str, usize> = HashMap::new();
        let mut all: Vec<(&str, Vec<Place>)> = Vec::new();
        for (text, place) in list {
            let at = *index.entry(text).or_insert_with(|| {
                all.push((text, Vec::new()));
                all.len() - 1
            });
            all[at].1.push(place);
        }
        let repeated = all.into_iter().filter(|(_, places)| places.len() > 1);
        Self { items: repeated.map(|(text, places)| (text.to_owned(), places)).collect() }
    }

    /// True when nothing is repeated.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The text in which AMCT's QAT reports repeats in a skip list; the blank at its end is AMCT's.
    pub fn warning(&self, list: &str) -> String {
        let items = self.python_list();
        format!("Please delete repeated items in {list}, repeated items are {items} ")
    }

    /// All places but the first of each item.
    pub fn surplus(&self) -> Vec<Place> {
        self.items.iter().flat_map(|(_, places)| places[1..].iter().copied()).collect()
    }

    /// The items as Python prints the list. With two or more their order differs from run to run, see
    /// [`python::set_order`].
    pub fn python_list(&self) -> String {
        python::list_repr(python::set_order(self.items.iter().map(|(text, _)| text.as_str())))
    }
}
