//! Talks to a child line by line, whereas [`run`](super::run) writes its input once.

use super::run::run_conversation;
use super::streams::Streams;
use super::{Cancel, Command, Finished};

/// What to do after a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineAction {
    /// Wait for the next line.
    ReadNext,
    /// Write this and wait for the next line.
    Write(Vec<u8>),
    /// End the conversation.
    Finish,
}

/// Runs `command` with an open stdin and passes every line of its stdout, without the line break, to `on_line`.
/// Ends like [`run`](super::run), or when `on_line` returns [`LineAction::Finish`]: then the child sees the end of
/// its input, gets a moment to exit, and is ended with its whole process group.
///
/// Only the first mebibyte of output is read; more output ends the conversation as well.
pub fn converse(
    command: &Command,
    cancel: &Cancel,
    on_line: &mut dyn FnMut(&[u8]) -> LineAction,
) -> Finished {
    run_conversation(
        command,
        cancel,
        Conversation {
            on_line,
            bytes_read: 0,
        },
    )
}

/// A running conversation.
pub(super) struct Conversation<'a> {
    on_line: &'a mut dyn FnMut(&[u8]) -> LineAction,
    /// How many bytes of the output were processed.
    bytes_read: usize,
}

impl Conversation<'_> {
    /// Processes new lines; `true` if the conversation is over.
    pub(super) fn advance(&mut self, streams: &mut Streams<'_>) -> bool {
        loop {
            let output = streams.stdout();
            let new = output.bytes.get(self.bytes_read..).unwrap_or_default();
            let Some(end) = new.iter().position(|byte| *byte == b'\n') else {
                return output.dropped > 0;
            };
            let line = new.get(..end).unwrap_or_default();
            self.bytes_read += end + 1;
            match (self.on_line)(line) {
                LineAction::ReadNext => {}
                LineAction::Write(bytes) => streams.write_stdin(bytes),
                LineAction::Finish => return true,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::Ending;
    use super::*;

    #[test]
    fn conversation_is_line_by_line_and_ends_the_child() {
        let line = r#"echo ready; while read -r word; do echo "got $word"; done; echo never heard"#;
        let command = Command {
            stdin: b"one\n".to_vec(),
            ..Command::shell(line)
        };
        let mut lines = Vec::new();
        let finished = converse(&command, &Cancel::never(), &mut |line| {
            lines.push(String::from_utf8_lossy(line).into_owned());
            match lines.len() {
                2 => LineAction::Write(b"two\n".to_vec()),
                3 => LineAction::Finish,
                _ => LineAction::ReadNext,
            }
        });
        assert_eq!(lines, ["ready", "got one", "got two"]);
        assert!(finished.duration < Duration::from_secs(20));
    }

    #[test]
    fn silent_child_times_out_and_exited_child_is_read_to_its_end() {
        let command = Command {
            timeout: Duration::from_millis(200),
            ..Command::shell("sleep 600")
        };
        let finished = converse(&command, &Cancel::never(), &mut |_| LineAction::ReadNext);
        assert!(matches!(finished.ending, Ending::TimedOut), "{finished:?}");
        let mut lines = 0;
        let command = Command::shell("echo a; echo b; printf c; exit 3");
        let finished = converse(&command, &Cancel::never(), &mut |_| {
            lines += 1;
            LineAction::ReadNext
        });
        assert!(matches!(finished.ending, Ending::Exited(3)), "{finished:?}");
        assert_eq!(lines, 2, "text without a line break is not a line");
    }

    #[test]
    fn flooding_child_ends_the_conversation() {
        let finished = converse(&Command::shell("yes"), &Cancel::never(), &mut |_| {
            LineAction::ReadNext
        });
        assert!(finished.stdout.dropped > 0);
        assert!(finished.duration < Duration::from_secs(20));
    }
}
