//! What a person can type.

use std::ffi::OsStr;
use std::path::PathBuf;

use becket_guard::redact::redact_also;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum, ValueHint};

use crate::exit::Exit;
use crate::{
    agents, alarms, check, daemon, demo, doctor, examples, explain, export, hooks, index, init,
    learn, leave, manual, mcp, memories, prune, records, replay, rpc, schema, search, sessions,
    stats, tail, top, trust, ui, up,
};

/// One hooks system for every AI coding agent
#[derive(Parser)]
#[command(name = "becket", bin_name = "becket", version = env!("BECKET_VERSION"), arg_required_else_help = true, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
Exit codes: 0 done, 1 something needs attention, 64 wrong usage. `becket hook` answers with the
agent's own codes, and 65 when it could not read the event.";

#[derive(Subcommand)]
enum Command {
    /// Answer an agent's hook event, read from standard input (agents call this)
    #[command(disable_help_flag = true)]
    Hook {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        rest: Vec<String>,
    },
    /// Hear of the end of a turn from Codex (Codex calls this)
    #[command(disable_help_flag = true)]
    Notify {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        rest: Vec<String>,
    },
    /// Set everything up: connect your agents, start the daemon, switch on the guard
    Up(up::UpArgs),
    /// Show what Becket does, with a played session of every agent, in a scratch directory
    Demo(demo::DemoArgs),
    /// Connect your agents to Becket: shows the changes, asks, writes
    Init(InitArgs),
    /// Take Becket out of the agents' settings again, or off this machine
    Uninstall(leave::UninstallArgs),
    /// Show every agent: what it can express, whether it is connected, when it last spoke
    Agents(Here),
    /// Show and change the hooks that are configured; on a terminal, interactively
    Hooks {
        #[command(subcommand)]
        command: Option<hooks::args::HooksCommand>,
        #[command(flatten)]
        here: Here,
    },
    /// Say which hooks would run for an event, why the others would not, and what the guard makes of a call
    Explain(ExplainArgs),
    /// Say what the guard thinks of a command, without running it
    Check(CheckArgs),
    /// Review and trust this project's hooks
    Trust {
        #[command(subcommand)]
        command: Option<TrustCommand>,
        #[command(flatten)]
        here: Here,
        /// Trust without asking
        #[arg(long, short)]
        yes: bool,
    },
    /// Start, stop and ask the daemon, which keeps records for searching and streaming
    Daemon {
        #[command(subcommand)]
        command: DaemonCommand,
    },
    /// Check that everything is wired up
    Doctor(Here),
    /// Open the dashboard in your browser
    Ui(ui::UiArgs),
    /// List what agents worked on, the latest first
    Sessions(sessions::SessionsArgs),
    /// Tell what happened in a session, prompt by prompt
    Session(sessions::SessionArgs),
    /// Show the latest recorded events, and those that come
    Tail(tail::TailArgs),
    /// Watch what agents do, on a screen: sessions, events, verdicts
    Top(top::TopArgs),
    /// Show what was done, in numbers
    Stats(stats::StatsArgs),
    /// Show what other rules would have decided on what was recorded
    Replay(replay::ReplayArgs),
    /// Write everything that was recorded, as lines of JSON
    Export(export::ExportArgs),
    /// Take in what `becket export` wrote
    Import(export::ImportArgs),
    /// Show what a person should know, such as a denied call that ran, and note that you do
    Alarms(alarms::AlarmsArgs),
    /// Forget what is old
    Prune(prune::PruneArgs),
    /// Find what is relevant to a question in this project: memories, code, sessions, plans
    Search(search::SearchArgs),
    /// Remember something about this project
    Remember(memories::RememberArgs),
    /// Forget a memory and everything that was made from it
    Forget(memories::ForgetArgs),
    /// Show and change what is remembered of this project
    Memories(memories::MemoriesArgs),
    /// Let the code of a project be found
    Index(index::IndexArgs),
    /// Show how Becket learns from what agents do: what waits, what was given up, what it costs
    Learn(learn::LearnArgs),
    /// Tell an editor what agents do, as JSON-RPC over standard input and output (editors call this)
    Rpc(rpc::RpcArgs),
    /// Answer agents' questions about earlier work, as an MCP server over standard input and output (agents call this)
    Mcp {
        /// The project to answer about, instead of the one around the current directory
        #[arg(long, short = 'C', value_name = "DIR")]
        project: Option<PathBuf>,
    },
    /// Print the JSON Schema of becket.toml
    Schema,
    /// Print a script that lets your shell complete commands and options
    Completions(manual::CompletionsArgs),
    /// Print or write the manual pages
    Man(manual::ManArgs),
}

