//! From the name of a host to addresses that may be connected to.

use std::net::SocketAddr;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};

use becket_agents::config::HttpPolicy;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use super::client::HttpError;
use super::guard::{self, Names};
use crate::deadline::Deadline;

/// More addresses than this are not tried.
const MAX_ADDRESSES: usize = 16;

/// Looks a host up once and hands out only addresses that may be reached.
#[derive(Debug)]
pub(super) struct Checked {
    pub(super) deadline: Deadline,
    /// `None` where everything may be reached.
    pub(super) policy: Option<HttpPolicy>,
    pub(super) names: Arc<dyn Names>,
    /// Why it would not, in words of our own.
    pub(super) stop: Arc<Mutex<Option<HttpError>>>,
}

impl Checked {
    fn addresses(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, HttpError> {
        let found = self.look_up(host, port)?;
        if let Some(policy) = &self.policy {
            // One bad address is enough: whoever mixes them in has nothing good in mind.
            for address in &found {
                guard::check_address(policy, address.ip()).map_err(HttpError::Refused)?;
            }
        }
        Ok(found)
    }

    /// The system cannot be told to give up, so it is asked on another thread.
    fn look_up(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, HttpError> {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        if let Ok(ip) = bare.parse() {
            return Ok(vec![SocketAddr::new(ip, port)]);
        }
        let (names, name) = (Arc::clone(&self.names), bare.to_owned());
        let (tell, hear) = mpsc::sync_channel(1);
        let left = self.deadline.left()?;
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

impl Resolver for Checked {
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
                *self.stop.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                Err(ureq::Error::HostNotFound)
            }
        }
    }
}
