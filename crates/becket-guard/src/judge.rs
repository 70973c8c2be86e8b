//! From a command's text to a verdict with a reason.
//!
//! The text is understood, every rule looks at every command, the policy says what its findings mean. What
//! could not be understood is never taken for harmless: it asks.

use becket_model::Verdict;
use serde_json::Value;

use crate::command::{Doubt, DoubtKind, Invocation, Script, Span, UNKNOWN, Via, Word};
use crate::effects;
use crate::facts::{Facts, Place};
use crate::packs;
use crate::paths::{Follow, Scene};
use crate::policy::Policy;
use crate::readonly;
use crate::rule::{Finding, Rule, Severity};
use crate::tools;
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

/// A command that was not understood.
pub static DOUBT: Rule = Rule {
    id: "core.not-understood",
    severity: Severity::Doubtful,
    explanation: "could not be understood whole",
    safer: "write it more plainly, or in several steps",
};

/// Rules that no policy changes: what a person has forbidden, and what nobody understood.
pub const FIXED: &[&Rule] = &[&DENIED, &DOUBT];

/// How often git may run git.
const MOST_NESTED: usize = 3;

/// No reason is longer than this.
const MAX_REASON: usize = 400;

/// What the guard says to a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// What rules found, without what the policy lets pass.
    pub findings: Vec<Finding>,
    /// What rules found and the policy lets pass.
    pub passed: Vec<Passed>,
    /// What the command would run.
    pub script: Script,
    /// The rule that decided.
    pub rule: Option<&'static Rule>,
    /// Why, in one or two lines: the rule, what it would do, what to do instead.
    pub reason: Option<String>,
}

/// A finding that does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passed {
    /// What was found.
    pub finding: Finding,
    /// Why it does not count.
    pub why: Why,
}

/// Why a finding does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// The policy has an entry for it, with this reason.
    Allowed(String),
    /// The rule, or its pack, is switched off.
    Off,
    /// It stands in a script that is on disk, and is not severe.
    OnDisk,
}

/// Judges a command.
pub fn command(text: &str, policy: &Policy, place: &Place, facts: &dyn Facts) -> Judgement {
    let mut case = Case::new(policy, place);
    let script = case.examine(text, facts, &[]);
    let mut judgement = case.conclude();
    if judgement.verdict == Verdict::NoOpinion
        && policy.auto_approve
        && only_reads(&script, place, facts)
    {
        judgement.verdict = Verdict::Allow;
        judgement.reason = Some("it only reads".to_owned());
    }
    judgement.script = script;
    judgement
}

/// Judges a call of any other tool, by its canonical name and input.
pub fn tool(
    tool: &str,
    input: &Value,
    policy: &Policy,
    place: &Place,
    facts: &dyn Facts,
) -> Judgement {
    let mut found = Vec::new();
    tools::check(tool, input, place, facts, &mut found);
    let mut case = Case::new(policy, place);
    case.weigh(found, None, &[]);
    case.conclude()
}

/// Every rule there is.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    effects::rules()
        .chain(packs::rules())
        .chain([&FORK_BOMB])
        .chain(FIXED.iter().copied())
}

/// The rule that a reason of the guard begins with.
pub fn rule_in(reason: &str) -> Option<&'static Rule> {
    let (id, _) = reason.split_once(": ")?;
    rules().find(|rule| rule.id == id)
}

/// What speaks against a call.
struct Case<'p> {
    policy: &'p Policy,
    place: &'p Place,
    kept: Vec<(Severity, Finding)>,
    passed: Vec<Passed>,
    /// What a policy's own denial says.
    denial: Option<String>,
    /// What was not understood.
    doubt: Option<String>,
}

impl<'p> Case<'p> {
    fn new(policy: &'p Policy, place: &'p Place) -> Self {
        Self {
            policy,
            place,
            kept: Vec::new(),
            passed: Vec::new(),
            denial: None,
            doubt: None,
        }
    }

    /// Understands a text and lets every rule look at every command of it. `around` are the commands, outermost
    /// first, inside which git runs the text.
    fn examine(&mut self, text: &str, facts: &dyn Facts, around: &[Span]) -> Script {
        let (place, policy) = (self.place, self.policy);
        let script = understand(text, place, facts, &policy.wrappers);
        for invocation in &script.commands {
            let mut found = Vec::new();
            effects::check(invocation, &script, place, facts, &mut found);
            effects::check_variables(text, invocation, &script, &mut found);
            packs::check(invocation, &script, place, facts, &mut found);
            self.weigh(found, Some(invocation), around);
            self.look_up(invocation, &script, around);
            // Git has a shell of its own: aliases, `rebase -x`, `submodule foreach`.
            for line in packs::shell_of_git(invocation, place, facts) {
                if around.len() < MOST_NESTED {
                    let around = [around, &[invocation.span]].concat();
                    self.examine(&line, facts, &around);
                } else {
                    let too_deep = || "git runs git within git too often to be followed".to_owned();
                    self.doubt.get_or_insert_with(too_deep);
                }
            }
        }
        for doubt in &script.doubts {
            self.doubt(doubt, text, around);
        }
        script
    }

    /// Keeps what the policy does not let pass.
    fn weigh(&mut self, found: Vec<Finding>, command: Option<&Invocation>, around: &[Span]) {
        for mut finding in found {
            finding.span = in_text(finding.span, around);
            let severity = self.policy.severity(finding.rule);
            let same =
                |other: &Finding| other.rule == finding.rule && other.subject == finding.subject;
            if let Some(why) = self.lets_pass(&finding, severity, command) {
                if !self.passed.iter().any(|passed| same(&passed.finding)) {
                    self.passed.push(Passed { finding, why });
                }
            } else if !self.kept.iter().any(|(_, other)| same(other)) {
                self.kept.push((severity, finding));
            }
        }
    }

