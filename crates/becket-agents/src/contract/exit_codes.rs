//! Exit codes of the agents' own hook dialects that Becket runs.
//!
//! | exit | cursor | gemini | codex | copilot |
//! | --- | --- | --- | --- | --- |
//! | 0 | reply; no JSON is a failure | reply; plain text is shown to the user | reply | reply; plain text is ignored |
//! | 2 | block | plain text blocks, a reply decides, no output fails | block if stderr gives a reason, else failure | block before a tool, else a warning |
//! | 1 | failure | warning; a reply counts | failure | block before a tool, else failure |
//! | other | failure | as 2 | failure | as 1 |
//!
//! Death by a signal is a failure in every dialect, although Cursor counts it as success.

use becket_model::{EventKind, FailureKind, HookOutcome, OnFailure, Verdict};

use super::interpret::{FinishedRun, tidy_reason};
use super::reply::{OutputForm, parse_reply};
use super::text::{self, MAX_CONTEXT};
use super::{copilot, cursor, gemini, rules};

impl FinishedRun<'_> {
    pub(super) fn cursor(&self, code: i32) -> HookOutcome {
        let stdout = self.stdout();
        let reply = parse_reply(cursor::reply_part(&stdout));
        match code {
            0 if reply.form == OutputForm::Empty => self.no_output(),
            0 => self.reply_outcome(&reply),
            // In Cursor an exit code cannot block a stop.
            2 if rules::is_stop(&self.kind) => HookOutcome::none(),
            2 => self.blocked(&reply, code),
            _ => self.failed(FailureKind::Exit, &self.exit_message(code)),
        }
    }

    /// Cursor counts a hook without output as failed, which matters if the hook fails closed.
    fn no_output(&self) -> HookOutcome {
        let strict = self.hook.on_failure.filter(|on| *on != OnFailure::Allow);
        match strict {
            Some(on) => {
                let message = format!("hook `{}` printed nothing", self.hook.name);
                let outcome = HookOutcome::none();
                self.failed_with(outcome, FailureKind::BadReply, &message, on.verdict())
            }
            None => HookOutcome::none(),
        }
    }

    pub(super) fn gemini(&self, code: i32) -> HookOutcome {
        let (stdout, stderr) = (self.stdout(), self.raw_stderr());
        let text = gemini::output(&stdout, &stderr);
        let reply = parse_reply(&text);
        let words = || tidy_reason(Some(&text));
        match (&reply.form, code) {
            (_, 0) => self.reply_outcome(&reply),
            (OutputForm::Object, _) => {
                let outcome = self.reply_outcome(&reply);
                let decided = outcome.verdict > Verdict::NoOpinion || outcome.keep_going.is_some();
                if decided {
                    outcome
                } else {
                    self.also_failed(outcome, FailureKind::Exit, &self.exit_message(code))
                }
            }
            (OutputForm::Empty, _) => self.failed(FailureKind::Exit, &self.exit_message(code)),
            (_, 1) => {
                let mut outcome = HookOutcome::none();
                outcome.system_message = words().map(|words| format!("Warning: {words}"));
                self.also_failed(outcome, FailureKind::Exit, &self.exit_message(code))
            }
            (_, 126 | 127) => self.blocked_by_failure(FailureKind::Exit, &self.exit_message(code)),
            _ => self.constrain(HookOutcome {
                verdict: Verdict::Deny,
                reason: words(),
                ..HookOutcome::none()
            }),
        }
    }

    pub(super) fn codex(&self, code: i32) -> HookOutcome {
        let stdout = self.stdout();
        let reply = parse_reply(&stdout);
        let blocks = rules::may_block(self.hook.dialect, &self.kind) || rules::is_stop(&self.kind);
        match code {
            0 => match &reply.form {
                OutputForm::Text(words) if words.starts_with('[') => {
                    self.bad_reply(HookOutcome::none(), "it is not an object")
                }
                _ => self.reply_outcome(&reply),
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

    pub(super) fn copilot(&self, code: i32) -> HookOutcome {
        let stdout = self.stdout();
        let reply = parse_reply(&copilot::without_progress(&stdout));
        match (code, &self.kind) {
            (0, _) => self.reply_outcome(&reply),
            (2, EventKind::PreToolUse | EventKind::PermissionRequest) => self.blocked(&reply, code),
            (2, EventKind::PostToolUseFailure) => HookOutcome {
                context: text::tidy(&self.raw_stderr(), MAX_CONTEXT),
                ..HookOutcome::none()
            },
            (2, _) => {
                let outcome = HookOutcome {
                    system_message: self.stderr(),
                    ..HookOutcome::none()
                };
                self.also_failed(outcome, FailureKind::Exit, &self.exit_message(code))
            }
            _ => self.failed(FailureKind::Exit, &self.exit_message(code)),
        }
    }
}
