//! `becket hook [EVENT] --agent ID`: answers a hook event. Agents run it for every event.
//!
//! This is the hot path: no argument parser, no async runtime, and no regex unless a hook needs one.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use becket::env::{ProcessEnv, Vars};
use becket::model::{EventKind, Verdict};
use becket::pipeline::BAD_PAYLOAD;
use becket::{
    Adapter, CancellationToken, Home, HookFactory, NeedsFullBinary, Rendered, Request, Response,
    adapter, adapters, respond,
};

use becket_agents::{SenderClues, recognise};
use becket_guard::redact::set_custom_patterns;

use crate::exit::Exit;
use crate::inject::{self, DaemonContact};
use crate::{autostart, detach, full_binary, memfd, recorder, stdin};

const USAGE: &str = "usage: becket hook [EVENT] --agent ID < payload.json";

pub(crate) fn main(words: impl Iterator<Item = OsString>, factory: &dyn HookFactory) -> Exit {
    match HookArguments::parse(words) {
        Ok(Some(arguments)) => respond_to_agent(&arguments, factory),
        Ok(None) => {
            print_stdout(&format!(
                "Answer an agent's hook event, read from standard input\n\n{USAGE}\n\nAgents: {}\n",
                agent_ids()
            ));
            Exit::Success
        }
        Err(message) => {
            print_stderr(&format!("becket: {message}\n{USAGE}\n"));
            Exit::Usage
        }
    }
}

struct HookArguments {
    event: Option<String>,
    agent: AgentChoice,
}

enum AgentChoice {
    Named(&'static dyn Adapter),
    /// Detected from the payload and the environment.
    Auto,
}

impl HookArguments {
    /// Parses the command line; `None` if help is wanted.
    fn parse(words: impl Iterator<Item = OsString>) -> Result<Option<Self>, String> {
        let (mut event, mut agent) = (None, None);
        let mut words = words.map(|word| word.to_string_lossy().into_owned());
        while let Some(word) = words.next() {
            match word.as_str() {
                "-h" | "--help" => return Ok(None),
                "--agent" => agent = Some(words.next().ok_or("--agent needs an id")?),
                _ if word.starts_with("--agent=") => {
                    agent = Some(word["--agent=".len()..].to_owned());
                }
                _ if word.starts_with('-') => return Err(format!("unknown option `{word}`")),
                _ if event.is_none() => event = Some(word),
                _ => return Err(format!("unexpected argument `{word}`")),
            }
        }
        let id = agent.ok_or_else(|| format!("--agent is missing (one of: {})", agent_ids()))?;
        let agent = match adapter(&id) {
            Some(adapter) => AgentChoice::Named(adapter),
            None if id == "auto" => AgentChoice::Auto,
            None => {
                return Err(format!(
                    "unknown agent `{id}` (one of: auto, {})",
                    agent_ids()
                ));
            }
        };
        Ok(Some(Self { event, agent }))
    }
}

impl AgentChoice {
    fn adapter(&self, payload: &[u8]) -> Option<&'static dyn Adapter> {
        match self {
            Self::Named(adapter) => Some(*adapter),
            Self::Auto => {
                let payload = becket_agents::payload::read(payload).ok()?;
                let has_env = |name: &str| ProcessEnv.get(name).is_some();
                recognise(&SenderClues {
                    payload: &payload,
                    has_env: &has_env,
                })
            }
        }
    }
}

fn agent_ids() -> String {
    adapters()
        .iter()
        .map(|adapter| adapter.id())
        .collect::<Vec<_>>()
        .join(", ")
}

fn respond_to_agent(arguments: &HookArguments, factory: &dyn HookFactory) -> Exit {
    let home = Home::find(&ProcessEnv);
    let payload = stdin::read();
    let cwd = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let Some(adapter) = arguments.agent.adapter(&payload) else {
        print_stderr("becket: cannot detect which agent sent this event; pass --agent\n");
        return Exit::Agent(BAD_PAYLOAD);
    };
    ask_on_panic(adapter, arguments.event.as_deref());
    let request = Request {
        adapter,
        event: arguments.event.as_deref(),
        payload: &payload,
        home: &home,
        cwd: &cwd,
        before_hooks: &cancel_hooks_on_signal,
        factory,
    };
    match respond(&request) {
        Ok(response) => deliver(response, &request),
        Err(NeedsFullBinary) => exec_full_binary(&request),
    }
}

/// Replaces this process by the full binary. It gets the payload again, because standard input is already read.
fn exec_full_binary(request: &Request<'_>) -> Exit {
    let error = match memfd::file_with(request.payload) {
        Ok(payload) => full_binary::exec(Some(payload)),
        Err(error) => error.to_string(),
    };
    deliver(becket::pipeline::fail_closed(request, &error), request)
}

