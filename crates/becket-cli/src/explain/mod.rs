//! `becket explain`: which hooks would run for an event, why the others would not, and what the guard makes of a
//! tool's call.

mod guard;
pub(crate) mod shown;

use std::io::Read;
use std::path::Path;

use anyhow::{Context, bail};
use becket::model::{Event, EventKind, Fate, HookSpec, plan};
use becket::trust::{TrustStore, fingerprint};
use becket::{Home, adapter, load};
use becket_agents::payload;
use serde_json::{Value, json};

use guard::{At, View};

use crate::args::ExplainArgs;
use crate::check::line;
use crate::exit::Exit;
use crate::report::{SCHEMA_VERSION, Style, one_line, print, print_json, tame};

pub(crate) fn main(args: &ExplainArgs) -> anyhow::Result<Exit> {
    let event = event(args)?;
    let (home, root) = args.here.find()?;
    let configuration = load(&home, Some(&root), Some(&args.agent));
    let fates = plan::explain(&configuration.loaded.hooks, &event);
    let told: Vec<Told> = fates
        .into_iter()
        .map(|(hook, fate)| Told::new(hook, fate, &home, &root))
        .collect();
    let told = without_echoes(told);
    let views = views(&event, &told, &home, &root);
    if args.here.json {
        let hooks: Vec<Value> = told.iter().map(Told::json).collect();
        let guards: Vec<Value> = views.iter().map(View::json).collect();
        print_json(&json!({
            "schema_version": SCHEMA_VERSION, "event": event.kind().name(), "agent": args.agent, "project": root, "hooks": hooks, "guard": guards,
        }))?;
    } else {
        let style = Style::stdout();
        let views = views.iter().map(|view| shown::text(view, style));
        print(&views.fold(text(&event, &told), |all, view| all + &view));
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

fn event(args: &ExplainArgs) -> anyhow::Result<Event> {
    let Some(adapter) = adapter(&args.agent) else {
        bail!("unknown agent `{}`", args.agent)
    };
    let bytes = match &args.payload {
        Some(path) => read(path).with_context(|| format!("cannot read `{}`", path.display()))?,
        None => sample(args)?.to_string().into_bytes(),
    };
    let map = payload::read(&bytes).context("the payload is no event")?;
    Ok(adapter.parse(Some(&args.event), map)?)
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
fn sample(args: &ExplainArgs) -> anyhow::Result<Value> {
    let kind = EventKind::parse(&args.event);
    let input: Value = match &args.input {
        Some(text) => serde_json::from_str(text).context("--input is not JSON")?,
        None if args.command.is_empty() => json!({}),
        None => json!({ "command": line(&args.command) }),
    };
    // Paths are meant from where the person stands.
    let cwd = match &args.here.project {
        Some(_) => args.here.find()?.1,
        None => std::env::current_dir()?,
    };
    let tool = args.tool.as_deref().unwrap_or("Bash");
    let mut sample = json!({ "session_id": "explain", "cwd": cwd, "hook_event_name": kind.name() });
    if kind.is_tool() {
        sample["tool_name"] = json!(tool);
        sample["tool_input"] = input;
        sample["tool_response"] = json!({});
        sample["error"] = json!("");
    } else if kind == EventKind::UserPromptSubmit {
        sample["prompt"] = json!("");
    }
    Ok(sample)
}

struct Told<'h> {
    hook: &'h HookSpec,
    fate: Fate,
    untrusted: bool,
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
        }
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
            "would run, but is not trusted: see `becket trust`".into()
        } else {
            self.fate.to_string()
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
    let subject = event
        .call()
        .map(|call| call.native_name.as_str())
        .or_else(|| event.subject());
    let mut out = format!(
        "{} {}\n",
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
