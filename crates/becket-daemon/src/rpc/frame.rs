//! Cutting a stream of bytes into messages: one a line, or behind `Content-Length` headers.
//!
//! Which of the two a client speaks shows in its first line, and it is answered the same way. A message
//! that is too long or that cannot be read costs itself, never the connection.

/// The longest message that is read.
pub const LONGEST_MESSAGE: usize = 4 * 1024 * 1024;
/// The longest block of headers.
const LONGEST_HEADERS: usize = 8 * 1024;

/// How messages are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// One message a line.
    Lines,
    /// `Content-Length: N`, an empty line, N bytes; as language servers do.
    Headers,
}

impl Framing {
    /// A message, ready to be sent.
    pub fn encode(self, message: &str) -> Vec<u8> {
        match self {
            Self::Lines => format!("{message}\n").into_bytes(),
            Self::Headers => {
                format!("Content-Length: {}\r\n\r\n{message}", message.len()).into_bytes()
            }
        }
    }
}

/// A message that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// It was passed over.
    #[error("the message is longer than {LONGEST_MESSAGE} bytes")]
    TooLong,
    /// It is no text.
    #[error("the message is not UTF-8")]
    NotText,
    /// The headers do not say how long the message is.
    #[error("no `Content-Length` before the message")]
    NoLength,
}

/// Takes bytes as they come, gives messages as they are complete.
#[derive(Debug)]
pub struct Decoder {
    framing: Option<Framing>,
    buffer: Vec<u8>,
    /// Where the search for the end of a line goes on.
    searched: usize,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before a line, or a block of headers.
    Start,
    /// In a line that is too long already.
    SkippingLine,
    /// In a message of this length.
    Body(usize),
    /// In a message that is too long, with so much of it to come.
    Skipping(usize),
}

/// A step of the decoder.
enum Step {
    Message(Result<String, FrameError>),
    /// Something was taken in; there may be more.
    Onward,
    /// More bytes are needed.
    Starved,
}

impl Decoder {
    /// For a stream whose framing is known, or shows in its first line.
    pub fn new(framing: Option<Framing>) -> Self {
        Self {
            framing,
            buffer: Vec::new(),
            searched: 0,
            state: State::Start,
        }
    }

    /// How the client speaks, once that is known.
    pub fn framing(&self) -> Option<Framing> {
        self.framing
    }

