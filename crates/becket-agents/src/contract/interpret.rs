//! What a finished hook meant, by its dialect's exit codes and replies.
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

use becket_model::{
    Dialect, Event, EventKind, Failure, FailureKind, HookSpec, OnFailure, Outcome, Verdict,
};
use serde_json::{Map, Value};

use super::reply::{Form, Reply, parse_reply};
use super::text::{self, MAX_CONTEXT, MAX_REASON};
use super::{Ending, Ran, claude};

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

struct Case<'a> {
    hook: &'a HookSpec,
    event: &'a Event,
    kind: EventKind,
    ran: &'a Ran<'a>,
}

impl Case<'_> {
    fn exited(&self, code: i32) -> Outcome {
        use Dialect::{Autohand, Becket, Claude, ClaudeAgent, CodeAgent};
        let stdout = String::from_utf8_lossy(self.ran.stdout);
        let reply = parse_reply(&stdout);
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
            (CodeAgent | ClaudeAgent, _) => self.blocked(&reply, code),
        }
    }

    /// What the reply says, for a hook that is content with itself.
    fn replied(&self, reply: &Reply) -> Outcome {
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
        let updated_input = self.updated_input(reply).unwrap_or_else(|problem| {
            problems.push(problem);
            None
        });
        let said = Outcome {
            verdict: reply.verdict,
            reason: tidy_reason(reply.reason.as_deref()),
            updated_input,
            context: self.context(reply),
            system_message: tidy_reason(reply.system_message.as_deref()),
            suppress_logging: reply.suppress_logging,
            ..Outcome::none()
        };
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

    fn plain_text(&self, words: &str) -> Outcome {
        let mut words = words.to_owned();
        if self.ran.truncated {
            words.push_str(text::CUT);
        }
        let mut out = Outcome::none();
        match self.hook.dialect {
            Dialect::CodeAgent => out.context = text::tidy(&words, MAX_CONTEXT),
            Dialect::Claude | Dialect::Becket if claude::text_is_context(&self.kind) => {
                out.context = text::tidy(&words, MAX_CONTEXT);
            }
            Dialect::Autohand => out.system_message = text::tidy(&words, MAX_REASON),
            Dialect::Claude | Dialect::Becket | Dialect::ClaudeAgent => {}
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

    fn updated_input(&self, reply: &Reply) -> Result<Option<Value>, String> {
        let Some(given) = reply
            .updated_input
            .as_ref()
            .filter(|_| self.kind.is_guarded())
        else {
            return Ok(None);
        };
        let given = match (self.hook.dialect, given) {
            (_, Value::Object(map)) => map.clone(),
            (Dialect::CodeAgent | Dialect::Becket, Value::String(text)) => {
                serde_json::from_str(text).map_err(|_| "the updated input is not an object")?
            }
            _ => return Err("the updated input is not an object".into()),
        };
        if self.hook.dialect == Dialect::Autohand {
            return self.merged_input(given).map(Some);
        }
        Ok(Some(Value::Object(given)))
    }

    /// Autohand's rewrite is laid over the current input, and may not turn the call into another one.
    fn merged_input(&self, given: Map<String, Value>) -> Result<Value, String> {
        const RESERVED: [&str; 5] = ["type", "tool", "__proto__", "prototype", "constructor"];
        let current = self.event.call().and_then(|call| call.input.as_object());
        let mut merged = current.cloned().unwrap_or_default();
        for (key, value) in given {
            if RESERVED.contains(&key.as_str()) && merged.get(&key) != Some(&value) {
                return Err(format!("the updated input may not set `{key}`"));
            }
            merged.insert(key, value);
        }
        Ok(Value::Object(merged))
    }

    /// A block by exit code.
    fn blocked(&self, reply: &Reply, code: i32) -> Outcome {
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
            Dialect::Claude | Dialect::Autohand => stderr.or(json),
            Dialect::Becket | Dialect::CodeAgent => stderr.or(json).or(printed),
            Dialect::ClaudeAgent => {
                let number = format!("hook `{}` blocked this with exit {code}", self.hook.name);
                json.or(stderr).or_else(|| tidy_reason(Some(&number)))
            }
        };
        // At exit code 2 Claude does not look at what the hook printed.
        let verdict = match dialect {
            Dialect::Claude => Verdict::Deny,
            _ => reply.verdict.max(Verdict::Deny),
        };
        self.settle(Outcome {
            verdict,
            reason,
            ..Outcome::none()
        })
    }

    /// Fits what a hook meant to what its dialect may do on this event.
    fn settle(&self, mut said: Outcome) -> Outcome {
        if said.verdict.blocks() && said.reason.is_none() {
            said.reason = tidy_reason(Some(&format!("blocked by hook `{}`", self.hook.name)));
        }
        if said.verdict == Verdict::Allow && !self.kind.is_guarded() {
            said.verdict = Verdict::NoOpinion;
        }
        if self.is_stop() {
            // To forbid a stop is to ask for more work; to halt is to agree with it.
            if said.verdict == Verdict::Deny && self.may_keep_going() {
                said.keep_going.clone_from(&said.reason);
            }
            if said.verdict != Verdict::Halt || !self.reaches_every_event() {
                said.verdict = Verdict::NoOpinion;
            }
        } else if !self.may_block() {
            said.verdict = Verdict::NoOpinion;
        }
        said
    }

    fn is_stop(&self) -> bool {
        matches!(self.kind, EventKind::Stop | EventKind::SubagentStop)
    }

    /// Whether the dialect leaves it to the agent which events a verdict can still change.
    fn reaches_every_event(&self) -> bool {
        matches!(self.hook.dialect, Dialect::Claude | Dialect::Becket)
    }

    fn may_keep_going(&self) -> bool {
        self.reaches_every_event() || self.hook.dialect == Dialect::CodeAgent
    }

    fn may_block(&self) -> bool {
        self.kind.can_block() || self.reaches_every_event()
    }

    fn failed(&self, kind: FailureKind, message: &str) -> Outcome {
        self.also_failed(Outcome::none(), kind, message)
    }

    /// A failure beside what the hook said: the stricter verdict counts.
    fn also_failed(&self, said: Outcome, kind: FailureKind, message: &str) -> Outcome {
        self.failed_with(said, kind, message, self.hook.failure_verdict())
    }

    fn failed_with(
        &self,
        mut said: Outcome,
        kind: FailureKind,
        message: &str,
        verdict: Verdict,
    ) -> Outcome {
        // A broken stop hook must not keep the agent working for ever.
        let verdict = if self.may_block() && !self.is_stop() {
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
    fn bad_reply(&self, said: Outcome, problem: &str) -> Outcome {
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

    /// Code Agent's document lets every exit code but 0 block, so its hooks block when they cannot even
    /// run, unless they say themselves what their failure means.
    fn could_not_run(&self, kind: FailureKind, message: &str) -> Outcome {
        let verdict = self
            .hook
            .on_failure
            .map_or(Verdict::Deny, OnFailure::verdict);
        let message = format!("hook could not run: {message}");
        self.failed_with(Outcome::none(), kind, &message, verdict)
    }

    fn exit_message(&self, code: i32) -> String {
        let mut message = format!("hook `{}` ended with exit code {code}", self.hook.name);
        if let Some(stderr) = self.stderr() {
            message.push_str(": ");
            message.push_str(&stderr);
        }
        message
    }

    fn stderr(&self) -> Option<String> {
        tidy_reason(Some(&String::from_utf8_lossy(self.ran.stderr)))
    }
}

fn tidy_reason(words: Option<&str>) -> Option<String> {
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
