//! "Allow from now on": finds the narrowest `allow` entries of the guard that permit one recorded tool call.
//!
//! Every entry is tested against the guard before it is written. Catastrophic commands, commands that the user's policy
//! denies, and commands that the parser does not understand cannot be allowed from the dashboard.

use std::path::Path;

use becket::model::{HookSpec, Level, Verdict};
use becket::{Home, guard, load};
use becket_agents::config::{self, ConfigFile, change};
use becket_agents::edit::toml_string;
use becket_daemon::rpc::{ServiceError, ServiceErrorKind};
use becket_daemon::setup::{FileWritten, RulePlan};
use becket_guard::command::{Invocation, Word};
use becket_guard::rule::Severity;
use becket_guard::{Finding, Judgement, Policy, judge};
use becket_store::StreamedEvent;
use serde_json::{Value, json};

use super::recorded_call::{RecordedCall, own_guard};
use super::{diff, digest, invalid, own_file, stale_plan, text};
use crate::hooks::builtins;
use crate::hooks::file::EditableConfig;
use crate::rpc::service_error;

/// The reason that is written into the entry.
const REASON: &str = "allowed in the dashboard";

pub(super) fn plan(home: &Home, event: &StreamedEvent) -> Result<RulePlan, ServiceError> {
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
) -> Result<FileWritten, ServiceError> {
    let draft = draft(home, event)?;
    if draft.digest() != plan {
        return Err(stale_plan("your configuration"));
    }
    draft.file.write(&draft.after).map_err(service_error)?;
    Ok(FileWritten {
        file: text(&draft.file.path),
    })
}

/// The edited file and the new rule.
struct RuleDraft {
    file: EditableConfig,
    after: String,
    rule: String,
}

impl RuleDraft {
    fn digest(&self) -> String {
        digest([self.file.text(), &self.after])
    }
}

fn reject(why: impl Into<String>) -> ServiceError {
    ServiceError::new(ServiceErrorKind::Refused, why)
}

fn draft(home: &Home, event: &StreamedEvent) -> Result<RuleDraft, ServiceError> {
    let recorded = RecordedCall::of(home, event);
    let recorded = recorded.ok_or_else(|| {
        invalid("`decision` is not about a tool call in a project, so no rule applies")
    })?;
    if recorded.call().input.to_string().contains("[redacted:") {
        let why = "the call contained a secret, which was redacted; a rule for the redacted call would not match";
        return Err(reject(why));
    }
    let root = recorded.root.clone();
    let configuration = load(home, Some(&root), Some(recorded.agent()));
    let Some((own, active_hooks)) = own_guard(&configuration, home, &root) else {
        let why = "your configuration has no enabled guard to add the rule to; run `becket hooks enable security-guard`";
        return Err(reject(why));
    };
    let policy = guard::policy_of(own, &active_hooks).map_err(reject)?;
    let entries = AllowSearch::new(&recorded, policy)?.entries()?;
    let file = own_file(home).map_err(service_error)?;
    let mut after = file.text().to_owned();
    let mut lines = Vec::new();
    for entry in &entries {
        let line = as_toml(entry);
        after = change::add_to_option(own, &after, "allow", &line)
            .map_err(|error| reject(format!("`{}`: {error}", file.path.display())))?;
        lines.push(line);
    }
    check(&recorded, own, &active_hooks, &after)?;
    Ok(RuleDraft {
        file,
        after,
        rule: lines.join("\n"),
    })
}

/// Verifies that the new file allows the call.
fn check(
    recorded: &RecordedCall,
    own: &HookSpec,
    active_hooks: &[&HookSpec],
    after: &str,
) -> Result<(), ServiceError> {
    let read = config::becket(&ConfigFile {
        path: &own.source.file,
        level: Level::User,
        text: after,
        root: None,
    });
    let mut hooks = read.hooks.iter();
    let hook = hooks.find(|hook| hook.source.key == own.source.key);
    let hook =
        hook.ok_or_else(|| reject("the edited configuration no longer contains the guard"))?;
    builtins::check(hook).map_err(reject)?;
    let policy = guard::policy_of(hook, active_hooks).map_err(reject)?;
    let judged = recorded.judge(&policy).map(|judged| judged.verdict);
    match judged {
        Some(verdict) if verdict < Verdict::Ask => Ok(()),
        _ => Err(reject("the guard would still block the call")),
    }
}

/// One entry of `allow`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct AllowEntry {
    command: Option<String>,
    path: Option<String>,
    rule: &'static str,
}