    /// Takes bytes and gives the messages that they complete.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Result<String, FrameError>> {
        self.buffer.extend_from_slice(bytes);
        let mut messages = Vec::new();
        loop {
            match self.step() {
                Step::Message(message) => messages.push(message),
                Step::Onward => {}
                Step::Starved => return messages,
            }
        }
    }

    /// The last line, where the stream ended without closing it.
    pub fn finish(mut self) -> Option<Result<String, FrameError>> {
        let is_line = self.framing != Some(Framing::Headers) && self.state == State::Start;
        if !is_line || self.buffer.trim_ascii().is_empty() {
            return None;
        }
        Some(text(std::mem::take(&mut self.buffer)))
    }

    fn step(&mut self) -> Step {
        match self.state {
            State::Body(length) if self.buffer.len() < length => Step::Starved,
            State::Body(length) => {
                self.state = State::Start;
                Step::Message(text(self.take(length)))
            }
            State::Skipping(0) => {
                self.state = State::Start;
                Step::Message(Err(FrameError::TooLong))
            }
            State::Skipping(_) if self.buffer.is_empty() => Step::Starved,
            State::Skipping(left) => {
                let now = left.min(self.buffer.len());
                self.take(now);
                self.state = State::Skipping(left - now);
                Step::Onward
            }
            State::SkippingLine => self.skip_line(),
            State::Start => match self.framing {
                None => self.detect(),
                Some(Framing::Lines) => self.line(),
                Some(Framing::Headers) => self.headers(),
            },
        }
    }

    fn take(&mut self, length: usize) -> Vec<u8> {
        let rest = self.buffer.split_off(length);
        self.searched = 0;
        std::mem::replace(&mut self.buffer, rest)
    }

    /// The end of the first line, behind its newline.
    fn line_end(&mut self) -> Option<usize> {
        let found = self.buffer[self.searched..]
            .iter()
            .position(|byte| *byte == b'\n');
        let end = found.map(|at| self.searched + at + 1);
        self.searched = self.buffer.len();
        end
    }

    fn detect(&mut self) -> Step {
        let blank = self
            .buffer
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace());
        let blank = blank.count();
        self.take(blank);
        let Some(first) = self.buffer.first() else {
            return Step::Starved;
        };
        // Nothing else of theirs begins with such a letter, and waiting for the end of a long line
        // of JSON would be for nothing.
        if !first.eq_ignore_ascii_case(&b'c') {
            self.framing = Some(Framing::Lines);
            return Step::Onward;
        }
        let known = b"content-";
        let beginning = &self.buffer[..known.len().min(self.buffer.len())];
        if !known.starts_with(&beginning.to_ascii_lowercase()) {
            self.framing = Some(Framing::Lines);
        } else if beginning.len() == known.len() {
            self.framing = Some(Framing::Headers);
        } else {
            return Step::Starved;
        }
        Step::Onward
    }

    fn line(&mut self) -> Step {
        match self.line_end() {
            Some(end) if end > LONGEST_MESSAGE => {
                self.take(end);
                Step::Message(Err(FrameError::TooLong))
            }
            Some(end) => {
                let line = self.take(end);
                if line.trim_ascii().is_empty() {
                    return Step::Onward;
                }
                Step::Message(text(line))
            }
            None if self.buffer.len() > LONGEST_MESSAGE => {
                self.state = State::SkippingLine;
                Step::Onward
            }
            None => Step::Starved,
        }
    }

    fn skip_line(&mut self) -> Step {
        self.searched = 0;
        match self.line_end() {
            Some(end) => {
                self.take(end);
                self.state = State::Start;
                Step::Message(Err(FrameError::TooLong))
            }
            None => {
                self.buffer.clear();
                self.searched = 0;
                Step::Starved
            }
        }
    }

    fn headers(&mut self) -> Step {
        let blank = self
            .buffer
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace());
        let blank = blank.count();
        if blank > 0 {
            self.take(blank);
        }
        let Some(end) = headers_end(&self.buffer) else {
            if self.buffer.len() <= LONGEST_HEADERS {
                return Step::Starved;
            }
            // Whatever this is, it is not headers; what follows it may be.
            let length = self.buffer.len();
            self.take(length);
            return Step::Message(Err(FrameError::NoLength));
        };
        let headers = self.take(end);
        match content_length(&headers) {
            Some(length) if length > LONGEST_MESSAGE => {
                self.state = State::Skipping(length);
                Step::Onward
            }
            Some(length) => {
                self.state = State::Body(length);
                Step::Onward
            }
            None => Step::Message(Err(FrameError::NoLength)),
        }
    }
}

/// The end of a block of headers, behind its empty line.
fn headers_end(bytes: &[u8]) -> Option<usize> {
    let find = |mark: &[u8]| {
        let at = bytes.windows(mark.len()).position(|window| window == mark);
        at.map(|at| at + mark.len())
    };
    match (find(b"\r\n\r\n"), find(b"\n\n")) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

fn content_length(headers: &[u8]) -> Option<usize> {
    let headers = std::str::from_utf8(headers).ok()?;
    headers.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        let is_length = name.trim().eq_ignore_ascii_case("content-length");
        is_length.then(|| value.trim().parse().ok()).flatten()
    })
}

