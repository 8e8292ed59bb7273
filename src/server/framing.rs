//! Cuts the bytes of a stream into message bodies, and finds its way again after bytes that make no sense.
//!
//! It looks at headers only; whether a body is JSON is for others to say. The protocol has no mark for "a message starts
//! here", but the header name `Content-Length` followed by a line break cannot occur in JSON text: a line break has to be
//! escaped inside a string, and the name is nothing outside of one. So it serves as the mark wherever it turns up.

use memchr::memmem;

/// The longest body that is believed. A longer one is taken for a damaged header.
const MAX_BODY: usize = 1 << 30;
/// A line of a header that is longer than this is no header.
const MAX_HEADER_LINE: usize = 64 << 10;
const NAME: &[u8] = b"Content-Length";

/// What was found in the stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// The bytes that a header announced.
    Body(Vec<u8>),
    /// Bytes that belong to no message: what is wrong with them.
    Broken(&'static str),
}

/// Collects bytes and yields frames.
#[derive(Debug, Default)]
pub(super) struct Framer {
    bytes: Vec<u8>,
    /// Everything before this place has been dealt with.
    at: usize,
    /// From `at` to here there is no start of another message.
    searched: usize,
    expect: Expect,
}

#[derive(Clone, Copy, Debug, Default)]
enum Expect {
    /// Header lines; the length that one of them gave, and whether there was any.
    #[default]
    Nothing,
    Header(Option<usize>),
    /// The bytes of a body.
    Body(usize),
    /// Anything; it is thrown away up to the next `Content-Length`.
    Mark,
}

impl Framer {
    /// Adds bytes as they come in.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if self.at > 0 {
            self.bytes.drain(..self.at);
            self.searched = self.searched.saturating_sub(self.at);
            self.at = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// The next frame, or nothing until more bytes are there.
    pub(super) fn next_frame(&mut self) -> Option<Frame> {
        loop {
            match self.expect {
                Expect::Mark => {
                    if !self.skip_to_mark() {
                        return None;
                    }
                    self.expect = Expect::Nothing;
                }
                Expect::Nothing | Expect::Header(_) => {
                    if let Some(broken) = self.header_line()? {
                        self.expect = Expect::Mark;
                        return Some(Frame::Broken(broken));
                    }
                }
                Expect::Body(length) => return self.body(length),
            }
        }
    }

    /// Tells that the last body made no sense. Then its header may have lied too, and whatever follows is passed over
    /// in silence up to the next header, which may have begun within the body.
    pub(super) fn distrust(&mut self, body: &[u8]) {
        let tail = &body[body.len().saturating_sub(NAME.len() + MAX_MARK_TAIL)..];
        self.bytes.splice(..self.at, tail.iter().copied());
        self.at = 0;
        self.searched = 0;
        self.expect = Expect::Mark;
    }

