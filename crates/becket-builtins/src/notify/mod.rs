//! `slack-notify` and `webhook`: send a message to a chat or another service.
//!
//! The URL is read from an environment variable when there is something to send. It appears in no configuration, record or
//! message.

pub(crate) mod notification;
mod payloads;

use std::time::Duration;

use becket_guard::redact::{redact_json, redact_text};
use becket_runner::HookOutput;

use crate::hook::{BlockingHook, HookFailure, HookJob};
use crate::http_post::{PostError, PostRequest, PostResponse};
use crate::options::{OptionResult, Options};
use crate::registry::OptionDoc;
use crate::{display_text, once_per_session};
use notification::{DetailLevel, Notification};
use payloads::PayloadFormat;

const DETAILS_OPTION: OptionDoc = OptionDoc {
    name: "details",
    value_type: "true or false",
    default: "false",
    about: "Whether to include commands and the agent's last message, with secrets redacted.",
};

pub(crate) const SLACK_OPTIONS: &[OptionDoc] = &[
    OptionDoc {
        name: "url_env",
        value_type: "text",
        default: "\"SLACK_WEBHOOK_URL\"",
        about: "The environment variable that holds the URL of the incoming webhook.",
    },
    DETAILS_OPTION,
];

pub(crate) const WEBHOOK_OPTIONS: &[OptionDoc] = &[
    OptionDoc {
        name: "url_env",
        value_type: "text",
        default: "\"BECKET_WEBHOOK_URL\"",
        about: "The environment variable that holds the URL.",
    },
    OptionDoc {
        name: "token_env",
        value_type: "text",
        default: "",
        about: "The environment variable that holds a token for `Authorization: Bearer`.",
    },
    OptionDoc {
        name: "shape",
        value_type: "text",
        default: "\"generic\"",
        about: "The JSON format to send: `generic`, `discord`, `teams` or `slack`.",
    },
    DETAILS_OPTION,
];

/// The wait before the first retry. It doubles with every retry.
const FIRST_BACKOFF: Duration = Duration::from_millis(500);
const MAX_ATTEMPTS: u32 = 4;
/// Timeout of one attempt, which leaves time for a retry.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(10);

pub(crate) struct WebhookNotify {
    format: PayloadFormat,
    url_env: String,
    token_env: Option<String>,
    detail: DetailLevel,
}

impl WebhookNotify {
    pub(crate) fn slack(options: &Options<'_>) -> OptionResult<Self> {
        Self::read(options, PayloadFormat::Slack, "SLACK_WEBHOOK_URL")
    }

    pub(crate) fn webhook(options: &Options<'_>) -> OptionResult<Self> {
        let shapes = [
            ("generic", PayloadFormat::Generic),
            ("discord", PayloadFormat::Discord),
            ("teams", PayloadFormat::Teams),
            ("slack", PayloadFormat::Slack),
        ];
        let shape = options
            .choice("shape", &shapes)?
            .unwrap_or(PayloadFormat::Generic);
        Self::read(options, shape, "BECKET_WEBHOOK_URL")
    }

    fn read(options: &Options<'_>, shape: PayloadFormat, url_env: &str) -> OptionResult<Self> {
        Ok(Self {
            format: shape,
            url_env: options.variable("url_env")?.unwrap_or(url_env).to_owned(),
            token_env: options.variable("token_env")?.map(str::to_owned),
            detail: DetailLevel::from(options.flag("details")?.unwrap_or(false)),
        })
    }

    fn request(&self, job: &HookJob) -> Result<Option<PostRequest>, HookFailure> {
        let Some(url) = text_var(job, &self.url_env)? else {
            return report_missing_variable(job, &self.url_env).map(|()| None);
        };
        let mut headers = Vec::new();
        if let Some(name) = &self.token_env {
            let Some(token) = text_var(job, name)? else {
                return report_missing_variable(job, name).map(|()| None);
            };
            headers.push((
                "authorization".to_owned(),
                format!("Bearer {}", token.trim()),
            ));
        }
        let mut body = self
            .format
            .body(&Notification::of(job, self.detail), &job.event);
        redact_json(&mut body);
        Ok(Some(PostRequest {
            url,
            headers,
            body: body.to_string().into_bytes(),
        }))
    }
}

impl BlockingHook for WebhookNotify {
    fn run(&self, job: &HookJob) -> Result<HookOutput, HookFailure> {
        if notification::should_notify(job)
            && let Some(request) = self.request(job)?
        {
            deliver(job, &request)?;
        }
        Ok(HookOutput::allow())
    }
}

fn text_var(job: &HookJob, name: &str) -> Result<Option<String>, String> {
    let value = job.var(name).map(std::ffi::OsString::into_string);
    value
        .transpose()
        .map_err(|_| format!("environment variable {name} is not valid UTF-8"))
}

/// Reports a missing variable once per session.
fn report_missing_variable(job: &HookJob, name: &str) -> Result<(), HookFailure> {
    if !once_per_session::is_first_in_session(job, name) {
        return Ok(());
    }
    Err(format!(
        "environment variable {name} is not set in the agent's environment; nothing is sent"
    )
    .into())
}

/// Sends until the request is delivered, rejected, or the time is up.
fn deliver(job: &HookJob, request: &PostRequest) -> Result<(), HookFailure> {
    let mut pause = FIRST_BACKOFF;
    let mut attempt = 1;
    loop {
        let timeout = job.remaining().min(ATTEMPT_TIMEOUT);
        if timeout.is_zero() {
            return Err(HookFailure::TimedOut);
        }
        let sent = job.deps.post.post(request, timeout);
        let (why, wait) = match sent {
            Ok(reply) if (200..300).contains(&reply.status) => return Ok(()),
            Ok(reply) if is_retryable(reply.status) => {
                (rejection(&reply, request), reply.retry_after)
            }
            Ok(reply) => return Err(rejection(&reply, request).into()),
            Err(error @ PostError::Unsendable(_)) => return Err(error.to_string().into()),
            Err(error) => (error.to_string(), None),
        };
        let again = attempt < MAX_ATTEMPTS && job.sleep(wait.unwrap_or(pause));
        if job.cancel.is_cancelled() {
            return Err(HookFailure::Cancelled);
        }
        if !again {
            return Err(format!("not delivered after {attempt} attempts: {why}").into());
        }
        pause *= 2;
        attempt += 1;
    }
}

/// Whether a retry may succeed.
fn is_retryable(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500..)
}

fn rejection(reply: &PostResponse, request: &PostRequest) -> String {
    // A receiver may echo the URL.
    let reason = reply.body.replace(request.url.trim(), "…");
    let reason = display_text::one_line(&redact_text(reason.trim()), 120);
    let status = reply.status;
    if reason.is_empty() {
        format!("the receiver answered {status}")
    } else {
        format!("the receiver answered {status}: {reason}")
    }
}
