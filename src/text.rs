//! Text and places in it: the buffer of an open document, byte ranges, edits and LSP positions.
//!
//! Everything inside the program counts bytes; lines and columns exist only at its edge and are made in
//! [`position`], nowhere else.

pub mod buffer;
pub mod edit;
pub mod position;
pub mod range;

pub use buffer::Buffer;
pub use edit::{Change, Edit};
pub use position::{Encoding, Position};
pub use range::TextRange;
