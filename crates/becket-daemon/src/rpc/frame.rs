//! Splits a byte stream into messages: one per line, or with `Content-Length` headers.
//!
//! The client's first line shows which framing it uses, and responses use the same. A message that is too long or
//! invalid is skipped; the connection stays open.

/// The longest message.
pub const MAX_MESSAGE_BYTES: usize = 4 * 1024 * 1024;
/// The longest block of headers.
const MAX_HEADER_BYTES: usize = 8 * 1024;

/// How messages are delimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// One message per line.
    Lines,
    /// `Content-Length: N`, an empty line, N bytes, as in the Language Server Protocol.
    Headers,
}

impl Framing {
    /// Encodes a message.
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
    /// The message is too long and was skipped.
    #[error("the message is longer than {MAX_MESSAGE_BYTES} bytes")]
    TooLong,
    /// The message is not UTF-8.
    #[error("the message is not UTF-8")]
    NotText,
    /// The headers have no valid length.
    #[error("the message has no `Content-Length` header")]
    NoLength,
}

/// An incremental decoder: takes bytes, returns complete messages.
#[derive(Debug)]
pub struct FrameDecoder {
    framing: Option<Framing>,
    buffer: Vec<u8>,
    /// How much of the buffer was searched for the end of a line.
    searched: usize,
    state: DecoderState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DecoderState {
    /// Before a line, or before headers.
    Start,
    /// Inside a line that is too long.
    SkippingLine,
    /// Inside a message of this length.
    Body(usize),
    /// Inside a message that is too long; this many bytes remain.
    Skipping(usize),
}

/// A step of the decoder.
enum DecodeStep {
    Message(Result<String, FrameError>),
    /// Progress was made; call again.
    Continue,
    /// More bytes are needed.
    NeedMore,
}

impl FrameDecoder {
    /// A decoder for a known framing, or one that detects it.
    pub fn new(framing: Option<Framing>) -> Self {
        Self {
            framing,
            buffer: Vec::new(),
            searched: 0,
            state: DecoderState::Start,
        }
    }

    /// The framing, once it is known.
    pub fn framing(&self) -> Option<Framing> {
        self.framing
    }

    /// Adds bytes, and returns the messages that are now complete.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Result<String, FrameError>> {
        self.buffer.extend_from_slice(bytes);
        let mut messages = Vec::new();
        loop {
            match self.step() {
                DecodeStep::Message(message) => messages.push(message),
                DecodeStep::Continue => {}
                DecodeStep::NeedMore => return messages,
            }
        }
    }

    /// The last line, if the stream ended without a newline.
    pub fn finish(mut self) -> Option<Result<String, FrameError>> {
        let is_line = self.framing != Some(Framing::Headers) && self.state == DecoderState::Start;
        if !is_line || self.buffer.trim_ascii().is_empty() {
            return None;
        }
        Some(text(std::mem::take(&mut self.buffer)))
    }