fn text(bytes: Vec<u8>) -> Result<String, FrameError> {
    String::from_utf8(bytes).map_err(|_| FrameError::NotText)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The messages of a stream that arrives in pieces of this size.
    fn decoded(bytes: &[u8], piece: usize) -> Vec<Result<String, FrameError>> {
        let mut decoder = Decoder::new(None);
        let mut messages: Vec<_> = bytes
            .chunks(piece)
            .flat_map(|piece| decoder.feed(piece))
            .collect();
        messages.extend(decoder.finish());
        messages
            .into_iter()
            .map(|message| message.map(|text| text.trim().to_owned()))
            .collect()
    }

    fn check(bytes: &[u8], expected: &[Result<&str, FrameError>]) {
        let expected: Vec<Result<String, FrameError>> = expected
            .iter()
            .cloned()
            .map(|one| one.map(str::to_owned))
            .collect();
        for piece in [1, 2, 7, bytes.len()] {
            assert_eq!(decoded(bytes, piece), expected, "in pieces of {piece}");
        }
    }

    #[test]
    fn lines_are_messages_and_empty_ones_are_not() {
        check(
            b"{\"a\":1}\r\n\n[2]\n{\"last\":1}",
            &[Ok("{\"a\":1}"), Ok("[2]"), Ok("{\"last\":1}")],
        );
        check(b"hello\n{}\n", &[Ok("hello"), Ok("{}")]);
        check(b"creature\n{}\n", &[Ok("creature"), Ok("{}")]);
    }

    #[test]
    fn headers_say_how_long_a_message_is() {
        check(
            "Content-Length: 4\r\n\r\n{\n}\ncontent-type: x\r\nCONTENT-LENGTH:5\r\n\r\n\"\u{e9}\" "
                .as_bytes(),
            &[Ok("{\n}"), Ok("\"\u{e9}\"")],
        );
        check(b"\r\nContent-Length: 2\n\n{}", &[Ok("{}")]);
    }

    #[test]
    fn headers_without_a_length_cost_only_themselves() {
        check(
            b"Content-Type: x\r\n\r\nContent-Length: many\r\n\r\nContent-Length: 2\r\n\r\n{}",
            &[
                Err(FrameError::NoLength),
                Err(FrameError::NoLength),
                Ok("{}"),
            ],
        );
    }

    #[test]
    fn what_is_too_long_is_passed_over_and_what_follows_is_read() {
        let long = "x".repeat(LONGEST_MESSAGE + 1);
        let lines = format!("{{}}\n{long}\n{{}}\n");
        let expected = vec![
            Ok("{}".to_owned()),
            Err(FrameError::TooLong),
            Ok("{}".to_owned()),
        ];
        for piece in [64 * 1024, lines.len()] {
            assert_eq!(decoded(lines.as_bytes(), piece), expected);
        }
        let headed = [
            Framing::Headers.encode("{}"),
            Framing::Headers.encode(&long),
            Framing::Headers.encode("{}"),
        ]
        .concat();
        for piece in [64 * 1024, headed.len()] {
            assert_eq!(decoded(&headed, piece), expected);
        }
    }

    #[test]
    fn nothing_is_kept_of_what_is_passed_over() {
        let mut decoder = Decoder::new(Some(Framing::Lines));
        for _ in 0..100 {
            assert_eq!(decoder.feed(&vec![b'x'; 1024 * 1024]), []);
            assert!(decoder.buffer.len() <= LONGEST_MESSAGE + 1024 * 1024);
        }
        assert_eq!(decoder.feed(b"\n"), [Err(FrameError::TooLong)]);
    }

    #[test]
    fn bytes_that_are_no_text_are_an_error_of_their_message() {
        check(b"\xff\xfe\n{}\n", &[Err(FrameError::NotText), Ok("{}")]);
    }

    #[test]
    fn what_is_encoded_is_decoded() {
        for framing in [Framing::Lines, Framing::Headers] {
            let sent = [framing.encode("{\"a\":\"\u{e9}\"}"), framing.encode("[]")].concat();
            check(&sent, &[Ok("{\"a\":\"\u{e9}\"}"), Ok("[]")]);
        }
    }
}