    fn lets_pass(
        &self,
        finding: &Finding,
        severity: Severity,
        command: Option<&Invocation>,
    ) -> Option<Why> {
        let (policy, rule) = (self.policy, finding.rule);
        let allowed = match command {
            Some(command) => policy.allowed(rule, command),
            None => policy.allowed_path(rule, about(finding), self.place),
        };
        if let Some(allow) = allowed {
            return Some(Why::Allowed(allow.reason.clone()));
        }
        if policy.is_off(rule) {
            return Some(Why::Off);
        }
        (severity < Severity::Severe && command.is_some_and(is_on_disk)).then_some(Why::OnDisk)
    }

    /// Asks the policy's own list of what is forbidden.
    fn look_up(&mut self, command: &Invocation, script: &Script, around: &[Span]) {
        let mut denials = self.policy.deny.iter();
        if let Some(deny) = denials.find(|deny| deny.forbids(command, starters(command, script))) {
            let subject = shown(command);
            self.denial.get_or_insert_with(|| {
                format!(
                    "{}: `{subject}` is forbidden here: {}",
                    DENIED.id, deny.message
                )
            });
            let finding = Finding {
                rule: &DENIED,
                subject,
                span: in_text(command.span, around),
            };
            self.kept.push((Severity::Severe, finding));
        }
    }

    fn doubt(&mut self, doubt: &Doubt, text: &str, around: &[Span]) {
        if doubt.kind != DoubtKind::ForkBomb {
            self.doubt.get_or_insert_with(|| doubt.what.clone());
            return;
        }
        let finding = Finding {
            rule: &FORK_BOMB,
            subject: clean(text, 60),
            span: doubt.span,
        };
        self.weigh(vec![finding], None, around);
    }

    fn conclude(self) -> Judgement {
        let preset = self.policy.preset;
        let by_rules = self.kept.iter().filter(|(_, found)| found.rule != &DENIED);
        let verdicts = by_rules.map(|(severity, _)| preset.verdict(*severity));
        let mut verdict = verdicts.max().unwrap_or_default();
        let worst = worst(&self.kept, self.policy);
        let (mut rule, mut reason) = match worst {
            Some(finding) => (Some(finding.rule), Some(said(finding))),
            None => (None, None),
        };
        if let Some(denial) = self.denial.filter(|_| verdict < Verdict::Deny) {
            verdict = Verdict::Deny;
            (rule, reason) = (Some(&DENIED), Some(clean(&denial, MAX_REASON)));
        }
        if let Some(doubt) = self.doubt.filter(|_| verdict < Verdict::Ask) {
            verdict = Verdict::Ask;
            let text = format!("the command could not be understood whole: {doubt}");
            (rule, reason) = (Some(&DOUBT), Some(clean(&text, MAX_REASON)));
        }
        let speaks = verdict > Verdict::NoOpinion;
        Judgement {
            verdict,
            findings: self.kept.into_iter().map(|(_, finding)| finding).collect(),
            passed: self.passed,
            script: Script::default(),
            rule: rule.filter(|_| speaks),
            reason: reason.filter(|_| speaks),
        }
    }
}

/// The proof that nothing is changed, and nothing secret is read.
fn only_reads(script: &Script, place: &Place, facts: &dyn Facts) -> bool {
    let is_secret = |word: &Word, command: &Invocation| {
        let scene = Scene::of(command, place, facts);
        let spots = scene.spots(word, Follow::Links);
        spots.iter().any(|spot| spot.secret.is_some()) || scene.is_exhausted()
    };
    readonly::proven(script, place, &is_secret)
}

/// Whether it stands in a script that already is on disk. What such a script does with values that only running
/// would tell is its author's business; what is severe is not.
fn is_on_disk(command: &Invocation) -> bool {
    command.via.iter().any(|via| matches!(via, Via::File(_)))
}

/// The commands that start this one: they stand before it, around it, with fewer hands in running them.
fn starters<'s>(
    command: &'s Invocation,
    script: &'s Script,
) -> impl Iterator<Item = &'s Invocation> {
    script.commands.iter().filter(|outer| {
        let holds = outer.span.start <= command.span.start && command.span.end <= outer.span.end;
        holds && outer.via.len() < command.via.len() && command.via.starts_with(&outer.via)
    })
}

/// Where it is in the text that was judged: a text that git would run stands where git is called.
fn in_text(span: Span, around: &[Span]) -> Span {
    around.first().copied().unwrap_or(span)
}

/// The first of the worst findings that the preset minds.
fn worst<'k>(kept: &'k [(Severity, Finding)], policy: &Policy) -> Option<&'k Finding> {
    let minded = kept
        .iter()
        .filter(|(severity, _)| policy.preset.verdict(*severity) > Verdict::NoOpinion);
    let worst = minded.rev().max_by_key(|(severity, _)| *severity);
    worst.map(|(_, finding)| finding)
}

/// A finding in words.
fn said(finding: &Finding) -> String {
    let rule = finding.rule;
    let subject = clean(&finding.subject, 80);
    let first = format!("{}: `{subject}` {}", rule.id, rule.explanation);
    format!(
        "{}\ninstead: {}",
        clean(&first, MAX_REASON),
        clean(rule.safer, MAX_REASON)
    )
}

/// The path that a tool's finding is about; its subject starts with the tool.
fn about(finding: &Finding) -> &str {
    let subject = finding.subject.as_str();
    subject.split_once(' ').map_or(subject, |(_, path)| path)
}

fn shown(command: &Invocation) -> String {
    let words: Vec<&str> = std::iter::once(command.program.as_str())
        .chain(command.words())
        .collect();
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
