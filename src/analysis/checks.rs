//! The single kinds of findings, one a file: what they say and how to mend them. When they apply is decided in
//! [`super::bind`] and [`super::scalar`], which walk the tree.

pub(super) mod any;
pub(super) mod duplicate;
pub(super) mod extension;
pub(super) mod foreign_file;
pub(super) mod limits;
pub(super) mod missing_required;
pub(super) mod shape_mismatch;
pub(super) mod unknown_field;
