//! A setup for these tests: one hook, one agent, one plan.

use std::path::Path;
use std::time::Duration;

use becket_daemon::rpc::{
    HookAdmin, HookSelector, HookTest, NoHookAdmin, ServiceError, ServiceErrorKind,
};
use becket_daemon::setup::{
    AgentConnection, ConnectionChange, ConnectionPlan, DoctorReport, FileChange, FileWritten,
    FilesWritten, Finding, FindingState, GuardSettings, HookEntry, HookList, HookSwitchResult,
    HookTestResult, HookTrust, Preset, ReplayCases, ReplayQuery, ReplayReport, RetentionSettings,
    ReviewItem, ReviewState, RuleMatch, RulePlan, SettingsPlan, SettingsUpdate, Setup,
    TrustGranted, TrustReview, TrustRevoked, UserSettings, VerdictCounts,
};
use becket_store::StreamedEvent;
use serde_json::json;

/// The digest of its plans.
pub(super) const PLAN: &str = "p1";
const FILE: &str = "/home/ana/.config/becket/config.toml";

#[derive(Debug)]
pub(super) struct Machine;

fn as_planned(plan: &str) -> Result<(), ServiceError> {
    if plan == PLAN {
        return Ok(());
    }
    Err(ServiceError::new(
        ServiceErrorKind::Changed,
        "it changed since",
    ))
}

fn written() -> FileWritten {
    FileWritten { file: FILE.into() }
}

fn known(name: &str) -> Result<(), ServiceError> {
    if name == "guard" {
        return Ok(());
    }
    let why = format!("no hook is called `{name}`");
    Err(ServiceError::new(ServiceErrorKind::Refused, why))
}

impl Setup for Machine {
    fn hook_admin(&self) -> Box<dyn HookAdmin> {
        Box::new(NoHookAdmin)
    }

    fn hooks(&self, project: Option<&Path>) -> Result<HookList, ServiceError> {
        let hook = HookEntry {
            name: "guard".into(),
            event: "PreToolUse".into(),
            status: "enabled".into(),
            component: false,
            trust: HookTrust::Own,
            dialect: "becket".into(),
            level: if project.is_some() { "project" } else { "user" }.into(),
            file: FILE.into(),
            line: 1,
            key: "hook[0]".into(),
            description: None,
            definition: json!({ "command": "curl -H 'Authorization: Bearer ghp_1234567890abcdefghijklmnopqrstuvwxyz12'" }),
        };
        Ok(HookList {
            schema_version: 1,
            mode: "enabled".into(),
            hooks: vec![hook],
            problems: Vec::new(),
        })
    }

    fn switch(&self, hook: &HookSelector<'_>, on: bool) -> Result<HookSwitchResult, ServiceError> {
        known(hook.name)?;
        Ok(HookSwitchResult {
            schema_version: 1,
            changed: true,
            name: hook.name.into(),
            file: FILE.into(),
            status: Some(if on { "enabled" } else { "disabled" }.into()),
            line: Some(1),
            mode: "enabled".into(),
            trusted: Vec::new(),
            notes: Vec::new(),
        })
    }

    fn test(&self, test: &HookTest<'_>) -> Result<HookTestResult, ServiceError> {
        known(test.hook.name)?;
        Ok(HookTestResult {
            schema_version: 1,
            name: test.hook.name.into(),
            event: json!({ "tool_input": test.input }),
            verdict: "deny".into(),
            reason: None,
            updated_input: None,
            context: None,
            system_message: None,
            keep_going: None,
            failure: None,
            exit: Some(2),
            ending: Some("2".into()),
            stdout: "token ghp_1234567890abcdefghijklmnopqrstuvwxyz12".into(),
            stderr: String::new(),
            ms: 1,
            notes: Vec::new(),
        })
    }

    fn review(&self, project: &Path) -> Result<TrustReview, ServiceError> {
        let item = ReviewItem {
            id: "d1".into(),
            hook: "lint".into(),
            event: "PostToolUse".into(),
            command: "./lint.sh".into(),
            file: "becket.toml".into(),
            line: 1,
            state: ReviewState::New,
            diff: None,
            scripts: Vec::new(),
        };
        Ok(TrustReview {
            project: project.display().to_string(),
            items: vec![item],
            digest: PLAN.into(),
        })
    }

