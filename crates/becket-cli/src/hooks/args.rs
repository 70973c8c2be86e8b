//! Arguments of `becket hooks`.

use std::path::PathBuf;

use anyhow::{Context, bail};
use becket::model::Level;
use clap::{Args, Subcommand, ValueEnum};

use super::draft::{HookDraft, toml_of};

#[derive(Subcommand)]
pub(crate) enum HooksCommand {
    /// List hooks, grouped by event
    List,
    /// Show the definition and state of a hook
    Show {
        /// Hook name as shown by `becket hooks list`, or FILE:LINE
        name: String,
        /// Configuration level, if several hooks share the name
        #[arg(long, value_enum)]
        level: Option<LevelArg>,
    },
    /// Add a hook to a project or to your own configuration
    #[command(after_help = ADD_EXAMPLES)]
    Add(Box<AddArgs>),
    /// Remove a hook from its file, after showing the change
    Remove {
        /// Hook name as shown by `becket hooks list`, or FILE:LINE
        name: String,
        /// Configuration level, if several hooks share the name
        #[arg(long, value_enum)]
        level: Option<LevelArg>,
        /// Remove without asking for confirmation
        #[arg(long, short)]
        yes: bool,
    },
    /// Enable a hook; a built-in is added to your configuration if necessary
    #[command(after_help = ENABLE_EXAMPLES)]
    Enable(EnableArgs),
    /// Disable a hook
    ///
    /// Becket edits the hook's own file if its format has a switch: Becket, Autohand, Code Agent, claude-agent
    /// and Gemini. For all other formats it adds the hook to `[hooks] disabled` in your own configuration
    /// and skips it from then on.
    Disable {
        /// Hook name as shown by `becket hooks list`, or FILE:LINE
        name: String,
        /// Configuration level, if several hooks share the name
        #[arg(long, value_enum)]
        level: Option<LevelArg>,
    },
    /// Turn all hooks on again
    On,
    /// Turn all hooks off, for every agent, until `becket hooks on`
    Off,
    /// Run a hook once with a sample event and show its result
    #[command(after_help = TEST_EXAMPLES)]
    Test(TestArgs),
    /// Print hooks in another agent's format and list what is lost
    Convert {
        /// Target format: becket, claude, code-agent, claude-agent, autohand, cursor, gemini, codex, copilot
        #[arg(long, value_name = "DIALECT")]
        to: String,
        /// Convert only the hooks of this file
        file: Option<PathBuf>,
    },
}

const ADD_EXAMPLES: &str = "\
Examples:
  becket hooks add no-force-push --event PreToolUse --if 'Bash(git push*--force*)' \\
      --command \"echo 'use --force-with-lease' >&2; exit 2\"
  becket hooks add fmt --event PostToolUse --matcher 'Write|Edit' --path 'src/**/*.rs' \\
      --command 'cargo fmt' --timeout 30s --level project --trust
  becket hooks add --use security-guard --option preset=strict";

const ENABLE_EXAMPLES: &str = "\
Examples:
  becket hooks enable security-guard
  becket hooks enable security-guard --level project --option preset=strict";

const TEST_EXAMPLES: &str = "\
Examples:
  becket hooks test no-force-push
  becket hooks test no-force-push --input '{\"command\": \"git push --force\"}'
  becket hooks test guard --payload event.json --agent cursor

Exit codes: 0 if the hook ran, whatever its verdict, and 1 if it failed.";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LevelArg {
    /// Your own configuration, for all projects
    User,
    /// becket.toml, committed with the project; hooks need trust
    Project,
    /// becket.local.toml, in the project but not committed; hooks need trust
    Local,
}

impl From<LevelArg> for Level {
    fn from(level: LevelArg) -> Self {
        match level {
            LevelArg::User => Self::User,
            LevelArg::Project => Self::Project,
            LevelArg::Local => Self::Local,
        }
    }
}

#[derive(Args)]
pub(crate) struct EnableArgs {
    /// Hook name as shown by `becket hooks list`, FILE:LINE, or the name of a built-in
    pub(crate) name: String,
    /// Configuration level, if several hooks share the name; where to add a built-in
    #[arg(long, value_enum)]
    pub(crate) level: Option<LevelArg>,
    /// Option of the built-in; repeatable
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) option: Vec<String>,
    /// Also trust the hook, if it belongs to a project
    #[arg(long)]
    pub(crate) trust: bool,
}

