//! `becket explain`: which hooks would run for an event and why the others would not, whether context would be injected,
//! and what the guard decides about a tool call.

mod guard;
mod recall;
pub(crate) mod render;

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use becket::model::{
    AgentId, Event, EventData, EventKind, HookSpec, SelectionReason, SessionId, ToolCall, plan,
};
use becket::trust::{TrustStore, fingerprint};
use becket::{Adapter, Home, adapter, load};
use becket_agents::install::installers;
use becket_agents::payload;
use serde_json::{Map, Value, json};

use guard::{CallLocation, GuardView};
use recall::RecallNote;

use crate::args::ExplainArgs;
use crate::check::shell_line;
use crate::exit::Exit;
use crate::report::{SCHEMA_VERSION, Style, one_line, print, print_json, sanitize};

pub(crate) fn main(args: &ExplainArgs) -> anyhow::Result<Exit> {
    let Some(adapter) = adapter(&args.agent) else {
        bail!("unknown agent `{}`", args.agent)
    };
    let event = event(args, adapter)?;
    let (home, root) = args.here.find()?;
    let configuration = load(&home, Some(&root), Some(&args.agent));
    let hooks = &configuration.loaded.hooks;
    let fates = plan::explain(hooks, &event);
    let mut explained: Vec<ExplainedHook> = fates
        .into_iter()
        .map(|(hook, fate)| ExplainedHook::new(hook, fate, &home, &root))
        .collect();
    for change in becket::changes(adapter, &event) {
        for (explained, (hook, fate)) in explained.iter_mut().zip(plan::explain(hooks, &change)) {
            explained.follow(hook, fate, &change, &home, &root);
        }
    }
    let explained = dedupe_entries(explained);
    let recall = RecallNote::at(&event, &home, &root);
    let is_supported = args.payload.is_some() || !is_unsupported(&event);
    let suggestion = suggested_event(args, &event).map(EventKind::name);
    let views = views(&event, &explained, &home, &root);
    if args.here.json {
        let hooks: Vec<Value> = explained.iter().map(ExplainedHook::json).collect();
        let guards: Vec<Value> = views.iter().map(GuardView::json).collect();
        print_json(&json!({
            "schema_version": SCHEMA_VERSION, "event": event.kind().name(), "agent": args.agent, "project": root, "heard": is_supported, "did_you_mean": suggestion, "hooks": hooks, "recall": recall.json(),
            "guard": guards,
        }))?;
    } else {
        let style = Style::stdout();
        let views = views.iter().map(|view| render::text(view, style));
        let mut head = text(&event, &explained) + &recall.text(style);
        if !is_supported {
            let agent = &args.agent;
            head += &style.warn(&format!("{agent} has no such event, so no hook runs.\n"));
        }
        if let Some(suggestion) = suggestion {
            head += &style.warn(&format!(
                "Unknown event `{}`; did you mean `{suggestion}`?\n",
                sanitize(&args.event)
            ));
        }
        print(&views.fold(head, |all, view| all + &view));
    }
    Ok(Exit::Success)
}

/// Removes duplicates: an entry with several events is loaded as several hooks. Hooks of other events are listed once,
/// or not at all if the same entry also has this event.
fn dedupe_entries(explained: Vec<ExplainedHook<'_>>) -> Vec<ExplainedHook<'_>> {
    let mut kept: Vec<ExplainedHook<'_>> = Vec::new();
    for one in explained {
        let same = kept.iter().position(|it| it.hook.source == one.hook.source);
        match same {
            Some(_) if one.fate == SelectionReason::OtherEvent => {}
            Some(at) if kept[at].fate == SelectionReason::OtherEvent => kept[at] = one,
            _ => kept.push(one),
        }
    }
    kept
}

/// The guards' views of a tool call, for events before the call.
fn views<'a>(
    event: &'a Event,
    explained: &[ExplainedHook<'a>],
    home: &'a Home,
    root: &'a Path,
) -> Vec<GuardView<'a>> {
    let is_before_call = matches!(
        event.kind(),
        EventKind::PreToolUse | EventKind::PermissionRequest
    );
    let running: Vec<&HookSpec> = explained
        .iter()
        .filter(|one| one.runs())
        .map(|one| one.hook)
        .collect();
    let at = CallLocation {
        home,
        root,
        cwd: event.cwd.as_deref(),
    };
    let call = event.call().filter(|_| is_before_call);
    call.map_or_else(Vec::new, |call| guard::views(call, &running, &at))
}

