//! Interprets a finished hook process: exit code and output in, outcome out, by dialect. The codes of the
//! agents' own dialects are in `exit_codes`; the effects a reply may have at an event are in `rules`.
//!
//! | exit | becket | claude | code-agent | claude-agent | autohand |
//! | --- | --- | --- | --- | --- | --- |
//! | 0 | reply | reply | reply | reply | reply |
//! | 2 | block | block | block | block | block |
//! | 126, 127 | failure | failure | block, could not run | failure | failure |
//! | other | failure, a printed deny stands | failure, the reply stands | block | block | failure |
//!
//! A failure (also a signal, a timeout, a failed start, or an invalid reply) gets the hook's failure
//! verdict; the output of a killed hook is ignored. Only in Claude's dialect can a reply allow a call when
//! the exit code is an error, because Claude itself accepts that.

use std::borrow::Cow;

use becket_model::{
    Dialect, Event, EventKind, Failure, FailureKind, HookOutcome, HookSpec, OnFailure, Verdict,
};
use serde_json::{Map, Value};

use super::reply::{HookReply, OutputForm, parse_reply};
use super::rules::{self, PlainText};
use super::text::{self, MAX_CONTEXT, MAX_REASON};
use super::tools::{self, RewriteError};
use super::{ProcessEnd, ProcessOutput, codex};

/// The outcome of a hook run, or of a hook that did not start.
///
/// Texts are made safe for a terminal and truncated, a block always has a reason, and an updated input is
/// the complete new input.
pub fn interpret(hook: &HookSpec, event: &Event, ran: &ProcessOutput<'_>) -> HookOutcome {
    let case = FinishedRun {
        hook,
        event,
        kind: event.kind(),
        ran,
    };
    match ran.ending {
        ProcessEnd::Exited(code) => case.exited(code),
        ProcessEnd::Signaled(signal) => {
            let message = format!("hook `{}` was killed by {}", hook.name, signal_name(signal));
            case.failed(FailureKind::Exit, &message)
        }
        ProcessEnd::TimedOut => {
            let message = format!(
                "hook `{}` did not finish within its timeout of {:?}",
                hook.name, hook.timeout
            );
            case.failed(FailureKind::TimedOut, &message)
        }
        ProcessEnd::Cancelled => case.failed(
            FailureKind::Cancelled,
            &format!("hook `{}` was cancelled", hook.name),
        ),
        ProcessEnd::NotStarted(why) => case.not_started(why),
    }
}

/// One hook run for one event.
pub(super) struct FinishedRun<'a> {
    pub(super) hook: &'a HookSpec,
    pub(super) event: &'a Event,
    pub(super) kind: EventKind,
    pub(super) ran: &'a ProcessOutput<'a>,
}

