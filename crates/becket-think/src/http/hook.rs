//! Hooks of type `http`: send the event as JSON and read the response like the output of a command hook.

use std::sync::Arc;

use async_trait::async_trait;
use becket_agents::contract::{self, ProcessEnd, ProcessOutput};
use becket_model::{Action, Dialect, Event, EventKind, FailureKind, HookOutcome, HookSpec};
use becket_runner::{ConfiguredHook, HookContext, HookInput, payload};

use super::headers;
use super::{HttpClient, HttpError, HttpRequest, HttpResponse};
use crate::deadline::{Deadline, DeadlineError, run_blocking};
use crate::secret::Secret;
use crate::settings::{EnvLookup, ThinkSettings};

/// A hook of type `http`.
pub(crate) struct HttpHook {
    spec: HookSpec,
    events: Vec<EventKind>,
    template: Arc<RequestTemplate>,
}

/// The parts of a request that are the same for every event.
struct RequestTemplate {
    url: String,
    headers: Vec<(String, String)>,
    allowed_env: Vec<String>,
    env: EnvLookup,
    client: HttpClient,
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
            template: Arc::new(RequestTemplate {
                url: url.clone(),
                headers: headers.clone(),
                allowed_env: allowed_env.clone(),
                env: settings.env.clone(),
                client: HttpClient::guarded(settings),
            }),
        })
    }

    fn outcome(&self, event: &Event, sent: Result<HttpResponse, HttpError>) -> HookOutcome {
        match sent {
            Ok(reply) if reply.is_success() => self.parse_reply(event, &reply),
            Ok(reply) => {
                let why = match reply.status {
                    300..400 => {
                        "the server answered with a redirect; redirects are not followed".to_owned()
                    }
                    status => format!("the server answered with status {status}"),
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

    fn parse_reply(&self, event: &Event, reply: &HttpResponse) -> HookOutcome {
        let body = reply.body.trim_ascii();
        // In Claude's protocol, plain text becomes context only when a command prints it.
        let is_noise = self.spec.dialect == Dialect::Claude && !body.starts_with(b"{");
        if body.is_empty() || is_noise {
            return HookOutcome::none();
        }
        let ran = ProcessOutput {
            ending: ProcessEnd::Exited(0),
            stdout: body,
            stderr: b"",
            truncated: reply.truncated,
        };
        contract::interpret(&self.spec, event, &ran)
    }

    fn failed(&self, event: &Event, kind: FailureKind, why: &str) -> HookOutcome {
        let message = format!("hook `{}` failed: {why}", self.spec.name);
        contract::failure_outcome(&self.spec, event, kind, &message)
    }
}

impl RequestTemplate {
    fn send(&self, body: &[u8], deadline: &Deadline) -> Result<HttpResponse, HttpError> {
        let mut headers: Vec<(String, Secret)> = Vec::with_capacity(self.headers.len() + 1);
        for (name, value) in &self.headers {
            if !headers::may_set(name) {
                return Err(HttpError::BadHeader(name.clone()));
            }
            let value = headers::interpolate(value, &self.allowed_env, &self.env);
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
        let post = HttpRequest {
            url: &self.url,
            headers: &headers,
            body,
        };
        self.client.post(&post, deadline)
    }
}

#[async_trait]
impl ConfiguredHook for HttpHook {
    fn entry(&self) -> &HookSpec {
        &self.spec
    }

    fn entry_events(&self) -> &[EventKind] {
        &self.events
    }

    async fn run_entry(&self, input: HookInput, ctx: &HookContext) -> HookOutcome {
        let event = input.to_event(ctx);
        if crate::is_skipped_by_claude(&self.spec, &event.kind()) {
            return HookOutcome::none();
        }
        let body = payload(&self.spec, &event, &input, ctx);
        let sender = Arc::clone(&self.template);
        let sent = run_blocking(
            self.spec.timeout,
            &ctx.cancellation_token,
            move |deadline| sender.send(&body, deadline),
        )
        .await;
        let sent = sent.unwrap_or_else(|stopped: DeadlineError| Err(stopped.into()));
        self.outcome(&event, sent)
    }
}