#[derive(Args)]
pub(crate) struct TestArgs {
    /// Hook name as shown by `becket hooks list`, or FILE:LINE
    pub(crate) name: String,
    /// Configuration level, if several hooks share the name
    #[arg(long, value_enum)]
    pub(crate) level: Option<LevelArg>,
    /// Event name, in any agent's spelling [default: the hook's own event]
    #[arg(long)]
    pub(crate) event: Option<String>,
    /// Tool name, for tool events
    #[arg(long)]
    pub(crate) tool: Option<String>,
    /// Tool input as JSON
    #[arg(long, value_name = "JSON")]
    pub(crate) input: Option<String>,
    /// Read the whole payload from a file (`-` for standard input)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["tool", "input"])]
    pub(crate) payload: Option<PathBuf>,
    /// Agent whose format the payload has
    #[arg(long, default_value = "claude", requires = "payload")]
    pub(crate) agent: String,
}

#[derive(Args)]
pub(crate) struct AddArgs {
    /// Name of the hook [default: derived from its action]
    name: Option<String>,
    /// Configuration level to add the hook to
    #[arg(long, value_enum, default_value = "user")]
    pub(crate) level: LevelArg,
    /// Also trust the hook, if it is added to a project
    #[arg(long)]
    pub(crate) trust: bool,
    #[command(flatten)]
    trigger: TriggerArgs,
    #[command(flatten)]
    action: ActionArgs,
    #[command(flatten)]
    run: RunArgs,
}

/// Which events the hook runs for.
#[derive(Args)]
#[command(next_help_heading = "Trigger")]
struct TriggerArgs {
    /// Event name, in any agent's spelling; repeatable or comma-separated
    #[arg(long, value_name = "EVENT", value_delimiter = ',')]
    event: Vec<String>,
    /// Tools or other subjects to match: a name, a list such as `Write|Edit`, or a regular expression
    #[arg(long, value_name = "PATTERN")]
    matcher: Option<String>,
    /// Run only for this tool; repeatable
    #[arg(long, value_name = "NAME")]
    tool: Vec<String>,
    /// Run only for files that match this glob; repeatable
    #[arg(long, value_name = "GLOB")]
    path: Vec<String>,
    /// Run only for tool calls such as `Bash(git *)`
    #[arg(long = "if", value_name = "CONDITION")]
    condition: Option<String>,
}

/// What the hook does.
#[derive(Args)]
#[command(next_help_heading = "Action (one of --command, --url, --prompt, --use, --server)")]
struct ActionArgs {
    /// Run a shell command; with --arg, a program without a shell
    #[arg(long, value_name = "LINE", group = "action")]
    command: Option<String>,
    /// Argument of the program; repeatable
    #[arg(
        long,
        value_name = "TEXT",
        requires = "command",
        allow_hyphen_values = true
    )]
    arg: Vec<String>,
    /// POST the event to this URL
    #[arg(long, group = "action")]
    url: Option<String>,
    /// Request header; repeatable
    #[arg(long, value_name = "NAME=VALUE", requires = "url")]
    header: Vec<String>,
    /// Environment variable that headers may use as $NAME; repeatable
    #[arg(long, value_name = "NAME", requires = "url")]
    allow_env: Vec<String>,
    /// Ask a language model
    #[arg(long, value_name = "TEXT", group = "action")]
    prompt: Option<String>,
    /// Language model to ask
    #[arg(long, requires = "prompt")]
    model: Option<String>,
    /// Ask this agent instead of a model
    #[arg(long, value_name = "NAME", requires = "prompt")]
    agent: Option<String>,
    /// Use a built-in hook
    #[arg(long = "use", value_name = "NAME", group = "action")]
    builtin: Option<String>,
    /// Option of the built-in; repeatable
    #[arg(long, value_name = "KEY=VALUE", requires = "builtin")]
    option: Vec<String>,
    /// Call a tool of this MCP server
    #[arg(long, value_name = "NAME", group = "action", requires = "server_tool")]
    server: Option<String>,
    /// Tool of the MCP server
    #[arg(long, value_name = "NAME", requires = "server")]
    server_tool: Option<String>,
    /// Input of the tool
    #[arg(long, value_name = "JSON", requires = "server")]
    input: Option<String>,
}

