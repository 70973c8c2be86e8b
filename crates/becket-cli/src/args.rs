//! The command line: every command, its arguments, and dispatch to the module that runs it.

use std::ffi::OsStr;
use std::path::PathBuf;

use becket_guard::redact::set_custom_patterns;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum, ValueHint};

use crate::command_groups::with_groups;
use crate::exit::Exit;
use crate::{
    agents, alarms, check, daemon, demo, doctor, examples, explain, export, hooks, index, init,
    learn, manual, mcp, memories, prune, records, replay, rpc, schema, search, sessions, stats,
    tail, top, trust, ui, uninstall, up,
};

/// One hooks system for every AI coding agent
#[derive(Parser)]
#[command(name = "becket", bin_name = "becket", version = env!("BECKET_VERSION"), arg_required_else_help = true, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
Exit codes: 0 success, 1 failure or a finding that needs attention, 64 wrong usage. `becket hook`
uses the agent's own codes, and 65 if it cannot read the event.";

#[derive(Subcommand)]
enum Command {
    /// Answer a hook event read from standard input (called by agents)
    #[command(disable_help_flag = true)]
    Hook {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        rest: Vec<String>,
    },
    /// Receive Codex's turn-finished notification (called by Codex)
    #[command(disable_help_flag = true)]
    Notify {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        rest: Vec<String>,
    },
    /// Set up Becket: connect your agents, start the daemon, enable the guard
    Up(up::UpArgs),
    /// Play agent sessions in a scratch directory to show what Becket does
    Demo(demo::DemoArgs),
    /// Add Becket's hooks to the settings of your agents
    Init(InitArgs),
    /// Remove Becket from agent settings, or from this machine
    Uninstall(uninstall::UninstallArgs),
    /// List supported agents: connection, last event, capabilities
    Agents(ProjectArgs),
    /// Manage hooks: list, add, test, enable, disable (interactive on a terminal)
    Hooks {
        #[command(subcommand)]
        command: Option<hooks::args::HooksCommand>,
        #[command(flatten)]
        here: ProjectArgs,
    },
    /// Explain which hooks would run for an event, and what the guard decides
    Explain(ExplainArgs),
    /// Check a command against the guard without running it
    Check(CheckArgs),
    /// Review this project's hooks and trust them
    Trust {
        #[command(subcommand)]
        command: Option<TrustCommand>,
        #[command(flatten)]
        here: ProjectArgs,
        /// Trust without asking for confirmation
        #[arg(long, short)]
        yes: bool,
    },
    /// Manage the background daemon (stores events, serves the dashboard)
    Daemon {
        #[command(subcommand)]
        command: DaemonCommand,
    },
    /// Check the installation: agents, configuration, trust, daemon, database
    Doctor(ProjectArgs),
    /// Open the dashboard in your browser
    Ui(ui::UiArgs),
    /// List recorded sessions, newest first
    Sessions(sessions::SessionsArgs),
    /// Show the timeline of a session, prompt by prompt
    Session(sessions::SessionArgs),
    /// Show the latest events; `-f` follows new ones
    Tail(tail::TailArgs),
    /// Watch sessions, events and verdicts live in the terminal
    Top(top::TopArgs),
    /// Show statistics: events, tool calls, denials, hook times
    Stats(stats::StatsArgs),
    /// Run other rules against recorded events and compare the decisions
    Replay(replay::ReplayArgs),
    /// Export all recorded events as JSON Lines
    Export(export::ExportArgs),
    /// Import an export
    Import(export::ImportArgs),
    /// List and acknowledge alarms, such as a blocked call that ran anyway
    Alarms(alarms::AlarmsArgs),
    /// Delete old records
    Prune(prune::PruneArgs),
    /// Search this project's memories, code, sessions and plans
    Search(search::SearchArgs),
    /// Add a memory to this project
    Remember(memories::RememberArgs),
    /// Delete a memory and everything derived from it
    Forget(memories::ForgetArgs),
    /// List and edit this project's memories
    Memories(memories::MemoriesArgs),
    /// Index a project's code for search
    Index(index::IndexArgs),
    /// Show the learning queue, failures and token use
    Learn(learn::LearnArgs),
    /// Serve JSON-RPC over standard input and output (called by editors)
    Rpc(rpc::RpcArgs),
    /// Serve memories and history as an MCP server (called by agents)
    Mcp {
        /// Project directory [default: the project of the current directory]
        #[arg(long, short = 'C', value_name = "DIR")]
        project: Option<PathBuf>,
    },
    /// Print the JSON Schema of becket.toml
    Schema,
    /// Print a shell completion script
    Completions(manual::CompletionsArgs),
    /// Print a manual page, or write all of them to a directory
    Man(manual::ManArgs),
}

