//! A recorded tool call, judged again by the guard.

use std::path::{Path, PathBuf};

use becket::facts::FileFacts;
use becket::guard;
use becket::model::{Event, ToolCall};
use becket::{Home, model};
use becket_daemon::setup::RuleMatch;
use becket_guard::{Finding, Judgement, Policy, RunLocation};
use becket_store::{StreamedEvent, event_of_record};
use serde_json::Value;

/// A tool call from the records, and where it was to run.
pub(super) struct RecordedCall {
    event: Event,
    pub(super) root: PathBuf,
    place: RunLocation,
    user: PathBuf,
}

impl RecordedCall {
    /// `None` if the event has no tool call or no project.
    pub(super) fn of(home: &Home, event: &StreamedEvent) -> Option<Self> {
        let record: Value = serde_json::from_str(&event.record).ok()?;
        let parsed = event_of_record(&record)?;
        parsed.call()?;
        let root = PathBuf::from(event.project.as_deref()?);
        Some(Self {
            place: guard::run_location(home, &root, parsed.cwd.as_deref()),
            user: home.user.clone(),
            event: parsed,
            root,
        })
    }

    pub(super) fn call(&self) -> &ToolCall {
        self.event.call().expect("the event has a tool call")
    }

    pub(super) fn agent(&self) -> &str {
        self.event.agent.as_str()
    }

    /// The guard's judgement, based on the files as they are now.
    pub(super) fn judge(&self, policy: &Policy) -> Option<Judgement> {
        let facts = FileFacts { home: &self.user };
        guard::judge_call(self.call(), policy, &self.place, &facts)
    }
}

pub(super) fn matched(home: &Home, event: &StreamedEvent) -> Vec<RuleMatch> {
    let Some(recorded) = RecordedCall::of(home, event) else {
        return Vec::new();
    };
    let judgement = recorded.judge(&Policy::default());
    let findings = judgement.map_or_else(Vec::new, |judgement| judgement.findings);
    let command = recorded.call().command();
    findings
        .iter()
        .map(|one| matched_rule(one, command))
        .collect()
}

fn matched_rule(finding: &Finding, command: Option<&str>) -> RuleMatch {
    let (start, end) = (finding.span.start, finding.span.end);
    let slice = command.and_then(|text| text.get(start..end));
    let slice = slice.filter(|slice| !slice.is_empty());
    let rule = finding.rule;
    RuleMatch {
        rule: rule.id.to_owned(),
        severity: rule.severity.word().to_owned(),
        text: slice.unwrap_or(&finding.subject).to_owned(),
        start: slice.map(|_| start),
        end: slice.map(|_| end),
        explanation: rule.explanation.to_owned(),
        safer: rule.safer.to_owned(),
    }
}

/// The user's guard as it would run in a project, and all hooks that run there.
pub(super) fn own_guard<'c>(
    configuration: &'c becket::Configuration,
    home: &Home,
    root: &Path,
) -> Option<(&'c model::HookSpec, Vec<&'c model::HookSpec>)> {
    let untrusted = becket::pipeline::untrusted_hooks(configuration, home, root);
    let hooks = configuration.loaded.hooks.iter();
    let active_hooks: Vec<&model::HookSpec> = hooks
        .filter(|hook| hook.enabled && !untrusted.contains(hook))
        .collect();
    let file = home.config_file();
    let mut own = active_hooks.iter();
    let own = own.find(|hook| guard::is_guard(hook) && hook.source.file == file)?;
    Some((*own, active_hooks.clone()))
}