    fn step(&mut self) -> DecodeStep {
        match self.state {
            DecoderState::Body(length) if self.buffer.len() < length => DecodeStep::NeedMore,
            DecoderState::Body(length) => {
                self.state = DecoderState::Start;
                DecodeStep::Message(text(self.take(length)))
            }
            DecoderState::Skipping(0) => {
                self.state = DecoderState::Start;
                DecodeStep::Message(Err(FrameError::TooLong))
            }
            DecoderState::Skipping(_) if self.buffer.is_empty() => DecodeStep::NeedMore,
            DecoderState::Skipping(left) => {
                let now = left.min(self.buffer.len());
                self.take(now);
                self.state = DecoderState::Skipping(left - now);
                DecodeStep::Continue
            }
            DecoderState::SkippingLine => self.skip_line(),
            DecoderState::Start => match self.framing {
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

    /// The end of the first line, including its newline.
    fn line_end(&mut self) -> Option<usize> {
        let found = self.buffer[self.searched..]
            .iter()
            .position(|byte| *byte == b'\n');
        let end = found.map(|at| self.searched + at + 1);
        self.searched = self.buffer.len();
        end
    }

    fn detect(&mut self) -> DecodeStep {
        let blank = self
            .buffer
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace());
        let blank = blank.count();
        self.take(blank);
        let Some(first) = self.buffer.first() else {
            return DecodeStep::NeedMore;
        };
        // Only headers start with this letter, so JSON is detected without waiting for the end of the line.
        if !first.eq_ignore_ascii_case(&b'c') {
            self.framing = Some(Framing::Lines);
            return DecodeStep::Continue;
        }
        let known = b"content-";
        let beginning = &self.buffer[..known.len().min(self.buffer.len())];
        if !known.starts_with(&beginning.to_ascii_lowercase()) {
            self.framing = Some(Framing::Lines);
        } else if beginning.len() == known.len() {
            self.framing = Some(Framing::Headers);
        } else {
            return DecodeStep::NeedMore;
        }
        DecodeStep::Continue
    }

    fn line(&mut self) -> DecodeStep {
        match self.line_end() {
            Some(end) if end > MAX_MESSAGE_BYTES => {
                self.take(end);
                DecodeStep::Message(Err(FrameError::TooLong))
            }
            Some(end) => {
                let line = self.take(end);
                if line.trim_ascii().is_empty() {
                    return DecodeStep::Continue;
                }
                DecodeStep::Message(text(line))
            }
            None if self.buffer.len() > MAX_MESSAGE_BYTES => {
                self.state = DecoderState::SkippingLine;
                DecodeStep::Continue
            }
            None => DecodeStep::NeedMore,
        }
    }

    fn skip_line(&mut self) -> DecodeStep {
        self.searched = 0;
        match self.line_end() {
            Some(end) => {
                self.take(end);
                self.state = DecoderState::Start;
                DecodeStep::Message(Err(FrameError::TooLong))
            }
            None => {
                self.buffer.clear();
                self.searched = 0;
                DecodeStep::NeedMore
            }
        }
    }

    fn headers(&mut self) -> DecodeStep {
        let blank = self
            .buffer
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace());
        let blank = blank.count();
        if blank > 0 {
            self.take(blank);
        }
        let Some(end) = headers_end(&self.buffer) else {
            if self.buffer.len() <= MAX_HEADER_BYTES {
                return DecodeStep::NeedMore;
            }
            // Not headers; skip it and continue with what follows.
            let length = self.buffer.len();
            self.take(length);
            return DecodeStep::Message(Err(FrameError::NoLength));
        };
        let headers = self.take(end);
        match content_length(&headers) {
            Some(length) if length > MAX_MESSAGE_BYTES => {
                self.state = DecoderState::Skipping(length);
                DecodeStep::Continue
            }
            Some(length) => {
                self.state = DecoderState::Body(length);
                DecodeStep::Continue
            }
            None => DecodeStep::Message(Err(FrameError::NoLength)),
        }
    }
}

/// The end of a block of headers, including the empty line.
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

    /// Decodes a stream that arrives in chunks of this size.
    fn decoded(bytes: &[u8], piece: usize) -> Vec<Result<String, FrameError>> {
        let mut decoder = FrameDecoder::new(None);
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
            assert_eq!(decoded(bytes, piece), expected, "in chunks of {piece}");
        }
    }

    #[test]
    fn each_line_is_a_message_and_empty_lines_are_skipped() {
        check(
            b"{\"a\":1}\r\n\n[2]\n{\"last\":1}",
            &[Ok("{\"a\":1}"), Ok("[2]"), Ok("{\"last\":1}")],
        );
        check(b"hello\n{}\n", &[Ok("hello"), Ok("{}")]);
        check(b"creature\n{}\n", &[Ok("creature"), Ok("{}")]);
    }

    #[test]
    fn content_length_headers_delimit_messages() {
        check(
            "Content-Length: 4\r\n\r\n{\n}\ncontent-type: x\r\nCONTENT-LENGTH:5\r\n\r\n\"\u{e9}\" "
                .as_bytes(),
            &[Ok("{\n}"), Ok("\"\u{e9}\"")],
        );
        check(b"\r\nContent-Length: 2\n\n{}", &[Ok("{}")]);
    }

    #[test]
    fn headers_without_a_length_are_skipped() {
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
    fn oversized_messages_are_skipped() {
        let long = "x".repeat(MAX_MESSAGE_BYTES + 1);
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
    fn skipped_bytes_are_not_buffered() {
        let mut decoder = FrameDecoder::new(Some(Framing::Lines));
        for _ in 0..100 {
            assert_eq!(decoder.feed(&vec![b'x'; 1024 * 1024]), []);
            assert!(decoder.buffer.len() <= MAX_MESSAGE_BYTES + 1024 * 1024);
        }
        assert_eq!(decoder.feed(b"\n"), [Err(FrameError::TooLong)]);
    }

    #[test]
    fn invalid_utf8_is_an_error_of_one_message() {
        check(b"\xff\xfe\n{}\n", &[Err(FrameError::NotText), Ok("{}")]);
    }

    #[test]
    fn encoding_and_decoding_round_trip() {
        for framing in [Framing::Lines, Framing::Headers] {
            let sent = [framing.encode("{\"a\":\"\u{e9}\"}"), framing.encode("[]")].concat();
            check(&sent, &[Ok("{\"a\":\"\u{e9}\"}"), Ok("[]")]);
        }
    }
}