    /// Reads one line of a header. The outer `None` asks for more bytes, the inner tells that all is well.
    fn header_line(&mut self) -> Option<Option<&'static str>> {
        let rest = &self.bytes[self.at..];
        let Some(end) = memchr::memchr(b'\n', rest) else {
            if rest.len() <= MAX_HEADER_LINE {
                return None;
            }
            return Some(Some("a header line that does not end"));
        };
        let line = rest[..end].trim_ascii();
        let next = self.at + end + 1;
        let length = match self.expect {
            Expect::Header(length) => length,
            _ => None,
        };
        let broken = match header(line) {
            Header::End => match self.expect {
                // Line breaks between messages hurt nobody.
                Expect::Nothing => None,
                _ => match length {
                    Some(length) => {
                        self.expect = Expect::Body(length);
                        self.searched = next;
                        None
                    }
                    None => Some("a header without Content-Length"),
                },
            },
            Header::Length(new) if length.is_none_or(|old| old == new) => {
                self.expect = Expect::Header(Some(new));
                None
            }
            Header::Length(_) => Some("two different Content-Length headers"),
            Header::BadLength => Some("a Content-Length that is no sensible number"),
            Header::Other => {
                self.expect = Expect::Header(length);
                None
            }
            // A header that follows garbage on the same line is found by the search for the mark.
            Header::Garbage => return Some(Some("bytes that are no header")),
        };
        self.at = next;
        Some(broken)
    }

    /// Waits for a whole body. One that holds the start of another message ended early.
    fn body(&mut self, length: usize) -> Option<Frame> {
        let end = self.at + length;
        let seen = end.min(self.bytes.len());
        // The name may have come in half the last time.
        let from = self.searched.saturating_sub(NAME.len() + MAX_MARK_TAIL).max(self.at);
        if let Some(mark) = find_mark(&self.bytes[from..seen]) {
            self.at = from + mark;
            self.expect = Expect::Nothing;
            return Some(Frame::Broken("a body that is shorter than its Content-Length"));
        }
        self.searched = seen;
        if seen < end {
            return None;
        }
        self.expect = Expect::Nothing;
        let body = if self.at == 0 && end == self.bytes.len() {
            std::mem::take(&mut self.bytes)
        } else {
            let body = self.bytes[self.at..end].to_vec();
            self.at = end;
            // What remains does not need the room of a long message.
            if self.bytes.capacity() > (1 << 20) && self.bytes.len() - self.at < (1 << 16) {
                self.bytes = self.bytes[self.at..].to_vec();
                self.at = 0;
            }
            body
        };
        self.searched = self.at;
        Some(Frame::Body(body))
    }

    /// Moves to the next `Content-Length`, in whatever case. False when there is none yet.
    fn skip_to_mark(&mut self) -> bool {
        let rest = &self.bytes[self.at..];
        let found = rest.windows(NAME.len()).position(|window| window.eq_ignore_ascii_case(NAME));
        // The start of a name may be the last that has come in.
        self.at += found.unwrap_or(rest.len().saturating_sub(NAME.len() - 1));
        found.is_some()
    }
}

/// What a header line says.
enum Header {
    End,
    Length(usize),
    BadLength,
    Other,
    Garbage,
}

fn header(line: &[u8]) -> Header {
    if line.is_empty() {
        return Header::End;
    }
    let Some(colon) = memchr::memchr(b':', line) else { return Header::Garbage };
    let (name, value) = (line[..colon].trim_ascii(), line[colon + 1..].trim_ascii());
    if name.is_empty() || !name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-' || *b == b'_') {
        return Header::Garbage;
    }
    if !name.eq_ignore_ascii_case(NAME) {
        // The header of the next message may follow on the same line.
        let is_glued = line.len() > MAX_HEADER_LINE
            || line[1..].windows(NAME.len()).any(|window| window.eq_ignore_ascii_case(NAME));
        return if is_glued { Header::Garbage } else { Header::Other };
    }
    let digits = value.iter().all(u8::is_ascii_digit).then(|| std::str::from_utf8(value).ok()).flatten();
    match digits.and_then(|digits| digits.parse().ok()) {
        Some(length) if length <= MAX_BODY => Header::Length(length),
        _ => Header::BadLength,
    }
}

/// Room for `: `, the digits and the line break behind the name.
const MAX_MARK_TAIL: usize = 32;

