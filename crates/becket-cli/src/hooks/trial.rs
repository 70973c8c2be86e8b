//! `becket hooks test`: runs one hook with a sample event and shows everything it said.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, bail};
use becket::adapter;
use becket::make::Around;
use becket::model::plan::explain;
use becket::model::{Event, EventKind, Fate, HookSpec};
use becket::runner::process::Ending;
use becket::trial::{self, Stop, Trial};
use becket_agents::payload;
use becket_daemon::setup::HookTried;
use serde_json::Value;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::args::TestArgs;
use super::catalog::{Catalog, Definition};
use super::sample::{self, Wish};
use crate::args::Here;
use crate::everything::Everything;
use crate::exit::Exit;
use crate::report::{SCHEMA_VERSION, Style, print, print_json, talk, tame};

pub(super) fn main(args: &TestArgs, here: &Here) -> anyhow::Result<Exit> {
    let catalog = Catalog::find(here)?;
    let hook = catalog.resolve(&args.name, args.level.map(Into::into))?;
    let stop = Stop::new();
    end_on_signal(&stop);
    let tried = Tried::run(&catalog, hook, |hook| event(args, hook, &catalog), &stop)?;
    if here.json {
        print_json(&serde_json::to_value(tried.told())?)?;
    } else {
        print(&tried.text(Style::stdout()));
        for note in &tried.notes {
            talk(&format!("becket: {}", tame(note)));
        }
    }
    Ok(if tried.failed() {
        Exit::Failure
    } else {
        Exit::Success
    })
}

/// The hook has a process group of its own, so Ctrl-C does not reach it. The flag says whether it was pressed.
pub(crate) fn end_on_signal(stop: &Stop) -> Arc<AtomicBool> {
    let stopped = Arc::new(AtomicBool::new(false));
    let Ok(mut signals) = Signals::new([SIGHUP, SIGINT, SIGTERM]) else {
        return stopped;
    };
    let (stop, flag) = (stop.clone(), Arc::clone(&stopped));
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            flag.store(true, Ordering::Relaxed);
            stop.stop();
        }
    });
    stopped
}

fn event(args: &TestArgs, hook: &HookSpec, catalog: &Catalog) -> anyhow::Result<Event> {
    if let Some(path) = &args.payload {
        let Some(adapter) = adapter(&args.agent) else {
            bail!("unknown agent `{}`", args.agent)
        };
        let bytes = read(path).with_context(|| format!("cannot read `{}`", path.display()))?;
        let map =
            payload::read(&bytes).with_context(|| format!("`{}` is no event", path.display()))?;
        let named = args.event.as_deref().unwrap_or(hook.event.name());
        let parsed = adapter.parse(Some(named), map);
        return parsed.with_context(|| format!("`{}` is no event", path.display()));
    }
    let input = match &args.input {
        Some(text) => Some(serde_json::from_str(text).context("--input is not JSON")?),
        None => None,
    };
    if matches!(&input, Some(input) if !Value::is_object(input)) {
        bail!("--input is not a JSON object");
    }
    let kind = kind(args, hook);
    if !kind.is_tool() && (args.tool.is_some() || input.is_some()) {
        bail!("--tool and --input: `{}` is not about a tool", kind.name());
    }
    let wish = Wish {
        tool: args.tool.clone(),
        input,
    };
    Ok(sample::event(
        hook,
        &kind,
        &catalog.root.to_string_lossy(),
        &wish,
    ))
}

fn kind(args: &TestArgs, hook: &HookSpec) -> EventKind {
    match &args.event {
        Some(name) => EventKind::parse(name),
        None => hook.event.clone(),
    }
}

fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    if path != Path::new("-") {
        return std::fs::read(path);
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A hook that was run.
pub(crate) struct Tried {
    name: String,
    event: Event,
    trial: Trial,
    pub(crate) notes: Vec<String>,
}

impl Tried {
    /// Runs a hook, unless it is a project's and nobody trusts it.
    pub(crate) fn run(
        catalog: &Catalog,
        hook: &Definition,
        event: impl FnOnce(&HookSpec) -> anyhow::Result<Event>,
        stop: &Stop,
    ) -> anyhow::Result<Self> {
        if hook.trusted == Some(false) {
            bail!(
                "`{}` ({}) is a project's hook that you have not trusted, so it is not run; look at it and trust it with `becket trust`",
                tame(hook.name()),
                tame(&hook.place())
            );
        }
        let event = event(hook.first())?;
        let kind = event.kind();
        let spec = hook.specs.iter().find(|spec| spec.event == kind);
        let spec = spec.unwrap_or(hook.first());
        let notes = notes(spec, &event);
        let around = Around {
            home: &catalog.home,
            agent: event.agent.as_str(),
            root: &catalog.root,
            cwd: event.cwd.as_deref(),
            beside: &[],
        };
        let trial = trial::run(spec, &event, &around, &Everything, stop);
        Ok(Self {
            name: hook.name().to_owned(),
            event,
            trial,
            notes,
        })
    }

    /// The same with a sample of its own event.
    pub(crate) fn run_sample(
        catalog: &Catalog,
        hook: &Definition,
        stop: &Stop,
    ) -> anyhow::Result<Self> {
        let root = catalog.root.to_string_lossy().into_owned();
        let sample =
            |hook: &HookSpec| Ok(sample::event(hook, &hook.event, &root, &Wish::default()));
        Self::run(catalog, hook, sample, stop)
    }

    pub(crate) fn failed(&self) -> bool {
        self.trial.outcome.failure.is_some()
    }

    fn subject(&self) -> String {
        let call = self.event.call();
        let tool = call.map(|call| format!("{} {}", call.native_name, call.input));
        let subject = || self.event.subject().map(str::to_owned);
        let path = || self.event.paths().first().map(|path| (*path).to_owned());
        tool.or_else(subject).or_else(path).unwrap_or_default()
    }

    fn ending(&self) -> Option<String> {
        let process = self.trial.process.as_ref()?;
        Some(match &process.ending {
            Ending::Exited(code) => code.to_string(),
            Ending::Signaled(signal) => format!("ended by signal {signal}"),
            Ending::TimedOut => "timed out".to_owned(),
            Ending::Cancelled => "cancelled".to_owned(),
            Ending::NotStarted(error) => format!("not started: {error}"),
            Ending::Lost(error) => format!("lost: {error}"),
        })
    }

    fn output(&self) -> [(&'static str, String); 2] {
        let process = self.trial.process.as_ref();
        [
            (
                "stdout",
                process.map_or_else(String::new, |p| p.stdout.text().into_owned()),
            ),
            (
                "stderr",
                process.map_or_else(String::new, |p| p.stderr.text().into_owned()),
            ),
        ]
    }

    /// Everything there is to say, for programs.
    pub(crate) fn told(&self) -> HookTried {
        let outcome = &self.trial.outcome;
        let [(_, stdout), (_, stderr)] = self.output();
        let exit = self.trial.process.as_ref().and_then(|p| match p.ending {
            Ending::Exited(code) => Some(code),
            _ => None,
        });
        HookTried {
            schema_version: SCHEMA_VERSION,
            name: self.name.clone(),
            event: self.event.to_json(),
            verdict: outcome.verdict.word().to_owned(),
            reason: outcome.reason.clone(),
            updated_input: outcome.updated_input.clone(),
            context: outcome.context.clone(),
            system_message: outcome.system_message.clone(),
            keep_going: outcome.keep_going.clone(),
            failure: outcome.failure.as_ref().map(|it| it.message.clone()),
            exit,
            ending: self.ending(),
            stdout,
            stderr,
            ms: u64::try_from(self.trial.took.as_millis()).unwrap_or(u64::MAX),
            notes: self.notes.clone(),
        }
    }

    /// Everything there is to say, line by line.
    pub(crate) fn text(&self, style: Style) -> String {
        let outcome = &self.trial.outcome;
        let kind = self.event.kind();
        let mut out = format!(
            "{} on {} {}\n",
            style.bold(&tame(&self.name)),
            tame(kind.name()),
            style.dim(&tame(&self.subject()))
        );
        let word = match outcome.verdict.word() {
            "none" => "none (no opinion)",
            word => word,
        };
        let word = if outcome.verdict.blocks() {
            style.bad(word)
        } else {
            style.good(word)
        };
        out += &format!("  {:14} {word}\n", "verdict");
        let ms = self.trial.took.as_secs_f64() * 1000.0;
        let lines = [
            ("reason", outcome.reason.clone()),
            (
                "failure",
                outcome.failure.as_ref().map(|f| f.message.clone()),
            ),
            (
                "new input",
                outcome.updated_input.as_ref().map(Value::to_string),
            ),
            ("context", outcome.context.clone()),
            ("message", outcome.system_message.clone()),
            ("goes on with", outcome.keep_going.clone()),
            ("exit", self.ending()),
            ("took", Some(format!("{ms:.0} ms"))),
        ];
        for (key, value) in lines {
            if let Some(value) = value {
                let value = tame(&value).replace('\n', "\n                 ");
                out += &format!("  {key:14} {value}\n");
            }
        }
        for (name, text) in self.output() {
            if !text.trim().is_empty() {
                out += &format!("{}\n{}\n", style.dim(name), indented(&tame(&text)));
            }
        }
        out
    }
}

fn indented(text: &str) -> String {
    let lines: Vec<String> = text.trim_end().lines().map(|l| format!("  {l}")).collect();
    lines.join("\n")
}

/// What differs from a real event.
fn notes(hook: &HookSpec, event: &Event) -> Vec<String> {
    let mut notes = Vec::new();
    if !hook.enabled {
        notes.push("the hook is disabled; it was run all the same".to_owned());
    }
    let enabled = HookSpec {
        enabled: true,
        ..hook.clone()
    };
    let fates = explain(std::slice::from_ref(&enabled), event);
    match fates.first().map(|(_, fate)| fate) {
        Some(Fate::Starts) => {
            notes.push("agents do not wait for this hook (`async`); it was waited for here".into());
        }
        Some(Fate::Runs(_)) | None => {}
        Some(fate) => notes.push(format!("such an event would not reach the hook: {fate}")),
    }
    notes
}
