//! The two threads that read stdin and write stdout, with queues without bound between them and the rest.
//!
//! Neither waits for the other, so a client that stops reading cannot stop us from reading. stdout belongs to the
//! protocol: the writer holds its own handle, past the buffer of `std::io::stdout`, and nothing else writes there.

use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::framing::{Frame, Framer};
use super::message::Incoming;
use super::spelling::Spellings;

/// Bytes read at once. A pipe holds as many.
const CHUNK: usize = 64 << 10;

/// Starts the reader. The queue ends when stdin does.
pub(super) fn read_stdin() -> io::Result<UnboundedReceiver<Incoming>> {
    let stdin = own_handle(io::stdin())?;
    let (messages, queue) = unbounded_channel();
    thread::Builder::new().name("stdin".to_owned()).spawn(move || read(stdin, &messages))?;
    Ok(queue)
}

fn read(mut stdin: impl Read, messages: &UnboundedSender<Incoming>) {
    let mut framer = Framer::default();
    let mut chunk = vec![0; CHUNK];
    loop {
        let count = match stdin.read(&mut chunk) {
            Ok(0) => return,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return eprintln!("quantcfg: stdin: {error}"),
        };
        framer.push(&chunk[..count]);
        while let Some(frame) = framer.next_frame() {
            let message = match frame {
                Frame::Broken(why) => Incoming::not_a_message(why),
                Frame::Body(body) => {
                    let message = Incoming::parse(&body);
                    if message.is_not_json() {
                        framer.distrust(&body);
                    }
                    message
                }
            };
            if messages.send(message).is_err() {
                return;
            }
        }
    }
}

/// The way to the client. Clones share one queue.
#[derive(Clone, Debug)]
pub(super) struct Outbox {
    queue: Sender<Outgoing>,
    spellings: Arc<Spellings>,
}

#[derive(Debug)]
enum Outgoing {
    Body(Vec<u8>),
    Flush(SyncSender<()>),
}

impl Outbox {
    /// Starts the writer. The receiver hears when stdout is closed: then nothing reaches the client any more.
    pub(super) fn to_stdout(spellings: Arc<Spellings>) -> io::Result<(Self, UnboundedReceiver<()>)> {
        let stdout = own_handle(io::stdout())?;
        let (queue, bodies) = channel();
        let (alive, closed) = unbounded_channel();
        thread::Builder::new().name("stdout".to_owned()).spawn(move || {
            if let Err(error) = write(stdout, &bodies) {
                eprintln!("quantcfg: stdout: {error}");
            }
            drop(alive);
        })?;
        Ok((Self { queue, spellings }, closed))
    }

    /// Sends a message. Never waits.
    pub(super) fn send(&self, message: &impl Serialize) {
        let body = if self.spellings.is_empty() {
            serde_json::to_vec(message)
        } else {
            serde_json::to_value(message).and_then(|mut message| {
                self.spellings.restore(&mut message);
                serde_json::to_vec(&message)
            })
        };
        match body {
            // Without a writer there is no client, and the server is about to end.
            Ok(body) => drop(self.queue.send(Outgoing::Body(body))),
            Err(error) => eprintln!("quantcfg: message not sent: {error}"),
        }
    }

    /// Takes note of how the client spells an address.
    pub(super) fn note_spelling(&self, params: &Value) {
        self.spellings.note(params);
    }

    /// Waits until everything sent so far has been written, but not for a client that does not read.
    pub(super) fn flush(&self, patience: Duration) {
        let (done, written) = sync_channel(1);
        if self.queue.send(Outgoing::Flush(done)).is_ok() {
            let _ = written.recv_timeout(patience);
        }
    }
}

/// Writes bodies with their headers; whatever is waiting goes out in one piece.
fn write(mut stdout: impl Write, bodies: &Receiver<Outgoing>) -> io::Result<()> {
    let mut bytes = Vec::new();
    while let Ok(first) = bodies.recv() {
        bytes.clear();
        let mut flushed = None;
        for outgoing in std::iter::once(first).chain(bodies.try_iter()) {
            match outgoing {
                Outgoing::Body(body) => {
                    bytes.extend_from_slice(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes());
                    bytes.extend_from_slice(&body);
                }
                Outgoing::Flush(done) => flushed = Some(done),
            }
            if flushed.is_some() || bytes.len() > (1 << 20) {
                break;
            }
        }
        stdout.write_all(&bytes)?;
        stdout.flush()?;
        if let Some(done) = flushed {
            let _ = done.send(());
        }
        bytes.shrink_to(1 << 16);
    }
    Ok(())
}

#[cfg(unix)]
fn own_handle(stream: impl std::os::fd::AsFd) -> io::Result<File> {
    stream.as_fd().try_clone_to_owned().map(File::from)
}

#[cfg(windows)]
fn own_handle(stream: impl std::os::windows::io::AsHandle) -> io::Result<File> {
    stream.as_handle().try_clone_to_owned().map(File::from)
}
