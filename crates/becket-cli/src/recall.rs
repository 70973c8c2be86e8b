//! Explains why context injection is off.

use std::path::Path;

use becket::Home;
use becket::env::{EnvVars, ProcessEnv, Vars};
use becket::load::{load, recall_settings};
use becket_daemon::runtime_dir::RuntimeDir;
use becket_daemon::socket::SocketRequest;

use crate::daemon::send_request;

/// Why nothing is injected in a project; `None` if injection is on.
pub(crate) fn disabled_reason(home: &Home, root: &Path) -> Option<String> {
    let is_off = |name| ProcessEnv.get(name).is_some_and(|value| value == "off");
    if is_off(EnvVars::BECKET_RECALL) {
        return Some(format!("{}=off", EnvVars::BECKET_RECALL));
    }
    if recall_settings(home, Some(root)).enabled == Some(false) {
        return Some("`enabled = false` under [recall]".to_owned());
    }
    let by = if load(home, None, None).settings.daemon == Some(false) {
        "`daemon = false` under [settings]".to_owned()
    } else if is_off(EnvVars::BECKET_DAEMON) {
        format!("{}=off", EnvVars::BECKET_DAEMON)
    } else {
        return None;
    };
    // A daemon that was started by hand still serves injections.
    let runs = send_request(
        &RuntimeDir::in_state_dir(&home.state),
        &SocketRequest::Status,
    )
    .is_ok();
    (!runs).then(|| format!("no daemon is running, and events do not start one ({by})"))
}
