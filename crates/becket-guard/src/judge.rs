//! Judges a command or tool call: turns it into a verdict with a reason.
//!
//! The text is analyzed into commands, every rule checks every command, and the policy decides which findings
//! count. Text that cannot be analyzed is never treated as harmless: the verdict is at least `ask`.

use becket_base::text::is_invisible;
use becket_model::Verdict;
use serde_json::Value;

use crate::analyze::analyze;
use crate::command::{Doubt, DoubtKind, Invocation, Launcher, Script, Span, UNKNOWN, Word};
use crate::effects;
use crate::facts::{Facts, RunLocation};
use crate::packs;
use crate::paths::{FollowLinks, PathContext};
use crate::policy::Policy;
use crate::readonly;
use crate::rule::{Finding, Rule, Severity};
use crate::tools;

/// A function that starts itself repeatedly.
pub static FORK_BOMB: Rule = Rule {
    id: "core.fork-bomb",
    severity: Severity::Catastrophic,
    explanation: "starts copies of itself until the machine stops responding",
    safer: "start a fixed number of jobs, for example with `xargs -P`",
};

/// A command that the policy denies.
pub static DENIED: Rule = Rule {
    id: "policy.deny",
    severity: Severity::Severe,
    explanation: "is denied by the policy",
    safer: "follow the policy's message",
};

/// A command that could not be fully analyzed.
pub static DOUBT: Rule = Rule {
    id: "core.not-understood",
    severity: Severity::Doubtful,
    explanation: "could not be fully analyzed",
    safer: "write it more simply, or split it into several commands",
};

/// Rules that a policy cannot change: commands it denies itself, and commands that could not be analyzed.
pub const FIXED_RULES: &[&Rule] = &[&DENIED, &DOUBT];

/// Maximum depth of git commands that start git commands.
const MAX_GIT_NESTING: usize = 3;

/// Maximum length of a reason, in characters.
const MAX_REASON: usize = 400;

/// The guard's verdict on a command or tool call, with the evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// Findings that count under the policy.
    pub findings: Vec<Finding>,
    /// Findings that the policy suppresses.
    pub suppressed: Vec<SuppressedFinding>,
    /// The commands that the text would run.
    pub script: Script,
    /// The rule that decided the verdict.
    pub rule: Option<&'static Rule>,
    /// The reason in one or two lines: the rule, its effect, and what to do instead.
    pub reason: Option<String>,
}

/// A finding that does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuppressedFinding {
    /// The finding.
    pub finding: Finding,
    /// Why it does not count.
    pub why: SuppressReason,
}

/// Why a finding does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SuppressReason {
    /// An `allow` entry of the policy matches; this is its reason.
    Allowed(String),
    /// The rule or its pack is switched off.
    RuleOff,
    /// The command is part of a script on disk, and the finding is not severe.
    OnDisk,
}

/// Judges a command.
pub fn command(
    text: &str,
    policy: &Policy,
    location: &RunLocation,
    facts: &dyn Facts,
) -> Judgement {
    let mut evaluation = Evaluation::new(policy, location);
    let script = evaluation.check_text(text, facts, &[]);
    let mut judgement = evaluation.finish();
    if judgement.verdict == Verdict::NoOpinion
        && policy.auto_approve
        && only_reads(&script, location, facts)
    {
        judgement.verdict = Verdict::Allow;
        judgement.reason = Some("the command only reads".to_owned());
    }
    judgement.script = script;
    judgement
}

/// Judges a call of any other tool by its canonical name and input.
pub fn tool(
    tool: &str,
    input: &Value,
    policy: &Policy,
    location: &RunLocation,
    facts: &dyn Facts,
) -> Judgement {
    let mut found = Vec::new();
    tools::check(tool, input, location, facts, &mut found);
    let mut evaluation = Evaluation::new(policy, location);
    evaluation.add_findings(found, None, &[]);
    evaluation.finish()
}

/// All rules.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    effects::rules()
        .chain(packs::rules())
        .chain([&FORK_BOMB])
        .chain(FIXED_RULES.iter().copied())
}

/// The rule whose id is the prefix of a reason that the guard gave: `git.push-force: …`.
pub fn rule_in(reason: &str) -> Option<&'static Rule> {
    let (id, _) = reason.split_once(": ")?;
    rules().find(|rule| rule.id == id)
}

