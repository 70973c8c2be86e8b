//! Whether a person wants agents to be told what is known.

use std::path::Path;

use becket::Home;
use becket::env::{EnvVars, ProcessEnv, Vars};
use becket::load::{load, telling};
use becket_daemon::place::Place;
use becket_daemon::socket::Request;

use crate::daemon::ask;

/// Why agents are told nothing in a project; `None` where they are.
pub(crate) fn silenced(home: &Home, root: &Path) -> Option<String> {
    let is_off = |name| ProcessEnv.get(name).is_some_and(|value| value == "off");
    if is_off(EnvVars::BECKET_RECALL) {
        return Some(format!("{}=off", EnvVars::BECKET_RECALL));
    }
    if telling(home, Some(root)).enabled == Some(false) {
        return Some("`enabled = false` under [recall]".to_owned());
    }
    let by = if load(home, None, None).settings.daemon == Some(false) {
        "`daemon = false` under [settings]".to_owned()
    } else if is_off(EnvVars::BECKET_DAEMON) {
        format!("{}=off", EnvVars::BECKET_DAEMON)
    } else {
        return None;
    };
    // One that somebody has started all the same is asked.
    let runs = ask(&Place::below(&home.state), &Request::Status).is_ok();
    (!runs).then(|| format!("no daemon runs, and events start none ({by})"))
}