#[derive(Subcommand)]
pub(crate) enum TrustCommand {
    /// List what is trusted, in all projects
    List,
    /// Show hooks that are not trusted, and how they differ from what was
    Show,
    /// Trust this project's hooks
    Add,
    /// Take trust back from this project
    Revoke,
}

#[derive(Args, Clone, Default)]
pub(crate) struct Here {
    /// The project's directory, instead of the current one
    #[arg(long, short = 'C', global = true, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scope {
    /// All your projects
    #[default]
    User,
    /// This project only
    Project,
}

impl From<Scope> for becket_agents::install::Scope {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::User => Self::User,
            Scope::Project => Self::Project,
        }
    }
}

#[derive(Args, Default)]
pub(crate) struct InitArgs {
    /// Which agents, instead of those found on this machine
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub(crate) agent: Vec<String>,
    /// For whom
    #[arg(long, value_enum, default_value = "user")]
    pub(crate) scope: Scope,
    /// Write without asking
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Show the change and stop
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Also let the agents ask about earlier work: `becket mcp` among their MCP servers
    #[arg(long)]
    pub(crate) mcp: bool,
    #[command(flatten)]
    pub(crate) codex: CodexArgs,
    #[command(flatten)]
    pub(crate) here: Here,
}

#[derive(Args, Default)]
pub(crate) struct CodexArgs {
    /// Record in Codex that you trust Becket's hooks; --yes alone does not
    #[arg(long = "codex-trust")]
    pub(crate) trust: bool,
    /// Have Codex tell Becket of finished turns through its `notify` program, too
    #[arg(long = "codex-notify")]
    pub(crate) notify: bool,
}

