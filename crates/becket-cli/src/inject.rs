//! Context injection on the client side: one request to the daemon, one response, within the agent's time limit.
//!
//! An injection never costs the agent its answer. On any error the answer goes out without injected context.

use std::io;
use std::time::{Duration, Instant};

use becket::env::{EnvVars, ProcessEnv, Vars};
use becket::{Home, InjectionPoint, Response, id};
use becket_spool::runtime_dir::RuntimeDir;
use serde_json::{Value, json};

use crate::{autostart, recorder};

/// Record sizes for which context is requested. Larger records hold whole files and would take too long to parse; an
/// event that could not be recorded has an empty line.
const ACCEPTED_RECORD_BYTES: std::ops::RangeInclusive<usize> = 1..=4 * 1024 * 1024;

/// How often to retry while a daemon is starting.
const RETRY_INTERVAL: Duration = Duration::from_millis(5);

/// The hook name under which injections are recorded.
const HOOK_NAME: &str = "recall";

/// Whether the request reached the daemon.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DaemonContact {
    /// No daemon received the request.
    NotReached,
    /// The daemon received the request and drains the spool shortly after, so no further notification is needed.
    Notified,
}

/// Requests context for the event recorded as `line` and adds it to the answer.
pub(crate) fn inject_context(response: &mut Response, line: &[u8], home: &Home) -> DaemonContact {
    let Some(point) = response.injection_point.take() else {
        return DaemonContact::NotReached;
    };
    let setting = ProcessEnv.get(EnvVars::BECKET_RECALL);
    let setting = setting.as_deref().and_then(|setting| setting.to_str());
    let Some(timeout) = recall_timeout(setting, point.timeout())
        .filter(|_| ACCEPTED_RECORD_BYTES.contains(&line.len()))
    else {
        return DaemonContact::NotReached;
    };
    let started = Instant::now();
    let request = ContextRequest {
        home,
        line,
        used: point.context_len(),
        deadline: started + timeout,
        // A session start has enough time to start a daemon.
        may_start_daemon: point.is_session_start() && response.should_record,
    };
    let Ok(bytes) = request.send_or_start() else {
        return DaemonContact::NotReached;
    };
    let reply: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let Some(text) = reply["context"].as_str() else {
        return DaemonContact::Notified;
    };
    append_context(response, &point, text);
    if response.should_record {
        record_injection(home, line, text, started.elapsed());
    }
    DaemonContact::Notified
}

/// How long to wait for the daemon; `None` if injection is off.
fn recall_timeout(setting: Option<&str>, usual: Duration) -> Option<Duration> {
    match setting {
        Some(setting) if setting.eq_ignore_ascii_case("off") => None,
        Some(setting) => Some(setting.parse().map_or(usual, Duration::from_millis)),
        None => Some(usual),
    }
}

fn append_context(response: &mut Response, point: &InjectionPoint, text: &str) {
    response.rendered = point.render_with(text);
    if let Some(pending) = &mut response.pending_decision {
        pending.add_context(text);
    }
}

/// Records the injected context as a hook run of the event.
fn record_injection(home: &Home, line: &[u8], text: &str, took: Duration) {
    #[derive(serde::Deserialize)]
    struct EventId {
        id: String,
    }
    let Ok(event) = serde_json::from_slice::<EventId>(line) else {
        return;
    };
    let record = json!({
        "v": 1, "id": id::new_id(), "kind": "told", "event_id": event.id, "hook": HOOK_NAME,
        "ms": u64::try_from(took.as_millis()).unwrap_or(u64::MAX), "output": text,
    });
    if let Err(error) = recorder::append(home, record) {
        crate::hook::print_stderr(&format!(
            "becket: cannot record the injected context: {error:#}\n"
        ));
    }
}

struct ContextRequest<'q> {
    home: &'q Home,
    line: &'q [u8],
    used: usize,
    deadline: Instant,
    may_start_daemon: bool,
}

impl ContextRequest<'_> {
    fn send_or_start(&self) -> io::Result<Vec<u8>> {
        let runtime_dir = RuntimeDir::in_state_dir(&self.home.state);
        let mut reply = self.send(&runtime_dir);
        if self.may_start_daemon
            && is_daemon_absent(&reply)
            && autostart::start(self.home, &runtime_dir)
        {
            while is_daemon_absent(&reply) && Instant::now() < self.deadline {
                std::thread::sleep(RETRY_INTERVAL);
                reply = self.send(&runtime_dir);
            }
        }
        reply
    }

    fn send(&self, runtime_dir: &RuntimeDir) -> io::Result<Vec<u8>> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        // Leave a margin: a response that arrives too late would count as injected.
        let wait_ms = (left * 9 / 10).as_millis();
        let (version, used) = (env!("CARGO_PKG_VERSION"), self.used);
        let head = format!(
            r#"{{"do":"context","asking":{{"version":"{version}","wait_ms":{wait_ms},"taken":{used}}},"record":"#
        );
        becket_spool::request(runtime_dir, &[head.as_bytes(), self.line, b"}"], left)
    }
}

/// Whether no daemon is listening.
fn is_daemon_absent(reply: &io::Result<Vec<u8>>) -> bool {
    use io::ErrorKind::{ConnectionRefused, NotFound};
    let kind = reply.as_ref().err().map(io::Error::kind);
    matches!(kind, Some(NotFound | ConnectionRefused))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recall_variable_sets_or_disables_the_timeout() {
        let usual = Duration::from_millis(150);
        for (setting, expected) in [
            (None, Some(usual)),
            (Some("off"), None),
            (Some("OFF"), None),
            (Some("2000"), Some(Duration::from_secs(2))),
            (Some("on"), Some(usual)),
            (Some("-1"), Some(usual)),
        ] {
            assert_eq!(recall_timeout(setting, usual), expected, "{setting:?}");
        }
    }
}
