//! `becket explain`: which hooks would run for an event, why the others would not, whether the agent would be told what
//! is known, and what the guard makes of a tool's call.

mod guard;
mod recall;
pub(crate) mod shown;

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use becket::model::{
    AgentId, Event, EventData, EventKind, Fate, HookSpec, SessionId, ToolCall, plan,
};
use becket::trust::{TrustStore, fingerprint};
use becket::{Adapter, Home, adapter, load};
use becket_agents::install::installers;
use becket_agents::payload;
use serde_json::{Map, Value, json};

use guard::{At, View};
use recall::Recall;

use crate::args::ExplainArgs;
use crate::check::line;
use crate::exit::Exit;
use crate::report::{SCHEMA_VERSION, Style, one_line, print, print_json, tame};

pub(crate) fn main(args: &ExplainArgs) -> anyhow::Result<Exit> {
    let Some(adapter) = adapter(&args.agent) else {
        bail!("unknown agent `{}`", args.agent)
    };
    let event = event(args, adapter)?;
    let (home, root) = args.here.find()?;
    let configuration = load(&home, Some(&root), Some(&args.agent));
    let hooks = &configuration.loaded.hooks;
    let fates = plan::explain(hooks, &event);
    let mut told: Vec<Told> = fates
        .into_iter()
        .map(|(hook, fate)| Told::new(hook, fate, &home, &root))
        .collect();
    for change in becket::changes(adapter, &event) {
        for (told, (hook, fate)) in told.iter_mut().zip(plan::explain(hooks, &change)) {
            told.follow(hook, fate, &change, &home, &root);
        }
    }
    let told = without_echoes(told);
    let recall = Recall::at(&event, &home, &root);
    let is_heard = args.payload.is_some() || !is_missing(&event);
    let meant = meant(args, &event).map(EventKind::name);
    let views = views(&event, &told, &home, &root);
    if args.here.json {
        let hooks: Vec<Value> = told.iter().map(Told::json).collect();
        let guards: Vec<Value> = views.iter().map(View::json).collect();
        print_json(&json!({
            "schema_version": SCHEMA_VERSION, "event": event.kind().name(), "agent": args.agent, "project": root, "heard": is_heard, "did_you_mean": meant, "hooks": hooks, "recall": recall.json(),
            "guard": guards,
        }))?;
    } else {
        let style = Style::stdout();
        let views = views.iter().map(|view| shown::text(view, style));
        let mut head = text(&event, &told) + &recall.text(style);
        if !is_heard {
            let agent = &args.agent;
            head += &style.warn(&format!(
                "{agent} has no such event: nothing runs for it there.\n"
            ));
        }
        if let Some(meant) = meant {
            head += &style.warn(&format!(
                "No event is called `{}`: did you mean `{meant}`?\n",
                tame(&args.event)
            ));
        }
        print(&views.fold(head, |all, view| all + &view));
    }
    Ok(Exit::Success)
}