impl AllowEntry {
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

fn as_toml(entry: &AllowEntry) -> String {
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

/// Searches for entries that allow a call.
struct AllowSearch<'r> {
    recorded: &'r RecordedCall,
    policy: Policy,
    judgement: Judgement,
}

impl<'r> AllowSearch<'r> {
    fn new(recorded: &'r RecordedCall, policy: Policy) -> Result<Self, ServiceError> {
        let judgement = recorded.judge(&policy);
        let judgement = judgement.ok_or_else(|| reject("the call contains no command"))?;
        if judgement.verdict < Verdict::Ask {
            return Err(reject("your guard already allows this call"));
        }
        Ok(Self {
            recorded,
            policy,
            judgement,
        })
    }

    fn entries(mut self) -> Result<Vec<AllowEntry>, ServiceError> {
        let mut entries = Vec::new();
        for finding in self.blocking_findings() {
            let entry = self.entry(&finding)?;
            self.policy = with_entry(&self.policy, &entry)?;
            entries.push(entry);
        }
        let after = self.recorded.judge(&self.policy);
        match after {
            Some(judged) if judged.verdict < Verdict::Ask => Ok(entries),
            Some(judged) if judged.rule == Some(&judge::DOUBT) => {
                let why =
                    "the guard cannot parse the whole call, so no rule can match exactly this call";
                Err(reject(why))
            }
            judged => {
                let reason = judged.and_then(|judged| judged.reason).unwrap_or_default();
                Err(reject(format!(
                    "no rule can allow exactly this call: {reason}"
                )))
            }
        }
    }

    /// The findings that lead to a verdict.
    fn blocking_findings(&self) -> Vec<Finding> {
        let policy = &self.policy;
        let is_blocking = |finding: &&Finding| {
            let verdict = policy.preset.verdict(policy.severity(finding.rule));
            verdict > Verdict::NoOpinion || finding.rule == &judge::DENIED
        };
        let findings = self.judgement.findings.iter();
        findings.filter(is_blocking).cloned().collect()
    }

    /// The narrowest entry that suppresses a finding.
    fn entry(&self, finding: &Finding) -> Result<AllowEntry, ServiceError> {
        let rule = finding.rule;
        if rule == &judge::DENIED {
            let why = "your policy denies this command; edit its `deny` list to allow it";
            return Err(reject(why));
        }
        if rule.severity.max(self.policy.severity(rule)) == Severity::Catastrophic {
            return Err(reject(format!(
                "{}: this {}. The dashboard cannot allow it; instead: {}",
                rule.id, rule.explanation, rule.safer
            )));
        }
        let candidates = self.candidates(finding);
        let helps = |entry: &AllowEntry| {
            let policy = with_entry(&self.policy, entry).ok();
            let judged = policy.and_then(|policy| self.recorded.judge(&policy));
            judged.is_some_and(|judged| !judged.findings.iter().any(|one| is_same(one, finding)))
        };
        candidates.into_iter().find(helps).ok_or_else(|| {
            reject(format!(
                "{}: no rule can match exactly this call; `becket explain` shows the details",
                rule.id
            ))
        })
    }

    /// Candidate entries: commands inside the project, then anywhere; for other tools, the file.
    fn candidates(&self, finding: &Finding) -> Vec<AllowEntry> {
        let rule = finding.rule.id;
        let commands = &self.judgement.script.commands;
        let words: Vec<String> = commands.iter().filter_map(literal_command).collect();
        if commands.is_empty() {
            let subject = finding.subject.split_once(' ');
            let path = subject.map(|(_, path)| path.to_owned());
            let path = path.filter(|path| Path::new(path).is_absolute());
            return path
                .map(|path| AllowEntry {
                    command: None,
                    path: Some(path),
                    rule,
                })
                .into_iter()
                .collect();
        }
        let root = text(&self.recorded.root);
        let entry = |command: &String, path: Option<&String>| AllowEntry {
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

/// The command as a pattern that matches only itself; `None` if a word has a wildcard, is unknown, or cannot be written.
fn literal_command(command: &Invocation) -> Option<String> {
    let is_plain = |word: &str| {
        let means_more = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '*' | '?');
        !word.is_empty() && !word.contains(means_more)
    };
    let is_known = command.args.iter().all(Word::is_known) && !command.more_operands;
    let words = std::iter::once(command.program.as_str()).chain(command.words());
    let words: Vec<&str> = words.collect();
    (is_known && words.iter().all(|word| is_plain(word))).then(|| words.join(" "))
}

/// The policy with one more `allow` entry.
fn with_entry(policy: &Policy, entry: &AllowEntry) -> Result<Policy, ServiceError> {
    let more = guard::policy(&json!({ "allow": [entry.json()] })).map_err(reject)?;
    let mut policy = policy.clone();
    policy.allow.extend(more.allow);
    Ok(policy)
}
