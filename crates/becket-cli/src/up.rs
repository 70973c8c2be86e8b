//! `becket up`: everything that a fresh machine needs, step by step, each shown before it is done.
//!
//! Nothing here does anything of its own: it is `becket init`, `becket daemon start` and `becket hooks enable
//! security-guard` in one, and doing it again changes nothing.

use becket_agents::install::{Installer, installers};
use becket_guard::rule::Preset;
use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};

use crate::args::{Here, InitArgs};
use crate::check::PresetArg;
use crate::codex;
use crate::daemon::{self, Ensured};
use crate::exit::Exit;
use crate::hooks::offer::{Offer, Standing};
use crate::init;
use crate::machine::Machine;
use crate::report::{SCHEMA_VERSION, Style, confirm, declined, print, print_json};
use crate::ui;

#[derive(Args, Default)]
pub(crate) struct UpArgs {
    /// Which agents, instead of those found on this machine
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    agent: Vec<String>,
    /// Do it all without asking
    #[arg(long, short)]
    yes: bool,
    /// How strict the guard is, or `off` for none; `standard` where none is on yet
    #[arg(long, value_enum)]
    guard: Option<GuardArg>,
    #[command(flatten)]
    here: Here,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum GuardArg {
    /// Only what no one wants
    Permissive,
    /// Denies what is irreversible or leaks secrets, asks for the doubtful
    Standard,
    /// Denies the doubtful too
    Strict,
    /// No guard
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

/// How a step ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Nothing was to be done.
    Was,
    Done,
    /// The person said no, or could not be asked.
    Declined,
    /// There is nothing to do it to, or nobody wants it.
    Skipped,
}

impl Step {
    fn word(self) -> &'static str {
        match self {
            Self::Was => "already",
            Self::Done => "done",
            Self::Declined => "declined",
            Self::Skipped => "skipped",
        }
    }
}

