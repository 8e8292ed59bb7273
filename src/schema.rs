//! Schemas: the messages and fields that a configuration file may hold, with their documentation.

pub mod builtin;
pub mod file;
pub mod limits;
mod lower;
pub mod model;
mod prepare;
pub mod proto_source;
pub mod toolkit;
pub mod value;