#[derive(Subcommand)]
pub(crate) enum DaemonCommand {
    /// Be the daemon, in the foreground
    Run {
        /// The port for HTTP on loopback, instead of the one in your configuration or any that is free
        #[arg(long)]
        port: Option<u16>,
        /// Stay, also when there is nothing to do for long
        #[arg(long)]
        stay: bool,
        /// Learn nothing from what is recorded, whatever your configuration says
        #[arg(long)]
        no_learn: bool,
        /// Write the log to its file, where `becket daemon logs` finds it, instead of to standard error
        #[arg(long)]
        log_file: bool,
        /// Leave the terminal, and write the log to its file
        #[arg(long, hide = true)]
        detached: bool,
    },
    /// Start it in the background
    Start,
    /// Let it finish what it has, and end
    Stop,
    /// Stop it and start it again
    Restart,
    /// Say whether it runs, and what it has done
    Status {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show the end of its log
    Logs {
        /// How many lines
        #[arg(short = 'n', long, default_value_t = 50)]
        lines: usize,
        /// Go on with the lines that come, until it is interrupted
        #[arg(short, long)]
        follow: bool,
    },
    /// Print a service file that keeps it running: a systemd user unit
    Unit {
        /// A launchd property list for macOS instead
        #[arg(long)]
        launchd: bool,
    },
}

#[derive(Args)]
pub(crate) struct CheckArgs {
    /// The command, after `--`: one word is a line of shell, several are a program and its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) command: Vec<String>,
    /// Read questions from standard input, a JSON object a line, and answer each with one
    #[arg(long, conflicts_with = "command")]
    pub(crate) batch: bool,
    /// List every pack and rule, and what each preset says to it
    #[arg(long, conflicts_with_all = ["command", "batch"])]
    pub(crate) rules: bool,
    /// How strict, instead of what your guard says
    #[arg(long)]
    pub(crate) preset: Option<check::PresetArg>,
    #[command(flatten)]
    pub(crate) here: Here,
}

#[derive(Args)]
pub(crate) struct ExplainArgs {
    /// The event, in any spelling
    #[arg(default_value = "PreToolUse")]
    pub(crate) event: String,
    /// Which agent fires it
    #[arg(long, default_value = "claude")]
    pub(crate) agent: String,
    /// The tool, for tool events
    #[arg(long)]
    pub(crate) tool: Option<String>,
    /// The tool's input as JSON; for `FileModified`, `{"file_path": "src/a.rs"}`
    #[arg(long, value_name = "JSON")]
    pub(crate) input: Option<String>,
    /// Read a whole payload from this file (- is standard input)
    #[arg(long, value_name = "FILE")]
    pub(crate) payload: Option<PathBuf>,
    /// A command that the agent would run, after `--`: one word is a line of shell, several are a program and its arguments
    #[arg(last = true, conflicts_with_all = ["tool", "input", "payload"])]
    pub(crate) command: Vec<String>,
    #[command(flatten)]
    pub(crate) here: Here,
}

/// Every command, with how it is used, and what shells may offer for its values.
fn described() -> clap::Command {
    hinted(examples::added(Cli::command()))
}

/// Says what kind of thing every value is. Shells offer files for what they know nothing of.
fn hinted(command: clap::Command) -> clap::Command {
    command.mut_args(hint).mut_subcommands(hinted)
}

fn hint(arg: Arg) -> Arg {
    if !arg.get_action().takes_values() {
        return arg;
    }
    let names = arg.get_value_names().unwrap_or_default();
    let name = names.first().map(ToString::to_string);
    match (arg.get_id().as_str(), name.as_deref()) {
        ("agent", None | Some("ID")) => arg.value_parser(AnAgent).hide_possible_values(true),
        (_, Some("DIR")) => arg.value_hint(ValueHint::DirPath),
        (_, Some("FILE" | "PATH")) => arg.value_hint(ValueHint::AnyPath),
        ("command", _) => arg,
        _ if arg.get_value_hint() == ValueHint::Unknown => arg.value_hint(ValueHint::Other),
        _ => arg,
    }
}

/// The id of an agent. Shells offer those there are; who needs a known one complains in words of its own.
#[derive(Clone)]
struct AnAgent;

impl TypedValueParser for AnAgent {
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
    let parsed = described().try_get_matches();
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
    redact_also(&settings.redact);
    match run(cli.command) {
        Ok(exit) => exit,
        Err(error) => {
            crate::report::talk(&format!("becket: {error:#}"));
            Exit::Failure
        }
    }
}

fn run(command: Command) -> anyhow::Result<Exit> {
    match command {
        Command::Hook { rest } => Ok(crate::hook::main(
            rest.into_iter().map(Into::into),
            &crate::everything::Everything,
        )),
        Command::Notify { rest } => Ok(crate::notify::main(rest.into_iter().map(Into::into))),
        Command::Init(args) => init::install(&args),
        Command::Up(args) => up::main(&args),
        Command::Demo(args) => demo::main(&args),
        Command::Uninstall(args) => leave::main(&args),
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
        Command::Completions(args) => Ok(manual::completions(&args, described())),
        Command::Man(args) => manual::man(&args, described()),
    }
}

impl Here {
    /// The project's root and everything configured for it.
    pub(crate) fn find(&self) -> anyhow::Result<(becket::Home, PathBuf)> {
        let home = becket::Home::find(&becket::env::ProcessEnv);
        let start = match &self.project {
            // Known under this name, whatever links lead there.
            Some(dir) if *dir == home.user => dir.clone(),
            Some(dir) => dir
                .canonicalize()
                .map_err(|error| anyhow::anyhow!("`{}`: {error}", dir.display()))?,
            None => std::env::current_dir()?,
        };
        let root = becket::project::root(&start, &home.user);
        Ok((home, root))
    }
}
