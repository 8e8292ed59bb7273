//! Black-box tests: the real program, spoken to over its stdin and stdout as editors do.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod cancel;
mod client;
mod definition;
mod documents;
mod encodings;
mod features;
mod folder;
mod hostile;
mod lifecycle;
mod live;
mod model;
mod order;
mod publish;
mod soak;
mod trouble;