/// How the hook runs.
#[derive(Args)]
#[command(next_help_heading = "Execution")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a separate flag on the command line"
)]
struct RunArgs {
    /// Timeout, such as 500ms, 30s or 2m
    #[arg(long, value_name = "DURATION")]
    timeout: Option<String>,
    /// Start the hook without waiting for it; it cannot decide anything
    #[arg(long = "async")]
    is_async: bool,
    /// Run at most once per session
    #[arg(long)]
    once: bool,
    /// Run after the preceding hooks, with the input as they rewrote it
    #[arg(long)]
    sequential: bool,
    /// Hooks with a higher priority run first
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    priority: Option<i32>,
    /// Verdict if the hook fails: allow, ask or deny
    #[arg(long, value_name = "WORD")]
    on_failure: Option<String>,
    /// Environment variable for the hook; repeatable
    #[arg(long, value_name = "NAME=VALUE")]
    env: Vec<String>,
    /// Working directory of the hook
    #[arg(long, value_name = "DIR")]
    cwd: Option<String>,
    /// Description of the hook
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Protocol of the hook: exit codes, input and environment as that agent defines them
    #[arg(long)]
    dialect: Option<String>,
    /// Add the hook disabled
    #[arg(long)]
    disabled: bool,
}

impl AddArgs {
    pub(crate) fn draft(&self) -> anyhow::Result<HookDraft> {
        let mut draft = HookDraft::default();
        draft.text("name", self.name.as_deref());
        draft.text("description", self.run.description.as_deref());
        self.trigger.fill(&mut draft);
        self.action.fill(&mut draft)?;
        self.run.fill(&mut draft)?;
        Ok(draft)
    }
}

impl TriggerArgs {
    fn fill(&self, draft: &mut HookDraft) {
        draft.text_or_texts("event", &self.event);
        draft.text("matcher", self.matcher.as_deref());
        draft.filter(&self.tool, &self.path);
        draft.text("if", self.condition.as_deref());
    }
}

impl ActionArgs {
    fn fill(&self, draft: &mut HookDraft) -> anyhow::Result<()> {
        draft.text("command", self.command.as_deref());
        draft.texts("args", &self.arg);
        draft.text("url", self.url.as_deref());
        draft.pairs("headers", &pairs("--header", &self.header)?);
        draft.texts("allowed_env", &self.allow_env);
        draft.text("agent", self.agent.as_deref());
        draft.text("model", self.model.as_deref());
        draft.text("prompt", self.prompt.as_deref());
        draft.text("server", self.server.as_deref());
        draft.text("tool", self.server_tool.as_deref());
        draft.text("input", self.input.as_deref());
        draft.text("use", self.builtin.as_deref());
        draft.table("options", &options(&self.option)?);
        Ok(())
    }
}

impl RunArgs {
    fn fill(&self, draft: &mut HookDraft) -> anyhow::Result<()> {
        draft.pairs("env", &pairs("--env", &self.env)?);
        draft.text("cwd", self.cwd.as_deref());
        draft.text("timeout", self.timeout.as_deref());
        draft.flag("async", self.is_async);
        draft.flag("once", self.once);
        draft.flag("sequential", self.sequential);
        if let Some(priority) = self.priority {
            draft.raw("priority", priority.to_string());
        }
        draft.text("on_failure", self.on_failure.as_deref());
        draft.text("dialect", self.dialect.as_deref());
        if self.disabled {
            draft.raw("enabled", "false".into());
        }
        Ok(())
    }
}

/// Parses `NAME=VALUE` pairs.
pub(super) fn pairs(what: &str, texts: &[String]) -> anyhow::Result<Vec<(String, String)>> {
    texts
        .iter()
        .map(|text| {
            let (name, value) = text
                .split_once('=')
                .with_context(|| format!("{what}: cannot read `{text}`; use NAME=VALUE"))?;
            if name.trim().is_empty() {
                bail!("{what}: the name is missing in `{text}`");
            }
            Ok((name.trim().to_owned(), value.to_owned()))
        })
        .collect()
}

/// Parses the options of a built-in, with TOML values.
pub(super) fn options(texts: &[String]) -> anyhow::Result<Vec<(String, String)>> {
    let pairs = pairs("--option", texts)?;
    Ok(pairs
        .into_iter()
        .map(|(name, value)| (name, toml_of(&value)))
        .collect())
}