/// Records the event, then answers the agent. The record exists even if the agent kills this process right after.
pub(crate) fn deliver(mut response: Response, request: &Request<'_>) -> Exit {
    if !response.redact.is_empty() {
        set_custom_patterns(&response.redact);
    }
    let line = record_event(&mut response, request.home);
    let contact = inject::inject_context(&mut response, &line, request.home);
    if let Some(pending) = response.pending_decision.take() {
        pending.publish(recorder::is_free_of_secrets);
    }
    for job in &response.detached {
        if let Err(error) = detach::spawn_helper(job, request) {
            print_stderr(&format!(
                "becket: cannot start async hook `{}`: {error:#}\n",
                job.hook
            ));
        }
    }
    print_stderr(&response.rendered.stderr);
    print_stdout(&response.rendered.stdout);
    if response.should_record && contact != DaemonContact::Notified {
        autostart::notify(request.home);
    }
    let exit = Exit::Agent(response.rendered.exit);
    // The process ends here. Freeing the memory first would only delay the agent.
    std::mem::forget(response);
    exit
}

/// Writes the response's records to the spool and returns the event's record line.
fn record_event(response: &mut Response, home: &Home) -> Vec<u8> {
    let event = std::mem::take(&mut response.record);
    let change_records = std::mem::take(&mut response.change_records);
    if !response.should_record {
        // Recording is off; the line is needed only for the injection request.
        return match response.injection_point {
            Some(_) => recorder::redacted_line(event).unwrap_or_default(),
            None => Vec::new(),
        };
    }
    let complain = |error: anyhow::Error| {
        print_stderr(&format!("becket: cannot record this event: {error:#}\n"));
    };
    let line = recorder::redacted_line(event);
    let line = line.and_then(|line| recorder::write_line(home, &line).map(|()| line));
    for record in change_records {
        recorder::append(home, record).unwrap_or_else(complain);
    }
    line.unwrap_or_else(|error| {
        complain(error);
        Vec::new()
    })
}

/// Answers "ask" if Becket panics. Agents read a crashed hook as consent, so the panic hook answers that a person
/// must decide, unless the event only observes.
fn ask_on_panic(adapter: &'static dyn Adapter, event: Option<&str>) {
    let kind = event.map(EventKind::parse);
    std::panic::set_hook(Box::new(move |panic| {
        let reason = format!("becket crashed before checking this call: {panic}");
        let rendered = panic_reply(adapter, kind.as_ref(), &reason);
        print_stderr(&format!("becket: {reason}\n{}", rendered.stderr));
        print_stdout(&rendered.stdout);
        let code = rendered.exit;
        #[expect(
            clippy::exit,
            reason = "the answer is already written; unwinding could only corrupt it"
        )]
        std::process::exit(code);
    }));
}

/// The answer to an agent after a panic.
fn panic_reply(adapter: &dyn Adapter, kind: Option<&EventKind>, reason: &str) -> Rendered {
    let observes = kind.is_some_and(|kind| !kind.is_guarded());
    let verdict = if observes {
        Verdict::NoOpinion
    } else {
        Verdict::Ask
    };
    let mut rendered = adapter.render_unparsed(kind, verdict, reason);
    if rendered.stdout.is_empty() && rendered.exit == 0 {
        rendered.exit = BAD_PAYLOAD;
    }
    rendered
}

/// Cancels running hooks when the agent terminates this process.
pub(crate) fn cancel_hooks_on_signal(token: &CancellationToken) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGTERM, SIGINT, SIGHUP]) else {
        return;
    };
    let token = token.clone();
    let _ = std::thread::Builder::new()
        .name("becket-signals".into())
        .spawn(move || {
            if signals.forever().next().is_some() {
                token.cancel();
            }
        });
}

/// Writes to standard error. A closed pipe is not an error.
pub(crate) fn print_stderr(text: &str) {
    if !text.is_empty() {
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    }
}

pub(crate) fn print_stdout(text: &str) {
    if !text.is_empty() {
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panic_reply_never_allows() {
        for adapter in adapters() {
            for kind in [
                None,
                Some(EventKind::PreToolUse),
                Some(EventKind::PermissionRequest),
            ] {
                let reply = panic_reply(*adapter, kind.as_ref(), "it broke");
                let id = adapter.id();
                assert!(!reply.stdout.is_empty() || reply.exit != 0, "{id} {kind:?}");
                assert!(
                    !reply.stdout.contains("\"allow\""),
                    "{id} {kind:?}: {}",
                    reply.stdout
                );
                assert!(
                    !reply.stdout.contains("approve"),
                    "{id} {kind:?}: {}",
                    reply.stdout
                );
            }
        }
    }
}
