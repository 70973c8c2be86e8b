//! `becket up`: sets up a new machine step by step, and shows each change before it makes it.
//!
//! It combines `becket init`, `becket daemon start` and `becket hooks enable security-guard`. It is idempotent.

use becket_agents::install::{Installer, installers};
use becket_guard::rule::Preset;
use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};

use crate::args::{InitArgs, ProjectArgs};
use crate::check::PresetArg;
use crate::codex;
use crate::daemon::{self, StartOutcome};
use crate::exit::Exit;
use crate::hooks::guard_offer::{EnabledGuard, GuardOffer};
use crate::init;
use crate::machine::Machine;
use crate::report::{SCHEMA_VERSION, Style, confirm, print, print_declined, print_json};
use crate::ui;

#[derive(Args, Default)]
pub(crate) struct UpArgs {
    /// Agents to connect, comma-separated [default: all agents found on this machine]
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    agent: Vec<String>,
    /// Do everything without asking for confirmation
    #[arg(long, short)]
    yes: bool,
    /// Guard preset, or `off` for no guard [default: standard, unless a guard is already on]
    #[arg(long, value_enum)]
    guard: Option<GuardArg>,
    #[command(flatten)]
    here: ProjectArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum GuardArg {
    /// Block only catastrophic commands
    Permissive,
    /// Block irreversible commands and secret leaks, ask about doubtful ones
    Standard,
    /// Block doubtful commands too
    Strict,
    /// Do not enable the guard
    Off,
}

impl GuardArg {
    fn preset(self) -> Option<Preset> {
        Some(Preset::from(match self {
            Self::Permissive => PresetArg::Permissive,
            Self::Standard => PresetArg::Standard,
            Self::Strict => PresetArg::Strict,
            Self::Off => return None,
        }))
    }
}

/// The outcome of a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StepOutcome {
    /// There was nothing to do.
    AlreadyDone,
    Done,
    /// The user did not confirm.
    Declined,
    /// Not applicable, or not wanted.
    Skipped,
}

impl StepOutcome {
    fn word(self) -> &'static str {
        match self {
            Self::AlreadyDone => "already",
            Self::Done => "done",
            Self::Declined => "declined",
            Self::Skipped => "skipped",
        }
    }
}

pub(crate) fn main(args: &UpArgs) -> anyhow::Result<Exit> {
    let machine = Machine::find(&args.here)?;
    let mut summary = Map::new();
    let found: Vec<&'static dyn Installer> = installers()
        .iter()
        .copied()
        .filter(|installer| machine.has_agent(*installer))
        .collect();
    let names: Vec<&str> = found.iter().map(|installer| installer.agent()).collect();
    summary.insert("found".into(), json!(names));
    let agents = agents(args, &machine, &names, &mut summary)?;
    let daemon = match agents {
        StepOutcome::Declined => skip_daemon(args),
        _ => start_daemon(args, &machine)?,
    };
    let guard = guard(args, &mut summary)?;
    let steps = [("agents", agents), ("daemon", daemon), ("guard", guard)];
    let skipped = summary.get("left_out").and_then(Value::as_array);
    let has_all = skipped.is_none_or(Vec::is_empty);
    let is_done = has_all && steps.iter().all(|(_, step)| *step != StepOutcome::Declined);
    if args.here.json {
        for (name, step) in steps {
            summary.insert(name.into(), json!(step.word()));
        }
        summary.insert("schema_version".into(), json!(SCHEMA_VERSION));
        summary.insert("done".into(), json!(is_done));
        print_json(&Value::Object(summary))?;
    } else {
        let has_daemon = matches!(daemon, StepOutcome::AlreadyDone | StepOutcome::Done);
        let link = has_daemon
            .then(|| ui::login_link(&machine.home).ok())
            .flatten();
        print_next_steps(agents, link.as_deref());
        if matches!(agents, StepOutcome::AlreadyDone | StepOutcome::Done)
            && codex::needs_trust(&machine)?
        {
            print(codex::UNTRUSTED_NOTICE);
        }
        for problem in skipped.into_iter().flatten().filter_map(Value::as_str) {
            print(&format!("{problem}\n"));
        }
    }
    Ok(if is_done {
        Exit::Success
    } else {
        Exit::Failure
    })
}

fn heading(args: &UpArgs, text: &str) {
    if !args.here.json {
        print(&format!("{}\n", Style::stdout().bold(text)));
    }
}

fn say(args: &UpArgs, text: &str) {
    if !args.here.json {
        print(&format!("{text}\n"));
    }
}

fn agents(
    args: &UpArgs,
    machine: &Machine,
    names: &[&str],
    summary: &mut Map<String, Value>,
) -> anyhow::Result<StepOutcome> {
    heading(args, "1. Connect your agents");
    if names.is_empty() && args.agent.is_empty() {
        say(
            args,
            "No coding agent was found on this machine. Install one and run this again, or name one: `becket up --agent claude`.\n\
             `becket demo` works without an agent.",
        );
        return Ok(StepOutcome::Skipped);
    }
    if args.agent.is_empty() {
        say(args, &format!("Found: {}.", names.join(", ")));
    } else {
        say(args, &format!("Selected: {}.", args.agent.join(", ")));
    }
    let init = InitArgs {
        agent: args.agent.clone(),
        yes: args.yes,
        here: args.here.clone(),
        ..InitArgs::default()
    };
    let changed = init::connect(&init, machine)?;
    summary.insert("files".into(), json!(changed.json()));
    summary.insert("left_out".into(), json!(changed.skipped));
    Ok(match (changed.declined, changed.written) {
        (true, _) => StepOutcome::Declined,
        (false, true) => StepOutcome::Done,
        (false, false) => StepOutcome::AlreadyDone,
    })
}

