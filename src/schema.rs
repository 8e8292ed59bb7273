//! Schemas: the messages and fields that a configuration file may hold, with their documentation.

pub mod model;
pub mod value;
