//! HTTP client with one deadline per request and size limits. It does not follow redirects.

use std::error::Error as _;
use std::io::{self, Read};
use std::sync::Arc;

use becket_agents::config::HttpPolicy;
use becket_base::sync::MutexExt;
use ureq::http::Uri;
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::unversioned::transport::DefaultConnector;
use ureq::{Agent, Proxy, config::Config};

use super::proxy;
use super::resolver::SsrfResolver;
use super::ssrf::{self, HostResolver, SsrfError};
use crate::deadline::{Deadline, DeadlineError};
use crate::secret::Secret;
use crate::settings::{EnvLookup, ThinkSettings};

/// Maximum size of a response body.
pub(crate) const BODY_LIMIT: usize = 1024 * 1024;

const USER_AGENT: &str = concat!("becket/", env!("CARGO_PKG_VERSION"));

/// A POST request.
pub(crate) struct HttpRequest<'a> {
    pub(crate) url: &'a str,
    pub(crate) headers: &'a [(String, Secret)],
    pub(crate) body: &'a [u8],
}

#[derive(Debug)]
pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<String>,
    /// The first [`BODY_LIMIT`] bytes.
    pub(crate) body: Vec<u8>,
    /// Whether the body was longer.
    pub(crate) truncated: bool,
}

impl HttpResponse {
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// Why a request failed. No message contains headers or the path of the URL, since both can hold secrets.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HttpError {
    #[error("invalid URL: {0}")]
    BadUrl(&'static str),
    #[error("invalid header `{0}`")]
    BadHeader(String),
    #[error("request blocked: {0}")]
    Refused(SsrfError),
    #[error("invalid proxy in the environment; use `http://host:port`")]
    BadProxy,
    #[error("`{0}`: {1}")]
    BadCertificates(String, String),
    #[error("host `{0}` not found")]
    NotFound(String),
    #[error("no connection to `{host}`: {why}")]
    NotConnected { host: String, why: String },
    #[error("connection to `{host}` broke: {why}")]
    Broken { host: String, why: String },
    #[error("timed out")]
    TimedOut,
    #[error("cancelled")]
    Cancelled,
}

impl From<DeadlineError> for HttpError {
    fn from(stopped: DeadlineError) -> Self {
        match stopped {
            DeadlineError::TimedOut => Self::TimedOut,
            DeadlineError::Cancelled => Self::Cancelled,
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct HttpClient {
    policy: HttpPolicy,
    /// Whether the SSRF policy applies.
    is_guarded: bool,
    names: Arc<dyn HostResolver>,
    env: EnvLookup,
}

impl HttpClient {
    /// A client for hooks, which may come from any project. The SSRF policy applies.
    pub(crate) fn guarded(settings: &ThinkSettings) -> Self {
        Self {
            policy: settings.config.http.clone(),
            is_guarded: true,
            names: Arc::clone(&settings.resolver),
            env: settings.env.clone(),
        }
    }

    /// A client for URLs from the user's own configuration. The SSRF policy does not apply.
    pub(crate) fn trusted(settings: &ThinkSettings) -> Self {
        Self {
            is_guarded: false,
            ..Self::guarded(settings)
        }
    }

    /// Sends a POST request and reads the response.
    pub(crate) fn post(
        &self,
        post: &HttpRequest<'_>,
        deadline: &Deadline,
    ) -> Result<HttpResponse, HttpError> {
        let target = RequestTarget::parse(post.url)?;
        if self.is_guarded {
            ssrf::check_host(&self.policy, &target.host, target.port)
                .map_err(HttpError::Refused)?;
        }
        let proxy = self.proxy(&target)?;
        let resolver = SsrfResolver {
            deadline: deadline.clone(),
            policy: (self.is_guarded && proxy.is_none()).then(|| self.policy.clone()),
            names: Arc::clone(&self.names),
            error: Arc::default(),
        };
        let stop = Arc::clone(&resolver.error);
        let config = self.config(proxy, deadline)?;
        let agent = Agent::with_parts(config, DefaultConnector::default(), resolver);
        send(&agent, post, &target)
            .and_then(|response| read(response, &target))
            .map_err(|error| {
                let mut stop = stop.lock_ignoring_poison();
                stop.take().unwrap_or(error)
            })
    }

    /// The proxy for a request. A proxy resolves the host itself, so the address checks are then up to the proxy.
    fn proxy(&self, target: &RequestTarget) -> Result<Option<Proxy>, HttpError> {
        if !self.policy.proxy {
            return Ok(None);
        }
        let scheme = target.uri.scheme_str().unwrap_or_default();
        proxy::proxy_for(&self.env, scheme, &target.host)
    }

    fn config(&self, proxy: Option<Proxy>, deadline: &Deadline) -> Result<Config, HttpError> {
        let tls = TlsConfig::builder()
            .root_certs(self.root_certificates()?)
            .build();
        Ok(Config::builder()
            .timeout_global(Some(deadline.remaining()?))
            .proxy(proxy)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .user_agent(USER_AGENT)
            .tls_config(tls)
            .build())
    }

    fn root_certificates(&self) -> Result<RootCerts, HttpError> {
        let Some(file) = &self.policy.ca_file else {
            return Ok(RootCerts::WebPki);
        };
        let bad = |why: String| HttpError::BadCertificates(file.clone(), why);
        let pem = std::fs::read(file).map_err(|error| bad(error.to_string()))?;
        let mut certificates = Vec::new();
        for item in parse_pem(&pem) {
            if let PemItem::Certificate(one) = item.map_err(|error| bad(error.to_string()))? {
                certificates.push(one);
            }
        }
        if certificates.is_empty() {
            return Err(bad("the file contains no certificates".to_owned()));
        }
        Ok(RootCerts::from(certificates))
    }
}

/// The parsed URL of a request.
struct RequestTarget {
    uri: Uri,
    host: String,
    port: u16,
}

impl RequestTarget {
    fn parse(url: &str) -> Result<Self, HttpError> {
        let uri: Uri = url
            .parse()
            .map_err(|_| HttpError::BadUrl("it cannot be parsed"))?;
        let default = match uri.scheme_str() {
            Some("http") => 80,
            Some("https") => 443,
            _ => {
                return Err(HttpError::BadUrl(
                    "it must begin with `http://` or `https://`",
                ));
            }
        };
        let authority = uri.authority().ok_or(HttpError::BadUrl("it has no host"))?;
        if authority.as_str().contains('@') {
            return Err(HttpError::BadUrl(
                "it contains a password; use a header instead",
            ));
        }
        let (host, port) = (authority.host().to_owned(), authority.port_u16());
        Ok(Self {
            port: port.unwrap_or(default),
            host,
            uri,
        })
    }
}

fn send(
    agent: &Agent,
    post: &HttpRequest<'_>,
    target: &RequestTarget,
) -> Result<ureq::http::Response<ureq::Body>, HttpError> {
    let mut request = agent.post(target.uri.clone());
    for (name, value) in post.headers {
        let bad = || HttpError::BadHeader(name.clone());
        let name = ureq::http::HeaderName::try_from(name.as_str()).map_err(|_| bad())?;
        let value = ureq::http::HeaderValue::try_from(value.reveal()).map_err(|_| bad())?;
        request = request.header(name, value);
    }
    request
        .send(post.body)
        .map_err(|error| http_error(error, target))
}

fn read(
    mut response: ureq::http::Response<ureq::Body>,
    target: &RequestTarget,
) -> Result<HttpResponse, HttpError> {
    let retry_after = response.headers().get("retry-after");
    let retry_after = retry_after.and_then(|value| value.to_str().ok());
    let retry_after = retry_after.map(str::to_owned);
    let status = response.status().as_u16();
    let mut body = Vec::new();
    let limit = BODY_LIMIT as u64 + 1;
    let reader = response.body_mut().as_reader();
    reader
        .take(limit)
        .read_to_end(&mut body)
        .map_err(|error| read_error(error, target))?;
    let truncated = body.len() > BODY_LIMIT;
    body.truncate(BODY_LIMIT);
    Ok(HttpResponse {
        status,
        retry_after,
        body,
        truncated,
    })
}

/// Converts an error while reading a body. ureq wraps its own errors in it.
fn read_error(error: io::Error, target: &RequestTarget) -> HttpError {
    if error
        .get_ref()
        .is_some_and(<dyn std::error::Error + Send + Sync>::is::<ureq::Error>)
        && let Some(inner) = error.into_inner()
        && let Ok(inner) = inner.downcast::<ureq::Error>()
    {
        return http_error(*inner, target);
    }
    HttpError::Broken {
        host: target.host.clone(),
        why: "the response is incomplete".to_owned(),
    }
}

fn http_error(error: ureq::Error, target: &RequestTarget) -> HttpError {
    let host = target.host.clone();
    match error {
        ureq::Error::Timeout(_) => HttpError::TimedOut,
        ureq::Error::HostNotFound => HttpError::NotFound(host),
        ureq::Error::Io(error) if is_timeout(&error) => HttpError::TimedOut,
        ureq::Error::Io(error) if is_connection_error(&error) => HttpError::NotConnected {
            host,
            why: error.to_string(),
        },
        ureq::Error::ConnectionFailed => HttpError::NotConnected {
            host,
            why: "connection failed".to_owned(),
        },
        ureq::Error::Tls(why) => HttpError::NotConnected {
            host,
            why: why.to_owned(),
        },
        ureq::Error::Rustls(error) => HttpError::NotConnected {
            host,
            why: error.to_string(),
        },
        ureq::Error::Io(error) => HttpError::Broken {
            host,
            why: innermost(&error),
        },
        ureq::Error::BadUri(_) => HttpError::BadUrl("it cannot be parsed"),
        ureq::Error::Protocol(error) => HttpError::Broken {
            host,
            why: error.to_string(),
        },
        _ => HttpError::Broken {
            host,
            why: "the response is not valid HTTP".to_owned(),
        },
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock
    )
}

fn is_connection_error(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::HostUnreachable
            | io::ErrorKind::NetworkUnreachable
            | io::ErrorKind::AddrNotAvailable
    )
}

fn innermost(error: &io::Error) -> String {
    error
        .source()
        .map_or_else(|| error.to_string(), ToString::to_string)
}