const DAEMON_HEADING: &str = "\n2. Start the daemon (stores events, serves the dashboard)";

/// Skips the daemon, because no agent would use it.
fn skip_daemon(args: &UpArgs) -> StepOutcome {
    heading(args, DAEMON_HEADING);
    say(
        args,
        "Not started, because no agent is connected. Start it with `becket daemon start`.",
    );
    StepOutcome::Skipped
}

fn start_daemon(args: &UpArgs, machine: &Machine) -> anyhow::Result<StepOutcome> {
    heading(args, DAEMON_HEADING);
    let settings = becket::load::load(&machine.home, None, None).settings;
    if settings.daemon == Some(false) {
        say(
            args,
            "Not started, because your configuration says `daemon = false`.",
        );
        return Ok(StepOutcome::Skipped);
    }
    Ok(match daemon::ensure_running(&machine.home)? {
        StartOutcome::AlreadyRunning => {
            say(args, "The daemon is already running.");
            StepOutcome::AlreadyDone
        }
        StartOutcome::Started => {
            say(
                args,
                "The daemon is running. From now on events start it; `becket daemon unit` prints a service that keeps it running.",
            );
            StepOutcome::Done
        }
    })
}

fn guard(args: &UpArgs, summary: &mut Map<String, Value>) -> anyhow::Result<StepOutcome> {
    heading(
        args,
        "\n3. Enable the guard (blocks dangerous commands and secret leaks)",
    );
    let offer = GuardOffer::find(&args.here)?;
    if let Some(enabled_guard) = offer.enabled_guard() {
        return change_preset(args, &enabled_guard, summary);
    }
    let Some(preset) = args.guard.unwrap_or(GuardArg::Standard).preset() else {
        say(
            args,
            "Not enabled, as requested. Enable it with `becket hooks enable security-guard`.",
        );
        return Ok(StepOutcome::Skipped);
    };
    summary.insert("preset".into(), json!(preset.word()));
    say(args, offer.preview(preset)?.trim_end());
    let question = format!(
        "Enable the guard with the preset `{}`? (--guard permissive, standard, strict)",
        preset.word()
    );
    if !is_confirmed(args, &question) {
        print_declined("the guard was not enabled");
        return Ok(StepOutcome::Declined);
    }
    let message = offer.enable(preset)?;
    say(args, &message);
    Ok(StepOutcome::Done)
}

/// An enabled guard stays as it is, unless the command line names another preset.
fn change_preset(
    args: &UpArgs,
    enabled_guard: &EnabledGuard<'_>,
    summary: &mut Map<String, Value>,
) -> anyhow::Result<StepOutcome> {
    let place = enabled_guard.place();
    if args.guard == Some(GuardArg::Off) {
        say(
            args,
            &format!(
                "The guard is already enabled in {place}. Disable it with `becket hooks disable {}`.",
                enabled_guard.name()
            ),
        );
        return Ok(StepOutcome::AlreadyDone);
    }
    let wanted = args.guard.and_then(GuardArg::preset);
    let change = match wanted {
        Some(preset) => enabled_guard.plan(preset)?,
        None => None,
    };
    let (Some(preset), Some(change)) = (wanted, change) else {
        say(args, &format!("The guard is already enabled in {place}."));
        return Ok(StepOutcome::AlreadyDone);
    };
    summary.insert("preset".into(), json!(preset.word()));
    say(args, change.shown().trim_end());
    let question = format!("Change the guard's preset to `{}`?", preset.word());
    if !is_confirmed(args, &question) {
        print_declined("the guard was not changed");
        return Ok(StepOutcome::Declined);
    }
    say(args, &change.write()?.message);
    Ok(StepOutcome::Done)
}

fn is_confirmed(args: &UpArgs, question: &str) -> bool {
    args.yes || (!args.here.json && confirm(question))
}

fn print_next_steps(agents: StepOutcome, link: Option<&str>) {
    let style = Style::stdout();
    let link = link.map_or_else(String::new, |link| {
        format!(", or for two minutes at:\n                   {link}")
    });
    print(&format!(
        "\n{}\n  becket ui        open the dashboard{link}\n  becket top       watch sessions in this terminal\n  becket doctor    check the installation\n",
        style.bold("Next steps:")
    ));
    let last = match agents {
        StepOutcome::Skipped => "No agent is connected yet. Try `becket demo`.",
        StepOutcome::Declined => "No agent is connected yet. Run `becket up` again to connect one.",
        StepOutcome::AlreadyDone | StepOutcome::Done => "Start your agent in a new session.",
    };
    print(&format!("\n{}\n", style.bold(last)));
}
