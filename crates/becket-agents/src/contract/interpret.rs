//! What a finished hook meant, by its dialect's exit codes and replies. The codes of the agents that
//! Becket runs hooks for are in `exits`, what a reply may bring about on which event in `rules`.
//!
//! | exit | becket | claude | code-agent | claude-agent | autohand |
//! | --- | --- | --- | --- | --- | --- |
//! | 0 | reply | reply | reply | reply | reply |
//! | 2 | block | block | block | block | block |
//! | 126, 127 | failure | failure | block, could not run | failure | failure |
//! | other | failure, a printed deny stands | failure, the reply stands | block | block | failure |
//!
//! A failure (also: a signal, the deadline, no start, a reply that makes no sense) gets the hook's failure
//! verdict; what a killed hook had printed does not count. Only Claude's dialect lets a reply vouch for a
//! call beside an exit code that is an error, because Claude does.

use std::borrow::Cow;

use becket_model::{
    Dialect, Event, EventKind, Failure, FailureKind, HookSpec, OnFailure, Outcome, Verdict,
};
use serde_json::{Map, Value};

use super::reply::{Form, Reply, parse_reply};
use super::rules::{self, Words};
use super::text::{self, MAX_CONTEXT, MAX_REASON};
use super::tools::{self, Unfit};
use super::{Ending, Ran, codex};

/// The outcome of a hook that ran, or did not.
///
/// Texts come out fit for a terminal and bounded, a block always has a reason, and an updated input is
/// the whole input to use instead.
pub fn interpret(hook: &HookSpec, event: &Event, ran: &Ran<'_>) -> Outcome {
    let case = Case {
        hook,
        event,
        kind: event.kind(),
        ran,
    };
    match ran.ending {
        Ending::Exited(code) => case.exited(code),
        Ending::Signaled(signal) => {
            let message = format!("hook `{}` was killed by {}", hook.name, signal_name(signal));
            case.failed(FailureKind::Exit, &message)
        }
        Ending::TimedOut => {
            let message = format!(
                "hook `{}` did not finish within its deadline of {:?}",
                hook.name, hook.timeout
            );
            case.failed(FailureKind::TimedOut, &message)
        }
        Ending::Cancelled => case.failed(
            FailureKind::Cancelled,
            &format!("hook `{}` was cancelled", hook.name),
        ),
        Ending::NotStarted(why) => case.not_started(why),
    }
}

/// One hook that ran for one event.
pub(super) struct Case<'a> {
    pub(super) hook: &'a HookSpec,
    pub(super) event: &'a Event,
    pub(super) kind: EventKind,
    pub(super) ran: &'a Ran<'a>,
}