fn event(args: &ExplainArgs, adapter: &dyn Adapter) -> anyhow::Result<Event> {
    let wants_change = EventKind::parse(&args.event) == EventKind::FileModified;
    let bytes = match &args.payload {
        Some(path) => read(path).with_context(|| format!("cannot read `{}`", path.display()))?,
        None if wants_change => return change(args),
        None => return sampled(args, adapter),
    };
    let map = payload::read(&bytes).context("the payload is not a valid event")?;
    let event = adapter.parse(Some(&args.event), map)?;
    let change = wants_change.then(|| becket::changes(adapter, &event).into_iter().next());
    Ok(change.flatten().unwrap_or(event))
}

/// Builds the event from the command line. The sample payload has the shape that most agents share; for an agent that
/// cannot parse it, the event is parsed as Claude Code's.
fn sampled(args: &ExplainArgs, adapter: &dyn Adapter) -> anyhow::Result<Event> {
    let sample = sample(args)?;
    match adapter.parse(Some(&args.event), sample.clone()) {
        Ok(event) if is_unsupported(&event) => {
            Ok(by_native_name(adapter, &sample).unwrap_or(event))
        }
        Ok(event) => Ok(event),
        Err(_) => {
            let common = becket::adapter("claude").context("the Claude Code adapter is missing")?;
            Ok(Event {
                agent: AgentId::new(&args.agent),
                ..common.parse(Some(&args.event), sample)?
            })
        }
    }
}

/// Looks for the agent's own name of an event, such as `TaskStart` for a session start in Cline.
fn by_native_name(adapter: &dyn Adapter, sample: &Map<String, Value>) -> Option<Event> {
    let kind = EventKind::parse(sample.get("hook_event_name")?.as_str()?);
    let installer = installers().iter().find(|it| it.agent() == adapter.id())?;
    installer.events().iter().find_map(|native| {
        let mut sample = sample.clone();
        sample.insert("hook_event_name".into(), json!(native));
        let event = adapter.parse(Some(native), sample).ok()?;
        (event.kind() == kind).then_some(event)
    })
}

/// A file change. Most agents do not report it; Becket then derives it from the tool call.
fn change(args: &ExplainArgs) -> anyhow::Result<Event> {
    let call = ToolCall::new("Write", input(args)?);
    let path = call.paths().first().map(|path| (*path).to_owned());
    let data = EventData::FileModified {
        path: path.unwrap_or_default(),
        change: None,
    };
    let mut event = Event::new(AgentId::new(&args.agent), SessionId::new("explain"), data);
    event.cwd = Some(cwd(args)?.to_string_lossy().into_owned());
    Ok(event)
}

fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    if path != Path::new("-") {
        return std::fs::read(path);
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A payload built from the command-line arguments.
fn sample(args: &ExplainArgs) -> anyhow::Result<Map<String, Value>> {
    let kind = EventKind::parse(&args.event);
    let (input, cwd) = (input(args)?, cwd(args)?);
    let tool = args.tool.as_deref().unwrap_or("Bash");
    let mut sample = Map::new();
    let mut put = |name: &str, value: Value| sample.insert(name.to_owned(), value);
    put("session_id", json!("explain"));
    put("cwd", json!(cwd));
    put("hook_event_name", json!(kind.name()));
    if kind.is_tool() {
        put("tool_name", json!(tool));
        put("tool_input", input);
        put("tool_response", json!({}));
        put("error", json!(""));
    } else if kind == EventKind::UserPromptSubmit {
        put("prompt", json!(""));
    }
    Ok(sample)
}

/// Whether Becket knows the event but the agent does not send it.
fn is_unsupported(event: &Event) -> bool {
    let EventData::Other { .. } = &event.data else {
        return false;
    };
    EventKind::ALL.contains(&EventKind::parse(event.kind().name()))
}

/// The closest known event to a name that neither Becket nor the agent knows.
fn suggested_event(args: &ExplainArgs, event: &Event) -> Option<&'static EventKind> {
    let is_unknown = matches!(&event.data, EventData::Other { .. }) && !is_unsupported(event);
    let mut agents = installers().iter().filter(|it| it.agent() == args.agent);
    let is_the_agents = agents.any(|it| it.events().contains(&args.event.as_str()));
    let is_typed = args.payload.is_none() && is_unknown && !is_the_agents;
    is_typed.then(|| EventKind::suggest(&args.event))?
}

