//! A hook as configured: its source, when it runs and what it does.

use std::path::PathBuf;
use std::time::Duration;

pub use becket_base::time::parse_span_in as parse_duration;
use serde_json::{Value, json};

pub use crate::dialect::Dialect;
use crate::event::EventKind;
use crate::filter::{Condition, Filter};
use crate::matcher::Matcher;
use crate::outcome::{FailureKind, Verdict};
use crate::problem::Problem;

/// What happens to the action if a hook fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OnFailure {
    /// Proceed as if the hook had given no verdict.
    Allow,
    /// Ask a person.
    Ask,
    /// Block the action.
    Deny,
}

impl OnFailure {
    /// The word used in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    /// Parses the words of all dialects (`continue` and `block` are Claude's).
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "allow" | "continue" => Some(Self::Allow),
            "ask" => Some(Self::Ask),
            "deny" | "block" => Some(Self::Deny),
            _ => None,
        }
    }

    /// The verdict of a failure under this policy. A failure never allows anything explicitly.
    pub fn verdict(self) -> Verdict {
        match self {
            Self::Allow => Verdict::NoOpinion,
            Self::Ask => Verdict::Ask,
            Self::Deny => Verdict::Deny,
        }
    }
}

/// The configuration level of a definition. Levels closer to the project run first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Committed with the project. Needs trust.
    Project,
    /// In the project, not committed. Needs trust: the file may have come with an archive.
    Local,
    /// In the user's own configuration. Trusted.
    User,
    /// Installed with a plugin.
    Plugin,
    /// Compiled in.
    Builtin,
}

impl Level {
    /// The name on the terminal.
    pub fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Local => "local",
            Self::User => "user",
            Self::Plugin => "plugin",
            Self::Builtin => "built-in",
        }
    }

    /// Whether hooks of this level run only after `becket trust`.
    pub fn needs_trust(self) -> bool {
        matches!(self, Self::Project | Self::Local)
    }
}

/// Where a definition is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookSource {
    /// Its level.
    pub level: Level,
    /// Its file.
    pub file: PathBuf,
    /// Its line, from 1.
    pub line: usize,
    /// Its key, such as `hooks.PreToolUse[0].hooks[1]`.
    pub key: String,
}

/// The action of a hook.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    missing_docs,
    reason = "fields are named as in the configuration files"
)]
pub enum Action {
    /// Runs a program: a shell command line, or (with `args`) a program without a shell.
    Command {
        command: String,
        args: Option<Vec<String>>,
    },
    /// Posts the event to a URL.
    Http {
        url: String,
        headers: Vec<(String, String)>,
        allowed_env: Vec<String>,
    },
    /// Asks a language model.
    Prompt {
        prompt: String,
        model: Option<String>,
    },
    /// Asks an agent.
    Agent {
        prompt: String,
        agent: Option<String>,
        model: Option<String>,
    },
    /// Calls a tool of an MCP server.
    McpTool {
        server: String,
        tool: String,
        input: Value,
    },
    /// Runs a built-in hook.
    Builtin { name: String, options: Value },
}

impl Action {
    /// The `type` in files.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Command { .. } => "command",
            Self::Http { .. } => "http",
            Self::Prompt { .. } => "prompt",
            Self::Agent { .. } => "agent",
            Self::McpTool { .. } => "mcp_tool",
            Self::Builtin { .. } => "builtin",
        }
    }

    /// A one-line summary of the action.
    pub fn summary(&self) -> String {
        match self {
            Self::Command {
                command,
                args: None,
            } => command.clone(),
            Self::Command {
                command,
                args: Some(args),
            } => format!("{command} {}", args.join(" ")),
            Self::Http { url, .. } => url.clone(),
            Self::Prompt { prompt, .. } | Self::Agent { prompt, .. } => prompt.clone(),
            Self::McpTool { server, tool, .. } => format!("{server}:{tool}"),
            Self::Builtin { name, .. } => name.clone(),
        }
    }

    fn definition(&self) -> Value {
        match self {
            Self::Command { command, args } => json!({ "command": command, "args": args }),
            Self::Http {
                url,
                headers,
                allowed_env,
            } => json!({ "url": url, "headers": headers, "allowed_env": allowed_env }),
            Self::Prompt { prompt, model } => json!({ "prompt": prompt, "model": model }),
            Self::Agent {
                prompt,
                agent,
                model,
            } => json!({ "prompt": prompt, "agent": agent, "model": model }),
            Self::McpTool {
                server,
                tool,
                input,
            } => json!({ "server": server, "tool": tool, "input": input }),
            Self::Builtin { name, options } => json!({ "use": name, "options": options }),
        }
    }
}