/// Collects findings for one command or tool call and applies the policy.
struct Evaluation<'p> {
    policy: &'p Policy,
    location: &'p RunLocation,
    active: Vec<(Severity, Finding)>,
    suppressed: Vec<SuppressedFinding>,
    /// Message of the first matching `deny` entry.
    denial: Option<String>,
    /// The first part that could not be analyzed.
    doubt: Option<String>,
}

impl<'p> Evaluation<'p> {
    fn new(policy: &'p Policy, location: &'p RunLocation) -> Self {
        Self {
            policy,
            location,
            active: Vec::new(),
            suppressed: Vec::new(),
            denial: None,
            doubt: None,
        }
    }

    /// Analyzes a text and checks every command with every rule. `around` lists the spans of the git commands,
    /// outermost first, that run the text.
    fn check_text(&mut self, text: &str, facts: &dyn Facts, around: &[Span]) -> Script {
        let (location, policy) = (self.location, self.policy);
        let script = analyze(text, location, facts, &policy.wrappers);
        for invocation in &script.commands {
            let mut found = Vec::new();
            effects::check(invocation, &script, location, facts, &mut found);
            effects::check_variables(text, invocation, &script, &mut found);
            packs::check(invocation, &script, location, facts, &mut found);
            self.add_findings(found, Some(invocation), around);
            self.check_deny_list(invocation, &script, around);
            // Git passes these to a shell: aliases, `rebase -x`, `submodule foreach`.
            for line in packs::git_shell_commands(invocation, location, facts) {
                if around.len() < MAX_GIT_NESTING {
                    let around = [around, &[invocation.span]].concat();
                    self.check_text(&line, facts, &around);
                } else {
                    let too_deep =
                        || "git commands are nested too deeply to be analyzed".to_owned();
                    self.doubt.get_or_insert_with(too_deep);
                }
            }
        }
        for doubt in &script.doubts {
            self.doubt(doubt, text, around);
        }
        script
    }

    /// Records findings, each as counting or as suppressed by the policy.
    fn add_findings(&mut self, found: Vec<Finding>, command: Option<&Invocation>, around: &[Span]) {
        for mut finding in found {
            finding.span = span_in_text(finding.span, around);
            let severity = self.policy.severity(finding.rule);
            let same =
                |other: &Finding| other.rule == finding.rule && other.subject == finding.subject;
            if let Some(why) = self.suppression(&finding, severity, command) {
                if !self.suppressed.iter().any(|passed| same(&passed.finding)) {
                    self.suppressed.push(SuppressedFinding { finding, why });
                }
            } else if !self.active.iter().any(|(_, other)| same(other)) {
                self.active.push((severity, finding));
            }
        }
    }

    fn suppression(
        &self,
        finding: &Finding,
        severity: Severity,
        command: Option<&Invocation>,
    ) -> Option<SuppressReason> {
        let (policy, rule) = (self.policy, finding.rule);
        let allowed = match command {
            Some(command) => policy.allowed(rule, command),
            None => policy.allowed_path(rule, finding_path(finding), self.location),
        };
        if let Some(allow) = allowed {
            return Some(SuppressReason::Allowed(allow.reason.clone()));
        }
        if policy.is_off(rule) {
            return Some(SuppressReason::RuleOff);
        }
        (severity < Severity::Severe && command.is_some_and(is_on_disk))
            .then_some(SuppressReason::OnDisk)
    }

    /// Checks the policy's `deny` entries.
    fn check_deny_list(&mut self, command: &Invocation, script: &Script, around: &[Span]) {
        let mut denials = self.policy.deny.iter();
        if let Some(deny) =
            denials.find(|deny| deny.forbids(command, enclosing_commands(command, script)))
        {
            let subject = command_text(command);
            self.denial.get_or_insert_with(|| {
                format!(
                    "{}: `{subject}` is denied by the policy: {}",
                    DENIED.id, deny.message
                )
            });
            let finding = Finding {
                rule: &DENIED,
                subject,
                span: span_in_text(command.span, around),
            };
            self.active.push((Severity::Severe, finding));
        }
    }

    fn doubt(&mut self, doubt: &Doubt, text: &str, around: &[Span]) {
        if doubt.kind != DoubtKind::ForkBomb {
            self.doubt.get_or_insert_with(|| doubt.message.clone());
            return;
        }
        let finding = Finding {
            rule: &FORK_BOMB,
            subject: sanitize(text, 60),
            span: doubt.span,
        };
        self.add_findings(vec![finding], None, around);
    }

