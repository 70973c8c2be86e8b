//! "Allow this in future": the narrowest entries of the guard's `allow` that let one recorded call pass.
//!
//! An entry is tried before it is written: the guard is asked again with it, and what does not help is no entry. What
//! is catastrophic, what the person's own policy forbids and what nobody understood is not for a click to allow.

use std::path::Path;

use becket::model::{HookSpec, Level, Verdict};
use becket::{Home, guard, load};
use becket_agents::config::{self, File, change};
use becket_agents::edit::toml_string;
use becket_daemon::rpc::{Failure, FailureKind};
use becket_daemon::setup::{FileWritten, RulePlan};
use becket_guard::command::{Invocation, Word};
use becket_guard::rule::Severity;
use becket_guard::{Finding, Judgement, Policy, judge};
use becket_store::StreamedEvent;
use serde_json::{Value, json};

use super::explain::{Recorded, own_guard};
use super::{changed, diff, digest, invalid, own_file, text};
use crate::hooks::builtins;
use crate::hooks::file::ConfigFile;
use crate::rpc::failed;

/// Why an entry stands in the file.
const REASON: &str = "allowed in the dashboard";

pub(super) fn plan(home: &Home, event: &StreamedEvent) -> Result<RulePlan, Failure> {
    let draft = draft(home, event)?;
    Ok(RulePlan {
        file: text(&draft.file.path),
        diff: diff(draft.file.text(), &draft.after),
        plan: draft.digest(),
        rule: draft.rule,
    })
}

pub(super) fn apply(
    home: &Home,
    event: &StreamedEvent,
    plan: &str,
) -> Result<FileWritten, Failure> {
    let draft = draft(home, event)?;
    if draft.digest() != plan {
        return Err(changed("your configuration"));
    }
    draft.file.write(&draft.after).map_err(failed)?;
    Ok(FileWritten {
        file: text(&draft.file.path),
    })
}

/// A file, and what would become of it.
struct Draft {
    file: ConfigFile,
    after: String,
    rule: String,
}

impl Draft {
    fn digest(&self) -> String {
        digest([self.file.text(), &self.after])
    }
}

fn refused(why: impl Into<String>) -> Failure {
    Failure::new(FailureKind::Refused, why)
}

fn draft(home: &Home, event: &StreamedEvent) -> Result<Draft, Failure> {
    let recorded = Recorded::of(home, event);
    let recorded = recorded.ok_or_else(|| {
        invalid("`decision`: this was not about a tool's call in a project, so no rule fits it")
    })?;
    if recorded.call().input.to_string().contains("[redacted:") {
        let why = "the call held a secret, which is not recorded; a rule for what is left would not fit it";
        return Err(refused(why));
    }
    let root = recorded.root.clone();
    let configuration = load(home, Some(&root), Some(recorded.agent()));
    let Some((own, beside)) = own_guard(&configuration, home, &root) else {
        let why = "your own configuration has no guard that is switched on; a rule can only be added to one: `becket hooks enable security-guard`";
        return Err(refused(why));
    };
    let policy = guard::policy_of(own, &beside).map_err(refused)?;
    let entries = Search::new(&recorded, policy)?.entries()?;
    let file = own_file(home).map_err(failed)?;
    let mut after = file.text().to_owned();
    let mut lines = Vec::new();
    for entry in &entries {
        let line = as_toml(entry);
        after = change::add_to_option(own, &after, "allow", &line)
            .map_err(|error| refused(format!("`{}`: {error}", file.path.display())))?;
        lines.push(line);
    }
    check(&recorded, own, &beside, &after)?;
    Ok(Draft {
        file,
        after,
        rule: lines.join("\n"),
    })
}

/// Whether the file that would be written does what it is written for.
fn check(
    recorded: &Recorded,
    own: &HookSpec,
    beside: &[&HookSpec],
    after: &str,
) -> Result<(), Failure> {
    let read = config::becket(&File {
        path: &own.source.file,
        level: Level::User,
        text: after,
        root: None,
    });
    let mut hooks = read.hooks.iter();
    let hook = hooks.find(|hook| hook.source.key == own.source.key);
    let hook = hook.ok_or_else(|| refused("the guard would not be found again"))?;
    builtins::check(hook).map_err(refused)?;
    let policy = guard::policy_of(hook, beside).map_err(refused)?;
    let judged = recorded.judge(&policy).map(|judged| judged.verdict);
    match judged {
        Some(verdict) if verdict < Verdict::Ask => Ok(()),
        _ => Err(refused("the guard would not let it pass all the same")),
    }
}

/// One entry of `allow`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    command: Option<String>,
    path: Option<String>,
    rule: &'static str,
}

impl Entry {
    fn json(&self) -> Value {
        let mut entry = json!({ "rule": self.rule, "reason": REASON });
        for (key, value) in [("command", &self.command), ("path", &self.path)] {
            if let Some(value) = value {
                entry[key] = json!(value);
            }
        }
        entry
    }
}

