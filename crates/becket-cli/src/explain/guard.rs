//! What the guard makes of a call: the commands it sees, what they would touch, the rules they meet, and what the
//! policy does with each.

use std::path::Path;

use becket::Home;
use becket::facts::FileFacts;
use becket::guard;
use becket::model::{HookSpec, ToolCall, Verdict};
use becket_guard::command::{Executes, Via};
use becket_guard::explain::{self, Step, Touch};
use becket_guard::judge::{Judgement, Passed, Why};
use becket_guard::{Finding, Place, Policy, Span, judge};
use serde_json::{Value, json};

/// One guard's view of a call.
pub(super) struct View<'a> {
    /// Who looks; nobody where no guard is enabled.
    pub(super) hook: Option<&'a HookSpec>,
    pub(super) call: &'a ToolCall,
    /// An error is a policy, or a call, that cannot be read.
    pub(super) account: Result<Account, String>,
    home: &'a Path,
}

/// A judgement and what it was made with.
pub(super) struct Account {
    pub(super) policy: Policy,
    pub(super) judgement: Judgement,
    place: Place,
}

/// Where a call is looked at.
pub(super) struct At<'a> {
    pub(super) home: &'a Home,
    pub(super) root: &'a Path,
    pub(super) cwd: Option<&'a str>,
}

/// The view of every guard among the hooks that run, or what one would say if there were any.
pub(super) fn views<'a>(
    call: &'a ToolCall,
    running: &[&'a HookSpec],
    at: &At<'a>,
) -> Vec<View<'a>> {
    let guards = running.iter().filter(|hook| guard::is_guard(hook));
    let mut views: Vec<View<'a>> = guards
        .map(|hook| {
            let policy = guard::policy_of(hook, running);
            view(Some(*hook), call, policy, at)
        })
        .collect();
    let says_something = call
        .input
        .as_object()
        .is_some_and(|input| !input.is_empty());
    if views.is_empty() && says_something {
        views.push(view(None, call, Ok(Policy::default()), at));
    }
    views
}

fn view<'a>(
    hook: Option<&'a HookSpec>,
    call: &'a ToolCall,
    policy: Result<Policy, String>,
    at: &At<'a>,
) -> View<'a> {
    let place = guard::place(at.home, at.root, at.cwd);
    let facts = FileFacts {
        home: &at.home.user,
    };
    let account = policy.and_then(|policy| {
        let judgement = guard::judge_call(call, &policy, &place, &facts)
            .ok_or("the call has no command to judge")?;
        Ok(Account {
            policy,
            judgement,
            place,
        })
    });
    View {
        hook,
        call,
        account,
        home: &at.home.user,
    }
}

impl Account {
    /// Where the agent works.
    pub(super) fn cwd(&self) -> &str {
        &self.place.cwd
    }
}