/// The tool input.
fn input(args: &ExplainArgs) -> anyhow::Result<Value> {
    match &args.input {
        Some(text) => serde_json::from_str(text).context("--input is not valid JSON"),
        None if args.command.is_empty() => Ok(json!({})),
        None => Ok(json!({ "command": shell_line(&args.command) })),
    }
}

/// The agent's working directory; relative paths start at the current directory.
fn cwd(args: &ExplainArgs) -> anyhow::Result<PathBuf> {
    match &args.here.project {
        Some(_) => Ok(args.here.find()?.1),
        None => Ok(std::env::current_dir()?),
    }
}

struct ExplainedHook<'h> {
    hook: &'h HookSpec,
    fate: SelectionReason,
    untrusted: bool,
    /// The changed file, if the hook runs for a file change derived from the event.
    changed: Option<String>,
}

impl<'h> ExplainedHook<'h> {
    fn new(hook: &'h HookSpec, fate: SelectionReason, home: &Home, root: &Path) -> Self {
        let trusted = || {
            TrustStore::open(&home.trust_file())
                .is_ok_and(|store| store.trusts(root, &fingerprint(hook, root)))
        };
        let untrusted = matches!(
            fate,
            SelectionReason::Runs(_) | SelectionReason::RunsDetached
        ) && hook.source.level.needs_trust()
            && !trusted();
        Self {
            hook,
            fate,
            untrusted,
            changed: None,
        }
    }

    /// Replaces the result with the hook's selection for a derived file change, unless the hook runs for the event
    /// itself.
    fn follow(
        &mut self,
        hook: &'h HookSpec,
        fate: SelectionReason,
        change: &Event,
        home: &Home,
        root: &Path,
    ) {
        if fate == SelectionReason::OtherEvent || self.runs() {
            return;
        }
        *self = Self {
            changed: change.paths().first().map(|path| (*path).to_owned()),
            ..Self::new(hook, fate, home, root)
        };
    }

    fn runs(&self) -> bool {
        !self.untrusted
            && matches!(
                self.fate,
                SelectionReason::Runs(_) | SelectionReason::RunsDetached
            )
    }

    /// Whether the same entry already runs for another of its events.
    fn runs_for_other_event(&self, explained: &[Self]) -> bool {
        let same = |other: &Self| other.hook.source == self.hook.source && other.runs();
        self.fate == SelectionReason::OtherEvent && explained.iter().any(same)
    }

    fn why(&self) -> String {
        if self.untrusted {
            return "would run, but is not trusted; review it with `becket trust`".into();
        }
        match &self.changed {
            Some(path) => format!("{}, for FileModified of `{path}`", self.fate),
            None => self.fate.to_string(),
        }
    }

    fn json(&self) -> Value {
        json!({
            "name": self.hook.name, "runs": self.runs(), "why": self.why(), "dialect": self.hook.dialect.name(),
            "level": self.hook.source.level.name(), "file": self.hook.source.file, "line": self.hook.source.line,
        })
    }
}

fn text(event: &Event, explained: &[ExplainedHook<'_>]) -> String {
    let style = Style::stdout();
    let change = || match &event.data {
        EventData::FileModified { path, .. } => Some(path.as_str()),
        _ => None,
    };
    let subject = event
        .call()
        .map(|call| call.native_name.as_str())
        .or_else(|| event.subject())
        .or_else(change)
        .filter(|subject| !subject.is_empty());
    let subject = subject.map(|subject| format!(" {}", one_line(subject, 200)));
    let mut out = format!(
        "{}{}\n",
        style.bold(event.kind().name()),
        subject.unwrap_or_default()
    );
    if explained.is_empty() {
        out.push_str("No hooks are configured.\n");
    }
    for one in explained
        .iter()
        .filter(|one| !one.runs_for_other_event(explained))
    {
        let mark = if one.runs() {
            style.good("✓")
        } else {
            style.dim("·")
        };
        let source = format!(
            "{}:{}",
            one.hook.source.file.display(),
            one.hook.source.line
        );
        out += &format!(
            "{mark} {} {}\n    {}\n    {}\n",
            one_line(&one.hook.name, 40),
            sanitize(&one.why()),
            one_line(&one.hook.action.summary(), 100),
            style.dim(&sanitize(&format!(
                "{}, {}, {source}",
                one.hook.source.level.name(),
                one.hook.dialect.name()
            )))
        );
    }
    out
}
