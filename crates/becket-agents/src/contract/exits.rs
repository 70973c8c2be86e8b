//! How the agents whose hooks Becket runs for them read an exit code.
//!
//! | exit | cursor | gemini | codex | copilot |
//! | --- | --- | --- | --- | --- |
//! | 0 | reply; no JSON is a failure | reply; text for the person | reply | reply; text is nothing |
//! | 2 | block | text blocks, a reply decides, silence fails | block if stderr says why, else failure | block before a tool, else a warning |
//! | 1 | failure | warning; a reply counts | failure | block before a tool, else failure |
//! | other | failure | as 2 | failure | as 1 |
//!
//! Death by a signal is a failure everywhere, though Cursor takes it for success.

use becket_model::{EventKind, FailureKind, OnFailure, Outcome, Verdict};

use super::interpret::{Case, tidy_reason};
use super::reply::{Form, parse_reply};
use super::text::{self, MAX_CONTEXT};
use super::{copilot, cursor, gemini, rules};

impl Case<'_> {
    pub(super) fn cursor(&self, code: i32) -> Outcome {
        let stdout = self.stdout();
        let reply = parse_reply(cursor::part(&stdout));
        match code {
            0 if reply.form == Form::Empty => self.silent(),
            0 => self.replied(&reply),
            // A stop cannot be forbidden by an exit code there.
            2 if rules::is_stop(&self.kind) => Outcome::none(),
            2 => self.blocked(&reply, code),
            _ => self.failed(FailureKind::Exit, &self.exit_message(code)),
        }
    }

    /// Cursor counts a hook that prints nothing as failed, which matters if its failure does.
    fn silent(&self) -> Outcome {
        let strict = self.hook.on_failure.filter(|on| *on != OnFailure::Allow);
        match strict {
            Some(on) => {
                let message = format!("hook `{}` printed nothing", self.hook.name);
                let said = Outcome::none();
                self.failed_with(said, FailureKind::BadReply, &message, on.verdict())
            }
            None => Outcome::none(),
        }
    }

    pub(super) fn gemini(&self, code: i32) -> Outcome {
        let (stdout, stderr) = (self.stdout(), self.raw_stderr());
        let text = gemini::output(&stdout, &stderr);
        let reply = parse_reply(&text);
        let words = || tidy_reason(Some(&text));
        match (&reply.form, code) {
            (_, 0) => self.replied(&reply),
            (Form::Object, _) => {
                let said = self.replied(&reply);
                let decided = said.verdict > Verdict::NoOpinion || said.keep_going.is_some();
                if decided {
                    said
                } else {
                    self.also_failed(said, FailureKind::Exit, &self.exit_message(code))
                }
            }
            (Form::Empty, _) => self.failed(FailureKind::Exit, &self.exit_message(code)),
            (_, 1) => {
                let mut said = Outcome::none();
                said.system_message = words().map(|words| format!("Warning: {words}"));
                self.also_failed(said, FailureKind::Exit, &self.exit_message(code))
            }
            (_, 126 | 127) => self.could_not_run(FailureKind::Exit, &self.exit_message(code)),
            _ => self.settle(Outcome {
                verdict: Verdict::Deny,
                reason: words(),
                ..Outcome::none()
            }),
        }
    }

    pub(super) fn codex(&self, code: i32) -> Outcome {
        let stdout = self.stdout();
        let reply = parse_reply(&stdout);
        let blocks = rules::may_block(self.hook.dialect, &self.kind) || rules::is_stop(&self.kind);
        match code {
            0 => match &reply.form {
                Form::Text(words) if words.starts_with('[') => {
                    self.bad_reply(Outcome::none(), "it is not an object")
                }
                _ => self.replied(&reply),
            },
            2 if blocks && self.stderr().is_some() => self.blocked(&reply, code),
            2 if blocks => {
                let message = format!(
                    "{}, which blocks only with a reason on stderr",
                    self.exit_message(code)
                );
                self.failed(FailureKind::Exit, &message)
            }
            _ => self.failed(FailureKind::Exit, &self.exit_message(code)),
        }
    }

    pub(super) fn copilot(&self, code: i32) -> Outcome {
        let stdout = self.stdout();
        let reply = parse_reply(&copilot::without_progress(&stdout));
        match (code, &self.kind) {
            (0, _) => self.replied(&reply),
            (2, EventKind::PreToolUse | EventKind::PermissionRequest) => self.blocked(&reply, code),
            (2, EventKind::PostToolUseFailure) => Outcome {
                context: text::tidy(&self.raw_stderr(), MAX_CONTEXT),
                ..Outcome::none()
            },
            (2, _) => {
                let said = Outcome {
                    system_message: self.stderr(),
                    ..Outcome::none()
                };
                self.also_failed(said, FailureKind::Exit, &self.exit_message(code))
            }
            _ => self.failed(FailureKind::Exit, &self.exit_message(code)),
        }
    }
}
