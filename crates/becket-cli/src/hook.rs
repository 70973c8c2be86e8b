//! `becket hook [EVENT] --agent ID`: what agents call for every event.
//!
//! The path that is hottest: no argument parser, no runtime, no regex unless a hook needs one.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use becket::env::{ProcessEnv, Vars};
use becket::model::{EventKind, Verdict};
use becket::respond::BAD_PAYLOAD;
use becket::{
    Adapter, CancellationToken, Home, Maker, Rendered, Reply, Request, Response, adapter, adapters,
    respond,
};

use becket_agents::{Clues, recognise};
use becket_guard::redact::redact_also;

use crate::exit::Exit;
use crate::tell::{self, Asked};
use crate::{detach, handed, stdin, trail, twin, wake};

const USAGE: &str = "usage: becket hook [EVENT] --agent ID < payload.json";

pub(crate) fn main(words: impl Iterator<Item = OsString>, maker: &dyn Maker) -> Exit {
    match Arguments::parse(words) {
        Ok(Some(arguments)) => answer(&arguments, maker),
        Ok(None) => {
            say_on_stdout(&format!(
                "Answers an agent's hook event, read from standard input\n\n{USAGE}\n\nAgents: {}\n",
                ids()
            ));
            Exit::Success
        }
        Err(message) => {
            say(&format!("becket: {message}\n{USAGE}\n"));
            Exit::Usage
        }
    }
}

struct Arguments {
    event: Option<String>,
    agent: Agent,
}

enum Agent {
    Named(&'static dyn Adapter),
    /// To be found out from the payload and the environment.
    Auto,
}

impl Arguments {
    /// `None` when help is wanted.
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
        let id = agent.ok_or_else(|| format!("--agent is missing (one of: {})", ids()))?;
        let agent = match adapter(&id) {
            Some(adapter) => Agent::Named(adapter),
            None if id == "auto" => Agent::Auto,
            None => return Err(format!("unknown agent `{id}` (one of: auto, {})", ids())),
        };
        Ok(Some(Self { event, agent }))
    }
}

impl Agent {
    fn adapter(&self, payload: &[u8]) -> Option<&'static dyn Adapter> {
        match self {
            Self::Named(adapter) => Some(*adapter),
            Self::Auto => {
                let payload = becket_agents::payload::read(payload).ok()?;
                let has_env = |name: &str| ProcessEnv.get(name).is_some();
                recognise(&Clues {
                    payload: &payload,
                    has_env: &has_env,
                })
            }
        }
    }
}

fn ids() -> String {
    adapters()
        .iter()
        .map(|adapter| adapter.id())
        .collect::<Vec<_>>()
        .join(", ")
}

fn answer(arguments: &Arguments, maker: &dyn Maker) -> Exit {
    let home = Home::find(&ProcessEnv);
    let payload = stdin::read();
    let cwd = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let Some(adapter) = arguments.agent.adapter(&payload) else {
        say("becket: cannot tell which agent sent this event; name it with --agent\n");
        return Exit::Agent(BAD_PAYLOAD);
    };
    ask_when_we_panic(adapter, arguments.event.as_deref());
    let request = Request {
        adapter,
        event: arguments.event.as_deref(),
        payload: &payload,
        home: &home,
        cwd: &cwd,
        before_hooks: &end_hooks_on_signal,
        maker,
    };
    match respond(&request) {
        Reply::Ready(response) => deliver(*response, &request),
        Reply::Beyond => hand_over(&request),
    }
}

/// Lets the large program answer; it is given the payload again, since ours is read.
fn hand_over(request: &Request<'_>) -> Exit {
    let error = match handed::file(request.payload) {
        Ok(payload) => twin::go_on_as_becketd(Some(payload)),
        Err(error) => error.to_string(),
    };
    deliver(becket::respond::impossible(request, &error), request)
}

