//! A set-up that exists in these tests only: one hook, one agent, one plan.

use std::path::Path;
use std::time::Duration;

use becket_daemon::rpc::{Failure, FailureKind, HookName, HookTest, Hooks, NoHooks};
use becket_daemon::setup::{
    Cases, Connection, ConnectionChange, ConnectionPlan, Counts, Diagnosis, FileChange,
    FileWritten, FilesWritten, Finding, FindingState, Granted, GuardSettings, HookEntry, HookList,
    HookTried, HookTrust, Keeping, Matched, Preset, ReplayQuestion, ReplayReport, Review,
    ReviewItem, ReviewState, Revoked, RulePlan, Settings, SettingsPlan, SettingsWanted, Setup,
    Switched,
};
use becket_store::StreamedEvent;
use serde_json::json;

/// What its plans are called.
pub(super) const PLAN: &str = "p1";
const FILE: &str = "/home/ana/.config/becket/config.toml";

#[derive(Debug)]
pub(super) struct Machine;

fn as_planned(plan: &str) -> Result<(), Failure> {
    if plan == PLAN {
        return Ok(());
    }
    Err(Failure::new(FailureKind::Changed, "it changed since"))
}

fn written() -> FileWritten {
    FileWritten { file: FILE.into() }
}

fn known(name: &str) -> Result<(), Failure> {
    if name == "guard" {
        return Ok(());
    }
    let why = format!("no hook is called `{name}`");
    Err(Failure::new(FailureKind::Refused, why))
}

impl Setup for Machine {
    fn editor(&self) -> Box<dyn Hooks> {
        Box::new(NoHooks)
    }

    fn hooks(&self, project: Option<&Path>) -> Result<HookList, Failure> {
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

    fn switch(&self, hook: &HookName<'_>, on: bool) -> Result<Switched, Failure> {
        known(hook.name)?;
        Ok(Switched {
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

    fn test(&self, test: &HookTest<'_>) -> Result<HookTried, Failure> {
        known(test.hook.name)?;
        Ok(HookTried {
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

    fn review(&self, project: &Path) -> Result<Review, Failure> {
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
        Ok(Review {
            project: project.display().to_string(),
            items: vec![item],
            digest: PLAN.into(),
        })
    }

    fn grant(&self, project: &Path, digest: &str) -> Result<Granted, Failure> {
        as_planned(digest)?;
        Ok(Granted {
            project: project.display().to_string(),
            trusted: 1,
        })
    }

    fn revoke(&self, project: &Path) -> Result<Revoked, Failure> {
        Ok(Revoked {
            project: project.display().to_string(),
            revoked: 1,
        })
    }

    fn connections(&self) -> Result<Vec<Connection>, Failure> {
        Ok(vec![Connection {
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

    fn plan_connection(&self, change: &ConnectionChange) -> Result<ConnectionPlan, Failure> {
        if change.agent != "claude" {
            return Err(Failure::new(FailureKind::Invalid, "`agent` is unknown"));
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

    fn apply_connection(&self, _: &ConnectionChange, plan: &str) -> Result<FilesWritten, Failure> {
        as_planned(plan)?;
        Ok(FilesWritten { files: Vec::new() })
    }

    fn doctor(&self, _: Option<&Path>) -> Result<Diagnosis, Failure> {
        Ok(Diagnosis {
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

    fn settings(&self) -> Result<Settings, Failure> {
        Ok(Settings {
            file: FILE.into(),
            port: None,
            daemon: true,
            record: true,
            redact: Vec::new(),
            retention: Keeping {
                keep: Some("1d".into()),
            },
            guard: GuardSettings {
                preset: Preset::Standard,
                enabled: true,
            },
            problems: Vec::new(),
        })
    }

    fn plan_settings(&self, wanted: &SettingsWanted) -> Result<SettingsPlan, Failure> {
        Ok(SettingsPlan {
            file: FILE.into(),
            diff: format!("{:?}", wanted.redact),
            plan: PLAN.into(),
        })
    }

    fn apply_settings(&self, _: &SettingsWanted, plan: &str) -> Result<FileWritten, Failure> {
        as_planned(plan).map(|()| written())
    }

    fn matched(&self, _: &StreamedEvent) -> Vec<Matched> {
        Vec::new()
    }

    fn plan_rule(&self, event: &StreamedEvent) -> Result<RulePlan, Failure> {
        Ok(RulePlan {
            file: FILE.into(),
            rule: event.id.clone(),
            diff: String::new(),
            plan: PLAN.into(),
        })
    }

    fn apply_rule(&self, _: &StreamedEvent, plan: &str) -> Result<FileWritten, Failure> {
        as_planned(plan).map(|()| written())
    }

    fn replay(&self, question: &ReplayQuestion) -> Result<ReplayReport, Failure> {
        Ok(ReplayReport {
            schema_version: 1,
            replayed_with: format!("{:?}", question.preset),
            complete: true,
            looked_at: 0,
            replayed: 0,
            sessions: 0,
            unreadable: 0,
            then: Counts::default(),
            now: Counts::default(),
            changed: 0,
            changes: Vec::new(),
            denied_that_ran: Cases::default(),
            asked_that_ran: Cases::default(),
            rules: Vec::new(),
            not_run: Vec::new(),
        })
    }

    /// Long enough for every record of these tests but those that are meant.
    fn keep(&self) -> Option<Duration> {
        Some(Duration::from_secs(50 * 365 * 24 * 60 * 60))
    }
}
