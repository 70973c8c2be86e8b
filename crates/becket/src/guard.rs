//! The built-in `security-guard` as a hook.

use std::panic::AssertUnwindSafe;
use std::path::Path;

use async_trait::async_trait;
use becket_guard::judge::{self, Judgement};
use becket_guard::policy::{AllowEntry, Policy};
use becket_guard::{Facts, RunLocation};
use becket_model::{
    Action, EventKind, FailureKind, HookOutcome, HookSpec, Level, OnFailure, Problem, Severity,
    ToolCall, Verdict,
};
use becket_runner::{ConfiguredHook, HookContext, HookEvent, HookInput};
use serde_json::Value;

use crate::env::Home;
use crate::factory::HookSite;
use crate::facts::FileFacts;

/// Its name in configuration.
pub const NAME: &str = "security-guard";

/// Whether a hook is the guard.
pub fn is_guard(hook: &HookSpec) -> bool {
    matches!(&hook.action, Action::Builtin { name, .. } if name == NAME)
}

/// Parses the policy from a guard's options; the error names the wrong key.
pub fn policy(options: &Value) -> std::result::Result<Policy, String> {
    let policy = Policy::parse(options).map_err(|errors| {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        errors.join("; ")
    })?;
    let known = |name: &str| judge::rules().any(|rule| rule.id == name || rule.pack() == name);
    if let Some((key, name)) = policy.names().find(|(_, name)| !known(name)) {
        return Err(format!("`{key}`: there is no rule or pack called `{name}`"));
    }
    let fixed = |name: &str| judge::FIXED_RULES.iter().any(|rule| rule.id == name);
    if let Some((key, name)) = policy.names().find(|(_, name)| fixed(name)) {
        return Err(format!("`{key}`: `{name}` cannot be changed"));
    }
    Ok(policy)
}

/// The policy of a guard. A user-level guard also accepts the exceptions of the project's guards: they are among `hooks`
/// only if the user has trusted them.
pub fn policy_of(hook: &HookSpec, hooks: &[&HookSpec]) -> std::result::Result<Policy, String> {
    let mut policy = policy(options(hook).unwrap_or(&Value::Null))?;
    if hook.source.level == Level::User {
        policy.allow.extend(exceptions(hooks));
    }
    Ok(policy)
}

