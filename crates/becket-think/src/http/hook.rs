//! A hook that posts the event and reads the reply as it would read a program's.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use becket_agents::contract::{self, Ending, Ran};
use becket_model::{Action, Dialect, Event, EventKind, FailureKind, HookSpec, Outcome};
use becket_runner::{Hook, HookContext, HookInput, HookOutput, Result, payload};

use super::headers;
use super::{Client, HttpError, Post, Reply};
use crate::deadline::{Deadline, Stopped, on_thread};
use crate::secret::Secret;
use crate::settings::{Env, ThinkSettings};

/// A hook of type `http`.
pub(crate) struct HttpHook {
    spec: HookSpec,
    events: Vec<EventKind>,
    sender: Arc<Sender>,
}

/// What does not change between events.
struct Sender {
    url: String,
    headers: Vec<(String, String)>,
    allowed_env: Vec<String>,
    env: Env,
    client: Client,
}

impl HttpHook {
    pub(crate) fn new(spec: &HookSpec, settings: &ThinkSettings) -> Option<Self> {
        let Action::Http {
            url,
            headers,
            allowed_env,
        } = &spec.action
        else {
            return None;
        };
        Some(Self {
            events: vec![spec.event.clone()],
            spec: spec.clone(),
            sender: Arc::new(Sender {
                url: url.clone(),
                headers: headers.clone(),
                allowed_env: allowed_env.clone(),
                env: settings.env.clone(),
                client: Client::guarded(settings),
            }),
        })
    }

    fn understand(&self, event: &Event, sent: Result<Reply, HttpError>) -> Outcome {
        match sent {
            Ok(reply) if reply.is_success() => self.read(event, &reply),
            Ok(reply) => {
                let why = match reply.status {
                    300..400 => "answered with a redirect, which is not followed".to_owned(),
                    status => format!("answered with status {status}"),
                };
                self.failed(event, FailureKind::Exit, &why)
            }
            Err(error) => {
                let kind = match error {
                    HttpError::TimedOut => FailureKind::TimedOut,
                    HttpError::Cancelled => FailureKind::Cancelled,
                    HttpError::Broken { .. } => FailureKind::Exit,
                    _ => FailureKind::NotStarted,
                };
                self.failed(event, kind, &error.to_string())
            }
        }
    }

    fn read(&self, event: &Event, reply: &Reply) -> Outcome {
        let body = reply.body.trim_ascii();
        // Claude takes plain words for context from programs only.
        let is_noise = self.spec.dialect == Dialect::Claude && !body.starts_with(b"{");
        if body.is_empty() || is_noise {
            return Outcome::none();
        }
        let ran = Ran {
            ending: Ending::Exited(0),
            stdout: body,
            stderr: b"",
            truncated: reply.truncated,
        };
        contract::interpret(&self.spec, event, &ran)
    }

    fn failed(&self, event: &Event, kind: FailureKind, why: &str) -> Outcome {
        let message = format!("hook `{}` failed: {why}", self.spec.name);
        contract::failed(&self.spec, event, kind, &message)
    }
}

impl Sender {
    fn send(&self, body: &[u8], deadline: &Deadline) -> Result<Reply, HttpError> {
        let mut headers: Vec<(String, Secret)> = Vec::with_capacity(self.headers.len() + 1);
        for (name, value) in &self.headers {
            if !headers::may_set(name) {
                return Err(HttpError::BadHeader(name.clone()));
            }
            let value = headers::fill(value, &self.allowed_env, &self.env);
            headers.push((name.clone(), Secret::new(value)));
        }
        let says = |name: &str| {
            headers
                .iter()
                .any(|(own, _)| own.eq_ignore_ascii_case(name))
        };
        if !says("content-type") {
            headers.push(("content-type".to_owned(), Secret::new("application/json")));
        }
        let post = Post {
            url: &self.url,
            headers: &headers,
            body,
        };
        self.client.post(&post, deadline)
    }
}

#[async_trait]
impl Hook for HttpHook {
    fn name(&self) -> &str {
        &self.spec.name
    }

    fn events(&self) -> &[EventKind] {
        &self.events
    }

    fn priority(&self) -> i32 {
        self.spec.priority
    }

    fn spec(&self) -> Option<&HookSpec> {
        Some(&self.spec)
    }

    /// Kept by the exchange itself.
    fn deadline(&self) -> Option<Duration> {
        None
    }

    async fn execute(&self, input: HookInput, ctx: &HookContext) -> Result<HookOutput> {
        crate::ask::output(self.name(), self.run(input, ctx).await)
    }

    async fn run(&self, input: HookInput, ctx: &HookContext) -> Outcome {
        let event = input.to_event(ctx);
        if crate::is_passed_over(&self.spec, &event.kind()) {
            return Outcome::none();
        }
        let body = payload(&self.spec, &event, &input, ctx);
        let sender = Arc::clone(&self.sender);
        let sent = on_thread(
            self.spec.timeout,
            &ctx.cancellation_token,
            move |deadline| sender.send(&body, deadline),
        )
        .await;
        let sent = sent.unwrap_or_else(|stopped: Stopped| Err(stopped.into()));
        self.understand(&event, sent)
    }
}
