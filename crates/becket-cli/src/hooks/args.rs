//! What can be typed behind `becket hooks`.

use std::path::PathBuf;

use anyhow::{Context, bail};
use becket::model::Level;
use clap::{Args, Subcommand, ValueEnum};

use super::draft::{Draft, toml_of};

#[derive(Subcommand)]
pub(crate) enum HooksCommand {
    /// List hooks, grouped by event
    List,
    /// Show everything about one hook
    Show {
        /// Its name, as `list` shows it, or FILE:LINE
        name: String,
        /// Where it stands, if several have the name
        #[arg(long, value_enum)]
        level: Option<LevelArg>,
    },
    /// Add a hook to becket.toml or to your own configuration
    #[command(after_help = ADD_EXAMPLES)]
    Add(Box<AddArgs>),
    /// Remove a hook from its file: shows the change, asks, writes
    Remove {
        /// Its name, as `list` shows it, or FILE:LINE
        name: String,
        /// Where it stands, if several have the name
        #[arg(long, value_enum)]
        level: Option<LevelArg>,
        /// Remove without asking
        #[arg(long, short)]
        yes: bool,
    },
    /// Switch a hook on; a built-in that is in no file is added to yours
    #[command(after_help = ENABLE_EXAMPLES)]
    Enable(EnableArgs),
    /// Switch a hook off
    ///
    /// In Becket's own files, Autohand's, Code Agent's, claude-agent's and Gemini's this is written into the
    /// hook's own file. The others have no such switch: there the hook is named in your own
    /// configuration, under `[hooks] disabled`, and Becket leaves it out from then on.
    Disable {
        /// Its name, as `list` shows it, or FILE:LINE
        name: String,
        /// Where it stands, if several have the name
        #[arg(long, value_enum)]
        level: Option<LevelArg>,
    },
    /// Let hooks run again
    On,
    /// Let no hook run, under any agent, until `becket hooks on`
    Off,
    /// Run a hook once with a sample event, and show what it says
    #[command(after_help = TEST_EXAMPLES)]
    Test(TestArgs),
    /// Print hooks in another dialect, and say what would be lost
    Convert {
        /// The dialect: becket, claude, code-agent, claude-agent, autohand, cursor, gemini, codex, copilot
        #[arg(long, value_name = "DIALECT")]
        to: String,
        /// Only the hooks of this file
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

The exit code is 0 when the hook ran, whatever it said, and 1 when it failed.";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LevelArg {
    /// Your own configuration, for all projects
    User,
    /// becket.toml, committed with the project; needs trust
    Project,
    /// becket.local.toml, in the project but not committed; needs trust
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
    /// Its name, as `list` shows it, or FILE:LINE, or the name of a built-in
    pub(crate) name: String,
    /// Where it stands, if several have the name; where a built-in goes
    #[arg(long, value_enum)]
    pub(crate) level: Option<LevelArg>,
    /// An option of the built-in; repeat for more
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) option: Vec<String>,
    /// Trust the hook as well, if it is a project's
    #[arg(long)]
    pub(crate) trust: bool,
}

#[derive(Args)]
pub(crate) struct TestArgs {
    /// Its name, as `list` shows it, or FILE:LINE
    pub(crate) name: String,
    /// Where it stands, if several have the name
    #[arg(long, value_enum)]
    pub(crate) level: Option<LevelArg>,
    /// The event, in any spelling, instead of the hook's own
    #[arg(long)]
    pub(crate) event: Option<String>,
    /// The tool, for tool events
    #[arg(long)]
    pub(crate) tool: Option<String>,
    /// The tool's input as JSON
    #[arg(long, value_name = "JSON")]
    pub(crate) input: Option<String>,
    /// Read a whole payload from this file (- is standard input)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["tool", "input"])]
    pub(crate) payload: Option<PathBuf>,
    /// Whose payload that is
    #[arg(long, default_value = "claude", requires = "payload")]
    pub(crate) agent: String,
}

#[derive(Args)]
pub(crate) struct AddArgs {
    /// What it is called in lists and messages; made from what it does if left out
    name: Option<String>,
    /// Where it goes
    #[arg(long, value_enum, default_value = "user")]
    pub(crate) level: LevelArg,
    /// Trust it as well, if it goes into a project
    #[arg(long)]
    pub(crate) trust: bool,
    #[command(flatten)]
    when: When,
    #[command(flatten)]
    what: What,
    #[command(flatten)]
    how: How,
}

/// When it runs
#[derive(Args)]
#[command(next_help_heading = "When it runs")]
struct When {
    /// The event, in any spelling; repeat or separate with commas for several
    #[arg(long, value_name = "EVENT", value_delimiter = ',')]
    event: Vec<String>,
    /// For which tools or other subjects: a name, a list such as `Write|Edit`, or a regex
    #[arg(long, value_name = "PATTERN")]
    matcher: Option<String>,
    /// Only for this tool; repeat for more
    #[arg(long, value_name = "NAME")]
    tool: Vec<String>,
    /// Only for files that this glob matches; repeat for more
    #[arg(long, value_name = "GLOB")]
    path: Vec<String>,
    /// Only for calls such as `Bash(git *)`
    #[arg(long = "if", value_name = "CONDITION")]
    condition: Option<String>,
}

