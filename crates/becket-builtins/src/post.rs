//! Sending a request, behind a trait so that a program can bring its own client.

use std::net::IpAddr;
use std::time::Duration;

use ureq::Agent;
use ureq::http::Uri;

/// What to send.
#[derive(Clone)]
pub struct PostRequest {
    /// Where to. It is a secret in most cases: never part of a message.
    pub url: String,
    /// Headers beside the content type.
    pub headers: Vec<(String, String)>,
    /// JSON.
    pub body: Vec<u8>,
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostReply {
    /// The HTTP status.
    pub status: u16,
    /// When the receiver wants to be asked again.
    pub retry_after: Option<Duration>,
    /// The beginning of what it said.
    pub body: String,
}

/// Why nothing came back. No variant names the address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PostError {
    /// The receiver was not reached, or hung up.
    #[error("not reached ({0})")]
    Unreachable(&'static str),
    /// No answer in time.
    #[error("no answer in time")]
    TimedOut,
    /// The request itself cannot be sent.
    #[error("{0}")]
    Unsendable(&'static str),
}

/// Sends requests.
pub trait Post: Send + Sync {
    /// Sends one request and waits for the answer, no longer than `timeout`. Redirects are not
    /// followed.
    fn post(&self, request: &PostRequest, timeout: Duration) -> Result<PostReply, PostError>;
}

/// How much of an answer is looked at.
const ANSWER: u64 = 4096;

/// HTTP and HTTPS, with the certificates that come with the program.
#[derive(Debug)]
pub struct HttpPost {
    agent: Agent,
}

impl HttpPost {
    /// A client; nothing is opened before the first request.
    pub fn new() -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .user_agent(concat!("becket/", env!("CARGO_PKG_VERSION")))
            .build();
        Self {
            agent: config.into(),
        }
    }
}

impl Default for HttpPost {
    fn default() -> Self {
        Self::new()
    }
}

impl Post for HttpPost {
    fn post(&self, request: &PostRequest, timeout: Duration) -> Result<PostReply, PostError> {
        let url = check_url(&request.url)?;
        let mut post = self
            .agent
            .post(&url)
            .header("content-type", "application/json");
        for (name, value) in &request.headers {
            post = post.header(name, value);
        }
        let mut config = post.config().timeout_global(Some(timeout));
        if is_loopback(&url) {
            config = config.proxy(None);
        }
        let mut reply = config.build().send(&request.body).map_err(explain)?;
        let retry_after = reply.headers().get("retry-after");
        let retry_after = retry_after.and_then(|value| value.to_str().ok()?.parse().ok());
        let body = reply.body_mut().with_config().limit(ANSWER).read_to_vec();
        Ok(PostReply {
            status: reply.status().as_u16(),
            retry_after: retry_after.map(Duration::from_secs),
            body: String::from_utf8_lossy(&body.unwrap_or_default()).into_owned(),
        })
    }
}

fn explain(error: ureq::Error) -> PostError {
    match error {
        ureq::Error::Timeout(_) => PostError::TimedOut,
        ureq::Error::HostNotFound => PostError::Unreachable("no such host"),
        ureq::Error::Tls(_) | ureq::Error::Rustls(_) => PostError::Unreachable("TLS failed"),
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => {
            PostError::Unsendable("the address or a header is not valid")
        }
        ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
            PostError::Unreachable("connection refused")
        }
        ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::TimedOut => {
            PostError::TimedOut
        }
        _ => PostError::Unreachable("connection failed"),
    }
}

/// Addresses of webhooks are secrets, and what is told is about a person's work: it goes encrypted,
/// unless it stays on this machine.
pub(crate) fn check_url(text: &str) -> Result<Uri, PostError> {
    let url: Uri = text
        .trim()
        .parse()
        .map_err(|_| PostError::Unsendable("the address is not a URL"))?;
    match url.scheme_str() {
        Some("https") if url.host().is_some() => Ok(url),
        Some("http") if is_loopback(&url) => Ok(url),
        Some("http") => Err(PostError::Unsendable(
            "the address must begin with https:// (http:// is for this machine only)",
        )),
        _ => Err(PostError::Unsendable(
            "the address must begin with https://",
        )),
    }
}

fn is_loopback(url: &Uri) -> bool {
    let host = url.host().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || address.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_encrypted_addresses_and_this_machine_are_sent_to() {
        for (url, fine) in [
            ("https://hooks.slack.com/services/T/B/x", true),
            (" https://example.org/hook\n", true),
            ("http://127.0.0.1:8080/x", true),
            ("http://[::1]:8080/x", true),
            ("http://localhost/x", true),
            ("http://localhost.example.org/x", false),
            ("http://127.0.0.1.example.org/x", false),
            ("http://example.org/x", false),
            ("ftp://example.org/x", false),
            ("file:///etc/passwd", false),
            ("example.org/x", false),
            ("", false),
            ("https://", false),
        ] {
            assert_eq!(check_url(url).is_ok(), fine, "{url:?}");
        }
    }
}
