//! From a command's text to a verdict with a reason.
//!
//! The text is understood, every rule looks at every command, the policy says what its findings mean. What
//! could not be understood is never taken for harmless: it asks.

use becket_model::Verdict;

use crate::command::{DoubtKind, Invocation, Script, UNKNOWN, Via};
use crate::facts::{Facts, Place};
use crate::policy::Policy;
use crate::rule::{Finding, Rule, Severity};
use crate::understand::understand;

/// A function that multiplies itself.
pub static FORK_BOMB: Rule = Rule {
    id: "core.fork-bomb",
    severity: Severity::Catastrophic,
    explanation: "starts copies of itself until the machine stands still",
    safer: "start a fixed number of jobs, for example with `xargs -P`",
};

/// A command that the policy forbids.
pub static DENIED: Rule = Rule {
    id: "policy.deny",
    severity: Severity::Severe,
    explanation: "is forbidden by the policy",
    safer: "do as the policy says",
};

/// No reason is longer than this.
const MAX_REASON: usize = 400;

/// What the guard says to a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// What rules found, without what the policy lets pass.
    pub findings: Vec<Finding>,
    /// What the command would run.
    pub script: Script,
    /// Why, in one or two lines: the rule, what it would do, what to do instead.
    pub reason: Option<String>,
}

/// Judges a command.
pub fn command(text: &str, policy: &Policy, place: &Place, facts: &dyn Facts) -> Judgement {
    let script = understand(text, place, facts, &policy.wrappers);
    let mut kept: Vec<(Severity, Finding)> = Vec::new();
    let mut denial = None;
    for (index, invocation) in script.commands.iter().enumerate() {
        let mut found = Vec::new();
        find(index, invocation, &script, place, facts, &mut found);
        for finding in found {
            let severity = policy.severity(finding.rule);
            let passes = policy.is_off(finding.rule)
                || policy.allowed(finding.rule, invocation).is_some()
                || (severity < Severity::Severe && is_on_disk(invocation));
            let known = kept.iter().any(|(_, other)| other.rule == finding.rule && other.subject == finding.subject);
            if !passes && !known {
                kept.push((severity, finding));
            }
        }
        if let Some(deny) = policy.deny.iter().find(|deny| deny.command.begins(invocation)) {
            denial.get_or_insert_with(|| (deny.message.clone(), shown(invocation), invocation.span));
        }
    }
    for doubt in script.doubts.iter().filter(|doubt| doubt.kind == DoubtKind::ForkBomb) {
        let finding = Finding {
            rule: &FORK_BOMB,
            subject: clean(text, 60),
            span: doubt.span,
        };
        if !policy.is_off(&FORK_BOMB) {
            kept.push((policy.severity(&FORK_BOMB), finding));
        }
    }
    let mut verdict = kept
        .iter()
        .map(|(severity, _)| policy.preset.verdict(*severity))
        .max()
        .unwrap_or_default();
    let mut reason = said(&kept, policy);
    if let Some((message, subject, span)) = denial {
        if verdict < Verdict::Deny {
            reason = Some(clean(&format!("policy.deny: `{subject}` is forbidden here: {message}"), MAX_REASON));
        }
        verdict = verdict.max(Verdict::Deny);
        kept.push((Severity::Severe, Finding {
            rule: &DENIED,
            subject,
            span,
        }));
    }
    let doubt = script.doubts.iter().find(|doubt| doubt.kind != DoubtKind::ForkBomb);
    if let Some(doubt) = doubt.filter(|_| verdict < Verdict::Ask) {
        verdict = Verdict::Ask;
        reason = Some(clean(&format!("the command could not be understood whole: {}", doubt.what), MAX_REASON));
    }
    if verdict == Verdict::NoOpinion {
        reason = None;
        if policy.auto_approve && only_reads(&script, place, facts) {
            verdict = Verdict::Allow;
            reason = Some("it only reads".to_owned());
        }
    }
    Judgement {
        verdict,
        findings: kept.into_iter().map(|(_, finding)| finding).collect(),
        script,
        reason,
    }
}

/// Everything that the rules find in one command of the script.
fn find(_index: usize, _command: &Invocation, _script: &Script, _place: &Place, _facts: &dyn Facts, _found: &mut Vec<Finding>) {}

/// The proof that nothing is changed.
fn only_reads(_script: &Script, _place: &Place, _facts: &dyn Facts) -> bool {
    false
}

/// Whether it stands in a script that already is on disk. What such a script does with values that only running
/// would tell is its author's business; what is severe is not.
fn is_on_disk(command: &Invocation) -> bool {
    command.via.iter().any(|via| matches!(via, Via::File(_)))
}

/// The worst finding, in words.
fn said(kept: &[(Severity, Finding)], policy: &Policy) -> Option<String> {
    let (_, worst) = kept
        .iter()
        .filter(|(severity, _)| policy.preset.verdict(*severity) > Verdict::NoOpinion)
        .rev()
        .max_by_key(|(severity, _)| *severity)?;
    let rule = worst.rule;
    let first = format!("{}: `{}` {}", rule.id, clean(&worst.subject, 80), rule.explanation);
    let reason = format!("{}\ninstead: {}", clean(&first, MAX_REASON), clean(rule.safer, MAX_REASON));
    Some(reason)
}

fn shown(command: &Invocation) -> String {
    let words: Vec<&str> = std::iter::once(command.program.as_str()).chain(command.words()).collect();
    clean(&words.join(" "), 60)
}

/// Text for a terminal and a model: no control characters, not too long, gaps as an ellipsis.
fn clean(text: &str, most: usize) -> String {
    let mut out = String::new();
    for character in text.chars() {
        if out.chars().count() >= most {
            out.push('…');
            break;
        }
        match character {
            UNKNOWN => out.push('…'),
            '\n' | '\t' | '\r' => out.push(' '),
            character if character.is_control() || is_invisible(character) => {}
            character => out.push(character),
        }
    }
    out
}

/// Characters that change how others are shown.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
}