/// Where a header `Content-Length: DIGITS` with its line break starts.
fn find_mark(bytes: &[u8]) -> Option<usize> {
    memmem::find_iter(bytes, NAME).find(|&at| {
        let tail = &bytes[at + NAME.len()..bytes.len().min(at + NAME.len() + MAX_MARK_TAIL)];
        let Some(tail) = tail.strip_prefix(b":") else { return false };
        let tail = tail.trim_ascii_start();
        let digits = tail.iter().take_while(|b| b.is_ascii_digit()).count();
        digits > 0 && (tail[digits..].starts_with(b"\r\n") || tail[digits..].starts_with(b"\n"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames of a stream as text: bodies in quotes, complaints in brackets. Bytes come one at a time and at once; both
    /// have to give the same.
    fn frames(stream: &str) -> String {
        let read = |chunk: usize| {
            let mut framer = Framer::default();
            let mut out = Vec::new();
            for bytes in stream.as_bytes().chunks(chunk) {
                framer.push(bytes);
                while let Some(frame) = framer.next_frame() {
                    out.push(match frame {
                        Frame::Body(body) => format!("'{}'", String::from_utf8_lossy(&body)),
                        Frame::Broken(why) => format!("[{why}]"),
                    });
                }
            }
            out.join(" ")
        };
        let whole = read(usize::MAX);
        assert_eq!(read(1), whole, "one byte at a time");
        whole
    }

    #[test]
    fn bodies_are_cut_by_their_length() {
        assert_eq!(frames("Content-Length: 2\r\n\r\n{}Content-Length: 3\r\n\r\n[1]"), "'{}' '[1]'");
        assert_eq!(frames("content-length:2\n\n{}\r\n\r\nCONTENT-LENGTH : 0\r\n\r\n"), "'{}' ''");
        assert_eq!(frames("Content-Type: x; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}"), "'{}'");
        assert_eq!(frames("Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}"), "'{}'");
    }

    #[test]
    fn a_damaged_header_costs_one_complaint_and_no_later_message() {
        let good = "Content-Length: 4\r\n\r\ngood";
        for (bad, complaint) in [
            ("Content-Length: -1\r\n\r\n{}", "a Content-Length that is no sensible number"),
            ("Content-Length: +2\r\n\r\n{}", "a Content-Length that is no sensible number"),
            ("Content-Length: 99999999999999999999\r\n\r\n{}", "a Content-Length that is no sensible number"),
            ("Content-Length: 9999999999\r\n\r\n{}", "a Content-Length that is no sensible number"),
            ("Content-Length:\r\n\r\n{}", "a Content-Length that is no sensible number"),
            ("Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", "two different Content-Length headers"),
            ("X: y", "bytes that are no header"),
            ("xx", "bytes that are no header"),
            ("Content-Lenght: 2\r\n\r\n{}", "a header without Content-Length"),
            ("{\"jsonrpc\":\"2.0\"}\n", "bytes that are no header"),
            ("{\"jsonrpc\":\"2.0\"}", "bytes that are no header"),
            ("Content-Length: 40\r\n\r\n{}", "a body that is shorter than its Content-Length"),
        ] {
            assert_eq!(frames(&format!("{bad}{good}")), format!("[{complaint}] 'good'"), "{bad}");
        }
    }

    #[test]
    fn the_words_content_length_in_a_string_are_text() {
        let body = r#"{"text":"Content-Length: 5\r\n\r\n"}"#;
        assert_eq!(frames(&format!("Content-Length: {}\r\n\r\n{body}", body.len())), format!("'{body}'"));
    }

    #[test]
    fn after_a_body_without_sense_the_rest_is_passed_over() {
        let mut framer = Framer::default();
        framer.push(b"Content-Length: 4\r\n\r\n{\"a\":1}Content-Length: 2\r\n\r\n{}");
        assert_eq!(framer.next_frame(), Some(Frame::Body(b"{\"a\"".to_vec())));
        framer.distrust(b"{\"a\"");
        assert_eq!(framer.next_frame(), Some(Frame::Body(b"{}".to_vec())));
        assert_eq!(framer.next_frame(), None);
    }

    #[test]
    fn a_header_that_begins_within_a_senseless_body_counts() {
        let mut framer = Framer::default();
        framer.push(b"Content-Length: 9\r\n\r\n{\"a\":Content-Length: 2\r\n\r\n{}");
        let Some(Frame::Body(body)) = framer.next_frame() else { panic!() };
        framer.distrust(&body);
        assert_eq!(framer.next_frame(), Some(Frame::Body(b"{}".to_vec())));
    }
}
