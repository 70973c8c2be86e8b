//! HTTP POST requests behind a trait, so that a host program can supply its own client.

use std::net::IpAddr;
use std::time::Duration;

use ureq::Agent;
use ureq::http::Uri;

/// A POST request.
#[derive(Clone)]
pub struct PostRequest {
    /// The URL. It usually contains a secret, so no message may include it.
    pub url: String,
    /// Headers other than the content type.
    pub headers: Vec<(String, String)>,
    /// The JSON body.
    pub body: Vec<u8>,
}

/// The response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostResponse {
    /// The HTTP status.
    pub status: u16,
    /// The delay that the receiver asks for before a retry.
    pub retry_after: Option<Duration>,
    /// The start of the response body.
    pub body: String,
}

/// Why a request failed. No variant contains the URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PostError {
    /// The receiver could not be reached, or it closed the connection.
    #[error("cannot reach the receiver ({0})")]
    Unreachable(&'static str),
    /// The request timed out.
    #[error("the receiver timed out")]
    TimedOut,
    /// The request is invalid.
    #[error("{0}")]
    Unsendable(&'static str),
}

/// Sends POST requests.
pub trait PostClient: Send + Sync {
    /// Sends one request and waits for the response for at most `timeout`. Does not follow redirects.
    fn post(&self, request: &PostRequest, timeout: Duration) -> Result<PostResponse, PostError>;
}

/// Maximum length of a response body.
const MAX_RESPONSE_BYTES: u64 = 4096;

/// HTTP and HTTPS with the bundled root certificates.
#[derive(Debug)]
pub struct HttpPostClient {
    agent: Agent,
}

impl HttpPostClient {
    /// A client. It opens no connection before the first request.
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

impl Default for HttpPostClient {
    fn default() -> Self {
        Self::new()
    }
}

impl PostClient for HttpPostClient {
    fn post(&self, request: &PostRequest, timeout: Duration) -> Result<PostResponse, PostError> {
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
        let mut reply = config.build().send(&request.body).map_err(post_error)?;
        let retry_after = reply.headers().get("retry-after");
        let retry_after = retry_after.and_then(|value| value.to_str().ok()?.parse().ok());
        let body = reply
            .body_mut()
            .with_config()
            .limit(MAX_RESPONSE_BYTES)
            .read_to_vec();
        Ok(PostResponse {
            status: reply.status().as_u16(),
            retry_after: retry_after.map(Duration::from_secs),
            body: String::from_utf8_lossy(&body.unwrap_or_default()).into_owned(),
        })
    }
}

fn post_error(error: ureq::Error) -> PostError {
    match error {
        ureq::Error::Timeout(_) => PostError::TimedOut,
        ureq::Error::HostNotFound => PostError::Unreachable("no such host"),
        ureq::Error::Tls(_) | ureq::Error::Rustls(_) => PostError::Unreachable("TLS failed"),
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => {
            PostError::Unsendable("invalid URL or header")
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

/// Accepts HTTPS, and HTTP only on this machine: URLs of webhooks are secrets, and notifications describe the user's
/// work.
pub(crate) fn check_url(text: &str) -> Result<Uri, PostError> {
    let url: Uri = text
        .trim()
        .parse()
        .map_err(|_| PostError::Unsendable("invalid URL"))?;
    match url.scheme_str() {
        Some("https") if url.host().is_some() => Ok(url),
        Some("http") if is_loopback(&url) => Ok(url),
        Some("http") => Err(PostError::Unsendable(
            "the URL must begin with https:// (http:// is allowed on this machine only)",
        )),
        _ => Err(PostError::Unsendable("the URL must begin with https://")),
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
    fn only_https_and_loopback_urls_are_accepted() {
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
