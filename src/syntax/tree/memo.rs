//! A place beside a chunk of a tree where its reader keeps what it found out about the chunk; it dies with the chunk.
//! What is kept is the reader's own business.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Holds one thing that somebody found out.
#[derive(Default)]
pub struct Memo(Mutex<Option<Arc<dyn Any + Send + Sync>>>);

impl Memo {
    /// What was kept, if it is of this type.
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        kept?.downcast().ok()
    }

    /// Keeps something in the place of what was kept before.
    pub fn set<T: Send + Sync + 'static>(&self, found: Arc<T>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
    }
}

impl fmt::Debug for Memo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Memo")
    }
}