#[derive(Subcommand)]
pub(crate) enum TrustCommand {
    /// List trusted hooks of all projects
    List,
    /// Show untrusted hooks, with a diff against the version you trusted
    Show,
    /// Trust this project's hooks
    Add,
    /// Revoke trust in this project's hooks
    Revoke,
}

#[derive(Args, Clone, Default)]
pub(crate) struct ProjectArgs {
    /// Project directory [default: the current directory]
    #[arg(long, short = 'C', global = true, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeArg {
    /// Your own settings, for all projects
    #[default]
    User,
    /// This project's settings, shared with everyone who works on it
    Project,
}

impl From<ScopeArg> for becket_agents::install::InstallScope {
    fn from(scope: ScopeArg) -> Self {
        match scope {
            ScopeArg::User => Self::User,
            ScopeArg::Project => Self::Project,
        }
    }
}

#[derive(Args, Default)]
pub(crate) struct InitArgs {
    /// Agents to connect, comma-separated [default: all agents found on this machine]
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub(crate) agent: Vec<String>,
    /// Where to write the hooks
    #[arg(long, value_enum, default_value = "user")]
    pub(crate) scope: ScopeArg,
    /// Write without asking for confirmation
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Show the changes without writing them
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Also register `becket mcp` as an MCP server, so agents can search earlier work
    #[arg(long)]
    pub(crate) mcp: bool,
    #[command(flatten)]
    pub(crate) codex: CodexArgs,
    #[command(flatten)]
    pub(crate) here: ProjectArgs,
}

#[derive(Args, Default)]
pub(crate) struct CodexArgs {
    /// Mark Becket's hooks as trusted in Codex (--yes alone does not)
    #[arg(long = "codex-trust")]
    pub(crate) trust: bool,
    /// Also register Becket as Codex's `notify` program, which reports finished turns
    #[arg(long = "codex-notify")]
    pub(crate) notify: bool,
}

#[derive(Subcommand)]
pub(crate) enum DaemonCommand {
    /// Run in the foreground
    Run {
        /// HTTP port on loopback [default: `port` in your configuration, or any free port]
        #[arg(long)]
        port: Option<u16>,
        /// Keep running when idle
        #[arg(long)]
        stay: bool,
        /// Turn learning off, whatever your configuration says
        #[arg(long)]
        no_learn: bool,
        /// Write the log to its file (see `becket daemon logs`) instead of standard error
        #[arg(long)]
        log_file: bool,
        /// Detach from the terminal and write the log to its file
        #[arg(long, hide = true)]
        detached: bool,
    },
    /// Start the daemon in the background
    Start,
    /// Stop after finishing pending work
    Stop,
    /// Stop the daemon and start it again
    Restart,
    /// Show whether the daemon is running, and its counters
    Status {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show the end of the log
    Logs {
        /// Number of lines
        #[arg(short = 'n', long, default_value_t = 50)]
        lines: usize,
        /// Follow new lines until interrupted
        #[arg(short, long)]
        follow: bool,
    },
    /// Print a systemd user unit that keeps the daemon running
    Unit {
        /// Print a launchd property list for macOS instead
        #[arg(long)]
        launchd: bool,
    },
}

#[derive(Args)]
pub(crate) struct CheckArgs {
    /// Command to check, after `--`: one word is parsed as a shell line, several as a program and its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) command: Vec<String>,
    /// Read tool calls as JSON Lines from standard input; print one JSON result per line
    #[arg(long, conflicts_with = "command")]
    pub(crate) batch: bool,
    /// List all rule packs and rules, with the verdict of each preset
    #[arg(long, conflicts_with_all = ["command", "batch"])]
    pub(crate) rules: bool,
    /// Guard preset [default: the preset in your configuration]
    #[arg(long)]
    pub(crate) preset: Option<check::PresetArg>,
    #[command(flatten)]
    pub(crate) here: ProjectArgs,
}

#[derive(Args)]
pub(crate) struct ExplainArgs {
    /// Event name, in any agent's spelling
    #[arg(default_value = "PreToolUse")]
    pub(crate) event: String,
    /// Agent that sends the event
    #[arg(long, default_value = "claude")]
    pub(crate) agent: String,
    /// Tool name, for tool events
    #[arg(long)]
    pub(crate) tool: Option<String>,
    /// Tool input as JSON; for `FileModified`, `{"file_path": "src/a.rs"}`
    #[arg(long, value_name = "JSON")]
    pub(crate) input: Option<String>,
    /// Read the whole payload from a file (`-` for standard input)
    #[arg(long, value_name = "FILE")]
    pub(crate) payload: Option<PathBuf>,
    /// Command the agent would run, after `--`: one word is parsed as a shell line, several as a program and its
    /// arguments
    #[arg(last = true, conflicts_with_all = ["tool", "input", "payload"])]
    pub(crate) command: Vec<String>,
    #[command(flatten)]
    pub(crate) here: ProjectArgs,
}

/// The clap command tree with examples, grouped help and value hints for shell completion.
pub(crate) fn command_tree() -> clap::Command {
    with_value_hints(with_groups(examples::with_examples(Cli::command())))
}

/// Sets a value hint on every argument. Without one, shells complete file names.
fn with_value_hints(command: clap::Command) -> clap::Command {
    command
        .mut_args(with_value_hint)
        .mut_subcommands(with_value_hints)
}

fn with_value_hint(arg: Arg) -> Arg {
    if !arg.get_action().takes_values() {
        return arg;
    }
    let names = arg.get_value_names().unwrap_or_default();
    let name = names.first().map(ToString::to_string);
    match (arg.get_id().as_str(), name.as_deref()) {
        ("agent", None | Some("ID")) => arg.value_parser(AgentIdParser).hide_possible_values(true),
        (_, Some("DIR")) => arg.value_hint(ValueHint::DirPath),
        (_, Some("FILE" | "PATH")) => arg.value_hint(ValueHint::AnyPath),
        ("command", _) => arg,
        _ if arg.get_value_hint() == ValueHint::Unknown => arg.value_hint(ValueHint::Other),
        _ => arg,
    }
}

/// Parses an agent id. Shells complete the known ids; any text is accepted, because each command reports an unknown
/// agent with its own error.
#[derive(Clone)]
struct AgentIdParser;

impl TypedValueParser for AgentIdParser {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let ids = becket_agents::adapters().iter().map(|one| one.id());
        Some(Box::new(ids.map(PossibleValue::new)))
    }
}

