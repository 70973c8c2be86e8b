//! A recorded call, before the guard once more.

use std::path::{Path, PathBuf};

use becket::facts::FileFacts;
use becket::guard;
use becket::model::{Event, ToolCall};
use becket::{Home, model};
use becket_daemon::setup::Matched;
use becket_guard::{Finding, Judgement, Place, Policy};
use becket_store::{StreamedEvent, event_in};
use serde_json::Value;

/// A call as it is on record, and where it was to be made.
pub(super) struct Recorded {
    event: Event,
    pub(super) root: PathBuf,
    place: Place,
    user: PathBuf,
}

impl Recorded {
    /// `None` where the event was not about a call, or not in a project.
    pub(super) fn of(home: &Home, event: &StreamedEvent) -> Option<Self> {
        let record: Value = serde_json::from_str(&event.record).ok()?;
        let told = event_in(&record)?;
        told.call()?;
        let root = PathBuf::from(event.project.as_deref()?);
        Some(Self {
            place: guard::place(home, &root, told.cwd.as_deref()),
            user: home.user.clone(),
            event: told,
            root,
        })
    }

    pub(super) fn call(&self) -> &ToolCall {
        self.event.call().expect("it is about a call")
    }

    pub(super) fn agent(&self) -> &str {
        self.event.agent.as_str()
    }

    /// What the guard says to it, going by the files as they are now.
    pub(super) fn judge(&self, policy: &Policy) -> Option<Judgement> {
        let facts = FileFacts { home: &self.user };
        guard::judge_call(self.call(), policy, &self.place, &facts)
    }
}

pub(super) fn matched(home: &Home, event: &StreamedEvent) -> Vec<Matched> {
    let Some(recorded) = Recorded::of(home, event) else {
        return Vec::new();
    };
    let judgement = recorded.judge(&Policy::default());
    let findings = judgement.map_or_else(Vec::new, |judgement| judgement.findings);
    let command = recorded.call().command();
    findings.iter().map(|one| told(one, command)).collect()
}

fn told(finding: &Finding, command: Option<&str>) -> Matched {
    let (start, end) = (finding.span.start, finding.span.end);
    let slice = command.and_then(|text| text.get(start..end));
    let slice = slice.filter(|slice| !slice.is_empty());
    let rule = finding.rule;
    Matched {
        rule: rule.id.to_owned(),
        severity: rule.severity.word().to_owned(),
        text: slice.unwrap_or(&finding.subject).to_owned(),
        start: slice.map(|_| start),
        end: slice.map(|_| end),
        explanation: rule.explanation.to_owned(),
        safer: rule.safer.to_owned(),
    }
}

/// The person's guard as it would run in a project, and the hooks beside it.
pub(super) fn own_guard<'c>(
    configuration: &'c becket::Configuration,
    home: &Home,
    root: &Path,
) -> Option<(&'c model::HookSpec, Vec<&'c model::HookSpec>)> {
    let untrusted = becket::respond::untrusted_hooks(configuration, home, root);
    let hooks = configuration.loaded.hooks.iter();
    let beside: Vec<&model::HookSpec> = hooks
        .filter(|hook| hook.enabled && !untrusted.contains(hook))
        .collect();
    let file = home.config_file();
    let mut own = beside.iter();
    let own = own.find(|hook| guard::is_guard(hook) && hook.source.file == file)?;
    Some((*own, beside.clone()))
}