/// What it does
#[derive(Args)]
#[command(next_help_heading = "What it does (one of these)")]
struct What {
    /// Run a line in the shell; with --arg, a program without any shell
    #[arg(long, value_name = "LINE", group = "action")]
    command: Option<String>,
    /// An argument of the program; repeat for more
    #[arg(
        long,
        value_name = "TEXT",
        requires = "command",
        allow_hyphen_values = true
    )]
    arg: Vec<String>,
    /// Post the event to this address
    #[arg(long, group = "action")]
    url: Option<String>,
    /// A header of the request; repeat for more
    #[arg(long, value_name = "NAME=VALUE", requires = "url")]
    header: Vec<String>,
    /// An environment variable that headers may use as $NAME; repeat for more
    #[arg(long, value_name = "NAME", requires = "url")]
    allow_env: Vec<String>,
    /// Ask a language model
    #[arg(long, value_name = "TEXT", group = "action")]
    prompt: Option<String>,
    /// Which language model
    #[arg(long, requires = "prompt")]
    model: Option<String>,
    /// Ask this agent the prompt, instead of a model
    #[arg(long, value_name = "NAME", requires = "prompt")]
    agent: Option<String>,
    /// Use a hook that comes with Becket
    #[arg(long = "use", value_name = "NAME", group = "action")]
    builtin: Option<String>,
    /// An option of that hook; repeat for more
    #[arg(long, value_name = "KEY=VALUE", requires = "builtin")]
    option: Vec<String>,
    /// Call a tool of this MCP server
    #[arg(long, value_name = "NAME", group = "action", requires = "server_tool")]
    server: Option<String>,
    /// Which tool of the server
    #[arg(long, value_name = "NAME", requires = "server")]
    server_tool: Option<String>,
    /// What the tool is called with
    #[arg(long, value_name = "JSON", requires = "server")]
    input: Option<String>,
}

/// How it runs
#[derive(Args)]
#[command(next_help_heading = "How it runs")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of its own on the command line"
)]
struct How {
    /// Its deadline: 500ms, 30s, 2m
    #[arg(long, value_name = "DURATION")]
    timeout: Option<String>,
    /// Start it and do not wait; it then decides nothing
    #[arg(long = "async")]
    is_async: bool,
    /// At most once a session
    #[arg(long)]
    once: bool,
    /// After the hooks before it, with the input as they rewrote it
    #[arg(long)]
    sequential: bool,
    /// Higher runs first
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    priority: Option<i32>,
    /// What becomes of the action when the hook itself goes wrong: allow, ask or deny
    #[arg(long, value_name = "WORD")]
    on_failure: Option<String>,
    /// A variable for its environment; repeat for more
    #[arg(long, value_name = "NAME=VALUE")]
    env: Vec<String>,
    /// The directory to run in
    #[arg(long, value_name = "DIR")]
    cwd: Option<String>,
    /// What it is good for
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Whose contract it keeps: exit codes, input, environment
    #[arg(long)]
    dialect: Option<String>,
    /// Add it switched off
    #[arg(long)]
    disabled: bool,
}

impl AddArgs {
    pub(crate) fn draft(&self) -> anyhow::Result<Draft> {
        let mut draft = Draft::default();
        draft.text("name", self.name.as_deref());
        draft.text("description", self.how.description.as_deref());
        self.when.fill(&mut draft);
        self.what.fill(&mut draft)?;
        self.how.fill(&mut draft)?;
        Ok(draft)
    }
}

impl When {
    fn fill(&self, draft: &mut Draft) {
        draft.text_or_texts("event", &self.event);
        draft.text("matcher", self.matcher.as_deref());
        draft.filter(&self.tool, &self.path);
        draft.text("if", self.condition.as_deref());
    }
}

impl What {
    fn fill(&self, draft: &mut Draft) -> anyhow::Result<()> {
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

impl How {
    fn fill(&self, draft: &mut Draft) -> anyhow::Result<()> {
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

/// Reads `NAME=VALUE`.
pub(super) fn pairs(what: &str, texts: &[String]) -> anyhow::Result<Vec<(String, String)>> {
    texts
        .iter()
        .map(|text| {
            let (name, value) = text
                .split_once('=')
                .with_context(|| format!("{what}: `{text}` is not NAME=VALUE"))?;
            if name.trim().is_empty() {
                bail!("{what}: `{text}` has no name");
            }
            Ok((name.trim().to_owned(), value.to_owned()))
        })
        .collect()
}

/// Reads options of a built-in, values as TOML.
pub(super) fn options(texts: &[String]) -> anyhow::Result<Vec<(String, String)>> {
    let pairs = pairs("--option", texts)?;
    Ok(pairs
        .into_iter()
        .map(|(name, value)| (name, toml_of(&value)))
        .collect())
}