pub(crate) fn main() -> Exit {
    let parsed = command_tree().try_get_matches();
    let cli = match parsed.and_then(|found| Cli::from_arg_matches(&found)) {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Success
            };
        }
    };
    let settings = becket::load::load(&records::home(), None, None).settings;
    set_custom_patterns(&settings.redact);
    match run(cli.command) {
        Ok(exit) => exit,
        Err(error) => {
            crate::report::print_message(&format!("becket: {error:#}"));
            Exit::Failure
        }
    }
}

fn run(command: Command) -> anyhow::Result<Exit> {
    match command {
        Command::Hook { rest } => Ok(crate::hook::main(
            rest.into_iter().map(Into::into),
            &crate::all_hooks::AllHooks,
        )),
        Command::Notify { rest } => Ok(crate::notify::main(rest.into_iter().map(Into::into))),
        Command::Init(args) => init::install(&args),
        Command::Up(args) => up::main(&args),
        Command::Demo(args) => demo::main(&args),
        Command::Uninstall(args) => uninstall::main(&args),
        Command::Agents(here) => agents::main(&here),
        Command::Hooks { command, here } => hooks::main(command, &here),
        Command::Explain(args) => explain::main(&args),
        Command::Check(args) => check::main(&args),
        Command::Trust { command, here, yes } => trust::main(command.as_ref(), &here, yes),
        Command::Daemon { command } => daemon::main(&command),
        Command::Doctor(here) => doctor::main(&here),
        Command::Ui(args) => ui::main(&args),
        Command::Sessions(args) => sessions::list(&args),
        Command::Session(args) => sessions::show(&args),
        Command::Tail(args) => tail::main(&args),
        Command::Top(args) => top::main(&args),
        Command::Stats(args) => stats::main(&args),
        Command::Replay(args) => replay::main(&args),
        Command::Export(args) => export::export(&args),
        Command::Import(args) => export::import(&args),
        Command::Alarms(args) => alarms::main(&args),
        Command::Prune(args) => prune::main(&args),
        Command::Search(args) => search::main(&args),
        Command::Remember(args) => memories::remember(&args),
        Command::Forget(args) => memories::forget(&args),
        Command::Memories(args) => memories::main(&args),
        Command::Index(args) => index::main(&args),
        Command::Learn(args) => learn::main(&args),
        Command::Rpc(args) => rpc::main(&args),
        Command::Mcp { project } => mcp::main(project),
        Command::Schema => schema::main(),
        Command::Completions(args) => Ok(manual::completions(&args, command_tree())),
        Command::Man(args) => manual::man(&args, command_tree()),
    }
}

impl ProjectArgs {
    /// Becket's home and the root of the selected project.
    pub(crate) fn find(&self) -> anyhow::Result<(becket::Home, PathBuf)> {
        let home = becket::Home::find(&becket::env::ProcessEnv);
        let start = match &self.project {
            // The home directory keeps its name even if it is a symbolic link.
            Some(dir) if *dir == home.user => dir.clone(),
            Some(dir) => dir
                .canonicalize()
                .map_err(|error| anyhow::anyhow!("cannot open `{}`: {error}", dir.display()))?,
            None => std::env::current_dir()?,
        };
        let root = becket::project::root(&start, &home.user);
        Ok((home, root))
    }
}