impl View<'_> {
    pub(super) fn verdict(&self) -> Verdict {
        match &self.account {
            Ok(account) => account.judgement.verdict,
            Err(_) => Verdict::Ask,
        }
    }

    /// The text that spans are about.
    pub(super) fn text(&self) -> Option<&str> {
        self.call.input.get("command")?.as_str()
    }

    pub(super) fn steps<'s>(&self, account: &'s Account) -> Vec<Step<'s>> {
        let facts = FileFacts { home: self.home };
        explain::steps(&account.judgement.script, &account.place, &facts)
    }

    pub(super) fn touches(&self, account: &Account) -> Vec<Touch> {
        let facts = FileFacts { home: self.home };
        explain::touches(&self.call.name, &self.call.input, &account.place, &facts)
    }

    pub(super) fn json(&self) -> Value {
        let name = self.hook.map(|hook| hook.name.as_str());
        let mut out = json!({ "hook": name, "verdict": self.verdict().word() });
        let account = match &self.account {
            Ok(account) => account,
            Err(error) => {
                out["error"] = json!(error);
                return out;
            }
        };
        let (policy, judgement) = (&account.policy, &account.judgement);
        let steps: Vec<Value> = self.steps(account).iter().map(step_json).collect();
        let touches: Vec<Value> = self.touches(account).iter().map(touch_json).collect();
        let kept = judgement.findings.iter().map(|finding| {
            let mut json = finding_json(finding, policy);
            json["outcome"] = json!(kept(finding, policy).word());
            json
        });
        let passed = judgement.passed.iter().map(|passed| {
            let mut json = finding_json(&passed.finding, policy);
            json["outcome"] = json!("passed");
            json["why"] = json!(why(passed));
            json
        });
        let findings: Vec<Value> = kept.chain(passed).collect();
        let doubts = judgement.script.doubts.iter();
        let doubts: Vec<Value> = doubts
            .map(|doubt| json!({ "what": doubt.what, "span": span_json(doubt.span) }))
            .collect();
        out["preset"] = json!(policy.preset.word());
        out["rule"] = json!(judgement.rule.map(|rule| rule.id));
        out["reason"] = json!(judgement.reason);
        out["commands"] = json!(steps);
        out["touches"] = json!(touches);
        out["findings"] = json!(findings);
        out["doubts"] = json!(doubts);
        out
    }
}

/// What a finding that counts leads to.
pub(super) fn kept(finding: &Finding, policy: &Policy) -> Verdict {
    if finding.rule == &judge::DENIED {
        return Verdict::Deny;
    }
    policy.preset.verdict(policy.severity(finding.rule))
}

/// Why a finding does not count.
pub(super) fn why(passed: &Passed) -> String {
    match &passed.why {
        Why::Allowed(reason) => format!("your policy allows it: {reason}"),
        Why::Off => "the rule is switched off".to_owned(),
        Why::OnDisk => "it stands in a script that is on disk, and is not severe".to_owned(),
    }
}

/// Who else has a hand in running a command.
pub(super) fn via(via: &Via) -> String {
    match via {
        Via::Root(by) => format!("{by} (as another user)"),
        Via::Elsewhere(by) => format!("{by} (on another machine)"),
        Via::Wrapper(by) => by.clone(),
        Via::Interpreter(by) => format!("code for {by}"),
        Via::File(path) => format!("the script {path}"),
    }
}

/// What a shell or an interpreter would run.
pub(super) fn executes(executes: &Executes) -> Option<String> {
    match executes {
        Executes::Nothing => None,
        Executes::Known => Some("what follows".to_owned()),
        Executes::File(path) => Some(format!("{path}, whose text is not known")),
        Executes::Unknown { from } if from.is_empty() => {
            Some("a text that only running it would tell".to_owned())
        }
        Executes::Unknown { from } => {
            let makers: Vec<String> = from.iter().map(|at| format!("[{}]", at + 1)).collect();
            Some(format!("what {} would print", makers.join(", ")))
        }
    }
}

fn step_json(step: &Step<'_>) -> Value {
    let command = step.command;
    let vias: Vec<String> = command.via.iter().map(via).collect();
    let words: Vec<&str> = command.words().collect();
    let touches: Vec<Value> = step.touches.iter().map(touch_json).collect();
    json!({
        "program": command.program, "arguments": words, "via": vias, "cwd": command.cwd,
        "executes": executes(&command.executes), "more_operands": command.more_operands,
        "git_runs": step.git_runs, "span": span_json(command.span), "touches": touches,
    })
}

fn touch_json(touch: &Touch) -> Value {
    json!({ "does": touch.verb.words(), "path": touch.spot.path, "what": touch.spot.what() })
}

fn finding_json(finding: &Finding, policy: &Policy) -> Value {
    let rule = finding.rule;
    json!({
        "rule": rule.id, "severity": rule.severity.word(), "counts_as": policy.severity(rule).word(),
        "subject": finding.subject, "span": span_json(finding.span), "explanation": rule.explanation, "safer": rule.safer,
    })
}

fn span_json(span: Span) -> Value {
    json!({ "start": span.start, "end": span.end })
}