    fn finish(self) -> Judgement {
        let preset = self.policy.preset;
        let by_rules = self
            .active
            .iter()
            .filter(|(_, found)| found.rule != &DENIED);
        let verdicts = by_rules.map(|(severity, _)| preset.verdict(*severity));
        let mut verdict = verdicts.max().unwrap_or_default();
        let worst = worst(&self.active, self.policy);
        let (mut rule, mut reason) = match worst {
            Some(finding) => (Some(finding.rule), Some(finding_text(finding))),
            None => (None, None),
        };
        if let Some(denial) = self.denial.filter(|_| verdict < Verdict::Deny) {
            verdict = Verdict::Deny;
            (rule, reason) = (Some(&DENIED), Some(sanitize(&denial, MAX_REASON)));
        }
        if let Some(doubt) = self.doubt.filter(|_| verdict < Verdict::Ask) {
            verdict = Verdict::Ask;
            let text = format!("the command could not be fully analyzed: {doubt}");
            (rule, reason) = (Some(&DOUBT), Some(sanitize(&text, MAX_REASON)));
        }
        let has_opinion = verdict > Verdict::NoOpinion;
        Judgement {
            verdict,
            findings: self
                .active
                .into_iter()
                .map(|(_, finding)| finding)
                .collect(),
            suppressed: self.suppressed,
            script: Script::default(),
            rule: rule.filter(|_| has_opinion),
            reason: reason.filter(|_| has_opinion),
        }
    }
}

/// Whether the script provably changes nothing and reads no secret.
fn only_reads(script: &Script, location: &RunLocation, facts: &dyn Facts) -> bool {
    let is_secret = |word: &Word, command: &Invocation| {
        let context = PathContext::of(command, location, facts);
        let candidates = context.classify_word(word, FollowLinks::Always);
        candidates
            .iter()
            .any(|classified| classified.secret.is_some())
            || context.is_exhausted()
    };
    readonly::is_proven_read_only(script, location, &is_secret)
}

/// Whether the command is part of a script on disk. The script's author is responsible for values that are only
/// known at run time; severe findings still count.
fn is_on_disk(command: &Invocation) -> bool {
    command
        .via
        .iter()
        .any(|via| matches!(via, Launcher::File(_)))
}

/// The commands that start this one: they enclose its span and have fewer launchers.
fn enclosing_commands<'s>(
    command: &'s Invocation,
    script: &'s Script,
) -> impl Iterator<Item = &'s Invocation> {
    script.commands.iter().filter(|outer| {
        let holds = outer.span.start <= command.span.start && command.span.end <= outer.span.end;
        holds && outer.via.len() < command.via.len() && command.via.starts_with(&outer.via)
    })
}

/// Position in the judged text: text that git runs is located at the git command.
fn span_in_text(span: Span, around: &[Span]) -> Span {
    around.first().copied().unwrap_or(span)
}

/// The most severe finding that the preset asks about or denies; of equally severe ones, the first.
fn worst<'k>(active: &'k [(Severity, Finding)], policy: &Policy) -> Option<&'k Finding> {
    let relevant = active
        .iter()
        .filter(|(severity, _)| policy.preset.verdict(*severity) > Verdict::NoOpinion);
    let worst = relevant.rev().max_by_key(|(severity, _)| *severity);
    worst.map(|(_, finding)| finding)
}

/// The reason for a finding.
fn finding_text(finding: &Finding) -> String {
    let rule = finding.rule;
    let subject = sanitize(&finding.subject, 80);
    let first = format!("{}: `{subject}` {}", rule.id, rule.explanation);
    format!(
        "{}\ninstead: {}",
        sanitize(&first, MAX_REASON),
        sanitize(rule.safer, MAX_REASON)
    )
}

/// The path in a finding about a tool call; the subject starts with the tool's name.
fn finding_path(finding: &Finding) -> &str {
    let subject = finding.subject.as_str();
    subject.split_once(' ').map_or(subject, |(_, path)| path)
}

fn command_text(command: &Invocation) -> String {
    let words: Vec<&str> = std::iter::once(command.program.as_str())
        .chain(command.words())
        .collect();
    sanitize(&words.join(" "), 60)
}

/// Sanitizes text for terminals and models: removes control characters, limits the length, shows unknown parts as
/// `…`.
fn sanitize(text: &str, most: usize) -> String {
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
