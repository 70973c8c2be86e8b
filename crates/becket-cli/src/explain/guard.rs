//! The guard's view of a tool call: the parsed commands, the files they touch, the matching rules, and the effect of the
//! policy on each.

use std::path::Path;

use becket::Home;
use becket::facts::FileFacts;
use becket::guard;
use becket::model::{HookSpec, ToolCall, Verdict};
use becket_guard::command::{ExecutedCode, Launcher};
use becket_guard::explain::{self, ClassifiedEffect, CommandExplanation};
use becket_guard::judge::{Judgement, SuppressReason, SuppressedFinding};
use becket_guard::{Finding, Policy, RunLocation, Span, judge};
use serde_json::{Value, json};

/// How one guard judges a tool call.
pub(super) struct GuardView<'a> {
    /// The guard's hook; `None` if no guard is enabled.
    pub(super) hook: Option<&'a HookSpec>,
    pub(super) call: &'a ToolCall,
    /// An error means that the policy or the call cannot be read.
    pub(super) judged: Result<JudgedCall, String>,
    home: &'a Path,
}

/// A judgement with the policy and the location it is based on.
pub(super) struct JudgedCall {
    pub(super) policy: Policy,
    pub(super) judgement: Judgement,
    place: RunLocation,
}

/// Where the call would run.
pub(super) struct CallLocation<'a> {
    pub(super) home: &'a Home,
    pub(super) root: &'a Path,
    pub(super) cwd: Option<&'a str>,
}

/// The view of every guard among the running hooks; without one, the view of a guard with the default policy.
pub(super) fn views<'a>(
    call: &'a ToolCall,
    running: &[&'a HookSpec],
    at: &CallLocation<'a>,
) -> Vec<GuardView<'a>> {
    let guards = running.iter().filter(|hook| guard::is_guard(hook));
    let mut views: Vec<GuardView<'a>> = guards
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
    at: &CallLocation<'a>,
) -> GuardView<'a> {
    let place = guard::run_location(at.home, at.root, at.cwd);
    let facts = FileFacts {
        home: &at.home.user,
    };
    let judged = policy.and_then(|policy| {
        let judgement = guard::judge_call(call, &policy, &place, &facts)
            .ok_or("the tool call contains no command")?;
        Ok(JudgedCall {
            policy,
            judgement,
            place,
        })
    });
    GuardView {
        hook,
        call,
        judged,
        home: &at.home.user,
    }
}

impl JudgedCall {
    /// The agent's working directory.
    pub(super) fn cwd(&self) -> &str {
        &self.place.cwd
    }
}

impl GuardView<'_> {
    pub(super) fn verdict(&self) -> Verdict {
        match &self.judged {
            Ok(judged) => judged.judgement.verdict,
            Err(_) => Verdict::Ask,
        }
    }

    /// The text that spans refer to.
    pub(super) fn text(&self) -> Option<&str> {
        self.call.input.get("command")?.as_str()
    }

    pub(super) fn steps<'s>(&self, judged: &'s JudgedCall) -> Vec<CommandExplanation<'s>> {
        let facts = FileFacts { home: self.home };
        explain::explain_script(&judged.judgement.script, &judged.place, &facts)
    }

    pub(super) fn touches(&self, judged: &JudgedCall) -> Vec<ClassifiedEffect> {
        let facts = FileFacts { home: self.home };
        explain::tool_call_effects(&self.call.name, &self.call.input, &judged.place, &facts)
    }

    pub(super) fn json(&self) -> Value {
        let name = self.hook.map(|hook| hook.name.as_str());
        let mut out = json!({ "hook": name, "verdict": self.verdict().word() });
        let judged = match &self.judged {
            Ok(judged) => judged,
            Err(error) => {
                out["error"] = json!(error);
                return out;
            }
        };
        let (policy, judgement) = (&judged.policy, &judged.judgement);
        let steps: Vec<Value> = self.steps(judged).iter().map(step_json).collect();
        let touches: Vec<Value> = self.touches(judged).iter().map(touch_json).collect();
        let kept = judgement.findings.iter().map(|finding| {
            let mut json = finding_json(finding, policy);
            json["outcome"] = json!(finding_verdict(finding, policy).word());
            json
        });
        let passed = judgement.suppressed.iter().map(|passed| {
            let mut json = finding_json(&passed.finding, policy);
            json["outcome"] = json!("passed");
            json["why"] = json!(pass_reason(passed));
            json
        });
        let findings: Vec<Value> = kept.chain(passed).collect();
        let doubts = judgement.script.doubts.iter();
        let doubts: Vec<Value> = doubts
            .map(|doubt| json!({ "what": doubt.message, "span": span_json(doubt.span) }))
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

/// The verdict that a finding leads to.
pub(super) fn finding_verdict(finding: &Finding, policy: &Policy) -> Verdict {
    if finding.rule == &judge::DENIED {
        return Verdict::Deny;
    }
    policy.preset.verdict(policy.severity(finding.rule))
}

/// Why a finding is ignored.
pub(super) fn pass_reason(passed: &SuppressedFinding) -> String {
    match &passed.why {
        SuppressReason::Allowed(reason) => format!("your policy allows it: {reason}"),
        SuppressReason::RuleOff => "the rule is off".to_owned(),
        SuppressReason::OnDisk => "it is in a script on disk and not severe".to_owned(),
    }
}

/// Describes a program that runs the command on behalf of another.
pub(super) fn via(via: &Launcher) -> String {
    match via {
        Launcher::Root(by) => format!("{by} (as another user)"),
        Launcher::Remote(by) => format!("{by} (on another host)"),
        Launcher::Wrapper(by) => by.clone(),
        Launcher::Interpreter(by) => format!("{by} code"),
        Launcher::File(path) => format!("script {path}"),
    }
}

/// Describes the code that a shell or an interpreter would run.
pub(super) fn executes(executes: &ExecutedCode) -> Option<String> {
    match executes {
        ExecutedCode::Nothing => None,
        ExecutedCode::Known => Some("the commands that follow".to_owned()),
        ExecutedCode::File(path) => Some(format!("{path}, which cannot be read")),
        ExecutedCode::Unknown { from } if from.is_empty() => {
            Some("code that is known only at run time".to_owned())
        }
        ExecutedCode::Unknown { from } => {
            let makers: Vec<String> = from.iter().map(|at| format!("[{}]", at + 1)).collect();
            Some(format!("the output of {}", makers.join(", ")))
        }
    }
}

fn step_json(step: &CommandExplanation<'_>) -> Value {
    let command = step.command;
    let vias: Vec<String> = command.via.iter().map(via).collect();
    let words: Vec<&str> = command.words().collect();
    let touches: Vec<Value> = step.effects.iter().map(touch_json).collect();
    json!({
        "program": command.program, "arguments": words, "via": vias, "cwd": command.cwd,
        "executes": executes(&command.executes), "more_operands": command.more_operands,
        "git_runs": step.git_runs, "span": span_json(command.span), "touches": touches,
    })
}

fn touch_json(touch: &ClassifiedEffect) -> Value {
    json!({ "does": touch.verb.describe(), "path": touch.target.path, "what": touch.target.describe() })
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
