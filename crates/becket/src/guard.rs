//! The built-in `security-guard`: the guard's knowledge as a hook.

use std::path::Path;

use async_trait::async_trait;
use becket_guard::judge::{self, Judgement};
use becket_guard::policy::{Allow, Policy};
use becket_guard::{Facts, Place};
use becket_model::{
    Action, EventKind, FailureKind, HookSpec, Level, OnFailure, Outcome, ToolCall, Verdict,
};
use becket_runner::{Error, Hook, HookContext, HookEvent, HookInput, HookOutput, Result};
use serde_json::Value;

use crate::env::Home;
use crate::facts::FileFacts;
use crate::make::Around;

/// What it is called in configuration.
pub const NAME: &str = "security-guard";

/// Whether a hook is the guard.
pub fn is_guard(hook: &HookSpec) -> bool {
    matches!(&hook.action, Action::Builtin { name, .. } if name == NAME)
}

/// The policy that a guard's options say; the error names the key that is wrong.
pub fn policy(options: &Value) -> std::result::Result<Policy, String> {
    let policy = Policy::parse(options).map_err(|errors| {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        errors.join("; ")
    })?;
    let known = |name: &str| judge::rules().any(|rule| rule.id == name || rule.pack() == name);
    if let Some((key, name)) = policy.names().find(|(_, name)| !known(name)) {
        return Err(format!("`{key}`: there is no rule or pack called `{name}`"));
    }
    Ok(policy)
}

/// Where a call would run, and what is ours there.
pub fn place(home: &Home, root: &Path, cwd: Option<&str>) -> Place {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let cwd = cwd.filter(|cwd| cwd.starts_with('/')).map(str::to_owned);
    Place {
        cwd: cwd.unwrap_or_else(|| text(root)),
        home: text(&home.user),
        project: Some(text(root)),
        own: vec![text(&home.config), text(&home.state)],
    }
}

fn options(hook: &HookSpec) -> Option<&Value> {
    match &hook.action {
        Action::Builtin { options, .. } => Some(options),
        _ => None,
    }
}

/// What the project's own guards let pass. They are among the hooks that run, so the person has seen
/// and trusted them.
fn exceptions(hooks: &[&HookSpec]) -> Vec<Allow> {
    let projects = hooks
        .iter()
        .filter(|hook| hook.source.level.needs_trust() && is_guard(hook));
    projects
        .filter_map(|hook| policy(options(hook)?).ok())
        .flat_map(|policy| policy.allow)
        .collect()
}

/// What the guard says to a tool call.
pub fn judge_call(
    call: &ToolCall,
    policy: &Policy,
    place: &Place,
    facts: &dyn Facts,
) -> Option<Judgement> {
    if call.name == "Bash" {
        return Some(judge::command(call.command()?, policy, place, facts));
    }
    let by_paths = judge::tool(&call.name, &call.input, policy, place, facts);
    // Tools of other servers run commands, too.
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

/// The guard, ready to judge.
pub struct GuardHook {
    spec: HookSpec,
    policy: std::result::Result<Policy, String>,
    place: Place,
    home: std::path::PathBuf,
}

impl GuardHook {
    /// The guard that a definition asks for. A policy that cannot be read fails when it is asked, and
    /// a guard that fails lets nothing pass in silence.
    pub fn new(spec: HookSpec, around: &Around<'_>) -> Self {
        let mut policy = options(&spec).map_or_else(|| Ok(Policy::default()), policy);
        if let Ok(policy) = &mut policy
            && spec.source.level == Level::User
        {
            policy.allow.extend(exceptions(around.beside));
        }
        Self {
            place: place(around.home, around.root, around.cwd),
            home: around.home.user.clone(),
            policy,
            spec,
        }
    }

    fn judge(&self, call: &ToolCall) -> Outcome {
        let policy = match &self.policy {
            Ok(policy) => policy,
            Err(error) => return self.failed(error),
        };
        let facts = FileFacts { home: &self.home };
        let Some(judgement) = judge_call(call, policy, &self.place, &facts) else {
            return self.failed("the call has no command to judge");
        };
        Outcome {
            verdict: judgement.verdict,
            reason: judgement.reason,
            ..Outcome::none()
        }
    }

    /// A stricter policy for failures counts; asking is the least.
    fn failed(&self, why: &str) -> Outcome {
        let said = self.spec.on_failure.map(OnFailure::verdict);
        let verdict = said.unwrap_or_default().max(Verdict::Ask);
        let message = format!("`{}` could not judge this: {why}", self.spec.name);
        Outcome::failed(FailureKind::Error, message, verdict)
    }
}

#[async_trait]
impl Hook for GuardHook {
    fn name(&self) -> &str {
        &self.spec.name
    }

    fn events(&self) -> &[HookEvent] {
        &[EventKind::PreToolUse, EventKind::PermissionRequest]
    }

    fn spec(&self) -> Option<&HookSpec> {
        Some(&self.spec)
    }

    /// It computes, and never waits.
    fn deadline(&self) -> Option<std::time::Duration> {
        None
    }

    async fn execute(&self, input: HookInput, ctx: &HookContext) -> Result<HookOutput> {
        let outcome = self.run(input, ctx).await;
        match outcome.failure {
            Some(failure) => Err(Error::Other(failure.message)),
            None => Ok(outcome.into()),
        }
    }

    async fn run(&self, input: HookInput, ctx: &HookContext) -> Outcome {
        match input.to_event(ctx).call() {
            Some(call) => self.judge(call),
            None => Outcome::none(),
        }
    }
}
