//! Talking with a child, line by line, where [`run`](super::run) writes once and listens.

use super::run::run_talking;
use super::streams::Streams;
use super::{Cancel, Command, Finished};

/// What to do after a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Wait for the next one.
    Listen,
    /// Write this and wait for the next one.
    Say(Vec<u8>),
    /// Everything has been heard.
    Done,
}

/// Runs `command`, whose stdin stays open, and gives every line of its stdout to `hear`, without the line
/// break. Ends as [`run`](super::run) does, or as soon as `hear` is done: the child then sees the end of its
/// input, gets a moment to leave, and is ended with its whole group.
///
/// Only the first mebibyte of output is heard; a child that says more is done as well.
pub fn converse(
    command: &Command,
    cancel: &Cancel,
    hear: &mut dyn FnMut(&[u8]) -> Next,
) -> Finished {
    run_talking(command, cancel, Talk { hear, heard: 0 })
}

/// A conversation under way.
pub(super) struct Talk<'a> {
    hear: &'a mut dyn FnMut(&[u8]) -> Next,
    /// How much of the output has been heard.
    heard: usize,
}

impl Talk<'_> {
    /// Hears what has come; says whether that was all.
    pub(super) fn go_on(&mut self, streams: &mut Streams<'_>) -> bool {
        loop {
            let said = streams.stdout();
            let new = said.bytes.get(self.heard..).unwrap_or_default();
            let Some(end) = new.iter().position(|byte| *byte == b'\n') else {
                return said.dropped > 0;
            };
            let line = new.get(..end).unwrap_or_default();
            self.heard += end + 1;
            match (self.hear)(line) {
                Next::Listen => {}
                Next::Say(words) => streams.say(words),
                Next::Done => return true,
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
    fn a_child_is_answered_line_by_line_and_ended_when_all_is_heard() {
        let line = r#"echo ready; while read -r word; do echo "got $word"; done; echo never heard"#;
        let command = Command {
            stdin: b"one\n".to_vec(),
            ..Command::shell(line)
        };
        let mut heard = Vec::new();
        let finished = converse(&command, &Cancel::never(), &mut |line| {
            heard.push(String::from_utf8_lossy(line).into_owned());
            match heard.len() {
                2 => Next::Say(b"two\n".to_vec()),
                3 => Next::Done,
                _ => Next::Listen,
            }
        });
        assert_eq!(heard, ["ready", "got one", "got two"]);
        assert!(finished.duration < Duration::from_secs(20));
    }

    #[test]
    fn a_child_that_never_speaks_has_a_deadline_and_one_that_leaves_is_heard_out() {
        let command = Command {
            timeout: Duration::from_millis(200),
            ..Command::shell("sleep 600")
        };
        let finished = converse(&command, &Cancel::never(), &mut |_| Next::Listen);
        assert!(matches!(finished.ending, Ending::TimedOut), "{finished:?}");
        let mut heard = 0;
        let command = Command::shell("echo a; echo b; printf c; exit 3");
        let finished = converse(&command, &Cancel::never(), &mut |_| {
            heard += 1;
            Next::Listen
        });
        assert!(matches!(finished.ending, Ending::Exited(3)), "{finished:?}");
        assert_eq!(heard, 2, "what has no line break is no line");
    }

    #[test]
    fn a_child_that_floods_is_cut_short() {
        let finished = converse(&Command::shell("yes"), &Cancel::never(), &mut |_| {
            Next::Listen
        });
        assert!(finished.stdout.dropped > 0);
        assert!(finished.duration < Duration::from_secs(20));
    }
}
