//! One request, one deadline, bounded in every direction. Redirects are not followed.

use std::error::Error as _;
use std::io::{self, Read};
use std::sync::{Arc, PoisonError};

use becket_agents::config::HttpPolicy;
use ureq::http::Uri;
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::unversioned::transport::DefaultConnector;
use ureq::{Agent, Proxy, config::Config};

use super::guard::{self, Names, Refusal};
use super::proxy;
use super::resolver::Checked;
use crate::deadline::{Deadline, Stopped};
use crate::secret::Secret;
use crate::settings::{Env, ThinkSettings};

/// How much of a body is kept.
pub(crate) const BODY_LIMIT: usize = 1024 * 1024;

const USER_AGENT: &str = concat!("becket/", env!("CARGO_PKG_VERSION"));

/// What is sent.
pub(crate) struct Post<'a> {
    pub(crate) url: &'a str,
    pub(crate) headers: &'a [(String, Secret)],
    pub(crate) body: &'a [u8],
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<String>,
    /// The first [`BODY_LIMIT`] bytes.
    pub(crate) body: Vec<u8>,
    /// Whether there were more.
    pub(crate) truncated: bool,
}

impl Reply {
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// Why nothing came back. Neither headers nor the path of the URL are in any message: both hold secrets.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HttpError {
    #[error("the URL cannot be used: {0}")]
    BadUrl(&'static str),
    #[error("header `{0}` cannot be sent")]
    BadHeader(String),
    #[error("not sent: {0}")]
    Refused(Refusal),
    #[error("the proxy that the environment names cannot be used; `http://host:port` can")]
    BadProxy,
    #[error("`{0}`: {1}")]
    BadCertificates(String, String),
    #[error("host `{0}` not found")]
    NotFound(String),
    #[error("no connection to `{host}`: {why}")]
    NotConnected { host: String, why: String },
    #[error("the exchange with `{host}` broke off: {why}")]
    Broken { host: String, why: String },
    #[error("no answer in time")]
    TimedOut,
    #[error("cancelled")]
    Cancelled,
}

impl From<Stopped> for HttpError {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::TimedOut => Self::TimedOut,
            Stopped::Cancelled => Self::Cancelled,
        }
    }
}

/// Sends requests.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    policy: HttpPolicy,
    /// Whether the policy on hosts and addresses counts.
    guarded: bool,
    names: Arc<dyn Names>,
    env: Env,
}

impl Client {
    /// For hooks, which may come from anywhere.
    pub(crate) fn guarded(settings: &ThinkSettings) -> Self {
        Self {
            policy: settings.asking.http.clone(),
            guarded: true,
            names: Arc::clone(&settings.names),
            env: settings.env.clone(),
        }
    }

    /// For addresses out of the person's own file.
    pub(crate) fn trusted(settings: &ThinkSettings) -> Self {
        Self {
            guarded: false,
            ..Self::guarded(settings)
        }
    }

    /// Posts, and reads the answer.
    pub(crate) fn post(&self, post: &Post<'_>, deadline: &Deadline) -> Result<Reply, HttpError> {
        let target = Target::parse(post.url)?;
        if self.guarded {
            guard::check_host(&self.policy, &target.host, target.port)
                .map_err(HttpError::Refused)?;
        }
        let proxy = self.proxy(&target)?;
        let resolver = Checked {
            deadline: deadline.clone(),
            policy: (self.guarded && proxy.is_none()).then(|| self.policy.clone()),
            names: Arc::clone(&self.names),
            stop: Arc::default(),
        };
        let stop = Arc::clone(&resolver.stop);
        let config = self.config(proxy, deadline)?;
        let agent = Agent::with_parts(config, DefaultConnector::default(), resolver);
        exchange(&agent, post, &target)
            .and_then(|response| read(response, &target))
            .map_err(|error| {
                let mut stop = stop.lock().unwrap_or_else(PoisonError::into_inner);
                stop.take().unwrap_or(error)
            })
    }

    /// Names are resolved by the proxy, if there is one: what the policy says of addresses is then up to it.
    fn proxy(&self, target: &Target) -> Result<Option<Proxy>, HttpError> {
        if !self.policy.proxy {
            return Ok(None);
        }
        let scheme = target.uri.scheme_str().unwrap_or_default();
        proxy::find(&self.env, scheme, &target.host)
    }

    fn config(&self, proxy: Option<Proxy>, deadline: &Deadline) -> Result<Config, HttpError> {
        let tls = TlsConfig::builder().root_certs(self.roots()?).build();
        Ok(Config::builder()
            .timeout_global(Some(deadline.left()?))
            .proxy(proxy)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .user_agent(USER_AGENT)
            .tls_config(tls)
            .build())
    }

    fn roots(&self) -> Result<RootCerts, HttpError> {
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
            return Err(bad("no certificates in it".to_owned()));
        }
        Ok(RootCerts::from(certificates))
    }
}

/// Where a request goes.
struct Target {
    uri: Uri,
    host: String,
    port: u16,
}

impl Target {
    fn parse(url: &str) -> Result<Self, HttpError> {
        let uri: Uri = url
            .parse()
            .map_err(|_| HttpError::BadUrl("it is not a URL"))?;
        let default = match uri.scheme_str() {
            Some("http") => 80,
            Some("https") => 443,
            _ => {
                return Err(HttpError::BadUrl(
                    "it begins with neither `http://` nor `https://`",
                ));
            }
        };
        let authority = uri
            .authority()
            .ok_or(HttpError::BadUrl("it names no host"))?;
        if authority.as_str().contains('@') {
            return Err(HttpError::BadUrl(
                "a password in it would show; use a header",
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

fn exchange(
    agent: &Agent,
    post: &Post<'_>,
    target: &Target,
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
        .map_err(|error| explain(error, target))
}

fn read(
    mut response: ureq::http::Response<ureq::Body>,
    target: &Target,
) -> Result<Reply, HttpError> {
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
        .map_err(|error| broken(error, target))?;
    let truncated = body.len() > BODY_LIMIT;
    body.truncate(BODY_LIMIT);
    Ok(Reply {
        status,
        retry_after,
        body,
        truncated,
    })
}

/// An error while reading; the client wraps its own errors in it.
fn broken(error: io::Error, target: &Target) -> HttpError {
    if error
        .get_ref()
        .is_some_and(<dyn std::error::Error + Send + Sync>::is::<ureq::Error>)
        && let Some(inner) = error.into_inner()
        && let Ok(inner) = inner.downcast::<ureq::Error>()
    {
        return explain(*inner, target);
    }
    HttpError::Broken {
        host: target.host.clone(),
        why: "its answer is not whole".to_owned(),
    }
}

fn explain(error: ureq::Error, target: &Target) -> HttpError {
    let host = target.host.clone();
    match error {
        ureq::Error::Timeout(_) => HttpError::TimedOut,
        ureq::Error::HostNotFound => HttpError::NotFound(host),
        ureq::Error::Io(error) if is_late(&error) => HttpError::TimedOut,
        ureq::Error::Io(error) if is_connecting(&error) => HttpError::NotConnected {
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
        ureq::Error::BadUri(_) => HttpError::BadUrl("it is not a URL"),
        ureq::Error::Protocol(error) => HttpError::Broken {
            host,
            why: error.to_string(),
        },
        _ => HttpError::Broken {
            host,
            why: "not HTTP as we know it".to_owned(),
        },
    }
}

fn is_late(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock
    )
}

fn is_connecting(error: &io::Error) -> bool {
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