/// Records first, answers second: what was answered is on record even if we are killed now.
pub(crate) fn deliver(mut response: Response, request: &Request<'_>) -> Exit {
    if !response.redact.is_empty() {
        redact_also(&response.redact);
    }
    let line = record(&mut response, request.home);
    let asked = tell::add_what_is_known(&mut response, &line, request.home);
    if let Some(settlement) = response.settlement.take() {
        settlement.settle(trail::is_free_of_secrets);
    }
    for job in &response.detached {
        if let Err(error) = detach::start(job, request) {
            say(&format!(
                "becket: async hook `{}` was not started: {error:#}\n",
                job.hook
            ));
        }
    }
    say(&response.rendered.stderr);
    say_on_stdout(&response.rendered.stdout);
    if response.wants_record && asked != Asked::Heard {
        wake::ring(request.home);
    }
    let exit = Exit::Agent(response.rendered.exit);
    // The process ends here: taking everything apart first would only cost the agent time.
    std::mem::forget(response);
    exit
}

/// Makes everything of a response durable that is for the trail; gives the line of the event itself.
fn record(response: &mut Response, home: &Home) -> Vec<u8> {
    let event = std::mem::take(&mut response.record);
    let followed = std::mem::take(&mut response.followed);
    if !response.wants_record {
        // Nobody but who is asked what is known wants to read it.
        return match response.open {
            Some(_) => trail::line(event).unwrap_or_default(),
            None => Vec::new(),
        };
    }
    let complain = |error: anyhow::Error| {
        say(&format!("becket: this event is not on record: {error:#}\n"));
    };
    let line = trail::line(event);
    let line = line.and_then(|line| trail::keep(home, &line).map(|()| line));
    for record in followed {
        trail::append(home, record).unwrap_or_else(complain);
    }
    line.unwrap_or_else(|error| {
        complain(error);
        Vec::new()
    })
}

/// A bug of ours must not look like consent. Agents take a program that dies for one that minds
/// nothing, so a panic ends in an answer: a person decides, unless the event only observes.
fn ask_when_we_panic(adapter: &'static dyn Adapter, event: Option<&str>) {
    let kind = event.map(EventKind::parse);
    std::panic::set_hook(Box::new(move |panic| {
        let reason = format!("becket failed, so nobody checked this: {panic}");
        let rendered = last_words(adapter, kind.as_ref(), &reason);
        say(&format!("becket: {reason}\n{}", rendered.stderr));
        say_on_stdout(&rendered.stdout);
        let code = rendered.exit;
        #[expect(
            clippy::exit,
            reason = "the answer is given; unwinding could only spoil it"
        )]
        std::process::exit(code);
    }));
}

/// What is answered when we panic.
fn last_words(adapter: &dyn Adapter, kind: Option<&EventKind>, reason: &str) -> Rendered {
    let observes = kind.is_some_and(|kind| !kind.is_guarded());
    let verdict = if observes {
        Verdict::NoOpinion
    } else {
        Verdict::Ask
    };
    let mut rendered = adapter.render_unread(kind, verdict, reason);
    if rendered.stdout.is_empty() && rendered.exit == 0 {
        rendered.exit = BAD_PAYLOAD;
    }
    rendered
}

/// When the agent gives up on us, the hooks we started end too.
pub(crate) fn end_hooks_on_signal(token: &CancellationToken) {
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

/// A closed pipe is the reader's business, not an error of ours.
pub(crate) fn say(text: &str) {
    if !text.is_empty() {
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    }
}

pub(crate) fn say_on_stdout(text: &str) {
    if !text.is_empty() {
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_never_looks_like_consent() {
        for adapter in adapters() {
            for kind in [
                None,
                Some(EventKind::PreToolUse),
                Some(EventKind::PermissionRequest),
            ] {
                let said = last_words(*adapter, kind.as_ref(), "it broke");
                let id = adapter.id();
                assert!(!said.stdout.is_empty() || said.exit != 0, "{id} {kind:?}");
                assert!(
                    !said.stdout.contains("\"allow\""),
                    "{id} {kind:?}: {}",
                    said.stdout
                );
                assert!(
                    !said.stdout.contains("approve"),
                    "{id} {kind:?}: {}",
                    said.stdout
                );
            }
        }
    }
}
