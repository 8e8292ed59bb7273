//! A thread that looks after the files on which open documents depend: it sees changes that no client reports, and reads
//! documents anew against schemas that are being edited, so that the loop need not wait for either.

use std::sync::Weak;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use super::session::Session;

/// How often files are looked at.
const PERIOD: Duration = Duration::from_secs(1);

enum Call {
    /// Something has changed.
    Poke,
    /// From now on look at the files.
    Watch,
}

/// The handle of the thread.
#[derive(Debug)]
pub(super) struct Librarian(Option<Sender<Call>>);

impl Librarian {
    /// Starts the thread. It ends with the session.
    pub(super) fn start(session: Weak<Session>) -> Self {
        let (sender, calls) = channel();
        let work = move || {
            let mut is_watching = false;
            loop {
                // Several calls at once are one.
                let mut is_poked = match calls.recv_timeout(PERIOD) {
                    Ok(call) => {
                        is_watching |= matches!(call, Call::Watch);
                        matches!(call, Call::Poke)
                    }
                    Err(RecvTimeoutError::Timeout) => false,
                    Err(RecvTimeoutError::Disconnected) => return,
                };
                for call in calls.try_iter() {
                    is_watching |= matches!(call, Call::Watch);
                    is_poked |= matches!(call, Call::Poke);
                }
                let Some(session) = session.upgrade() else { return };
                if is_poked || is_watching && session.has_stale_files() {
                    session.reconsider();
                }
            }
        };
        let thread = thread::Builder::new().name("librarian".to_owned()).spawn(work);
        let thread = thread.inspect_err(|error| eprintln!("quantcfg: files are not watched: {error}"));
        Self(thread.ok().map(|_| sender))
    }

    /// Has documents read anew.
    pub(super) fn poke(&self) {
        self.call(Call::Poke);
    }

    /// Has the files looked at from now on.
    pub(super) fn watch(&self) {
        self.call(Call::Watch);
    }

    fn call(&self, call: Call) {
        if let Some(sender) = &self.0 {
            // The thread ends before its handle only when the session ends.
            let _ = sender.send(call);
        }
    }
}