fn as_toml(entry: &Entry) -> String {
    let parts = [
        ("command", entry.command.as_deref()),
        ("path", entry.path.as_deref()),
        ("rule", Some(entry.rule)),
        ("reason", Some(REASON)),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter_map(|(key, value)| Some(format!("{key} = {}", toml_string(value?))))
        .collect();
    format!("{{ {} }}", parts.join(", "))
}

/// Looks for entries that let a call pass.
struct Search<'r> {
    recorded: &'r Recorded,
    policy: Policy,
    judgement: Judgement,
}

impl<'r> Search<'r> {
    fn new(recorded: &'r Recorded, policy: Policy) -> Result<Self, Failure> {
        let judgement = recorded.judge(&policy);
        let judgement = judgement.ok_or_else(|| refused("the call has no command to judge"))?;
        if judgement.verdict < Verdict::Ask {
            return Err(refused("your guard lets this call pass already"));
        }
        Ok(Self {
            recorded,
            policy,
            judgement,
        })
    }

    fn entries(mut self) -> Result<Vec<Entry>, Failure> {
        let mut entries = Vec::new();
        for finding in self.minded() {
            let entry = self.entry(&finding)?;
            self.policy = with(&self.policy, &entry)?;
            entries.push(entry);
        }
        let after = self.recorded.judge(&self.policy);
        match after {
            Some(judged) if judged.verdict < Verdict::Ask => Ok(entries),
            Some(judged) if judged.rule == Some(&judge::DOUBT) => {
                let why = "the call could not be understood whole, so that no rule can be sure to mean it";
                Err(refused(why))
            }
            judged => {
                let reason = judged.and_then(|judged| judged.reason).unwrap_or_default();
                Err(refused(format!(
                    "no rule of its own lets it pass: {reason}"
                )))
            }
        }
    }

    /// What the guard minds, each once.
    fn minded(&self) -> Vec<Finding> {
        let policy = &self.policy;
        let minds = |finding: &&Finding| {
            let verdict = policy.preset.verdict(policy.severity(finding.rule));
            verdict > Verdict::NoOpinion || finding.rule == &judge::DENIED
        };
        let findings = self.judgement.findings.iter();
        findings.filter(minds).cloned().collect()
    }

    /// The narrowest entry after which the guard no longer minds.
    fn entry(&self, finding: &Finding) -> Result<Entry, Failure> {
        let rule = finding.rule;
        if rule == &judge::DENIED {
            let why = "your own policy forbids this command; change its `deny` by hand if you no longer mean it";
            return Err(refused(why));
        }
        if rule.severity.max(self.policy.severity(rule)) == Severity::Catastrophic {
            return Err(refused(format!(
                "{}: this {}. Nothing in the dashboard lets that pass; instead: {}",
                rule.id, rule.explanation, rule.safer
            )));
        }
        let candidates = self.candidates(finding);
        let helps = |entry: &Entry| {
            let policy = with(&self.policy, entry).ok();
            let judged = policy.and_then(|policy| self.recorded.judge(&policy));
            judged.is_some_and(|judged| !judged.findings.iter().any(|one| is_same(one, finding)))
        };
        candidates.into_iter().find(helps).ok_or_else(|| {
            refused(format!(
                "{}: this call cannot be written as a rule that means it alone; `becket explain` shows what it rests on",
                rule.id
            ))
        })
    }

    /// Commands in the project first, then wherever they are; for other tools the file itself.
    fn candidates(&self, finding: &Finding) -> Vec<Entry> {
        let rule = finding.rule.id;
        let commands = &self.judgement.script.commands;
        let words: Vec<String> = commands.iter().filter_map(whole).collect();
        if commands.is_empty() {
            let subject = finding.subject.split_once(' ');
            let path = subject.map(|(_, path)| path.to_owned());
            let path = path.filter(|path| Path::new(path).is_absolute());
            return path
                .map(|path| Entry {
                    command: None,
                    path: Some(path),
                    rule,
                })
                .into_iter()
                .collect();
        }
        let root = text(&self.recorded.root);
        let entry = |command: &String, path: Option<&String>| Entry {
            command: Some(command.clone()),
            path: path.cloned(),
            rule,
        };
        let inside = words.iter().map(|command| entry(command, Some(&root)));
        let anywhere = words.iter().map(|command| entry(command, None));
        inside.chain(anywhere).collect()
    }
}

fn is_same(one: &Finding, other: &Finding) -> bool {
    one.rule == other.rule && one.subject == other.subject
}

/// A command in words that mean it and nothing else; `None` if a word would mean more, or cannot be written.
fn whole(command: &Invocation) -> Option<String> {
    let is_plain = |word: &str| {
        let means_more = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '*' | '?');
        !word.is_empty() && !word.contains(means_more)
    };
    let is_known = command.args.iter().all(Word::is_known) && !command.more_operands;
    let words = std::iter::once(command.program.as_str()).chain(command.words());
    let words: Vec<&str> = words.collect();
    (is_known && words.iter().all(|word| is_plain(word))).then(|| words.join(" "))
}

/// The policy with one more entry, read as a file would be.
fn with(policy: &Policy, entry: &Entry) -> Result<Policy, Failure> {
    let more = guard::policy(&json!({ "allow": [entry.json()] })).map_err(refused)?;
    let mut policy = policy.clone();
    policy.allow.extend(more.allow);
    Ok(policy)
}
