//! What the HTTP providers have in common: a JSON body there, a JSON body back, retries in between.

use becket_agents::config::Llm;
use chrono::Utc;
use serde_json::{Map, Value};

use super::retry::{Again, Failed, after_status, persist};
use super::{Answer, MAX_TOKENS, ModelError, Question, Tokens, key};
use crate::deadline::Deadline;
use crate::http::{BODY_LIMIT, Client, HttpError, Post, Reply};
use crate::secret::{Secret, one_line};
use crate::settings::{Env, ThinkSettings};

/// How often a question is put again unless the person says otherwise.
const RETRIES: u32 = 2;

/// Where questions are sent, and with what.
pub(super) struct Endpoint {
    url: String,
    llm: Llm,
    env: Env,
    client: Client,
}

impl Endpoint {
    /// The person's address, else the provider's own.
    pub(super) fn new(llm: &Llm, settings: &ThinkSettings, own: &str, path: &str) -> Self {
        Self {
            url: join(llm.base_url.as_deref().unwrap_or(own), path),
            llm: llm.clone(),
            env: settings.env.clone(),
            client: Client::trusted(settings),
        }
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    pub(super) fn model<'a>(&'a self, question: &'a Question) -> &'a str {
        let own = self.llm.model.as_deref().unwrap_or_default();
        question.model.as_deref().unwrap_or(own)
    }

    pub(super) fn max_tokens(&self, question: &Question) -> u32 {
        let said = question.max_tokens.or(self.llm.max_tokens);
        said.unwrap_or(MAX_TOKENS)
    }

    pub(super) fn temperature(&self) -> Option<f64> {
        self.llm.temperature
    }

    /// Sends a body, with the key in the header that `sign` makes of it, until there is an answer or no hope of
    /// one.
    pub(super) fn send(
        &self,
        body: &Value,
        more: &[(&str, &str)],
        sign: impl FnOnce(&Secret) -> (&'static str, Secret),
        deadline: &Deadline,
    ) -> Result<Map<String, Value>, ModelError> {
        let key = key::find(self.llm.key.as_ref(), &self.env, deadline)?;
        let mut headers = vec![("content-type".to_owned(), Secret::new("application/json"))];
        let more = more
            .iter()
            .map(|(name, value)| (*name, Secret::new(*value)));
        for (name, value) in more.chain(key.as_ref().map(sign)) {
            headers.push((name.to_owned(), value));
        }
        let exchange = Exchange {
            client: &self.client,
            url: &self.url,
            headers,
            key,
            body: body.to_string(),
        };
        let retries = self.llm.retries.unwrap_or(RETRIES);
        persist(retries, deadline, || exchange.attempt(deadline))
    }
}

/// One question on its way.
struct Exchange<'a> {
    client: &'a Client,
    url: &'a str,
    headers: Vec<(String, Secret)>,
    key: Option<Secret>,
    body: String,
}

impl Exchange<'_> {
    fn attempt(&self, deadline: &Deadline) -> Result<Map<String, Value>, Failed> {
        let post = Post {
            url: self.url,
            headers: &self.headers,
            body: self.body.as_bytes(),
        };
        let reply = self.client.post(&post, deadline).map_err(lost)?;
        self.understand(&reply)
    }

    fn understand(&self, reply: &Reply) -> Result<Map<String, Value>, Failed> {
        let body: Option<Map<String, Value>> = serde_json::from_slice(&reply.body).ok();
        if !reply.is_success() {
            let again = after_status(reply.status, reply.retry_after.as_deref(), Utc::now());
            let message = self.complaint(body.as_ref(), reply);
            let status = reply.status;
            let error = ModelError::Refused { status, message };
            return Err(Failed { error, again });
        }
        match body {
            Some(body) => Ok(body),
            None if reply.truncated => {
                let why = format!("it is longer than {BODY_LIMIT} bytes");
                Err(ModelError::BadAnswer(why).into())
            }
            None => Err(ModelError::BadAnswer("it is not a JSON object".to_owned()).into()),
        }
    }

    /// What the provider says is wrong, without the key that it may repeat.
    fn complaint(&self, body: Option<&Map<String, Value>>, reply: &Reply) -> String {
        let error = body.and_then(|body| body.get("error"));
        let said = error.and_then(|error| error.get("message").unwrap_or(error).as_str());
        let text = String::from_utf8_lossy(&reply.body);
        // The whole of it, since a cut could leave half a key standing.
        let said = said.unwrap_or(&text);
        let scrubbed = match &self.key {
            Some(key) => key.scrub(said),
            None => said.to_owned(),
        };
        one_line(&scrubbed)
    }
}

fn lost(error: HttpError) -> Failed {
    let again = match error {
        HttpError::NotConnected { .. } | HttpError::Broken { .. } => Again::Soon,
        _ => Again::Never,
    };
    let error = match error {
        HttpError::TimedOut => ModelError::TimedOut,
        HttpError::Cancelled => ModelError::Cancelled,
        other => ModelError::Unreachable(other.to_string()),
    };
    Failed { error, again }
}

/// The answer, if the model came to one.
pub(super) fn answer(
    text: &str,
    question: &Question,
    tokens: Option<Tokens>,
) -> Result<Answer, ModelError> {
    let tokens = tokens.unwrap_or_else(|| Tokens::guessed(question.length(), text.len()));
    let text = becket_runner::prompt::without_thoughts(text).trim();
    if text.is_empty() {
        return Err(ModelError::BadAnswer(
            "it is empty; `max_tokens` may be too small".to_owned(),
        ));
    }
    Ok(Answer {
        text: text.to_owned(),
        tokens,
    })
}

/// A base and what comes after it, with `/v1` in between where the base has no path of its own.
fn join(base: &str, path: &str) -> String {
    let base = base.trim_end_matches('/');
    let has_path = base
        .split_once("://")
        .is_some_and(|(_, rest)| rest.contains('/'));
    if has_path {
        format!("{base}/{path}")
    } else {
        format!("{base}/v1/{path}")
    }
}

/// A count out of a `usage` object.
pub(super) fn count(usage: &Value, key: &str) -> u64 {
    usage.get(key).and_then(Value::as_u64).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_without_a_path_gets_the_usual_one() {
        for (base, expected) in [
            ("http://localhost:11434", "http://localhost:11434/v1/chat"),
            ("http://localhost:11434/", "http://localhost:11434/v1/chat"),
            ("https://h/v1/", "https://h/v1/chat"),
            ("https://h/api/v3", "https://h/api/v3/chat"),
        ] {
            assert_eq!(join(base, "chat"), expected);
        }
    }
}