/// An entry for several events is several hooks. Those for other events are told once, and not at all
/// beside the one for this event.
fn without_echoes(told: Vec<Told<'_>>) -> Vec<Told<'_>> {
    let mut kept: Vec<Told<'_>> = Vec::new();
    for one in told {
        let same = kept.iter().position(|it| it.hook.source == one.hook.source);
        match same {
            Some(_) if one.fate == Fate::OtherEvent => {}
            Some(at) if kept[at].fate == Fate::OtherEvent => kept[at] = one,
            _ => kept.push(one),
        }
    }
    kept
}

/// What the guard makes of the call, where it is asked before the call happens.
fn views<'a>(event: &'a Event, told: &[Told<'a>], home: &'a Home, root: &'a Path) -> Vec<View<'a>> {
    let asked = matches!(
        event.kind(),
        EventKind::PreToolUse | EventKind::PermissionRequest
    );
    let running: Vec<&HookSpec> = told
        .iter()
        .filter(|one| one.runs())
        .map(|one| one.hook)
        .collect();
    let at = At {
        home,
        root,
        cwd: event.cwd.as_deref(),
    };
    let call = event.call().filter(|_| asked);
    call.map_or_else(Vec::new, |call| guard::views(call, &running, &at))
}

fn event(args: &ExplainArgs, adapter: &dyn Adapter) -> anyhow::Result<Event> {
    let wants_change = EventKind::parse(&args.event) == EventKind::FileModified;
    let bytes = match &args.payload {
        Some(path) => read(path).with_context(|| format!("cannot read `{}`", path.display()))?,
        None if wants_change => return change(args),
        None => return sampled(args, adapter),
    };
    let map = payload::read(&bytes).context("the payload is no event")?;
    let event = adapter.parse(Some(&args.event), map)?;
    let change = wants_change.then(|| becket::changes(adapter, &event).into_iter().next());
    Ok(change.flatten().unwrap_or(event))
}

/// The event that the command line is about, as the agent would tell it. A sample has the shape that most agents share;
/// for the others it is the event that counts, whatever its payload looks like.
fn sampled(args: &ExplainArgs, adapter: &dyn Adapter) -> anyhow::Result<Event> {
    let sample = sample(args)?;
    match adapter.parse(Some(&args.event), sample.clone()) {
        Ok(event) if is_missing(&event) => Ok(by_its_own_name(adapter, &sample).unwrap_or(event)),
        Ok(event) => Ok(event),
        Err(_) => {
            let common = becket::adapter("claude").context("Claude Code is known")?;
            Ok(Event {
                agent: AgentId::new(&args.agent),
                ..common.parse(Some(&args.event), sample)?
            })
        }
    }
}

/// The event that the agent calls by a name that tells nobody what it is: Cline's `TaskStart` is a session's start.
fn by_its_own_name(adapter: &dyn Adapter, sample: &Map<String, Value>) -> Option<Event> {
    let kind = EventKind::parse(sample.get("hook_event_name")?.as_str()?);
    let installer = installers().iter().find(|it| it.agent() == adapter.id())?;
    installer.events().iter().find_map(|native| {
        let mut sample = sample.clone();
        sample.insert("hook_event_name".into(), json!(native));
        let event = adapter.parse(Some(native), sample).ok()?;
        (event.kind() == kind).then_some(event)
    })
}

/// A changed file. Most agents do not tell of one: it then follows from the end of a tool's call.
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

/// An event made of what the command line says.
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

/// Whether it is an event that Becket has a word for, and the agent has none.
fn is_missing(event: &Event) -> bool {
    let EventData::Other { .. } = &event.data else {
        return false;
    };
    EventKind::ALL.contains(&EventKind::parse(event.kind().name()))
}

/// The event that was probably meant by a name that neither Becket nor the agent knows.
fn meant(args: &ExplainArgs, event: &Event) -> Option<&'static EventKind> {
    let is_unknown = matches!(&event.data, EventData::Other { .. }) && !is_missing(event);
    let mut agents = installers().iter().filter(|it| it.agent() == args.agent);
    let is_the_agents = agents.any(|it| it.events().contains(&args.event.as_str()));
    let is_typed = args.payload.is_none() && is_unknown && !is_the_agents;
    is_typed.then(|| EventKind::suggest(&args.event))?
}

/// What the tool is given.
fn input(args: &ExplainArgs) -> anyhow::Result<Value> {
    match &args.input {
        Some(text) => serde_json::from_str(text).context("--input is not JSON"),
        None if args.command.is_empty() => Ok(json!({})),
        None => Ok(json!({ "command": line(&args.command) })),
    }
}

/// Where the agent would work: paths are meant from where the person stands.
fn cwd(args: &ExplainArgs) -> anyhow::Result<PathBuf> {
    match &args.here.project {
        Some(_) => Ok(args.here.find()?.1),
        None => Ok(std::env::current_dir()?),
    }
}

struct Told<'h> {
    hook: &'h HookSpec,
    fate: Fate,
    untrusted: bool,
    /// The file by whose change it is reached, where that follows from the event.
    changed: Option<String>,
}

impl<'h> Told<'h> {
    fn new(hook: &'h HookSpec, fate: Fate, home: &Home, root: &Path) -> Self {
        let trusted = || {
            TrustStore::open(&home.trust_file())
                .is_ok_and(|store| store.trusts(root, &fingerprint(hook, root)))
        };
        let untrusted = matches!(fate, Fate::Runs(_) | Fate::Starts)
            && hook.source.level.needs_trust()
            && !trusted();
        Self {
            hook,
            fate,
            untrusted,
            changed: None,
        }
    }

    /// Takes over what becomes of the hook at a change that follows from the event, unless it runs already.
    fn follow(&mut self, hook: &'h HookSpec, fate: Fate, change: &Event, home: &Home, root: &Path) {
        if fate == Fate::OtherEvent || self.runs() {
            return;
        }
        *self = Self {
            changed: change.paths().first().map(|path| (*path).to_owned()),
            ..Self::new(hook, fate, home, root)
        };
    }

    fn runs(&self) -> bool {
        !self.untrusted && matches!(self.fate, Fate::Runs(_) | Fate::Starts)
    }

    /// Whether it is the same entry as one that runs, for another of its events.
    fn is_beside_itself(&self, told: &[Self]) -> bool {
        let same = |other: &Self| other.hook.source == self.hook.source && other.runs();
        self.fate == Fate::OtherEvent && told.iter().any(same)
    }

    fn why(&self) -> String {
        if self.untrusted {
            return "would run, but is not trusted: see `becket trust`".into();
        }
        match &self.changed {
            Some(path) => format!("{} at the FileModified of `{path}`", self.fate),
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

fn text(event: &Event, told: &[Told<'_>]) -> String {
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
    if told.is_empty() {
        out.push_str("No hooks are configured.\n");
    }
    for one in told.iter().filter(|one| !one.is_beside_itself(told)) {
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
            tame(&one.why()),
            one_line(&one.hook.action.summary(), 100),
            style.dim(&tame(&format!(
                "{}, {}, {source}",
                one.hook.source.level.name(),
                one.hook.dialect.name()
            )))
        );
    }
    out
}