    fn grant(&self, project: &Path, digest: &str) -> Result<TrustGranted, ServiceError> {
        as_planned(digest)?;
        Ok(TrustGranted {
            project: project.display().to_string(),
            trusted: 1,
        })
    }

    fn revoke(&self, project: &Path) -> Result<TrustRevoked, ServiceError> {
        Ok(TrustRevoked {
            project: project.display().to_string(),
            revoked: 1,
        })
    }

    fn connections(&self) -> Result<Vec<AgentConnection>, ServiceError> {
        Ok(vec![AgentConnection {
            agent: "claude".into(),
            name: "Claude Code".into(),
            found: true,
            connected: true,
            version: None,
            last_event: None,
            files: vec!["/home/ana/.claude/settings.json".into()],
            problems: Vec::new(),
        }])
    }

    fn plan_connection(&self, change: &ConnectionChange) -> Result<ConnectionPlan, ServiceError> {
        if change.agent != "claude" {
            return Err(ServiceError::new(
                ServiceErrorKind::Invalid,
                "`agent` is unknown",
            ));
        }
        Ok(ConnectionPlan {
            files: vec![FileChange {
                path: "/home/ana/.claude/settings.json".into(),
                diff: "+hooks\n".into(),
                created: false,
                deleted: false,
            }],
            warnings: Vec::new(),
            plan: PLAN.into(),
        })
    }

    fn apply_connection(
        &self,
        _: &ConnectionChange,
        plan: &str,
    ) -> Result<FilesWritten, ServiceError> {
        as_planned(plan)?;
        Ok(FilesWritten { files: Vec::new() })
    }

    fn doctor(&self, _: Option<&Path>) -> Result<DoctorReport, ServiceError> {
        Ok(DoctorReport {
            schema_version: 1,
            project: "/".into(),
            findings: vec![Finding {
                check: "becket".into(),
                state: FindingState::Ok,
                message: "fine".into(),
                fix: None,
            }],
        })
    }

    fn settings(&self) -> Result<UserSettings, ServiceError> {
        Ok(UserSettings {
            file: FILE.into(),
            port: None,
            daemon: true,
            record: true,
            redact: Vec::new(),
            retention: RetentionSettings {
                keep: Some("1d".into()),
            },
            guard: GuardSettings {
                preset: Preset::Standard,
                enabled: true,
            },
            problems: Vec::new(),
        })
    }

    fn plan_settings(&self, wanted: &SettingsUpdate) -> Result<SettingsPlan, ServiceError> {
        Ok(SettingsPlan {
            file: FILE.into(),
            diff: format!("{:?}", wanted.redact),
            plan: PLAN.into(),
        })
    }

    fn apply_settings(&self, _: &SettingsUpdate, plan: &str) -> Result<FileWritten, ServiceError> {
        as_planned(plan).map(|()| written())
    }

    fn rule_matches(&self, _: &StreamedEvent) -> Vec<RuleMatch> {
        Vec::new()
    }

    fn plan_rule(&self, event: &StreamedEvent) -> Result<RulePlan, ServiceError> {
        Ok(RulePlan {
            file: FILE.into(),
            rule: event.id.clone(),
            diff: String::new(),
            plan: PLAN.into(),
        })
    }

    fn apply_rule(&self, _: &StreamedEvent, plan: &str) -> Result<FileWritten, ServiceError> {
        as_planned(plan).map(|()| written())
    }

    fn replay(&self, question: &ReplayQuery) -> Result<ReplayReport, ServiceError> {
        Ok(ReplayReport {
            schema_version: 1,
            replayed_with: format!("{:?}", question.preset),
            complete: true,
            looked_at: 0,
            replayed: 0,
            sessions: 0,
            unreadable: 0,
            then: VerdictCounts::default(),
            now: VerdictCounts::default(),
            changed: 0,
            changes: Vec::new(),
            denied_that_ran: ReplayCases::default(),
            asked_that_ran: ReplayCases::default(),
            rules: Vec::new(),
            not_run: Vec::new(),
        })
    }

    /// Longer than the age of all records but those to be pruned.
    fn retention_period(&self) -> Option<Duration> {
        Some(Duration::from_secs(50 * 365 * 24 * 60 * 60))
    }
}