/// Problems in the policies of these guards.
pub fn problems(hooks: &[HookSpec]) -> Vec<Problem> {
    let mut problems: Vec<Problem> = Vec::new();
    for hook in hooks.iter().filter(|hook| is_guard(hook)) {
        let Some(Err(message)) = options(hook).map(policy) else {
            continue;
        };
        let problem = Problem {
            file: hook.source.file.clone(),
            line: hook.source.line,
            key: "options".to_owned(),
            message,
            hint: Some(
                "until this is fixed, the guard asks about every tool call; see docs/guides/guard.md"
                    .to_owned(),
            ),
            severity: Severity::Error,
        };
        // An entry for several events is several hooks.
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
    problems
}

/// Where a call would run, and which directories belong to Becket.
pub fn run_location(home: &Home, root: &Path, cwd: Option<&str>) -> RunLocation {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let cwd = cwd.filter(|cwd| cwd.starts_with('/')).map(str::to_owned);
    RunLocation {
        cwd: cwd.unwrap_or_else(|| text(root)),
        home: text(&home.user),
        project: Some(text(root)),
        becket_paths: vec![text(&home.config), text(&home.state)],
    }
}

fn options(hook: &HookSpec) -> Option<&Value> {
    match &hook.action {
        Action::Builtin { options, .. } => Some(options),
        _ => None,
    }
}

/// The exceptions of the project's guards. They are among the hooks that run, so the user has trusted them.
fn exceptions(hooks: &[&HookSpec]) -> Vec<AllowEntry> {
    let projects = hooks
        .iter()
        .filter(|hook| hook.source.level.needs_trust() && is_guard(hook));
    projects
        .filter_map(|hook| policy(options(hook)?).ok())
        .flat_map(|policy| policy.allow)
        .collect()
}

/// Judges a tool call.
pub fn judge_call(
    call: &ToolCall,
    policy: &Policy,
    place: &RunLocation,
    facts: &dyn Facts,
) -> Option<Judgement> {
    if call.name == "Bash" {
        return Some(judge::command(call.command()?, policy, place, facts));
    }
    let by_paths = judge::tool(&call.name, &call.input, policy, place, facts);
    // Tools of MCP servers run commands, too.
    let line = call.input.get("command").and_then(Value::as_str);
    match line.filter(|_| call.name.starts_with("mcp__")) {
        Some(line) => {
            let by_command = judge::command(line, policy, place, facts);
            Some(if by_command.verdict > by_paths.verdict {
                by_command
            } else {
                by_paths
            })
        }
        None => Some(by_paths),
    }
}

/// The guard as a runnable hook.
pub struct GuardHook {
    spec: HookSpec,
    policy: std::result::Result<Policy, String>,
    place: RunLocation,
    home: std::path::PathBuf,
}

impl GuardHook {
    /// Builds the guard of a definition. A policy that cannot be read makes every judgement fail, and a failed guard asks.
    pub fn new(spec: HookSpec, site: &HookSite<'_>) -> Self {
        Self {
            place: run_location(site.home, site.root, site.cwd),
            home: site.home.user.clone(),
            policy: policy_of(&spec, site.hooks),
            spec,
        }
    }

    /// A guard that panics asks, whatever `on_failure` says.
    fn judge(&self, call: &ToolCall, facts: &dyn Facts) -> HookOutcome {
        let policy = match &self.policy {
            Ok(policy) => policy,
            Err(error) => return self.failed(error),
        };
        let judged = std::panic::catch_unwind(AssertUnwindSafe(|| {
            judge_call(call, policy, &self.place, facts)
        }));
        let judgement = match judged {
            Ok(Some(judgement)) => judgement,
            Ok(None) => return self.failed("the call has no command to judge"),
            Err(_) => return self.failed("the guard failed; please report this"),
        };
        HookOutcome {
            verdict: judgement.verdict,
            reason: judgement.reason,
            ..HookOutcome::none()
        }
    }

    /// `on_failure` can only be stricter than asking.
    fn failed(&self, why: &str) -> HookOutcome {
        let configured = self.spec.on_failure.map(OnFailure::verdict);
        let verdict = configured.unwrap_or_default().max(Verdict::Ask);
        let message = format!("`{}` could not judge this tool call: {why}", self.spec.name);
        HookOutcome::failed(FailureKind::Error, message, verdict)
    }
}

#[async_trait]
impl ConfiguredHook for GuardHook {
    fn entry(&self) -> &HookSpec {
        &self.spec
    }

    fn entry_events(&self) -> &[HookEvent] {
        &[EventKind::PreToolUse, EventKind::PermissionRequest]
    }

    async fn run_entry(&self, input: HookInput, ctx: &HookContext) -> HookOutcome {
        match input.to_event(ctx).call() {
            Some(call) => self.judge(call, &FileFacts { home: &self.home }),
            None => HookOutcome::none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use becket_guard::PathKind;
    use becket_model::{Dialect, HookSource};
    use serde_json::json;

    use super::*;

    /// Facts that panic when they are read.
    struct Broken;

    impl Facts for Broken {
        fn path_kind(&self, _: &str) -> Option<PathKind> {
            panic!("no facts")
        }
        fn real_path(&self, _: &str) -> Option<String> {
            panic!("no facts")
        }
        fn script_text(&self, _: &str) -> Option<String> {
            panic!("no facts")
        }
        fn git_alias(&self, _: &str, _: &str) -> Option<String> {
            panic!("no facts")
        }
        fn list_names(&self, _: &str) -> Vec<String> {
            panic!("no facts")
        }
    }

    fn guard(on_failure: Option<OnFailure>) -> GuardHook {
        let source = HookSource {
            level: Level::User,
            file: "/home/ada/config.toml".into(),
            line: 1,
            key: "hook[0]".into(),
        };
        let mut spec = HookSpec::command(NAME, Dialect::Becket, EventKind::PreToolUse, "", source);
        spec.on_failure = on_failure;
        GuardHook {
            policy: Policy::parse(&json!({ "auto_approve": true, "preset": "permissive" }))
                .map_err(|errors| format!("{errors:?}")),
            spec,
            place: RunLocation {
                cwd: "/home/ada/app".into(),
                home: "/home/ada".into(),
                project: Some("/home/ada/app".into()),
                becket_paths: Vec::new(),
            },
            home: "/home/ada".into(),
        }
    }

    #[test]
    fn a_guard_that_breaks_never_lets_a_call_pass() {
        let policies = [
            (None, Verdict::Ask),
            (Some(OnFailure::Allow), Verdict::Ask),
            (Some(OnFailure::Ask), Verdict::Ask),
            (Some(OnFailure::Deny), Verdict::Deny),
        ];
        for (on_failure, expected) in policies {
            for call in [
                ToolCall::new("Bash", json!({ "command": "cat notes.txt" })),
                ToolCall::new("Read", json!({ "file_path": "notes.txt" })),
                ToolCall::new("mcp__x__run", json!({ "command": "git st", "path": "a" })),
            ] {
                let outcome = guard(on_failure).judge(&call, &Broken);
                assert_eq!(outcome.verdict, expected, "{} {on_failure:?}", call.name);
                let failure = outcome.failure.expect("a failure");
                assert!(failure.message.contains(NAME), "{}", failure.message);
            }
        }
    }
}
