//! `becket hooks test`: runs one hook with a sample event and shows its result.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, bail};
use becket::adapter;
use becket::factory::HookSite;
use becket::model::plan::explain;
use becket::model::{Event, EventKind, HookSpec, SelectionReason};
use becket::runner::process::Ending;
use becket::trial::{self, StopHandle, Trial};
use becket_agents::payload;
use becket_daemon::setup::HookTestResult;
use serde_json::Value;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::args::TestArgs;
use super::catalog::{HookCatalog, HookDefinition};
use super::sample::{self, SampleOverrides};
use crate::all_hooks::AllHooks;
use crate::args::ProjectArgs;
use crate::exit::Exit;
use crate::report::{SCHEMA_VERSION, Style, print, print_json, print_message, sanitize};

pub(super) fn main(args: &TestArgs, here: &ProjectArgs) -> anyhow::Result<Exit> {
    let catalog = HookCatalog::find(here)?;
    let hook = catalog.resolve(&args.name, args.level.map(Into::into))?;
    let stop = StopHandle::new();
    stop_on_signal(&stop);
    let test_run = HookTestRun::run(&catalog, hook, |hook| event(args, hook, &catalog), &stop)?;
    if here.json {
        print_json(&serde_json::to_value(test_run.to_api())?)?;
    } else {
        print(&test_run.text(Style::stdout()));
        for note in &test_run.notes {
            print_message(&format!("becket: {}", sanitize(note)));
        }
    }
    Ok(if test_run.failed() {
        Exit::Failure
    } else {
        Exit::Success
    })
}

/// Stops the test on a signal: the hook has its own process group, so Ctrl-C does not reach it. The flag is set once a
/// signal arrived.
pub(crate) fn stop_on_signal(stop: &StopHandle) -> Arc<AtomicBool> {
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

fn event(args: &TestArgs, hook: &HookSpec, catalog: &HookCatalog) -> anyhow::Result<Event> {
    if let Some(path) = &args.payload {
        let Some(adapter) = adapter(&args.agent) else {
            bail!("unknown agent `{}`", args.agent)
        };
        let bytes = read(path).with_context(|| format!("cannot read `{}`", path.display()))?;
        let map = payload::read(&bytes)
            .with_context(|| format!("`{}` is not a valid event", path.display()))?;
        let named = args.event.as_deref().unwrap_or(hook.event.name());
        let parsed = adapter.parse(Some(named), map);
        return parsed.with_context(|| format!("`{}` is not a valid event", path.display()));
    }
    let input = match &args.input {
        Some(text) => Some(serde_json::from_str(text).context("--input is not valid JSON")?),
        None => None,
    };
    if matches!(&input, Some(input) if !Value::is_object(input)) {
        bail!("--input must be a JSON object");
    }
    let kind = kind(args, hook);
    if !kind.is_tool() && (args.tool.is_some() || input.is_some()) {
        bail!(
            "--tool and --input do not apply to `{}`, which is not a tool event",
            kind.name()
        );
    }
    let overrides = SampleOverrides {
        tool: args.tool.clone(),
        input,
    };
    Ok(sample::event(
        hook,
        &kind,
        &catalog.root.to_string_lossy(),
        &overrides,
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

/// A completed test run of a hook.
pub(crate) struct HookTestRun {
    name: String,
    event: Event,
    trial: Trial,
    pub(crate) notes: Vec<String>,
}

impl HookTestRun {
    /// Runs a hook, unless it is an untrusted hook of a project.
    pub(crate) fn run(
        catalog: &HookCatalog,
        hook: &HookDefinition,
        event: impl FnOnce(&HookSpec) -> anyhow::Result<Event>,
        stop: &StopHandle,
    ) -> anyhow::Result<Self> {
        if hook.trusted == Some(false) {
            bail!(
                "`{}` ({}) was not run: it belongs to a project and is not trusted; review it with `becket trust`",
                sanitize(hook.name()),
                sanitize(&hook.place())
            );
        }
        let event = event(hook.first())?;
        let kind = event.kind();
        let spec = hook.specs.iter().find(|spec| spec.event == kind);
        let spec = spec.unwrap_or(hook.first());
        let notes = notes(spec, &event);
        let around = HookSite {
            home: &catalog.home,
            agent: event.agent.as_str(),
            root: &catalog.root,
            cwd: event.cwd.as_deref(),
            hooks: &[],
        };
        let trial = trial::run(spec, &event, &around, &AllHooks, stop);
        Ok(Self {
            name: hook.name().to_owned(),
            event,
            trial,
            notes,
        })
    }

    /// Runs a hook with a sample of its own event.
    pub(crate) fn run_sample(
        catalog: &HookCatalog,
        hook: &HookDefinition,
        stop: &StopHandle,
    ) -> anyhow::Result<Self> {
        let root = catalog.root.to_string_lossy().into_owned();
        let sample = |hook: &HookSpec| {
            Ok(sample::event(
                hook,
                &hook.event,
                &root,
                &SampleOverrides::default(),
            ))
        };
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
            Ending::Signaled(signal) => format!("killed by signal {signal}"),
            Ending::TimedOut => "timed out".to_owned(),
            Ending::Cancelled => "cancelled".to_owned(),
            Ending::NotStarted(error) => format!("not started: {error}"),
            Ending::Lost(error) => format!("lost track of it: {error}"),
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

    /// The result for the API.
    pub(crate) fn to_api(&self) -> HookTestResult {
        let outcome = &self.trial.outcome;
        let [(_, stdout), (_, stderr)] = self.output();
        let exit = self.trial.process.as_ref().and_then(|p| match p.ending {
            Ending::Exited(code) => Some(code),
            _ => None,
        });
        HookTestResult {
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

    /// The result for the terminal.
    pub(crate) fn text(&self, style: Style) -> String {
        let outcome = &self.trial.outcome;
        let kind = self.event.kind();
        let mut out = format!(
            "{} on {} {}\n",
            style.bold(&sanitize(&self.name)),
            sanitize(kind.name()),
            style.dim(&sanitize(&self.subject()))
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
            ("continues with", outcome.keep_going.clone()),
            ("exit", self.ending()),
            ("took", Some(format!("{ms:.0} ms"))),
        ];
        for (key, value) in lines {
            if let Some(value) = value {
                let value = sanitize(&value).replace('\n', "\n                 ");
                out += &format!("  {key:14} {value}\n");
            }
        }
        for (name, text) in self.output() {
            if !text.trim().is_empty() {
                out += &format!("{}\n{}\n", style.dim(name), indented(&sanitize(&text)));
            }
        }
        out
    }
}

fn indented(text: &str) -> String {
    let lines: Vec<String> = text.trim_end().lines().map(|l| format!("  {l}")).collect();
    lines.join("\n")
}

/// Notes on how the test differs from a real event.
fn notes(hook: &HookSpec, event: &Event) -> Vec<String> {
    let mut notes = Vec::new();
    if !hook.enabled {
        notes.push("the hook is disabled; it was run anyway".to_owned());
    }
    let enabled = HookSpec {
        enabled: true,
        ..hook.clone()
    };
    let fates = explain(std::slice::from_ref(&enabled), event);
    match fates.first().map(|(_, fate)| fate) {
        Some(SelectionReason::RunsDetached) => {
            notes.push("the hook is `async`: agents do not wait for it, but this test did".into());
        }
        Some(SelectionReason::Runs(_)) | None => {}
        Some(fate) => notes.push(format!(
            "a real event like this would not reach the hook: {fate}"
        )),
    }
    notes
}
