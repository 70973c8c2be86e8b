//! DNS resolution that returns only addresses the SSRF policy allows.

use std::net::SocketAddr;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};

use becket_agents::config::HttpPolicy;
use becket_base::sync::MutexExt;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use super::client::HttpError;
use super::ssrf::{self, HostResolver};
use crate::deadline::Deadline;

/// At most this many addresses are tried.
const MAX_ADDRESSES: usize = 16;

/// Resolves a host once and checks every address, which also prevents DNS rebinding.
#[derive(Debug)]
pub(super) struct SsrfResolver {
    pub(super) deadline: Deadline,
    /// `None` if every address is allowed.
    pub(super) policy: Option<HttpPolicy>,
    pub(super) names: Arc<dyn HostResolver>,
    /// The reason for a failed resolution; ureq cannot carry it.
    pub(super) error: Arc<Mutex<Option<HttpError>>>,
}

impl SsrfResolver {
    fn addresses(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, HttpError> {
        let found = self.look_up(host, port)?;
        if let Some(policy) = &self.policy {
            // One forbidden address blocks the host: mixing addresses is how DNS rebinding attacks work.
            for address in &found {
                ssrf::check_address(policy, address.ip()).map_err(HttpError::Refused)?;
            }
        }
        Ok(found)
    }

    /// Resolves on another thread, because a system lookup cannot be cancelled.
    fn look_up(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, HttpError> {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        if let Ok(ip) = bare.parse() {
            return Ok(vec![SocketAddr::new(ip, port)]);
        }
        let (names, name) = (Arc::clone(&self.names), bare.to_owned());
        let (tell, hear) = mpsc::sync_channel(1);
        let left = self.deadline.remaining()?;
        let asked = std::thread::Builder::new()
            .name("becket-names".into())
            .spawn(move || tell.send(names.look_up(&name, port)));
        let not_found = || HttpError::NotFound(host.to_owned());
        if asked.is_err() {
            return Err(not_found());
        }
        match hear.recv_timeout(left) {
            Ok(Ok(found)) if !found.is_empty() => Ok(found),
            Err(RecvTimeoutError::Timeout) => Err(HttpError::TimedOut),
            Ok(_) | Err(RecvTimeoutError::Disconnected) => Err(not_found()),
        }
    }
}

impl Resolver for SsrfResolver {
    fn resolve(
        &self,
        uri: &Uri,
        _config: &Config,
        _timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let host = uri.host().unwrap_or_default();
        let default = if uri.scheme_str() == Some("https") {
            443
        } else {
            80
        };
        match self.addresses(host, uri.port_u16().unwrap_or(default)) {
            Ok(found) => {
                let mut all = self.empty();
                for address in found.into_iter().take(MAX_ADDRESSES) {
                    all.push(address);
                }
                Ok(all)
            }
            Err(error) => {
                *self.error.lock_ignoring_poison() = Some(error);
                Err(ureq::Error::HostNotFound)
            }
        }
    }
}
