//! `slack-notify` and `webhook`: a message to people who are elsewhere.
//!
//! The address is read from an environment variable when there is something to send, and goes
//! nowhere else: not into configuration, records or messages.

pub(crate) mod note;
mod shapes;

use std::time::Duration;

use becket_guard::redact::{redact_json, redact_text};
use becket_runner::HookOutput;

use crate::hook::{Job, Trouble, Work};
use crate::options::{Options, Read};
use crate::post::{PostError, PostReply, PostRequest};
use crate::registry::OptionDoc;
use crate::{told, words};
use note::{Detail, Note};
use shapes::Shape;

const DETAILS: OptionDoc = OptionDoc {
    name: "details",
    holds: "true or false",
    default: "false",
    about: "Whether commands and the agent's last words are told, without secrets.",
};

pub(crate) const SLACK_OPTIONS: &[OptionDoc] = &[
    OptionDoc {
        name: "url_env",
        holds: "text",
        default: "\"SLACK_WEBHOOK_URL\"",
        about: "The environment variable that holds the address of the incoming webhook.",
    },
    DETAILS,
];

pub(crate) const WEBHOOK_OPTIONS: &[OptionDoc] = &[
    OptionDoc {
        name: "url_env",
        holds: "text",
        default: "\"BECKET_WEBHOOK_URL\"",
        about: "The environment variable that holds the address.",
    },
    OptionDoc {
        name: "token_env",
        holds: "text",
        default: "",
        about: "The environment variable that holds a token to send as `Authorization: Bearer`.",
    },
    OptionDoc {
        name: "shape",
        holds: "text",
        default: "\"generic\"",
        about: "Whose JSON to send: `generic`, `discord`, `teams` or `slack`.",
    },
    DETAILS,
];

/// The pause before the second attempt; it doubles before each further one.
const PAUSE: Duration = Duration::from_millis(500);
const ATTEMPTS: u32 = 4;
/// For one attempt, so that a receiver that hangs leaves time for another.
const ONE_ATTEMPT: Duration = Duration::from_secs(10);

pub(crate) struct Notify {
    shape: Shape,
    url_env: String,
    token_env: Option<String>,
    detail: Detail,
}

impl Notify {
    pub(crate) fn slack(options: &Options<'_>) -> Read<Self> {
        Self::read(options, Shape::Slack, "SLACK_WEBHOOK_URL")
    }

    pub(crate) fn webhook(options: &Options<'_>) -> Read<Self> {
        let shapes = [
            ("generic", Shape::Generic),
            ("discord", Shape::Discord),
            ("teams", Shape::Teams),
            ("slack", Shape::Slack),
        ];
        let shape = options.word("shape", &shapes)?.unwrap_or(Shape::Generic);
        Self::read(options, shape, "BECKET_WEBHOOK_URL")
    }

    fn read(options: &Options<'_>, shape: Shape, url_env: &str) -> Read<Self> {
        Ok(Self {
            shape,
            url_env: options.variable("url_env")?.unwrap_or(url_env).to_owned(),
            token_env: options.variable("token_env")?.map(str::to_owned),
            detail: Detail::from(options.flag("details")?.unwrap_or(false)),
        })
    }

    fn request(&self, job: &Job) -> Result<Option<PostRequest>, Trouble> {
        let Some(url) = text_var(job, &self.url_env)? else {
            return missing(job, &self.url_env).map(|()| None);
        };
        let mut headers = Vec::new();
        if let Some(name) = &self.token_env {
            let Some(token) = text_var(job, name)? else {
                return missing(job, name).map(|()| None);
            };
            headers.push((
                "authorization".to_owned(),
                format!("Bearer {}", token.trim()),
            ));
        }
        let mut body = self.shape.body(&Note::of(job, self.detail), &job.event);
        redact_json(&mut body);
        Ok(Some(PostRequest {
            url,
            headers,
            body: body.to_string().into_bytes(),
        }))
    }
}

impl Work for Notify {
    fn work(&self, job: &Job) -> Result<HookOutput, Trouble> {
        if note::is_news(job)
            && let Some(request) = self.request(job)?
        {
            deliver(job, &request)?;
        }
        Ok(HookOutput::allow())
    }
}

fn text_var(job: &Job, name: &str) -> Result<Option<String>, String> {
    let value = job.var(name).map(std::ffi::OsString::into_string);
    value
        .transpose()
        .map_err(|_| format!("the environment variable {name} is not text"))
}

/// Told once a session: every further event would only say the same.
fn missing(job: &Job, name: &str) -> Result<(), Trouble> {
    if !told::first_time(job, name) {
        return Ok(());
    }
    Err(
        format!("the environment variable {name} is not set where the agent runs; nothing is sent")
            .into(),
    )
}

/// Sends until it is delivered, refused, or late.
fn deliver(job: &Job, request: &PostRequest) -> Result<(), Trouble> {
    let mut pause = PAUSE;
    let mut attempt = 1;
    loop {
        let timeout = job.left().min(ONE_ATTEMPT);
        if timeout.is_zero() {
            return Err(Trouble::TimedOut);
        }
        let sent = job.deps.post.post(request, timeout);
        let (why, wait) = match sent {
            Ok(reply) if (200..300).contains(&reply.status) => return Ok(()),
            Ok(reply) if is_passing(reply.status) => (refusal(&reply, request), reply.retry_after),
            Ok(reply) => return Err(refusal(&reply, request).into()),
            Err(error @ PostError::Unsendable(_)) => return Err(error.to_string().into()),
            Err(error) => (error.to_string(), None),
        };
        let again = attempt < ATTEMPTS && job.pause(wait.unwrap_or(pause));
        if job.cancel.is_cancelled() {
            return Err(Trouble::Cancelled);
        }
        if !again {
            return Err(format!("not delivered after {attempt} attempts: {why}").into());
        }
        pause *= 2;
        attempt += 1;
    }
}

/// Whether another attempt may do.
fn is_passing(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500..)
}

fn refusal(reply: &PostReply, request: &PostRequest) -> String {
    // A receiver may say the address back.
    let said = reply.body.replace(request.url.trim(), "…");
    let said = words::one_line(&redact_text(said.trim()), 120);
    let status = reply.status;
    if said.is_empty() {
        format!("the receiver answered {status}")
    } else {
        format!("the receiver answered {status}: {said}")
    }
}