impl FinishedRun<'_> {
    fn exited(&self, code: i32) -> HookOutcome {
        use Dialect::{
            Autohand, Becket, Claude, ClaudeAgent, CodeAgent, Codex, Copilot, Cursor, Gemini,
        };
        match self.hook.dialect {
            Cursor => return self.cursor(code),
            Gemini => return self.gemini(code),
            Codex => return self.codex(code),
            Copilot => return self.copilot(code),
            Autohand | Becket | Claude | ClaudeAgent | CodeAgent => {}
        }
        let reply = parse_reply(&self.stdout());
        match (self.hook.dialect, code) {
            (_, 0) => self.reply_outcome(&reply),
            (CodeAgent, 126 | 127) => {
                self.blocked_by_failure(FailureKind::Exit, &self.exit_message(code))
            }
            (Claude | Autohand | Becket, 2) => self.blocked(&reply, code),
            (Claude, _) if reply.form == OutputForm::Object => {
                let outcome = self.reply_outcome(&reply);
                self.also_failed(outcome, FailureKind::Exit, &self.exit_message(code))
            }
            (Becket, _) if reply.form == OutputForm::Object => {
                let outcome = restrictions_of(self.reply_outcome(&reply));
                self.also_failed(outcome, FailureKind::Exit, &self.exit_message(code))
            }
            (Claude | Autohand | Becket, _) | (ClaudeAgent, 126 | 127) => {
                self.failed(FailureKind::Exit, &self.exit_message(code))
            }
            (_, _) => self.blocked(&reply, code),
        }
    }

    pub(super) fn stdout(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.ran.stdout)
    }

    pub(super) fn raw_stderr(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.ran.stderr)
    }

    /// The outcome of a reply from a hook that did not fail.
    pub(super) fn reply_outcome(&self, reply: &HookReply) -> HookOutcome {
        match &reply.form {
            OutputForm::Empty => HookOutcome::none(),
            OutputForm::Text(words) => self.plain_text(words),
            OutputForm::Broken => {
                self.bad_reply(HookOutcome::none(), "it starts like JSON but is not valid")
            }
            OutputForm::Object => self.object(reply),
        }
    }

    fn object(&self, reply: &HookReply) -> HookOutcome {
        let mut problems = reply.problems.clone();
        problems.extend(self.about_another_event(reply));
        if self.hook.dialect == Dialect::Codex {
            problems.extend(codex::problems(&self.kind, reply));
        }
        let mut outcome = HookOutcome {
            verdict: reply.verdict,
            reason: tidy_reason(reply.reason.as_deref()),
            context: self.context(reply),
            system_message: tidy_reason(reply.system_message.as_deref()),
            keep_going: self.followup(reply),
            suppress_logging: reply.suppress_logging,
            ..HookOutcome::none()
        };
        match self.updated_input(reply) {
            Ok(input) => outcome.updated_input = input,
            Err(RewriteError::Invalid(problem)) => problems.push(problem),
            // If the requested rewrite is impossible, the original call must not run.
            Err(RewriteError::Inapplicable(why)) if outcome.verdict < Verdict::Deny => {
                let reason = format!("hook `{}` rewrote the call: {why}", self.hook.name);
                outcome.verdict = Verdict::Deny;
                outcome.reason = tidy_reason(Some(&reason));
            }
            Err(RewriteError::Inapplicable(_)) => {}
        }
        let outcome = self.constrain(outcome);
        if problems.is_empty() {
            outcome
        } else {
            self.bad_reply(outcome, &problems.join("; "))
        }
    }

    fn context(&self, reply: &HookReply) -> Option<String> {
        let shown = self.hook.dialect == Dialect::CodeAgent && !reply.verdict.blocks();
        let message = reply.message.as_deref().filter(|_| shown);
        let context = match (&reply.context, message) {
            (Some(context), Some(message)) if !context.contains(message) => {
                format!("{context}\n{message}")
            }
            (Some(context), _) => context.clone(),
            (None, message) => message?.to_owned(),
        };
        text::tidy(&context, MAX_CONTEXT)
    }

    /// An explicit instruction to continue instead of stopping.
    fn followup(&self, reply: &HookReply) -> Option<String> {
        let takes = matches!(self.hook.dialect, Dialect::Cursor | Dialect::Becket)
            && rules::is_stop(&self.kind);
        tidy_reason(reply.followup.as_deref().filter(|_| takes))
    }

    fn plain_text(&self, words: &str) -> HookOutcome {
        let mut words = words.to_owned();
        if self.ran.truncated {
            words.push_str(text::CUT);
        }
        let mut out = HookOutcome::none();
        match rules::plain_text(self.hook.dialect, &self.kind) {
            PlainText::Context => out.context = text::tidy(&words, MAX_CONTEXT),
            PlainText::Message => out.system_message = text::tidy(&words, MAX_REASON),
            PlainText::Ignored => {}
            PlainText::Failure => return self.bad_reply(out, "it is not JSON"),
        }
        out
    }

    /// Claude rejects a reply whose `hookEventName` is not the event that fired.
    fn about_another_event(&self, reply: &HookReply) -> Option<String> {
        let named = reply.event_name.as_ref()?;
        let right = EventKind::parse(named) == self.kind || *named == self.event.native_name;
        (self.hook.dialect == Dialect::Claude && !right)
            .then(|| format!("`hookEventName` is not {}", self.kind.name()))
    }

    fn updated_input(&self, reply: &HookReply) -> Result<Option<Value>, RewriteError> {
        let Some(given) = reply
            .updated_input
            .as_ref()
            .filter(|_| self.kind.is_guarded())
        else {
            return Ok(None);
        };
        let wrong = || RewriteError::Invalid("the updated input is not an object".into());
        let given: Map<String, Value> = match (self.hook.dialect, given) {
            (_, Value::Object(map)) => map.clone(),
            (Dialect::CodeAgent | Dialect::Becket, Value::String(text)) => {
                serde_json::from_str(text).map_err(|_| wrong())?
            }
            _ => return Err(wrong()),
        };
        match (self.hook.dialect, self.event.call()) {
            (Dialect::Becket | Dialect::Claude | Dialect::CodeAgent | Dialect::ClaudeAgent, _)
            | (_, None) => Ok(Some(Value::Object(given))),
            (dialect, Some(call)) => {
                tools::rewritten(dialect, call, self.event.cwd.as_deref(), given)
            }
        }
    }

    /// The outcome of an exit code that blocks.
    pub(super) fn blocked(&self, reply: &HookReply, code: i32) -> HookOutcome {
        let dialect = self.hook.dialect;
        let stderr = self.stderr();
        // The reason of an `allow` does not explain a block.
        let json = tidy_reason(reply.reason.as_deref()).filter(|_| {
            matches!(
                reply.verdict,
                Verdict::NoOpinion | Verdict::Deny | Verdict::Halt
            )
        });
        let printed = match &reply.form {
            OutputForm::Text(words) => tidy_reason(Some(words)),
            _ => None,
        };
        let reason = match dialect {
            Dialect::Claude | Dialect::Autohand | Dialect::Codex | Dialect::Gemini => {
                stderr.or(json)
            }
            Dialect::Becket | Dialect::CodeAgent => stderr.or(json).or(printed),
            Dialect::Cursor => printed.or(json).or(stderr),
            Dialect::Copilot => json.or(stderr),
            Dialect::ClaudeAgent => {
                let number = format!("hook `{}` blocked this with exit {code}", self.hook.name);
                json.or(stderr).or_else(|| tidy_reason(Some(&number)))
            }
        };
        // At exit code 2 these dialects ignore the printed reply.
        let verdict = match dialect {
            Dialect::Claude | Dialect::Cursor | Dialect::Codex => Verdict::Deny,
            _ => reply.verdict.max(Verdict::Deny),
        };
        self.constrain(HookOutcome {
            verdict,
            reason,
            ..HookOutcome::none()
        })
    }

    /// Reduces an outcome to what the dialect allows at this event.
    pub(super) fn constrain(&self, mut outcome: HookOutcome) -> HookOutcome {
        if outcome.verdict.blocks() && outcome.reason.is_none() {
            outcome.reason = tidy_reason(Some(&format!("blocked by hook `{}`", self.hook.name)));
        }
        if outcome.verdict == Verdict::Allow && !rules::may_allow(self.hook.dialect, &self.kind) {
            outcome.verdict = Verdict::NoOpinion;
        }
        if outcome.verdict == Verdict::Halt {
            // A halt at a stop event agrees with the stop.
            outcome.verdict = rules::halt(self.hook.dialect, &self.kind);
            outcome.keep_going = None;
        } else if rules::is_stop(&self.kind) {
            // A denied stop means that the agent should continue.
            let forbids = outcome.verdict == Verdict::Deny;
            if forbids && rules::may_keep_going(self.hook.dialect, &self.kind) {
                outcome.keep_going.clone_from(&outcome.reason);
            }
            outcome.verdict = Verdict::NoOpinion;
        } else if !self.may_block() {
            outcome.verdict = Verdict::NoOpinion;
        }
        outcome
    }

    fn may_block(&self) -> bool {
        rules::may_block(self.hook.dialect, &self.kind)
    }

    pub(super) fn failed(&self, kind: FailureKind, message: &str) -> HookOutcome {
        self.also_failed(HookOutcome::none(), kind, message)
    }

    /// Combines a failure with the hook's own outcome: the stricter verdict wins.
    pub(super) fn also_failed(
        &self,
        outcome: HookOutcome,
        kind: FailureKind,
        message: &str,
    ) -> HookOutcome {
        self.failed_with(outcome, kind, message, self.hook.verdict_of(kind))
    }

    pub(super) fn failed_with(
        &self,
        mut outcome: HookOutcome,
        kind: FailureKind,
        message: &str,
        verdict: Verdict,
    ) -> HookOutcome {
        // A broken stop hook must not keep the agent working for ever.
        let verdict = if self.may_block() && !rules::is_stop(&self.kind) {
            verdict
        } else {
            Verdict::NoOpinion
        };
        let message = tidy_reason(Some(message)).unwrap_or_default();
        if verdict > outcome.verdict {
            outcome.verdict = verdict;
            outcome.reason = Some(message.clone());
        }
        outcome.failure.get_or_insert(Failure { kind, message });
        outcome
    }

    /// Of an invalid reply, only the restrictions are kept.
    pub(super) fn bad_reply(&self, outcome: HookOutcome, problem: &str) -> HookOutcome {
        let cut = if self.ran.truncated {
            " (output truncated at the limit)"
        } else {
            ""
        };
        let message = format!(
            "hook `{}` gave an invalid reply: {problem}{cut}",
            self.hook.name
        );
        self.also_failed(restrictions_of(outcome), FailureKind::BadReply, &message)
    }

    fn not_started(&self, why: &str) -> HookOutcome {
        let command: String = self.hook.action.summary().chars().take(200).collect();
        let message = format!(
            "hook `{}` could not be started: {why}: {command}",
            self.hook.name
        );
        if self.hook.dialect == Dialect::CodeAgent {
            return self.blocked_by_failure(FailureKind::NotStarted, &message);
        }
        self.failed(FailureKind::NotStarted, &message)
    }

    /// In a dialect where almost every exit code blocks, a hook that cannot run blocks too, unless it sets its
    /// own failure policy.
    pub(super) fn blocked_by_failure(&self, kind: FailureKind, message: &str) -> HookOutcome {
        let verdict = self
            .hook
            .on_failure
            .map_or(Verdict::Deny, OnFailure::verdict);
        let message = format!("hook could not run: {message}");
        self.failed_with(HookOutcome::none(), kind, &message, verdict)
    }

    pub(super) fn exit_message(&self, code: i32) -> String {
        let mut message = format!("hook `{}` ended with exit code {code}", self.hook.name);
        if let Some(stderr) = self.stderr() {
            message.push_str(": ");
            message.push_str(&stderr);
        }
        message
    }

    pub(super) fn stderr(&self) -> Option<String> {
        tidy_reason(Some(&String::from_utf8_lossy(self.ran.stderr)))
    }
}

pub(super) fn tidy_reason(words: Option<&str>) -> Option<String> {
    text::tidy(words?, MAX_REASON)
}

/// The restrictions of an untrusted outcome: it may deny or ask, and give a reason.
fn restrictions_of(outcome: HookOutcome) -> HookOutcome {
    let restricts = outcome.verdict >= Verdict::Ask || outcome.keep_going.is_some();
    HookOutcome {
        verdict: if restricts {
            outcome.verdict
        } else {
            Verdict::NoOpinion
        },
        reason: outcome.reason.filter(|_| restricts),
        keep_going: outcome.keep_going,
        system_message: outcome.system_message,
        failure: outcome.failure,
        ..HookOutcome::none()
    }
}

fn signal_name(signal: i32) -> String {
    let name = match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        other => return format!("signal {other}"),
    };
    format!("signal {signal} ({name})")
}