impl Case<'_> {
    fn exited(&self, code: i32) -> Outcome {
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
            (_, 0) => self.replied(&reply),
            (CodeAgent, 126 | 127) => {
                self.could_not_run(FailureKind::Exit, &self.exit_message(code))
            }
            (Claude | Autohand | Becket, 2) => self.blocked(&reply, code),
            (Claude, _) if reply.form == Form::Object => {
                let said = self.replied(&reply);
                self.also_failed(said, FailureKind::Exit, &self.exit_message(code))
            }
            (Becket, _) if reply.form == Form::Object => {
                let said = restrictions_of(self.replied(&reply));
                self.also_failed(said, FailureKind::Exit, &self.exit_message(code))
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

    /// What the reply says, for a hook that is content with itself.
    pub(super) fn replied(&self, reply: &Reply) -> Outcome {
        match &reply.form {
            Form::Empty => Outcome::none(),
            Form::Text(words) => self.plain_text(words),
            Form::Broken => self.bad_reply(Outcome::none(), "it starts like JSON and is not"),
            Form::Object => self.object(reply),
        }
    }

    fn object(&self, reply: &Reply) -> Outcome {
        let mut problems = reply.problems.clone();
        problems.extend(self.about_another_event(reply));
        if self.hook.dialect == Dialect::Codex {
            problems.extend(codex::problems(&self.kind, reply));
        }
        let mut said = Outcome {
            verdict: reply.verdict,
            reason: tidy_reason(reply.reason.as_deref()),
            context: self.context(reply),
            system_message: tidy_reason(reply.system_message.as_deref()),
            keep_going: self.followup(reply),
            suppress_logging: reply.suppress_logging,
            ..Outcome::none()
        };
        match self.updated_input(reply) {
            Ok(input) => said.updated_input = input,
            Err(Unfit::Wrong(problem)) => problems.push(problem),
            // What cannot be changed as the hook wants must not happen unchanged.
            Err(Unfit::Lost(why)) if said.verdict < Verdict::Deny => {
                let reason = format!("hook `{}` rewrote the call: {why}", self.hook.name);
                said.verdict = Verdict::Deny;
                said.reason = tidy_reason(Some(&reason));
            }
            Err(Unfit::Lost(_)) => {}
        }
        let said = self.settle(said);
        if problems.is_empty() {
            said
        } else {
            self.bad_reply(said, &problems.join("; "))
        }
    }

    fn context(&self, reply: &Reply) -> Option<String> {
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

    /// What the agent should do instead of stopping, said outright.
    fn followup(&self, reply: &Reply) -> Option<String> {
        let takes = matches!(self.hook.dialect, Dialect::Cursor | Dialect::Becket)
            && rules::is_stop(&self.kind);
        tidy_reason(reply.followup.as_deref().filter(|_| takes))
    }

    fn plain_text(&self, words: &str) -> Outcome {
        let mut words = words.to_owned();
        if self.ran.truncated {
            words.push_str(text::CUT);
        }
        let mut out = Outcome::none();
        match rules::words(self.hook.dialect, &self.kind) {
            Words::Context => out.context = text::tidy(&words, MAX_CONTEXT),
            Words::Message => out.system_message = text::tidy(&words, MAX_REASON),
            Words::Noise => {}
            Words::Fault => return self.bad_reply(out, "it is not JSON"),
        }
        out
    }

    /// Claude refuses a reply that says it is about another event than the one that fired.
    fn about_another_event(&self, reply: &Reply) -> Option<String> {
        let named = reply.event_name.as_ref()?;
        let right = EventKind::parse(named) == self.kind || *named == self.event.native_name;
        (self.hook.dialect == Dialect::Claude && !right)
            .then(|| format!("`hookEventName` is not {}", self.kind.name()))
    }

    fn updated_input(&self, reply: &Reply) -> Result<Option<Value>, Unfit> {
        let Some(given) = reply
            .updated_input
            .as_ref()
            .filter(|_| self.kind.is_guarded())
        else {
            return Ok(None);
        };
        let wrong = || Unfit::Wrong("the updated input is not an object".into());
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

    /// A block by exit code.
    pub(super) fn blocked(&self, reply: &Reply, code: i32) -> Outcome {
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
            Form::Text(words) => tidy_reason(Some(words)),
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
        // At exit code 2 these do not look at what the hook printed.
        let verdict = match dialect {
            Dialect::Claude | Dialect::Cursor | Dialect::Codex => Verdict::Deny,
            _ => reply.verdict.max(Verdict::Deny),
        };
        self.settle(Outcome {
            verdict,
            reason,
            ..Outcome::none()
        })
    }

    /// Fits what a hook meant to what its dialect may do on this event.
    pub(super) fn settle(&self, mut said: Outcome) -> Outcome {
        if said.verdict.blocks() && said.reason.is_none() {
            said.reason = tidy_reason(Some(&format!("blocked by hook `{}`", self.hook.name)));
        }
        if said.verdict == Verdict::Allow && !rules::may_vouch(self.hook.dialect, &self.kind) {
            said.verdict = Verdict::NoOpinion;
        }
        if said.verdict == Verdict::Halt {
            // To halt where something stops is to agree with it.
            said.verdict = rules::halt(self.hook.dialect, &self.kind);
            said.keep_going = None;
        } else if rules::is_stop(&self.kind) {
            // To forbid a stop is to ask for more work.
            let forbids = said.verdict == Verdict::Deny;
            if forbids && rules::may_keep_going(self.hook.dialect, &self.kind) {
                said.keep_going.clone_from(&said.reason);
            }
            said.verdict = Verdict::NoOpinion;
        } else if !self.may_block() {
            said.verdict = Verdict::NoOpinion;
        }
        said
    }

    fn may_block(&self) -> bool {
        rules::may_block(self.hook.dialect, &self.kind)
    }

    pub(super) fn failed(&self, kind: FailureKind, message: &str) -> Outcome {
        self.also_failed(Outcome::none(), kind, message)
    }

    /// A failure beside what the hook said: the stricter verdict counts.
    pub(super) fn also_failed(&self, said: Outcome, kind: FailureKind, message: &str) -> Outcome {
        self.failed_with(said, kind, message, self.hook.verdict_of(kind))
    }

    pub(super) fn failed_with(
        &self,
        mut said: Outcome,
        kind: FailureKind,
        message: &str,
        verdict: Verdict,
    ) -> Outcome {
        // A broken stop hook must not keep the agent working for ever.
        let verdict = if self.may_block() && !rules::is_stop(&self.kind) {
            verdict
        } else {
            Verdict::NoOpinion
        };
        let message = tidy_reason(Some(message)).unwrap_or_default();
        if verdict > said.verdict {
            said.verdict = verdict;
            said.reason = Some(message.clone());
        }
        said.failure.get_or_insert(Failure { kind, message });
        said
    }

    /// Of a reply that makes no sense, only what restricts is kept.
    pub(super) fn bad_reply(&self, said: Outcome, problem: &str) -> Outcome {
        let cut = if self.ran.truncated {
            " (its output was cut at the limit)"
        } else {
            ""
        };
        let message = format!(
            "hook `{}` gave a reply that cannot be used: {problem}{cut}",
            self.hook.name
        );
        self.also_failed(restrictions_of(said), FailureKind::BadReply, &message)
    }

    fn not_started(&self, why: &str) -> Outcome {
        let command: String = self.hook.action.summary().chars().take(200).collect();
        let message = format!(
            "hook `{}` could not be started: {why}: {command}",
            self.hook.name
        );
        if self.hook.dialect == Dialect::CodeAgent {
            return self.could_not_run(FailureKind::NotStarted, &message);
        }
        self.failed(FailureKind::NotStarted, &message)
    }

    /// Where almost every exit code blocks, a hook that cannot even run blocks too, unless it says itself
    /// what its failure means.
    pub(super) fn could_not_run(&self, kind: FailureKind, message: &str) -> Outcome {
        let verdict = self
            .hook
            .on_failure
            .map_or(Verdict::Deny, OnFailure::verdict);
        let message = format!("hook could not run: {message}");
        self.failed_with(Outcome::none(), kind, &message, verdict)
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

/// What is left of an outcome that cannot be trusted: it may forbid and ask, and say why.
fn restrictions_of(said: Outcome) -> Outcome {
    let restricts = said.verdict >= Verdict::Ask || said.keep_going.is_some();
    Outcome {
        verdict: if restricts {
            said.verdict
        } else {
            Verdict::NoOpinion
        },
        reason: said.reason.filter(|_| restricts),
        keep_going: said.keep_going,
        system_message: said.system_message,
        failure: said.failure,
        ..Outcome::none()
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