/// A configured hook, ready to be selected.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a separate switch in the files"
)]
pub struct HookSpec {
    /// Its name: as given, or derived from its key.
    pub name: String,
    /// Its description.
    pub description: Option<String>,
    /// Where it is defined.
    pub source: HookSource,
    /// The contract it is written for.
    pub dialect: Dialect,
    /// The event it runs for.
    pub event: EventKind,
    /// The dialect's name for the event, if it has several and this is not the usual one: Cursor's
    /// `beforeShellExecution` is a `PreToolUse` with a different payload and subject.
    pub native_event: Option<String>,
    /// The subjects it applies to.
    pub matcher: Matcher,
    /// The tools and paths it applies to.
    pub filter: Filter,
    /// The calls it applies to (`if`).
    pub condition: Option<Condition>,
    /// What it does.
    pub action: Action,
    /// Environment variables that its definition adds.
    pub env: Vec<(String, String)>,
    /// Its working directory, as defined: absolute, or relative to the default one.
    pub cwd: Option<PathBuf>,
    /// Its deadline.
    pub timeout: Duration,
    /// The agent does not wait for it.
    pub is_async: bool,
    /// Runs at most once per session.
    pub once: bool,
    /// Runs in its own stage, even if its dialect runs hooks concurrently.
    pub sequential: bool,
    /// Higher runs first.
    pub priority: i32,
    /// The failure policy; `None` leaves it to the dialect.
    pub on_failure: Option<OnFailure>,
    /// Whether it is enabled.
    pub enabled: bool,
    /// The directory of its plugin or skill.
    pub root: Option<PathBuf>,
}

impl HookSpec {
    /// A command hook; the caller sets the defaults of its dialect.
    pub fn command(
        name: impl Into<String>,
        dialect: Dialect,
        event: EventKind,
        command: impl Into<String>,
        source: HookSource,
    ) -> Self {
        Self {
            name: name.into(),
            description: None,
            source,
            dialect,
            event,
            native_event: None,
            matcher: Matcher::all(),
            filter: Filter::default(),
            condition: None,
            action: Action::Command {
                command: command.into(),
                args: None,
            },
            env: Vec::new(),
            cwd: None,
            timeout: Duration::from_secs(60),
            is_async: false,
            once: false,
            sequential: false,
            priority: 0,
            on_failure: None,
            enabled: true,
            root: None,
        }
    }

    /// The verdict if it fails.
    pub fn failure_verdict(&self) -> Verdict {
        self.on_failure.map_or_else(
            || self.dialect.failure_verdict(&self.event),
            OnFailure::verdict,
        )
    }

    /// The verdict of a failure of this kind.
    pub fn verdict_of(&self, failure: FailureKind) -> Verdict {
        self.on_failure.map_or_else(
            || self.dialect.verdict_of(failure, &self.event),
            OnFailure::verdict,
        )
    }

    /// Everything that determines what the hook does and when, and nothing else: hooks with equal definitions are
    /// the same hook, and a changed definition needs to be trusted again.
    pub fn definition(&self) -> Value {
        json!({
            "dialect": self.dialect.name(),
            "event": self.event.name(),
            "native_event": self.native_event,
            "matcher": self.matcher.pattern(),
            "filter": { "tool": self.filter.tool, "path": self.filter.path },
            "if": self.condition.as_ref().map(ToString::to_string),
            "type": self.action.kind(),
            "action": self.action.definition(),
            "env": self.env,
            "cwd": self.cwd.as_ref().map(|dir| dir.to_string_lossy()),
            "timeout_ms": u64::try_from(self.timeout.as_millis()).unwrap_or(u64::MAX),
            "async": self.is_async,
            "once": self.once,
            "sequential": self.sequential,
            "priority": self.priority,
            "on_failure": self.on_failure.map(OnFailure::word),
            // A path need not be UTF-8, but JSON text is.
            "root": self.root.as_ref().map(|dir| dir.to_string_lossy()),
        })
    }
}

/// An entry that did not load, but whose event is known. It counts as failed when its event fires, if its failure
/// policy says that failures matter.
#[derive(Debug, Clone, PartialEq)]
pub struct BrokenHook {
    /// The hook's name or key.
    pub name: String,
    /// Where it is defined.
    pub source: HookSource,
    /// The event it would run for.
    pub event: EventKind,
    /// Its failure policy.
    pub on_failure: OnFailure,
    /// What is wrong with it.
    pub message: String,
}

/// The result of loading a file: the valid hooks, and the problems of the others.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Layer {
    /// Hooks in definition order.
    pub hooks: Vec<HookSpec>,
    /// Entries that failed to load.
    pub broken: Vec<BrokenHook>,
    /// All problems.
    pub problems: Vec<Problem>,
}

/// All layers merged, in running order.
pub type LoadedHooks = Layer;