pub(crate) fn main(args: &UpArgs) -> anyhow::Result<Exit> {
    let machine = Machine::find(&args.here)?;
    let mut told = Map::new();
    let found: Vec<&'static dyn Installer> = installers()
        .iter()
        .copied()
        .filter(|installer| machine.has(*installer))
        .collect();
    let names: Vec<&str> = found.iter().map(|installer| installer.agent()).collect();
    told.insert("found".into(), json!(names));
    let agents = agents(args, &machine, &names, &mut told)?;
    let daemon = match agents {
        Step::Declined => no_daemon(args),
        _ => start_daemon(args, &machine)?,
    };
    let guard = guard(args, &mut told)?;
    let steps = [("agents", agents), ("daemon", daemon), ("guard", guard)];
    let left_out = told.get("left_out").and_then(Value::as_array);
    let has_all = left_out.is_none_or(Vec::is_empty);
    let is_done = has_all && steps.iter().all(|(_, step)| *step != Step::Declined);
    if args.here.json {
        for (name, step) in steps {
            told.insert(name.into(), json!(step.word()));
        }
        told.insert("schema_version".into(), json!(SCHEMA_VERSION));
        told.insert("done".into(), json!(is_done));
        print_json(&Value::Object(told))?;
    } else {
        let has_daemon = matches!(daemon, Step::Was | Step::Done);
        let link = has_daemon.then(|| ui::link(&machine.home).ok()).flatten();
        farewell(agents, link.as_deref());
        if matches!(agents, Step::Was | Step::Done) && codex::is_waiting_for_trust(&machine)? {
            print(codex::UNTRUSTED);
        }
        for problem in left_out.into_iter().flatten().filter_map(Value::as_str) {
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
    told: &mut Map<String, Value>,
) -> anyhow::Result<Step> {
    heading(args, "1. Your agents");
    if names.is_empty() && args.agent.is_empty() {
        say(
            args,
            "No coding agent was found on this machine. Install one and run this again, or name it: `becket up --agent claude`.\n\
             `becket demo` shows what Becket does without any.",
        );
        return Ok(Step::Skipped);
    }
    if args.agent.is_empty() {
        say(args, &format!("Found: {}.", names.join(", ")));
    } else {
        say(args, &format!("Chosen: {}.", args.agent.join(", ")));
    }
    let init = InitArgs {
        agent: args.agent.clone(),
        yes: args.yes,
        here: args.here.clone(),
        ..InitArgs::default()
    };
    let changed = init::connect(&init, machine)?;
    told.insert("files".into(), json!(changed.json()));
    told.insert("left_out".into(), json!(changed.left_out));
    Ok(match (changed.declined, changed.written) {
        (true, _) => Step::Declined,
        (false, true) => Step::Done,
        (false, false) => Step::Was,
    })
}

const DAEMON: &str = "\n2. The daemon, which keeps what is recorded";

/// Nobody would talk to it.
fn no_daemon(args: &UpArgs) -> Step {
    heading(args, DAEMON);
    say(
        args,
        "Not started, as nothing is connected; `becket daemon start` does.",
    );
    Step::Skipped
}

fn start_daemon(args: &UpArgs, machine: &Machine) -> anyhow::Result<Step> {
    heading(args, DAEMON);
    let settings = becket::load::load(&machine.home, None, None).settings;
    if settings.daemon == Some(false) {
        say(
            args,
            "Your configuration says `daemon = false`: none is started.",
        );
        return Ok(Step::Skipped);
    }
    Ok(match daemon::ensure(&machine.home)? {
        Ensured::Running => {
            say(args, "The daemon is running already.");
            Step::Was
        }
        Ensured::Started => {
            say(
                args,
                "The daemon is running. Events start it from now on; `becket daemon unit` prints a service that keeps it up.",
            );
            Step::Done
        }
    })
}

fn guard(args: &UpArgs, told: &mut Map<String, Value>) -> anyhow::Result<Step> {
    heading(
        args,
        "\n3. The guard, which stops what nobody wants an agent to do",
    );
    let offer = Offer::find(&args.here)?;
    if let Some(standing) = offer.standing() {
        return another_preset(args, &standing, told);
    }
    let Some(preset) = args.guard.unwrap_or(GuardArg::Standard).preset() else {
        say(
            args,
            "Not wanted. `becket hooks enable security-guard` switches it on.",
        );
        return Ok(Step::Skipped);
    };
    told.insert("preset".into(), json!(preset.word()));
    say(args, offer.preview(preset)?.trim_end());
    let question = format!(
        "Switch on the guard with the preset `{}`? (--guard permissive, standard, strict)",
        preset.word()
    );
    if !agrees(args, &question) {
        declined("the guard is not switched on");
        return Ok(Step::Declined);
    }
    let said = offer.accept(preset)?;
    say(args, &said);
    Ok(Step::Done)
}

/// A guard that is on stays as it is, unless this command names another preset.
fn another_preset(
    args: &UpArgs,
    standing: &Standing<'_>,
    told: &mut Map<String, Value>,
) -> anyhow::Result<Step> {
    let place = standing.place();
    if args.guard == Some(GuardArg::Off) {
        say(
            args,
            &format!(
                "The guard is on, in {place}, and stays on: `becket hooks disable {}` switches it off.",
                standing.name()
            ),
        );
        return Ok(Step::Was);
    }
    let wanted = args.guard.and_then(GuardArg::preset);
    let change = match wanted {
        Some(preset) => standing.plan(preset)?,
        None => None,
    };
    let (Some(preset), Some(change)) = (wanted, change) else {
        say(args, &format!("The guard is on already, in {place}."));
        return Ok(Step::Was);
    };
    told.insert("preset".into(), json!(preset.word()));
    say(args, change.shown().trim_end());
    let question = format!("Change the guard's preset to `{}`?", preset.word());
    if !agrees(args, &question) {
        declined("the guard stays as it is");
        return Ok(Step::Declined);
    }
    say(args, &change.write()?.said);
    Ok(Step::Done)
}

fn agrees(args: &UpArgs, question: &str) -> bool {
    args.yes || (!args.here.json && confirm(question))
}

fn farewell(agents: Step, link: Option<&str>) {
    let style = Style::stdout();
    let link = link.map_or_else(String::new, |link| {
        format!("; for two minutes also at:\n                   {link}")
    });
    print(&format!(
        "\n{}\n  becket ui        the dashboard, in your browser{link}\n  becket top       the same on this terminal\n  becket doctor    whether everything is wired up\n",
        style.bold("Look at what happens:")
    ));
    let last = match agents {
        Step::Skipped => "Nothing is connected yet. `becket demo` plays a session of every agent.",
        Step::Declined => "Nothing is connected yet: `becket up` shows the change again.",
        Step::Was | Step::Done => "Start your agent.",
    };
    print(&format!("\n{}\n", style.bold(last)));
}
