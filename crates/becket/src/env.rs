//! The environment: variables and the directories they select.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Every environment variable that Becket reads.
pub struct EnvVars;

impl EnvVars {
    /// Moves all state (configuration, spool, trust, logs) to one directory.
    pub const BECKET_HOME: &str = "BECKET_HOME";
    /// The user's home directory.
    pub const HOME: &str = "HOME";
    /// The configuration directory, instead of `~/.config`.
    pub const XDG_CONFIG_HOME: &str = "XDG_CONFIG_HOME";
    /// The state directory, instead of `~/.local/state`.
    pub const XDG_STATE_HOME: &str = "XDG_STATE_HOME";
    /// Claude Code's settings directory, instead of `~/.claude`.
    pub const CLAUDE_CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";
    /// The project that Claude Code works in.
    pub const CLAUDE_PROJECT_DIR: &str = "CLAUDE_PROJECT_DIR";
    /// The terminal type; `dumb` or empty means no interactive screens.
    pub const TERM: &str = "TERM";
    /// Set for an agent or program that a hook has started: inside it, hooks that would start an agent do nothing, and all
    /// other hooks run. Valid only while that hook waits.
    pub const BECKET_INSIDE: &str = "BECKET_INSIDE";
    /// The width of tables when the output is not a terminal.
    pub const COLUMNS: &str = "COLUMNS";
    /// `off`: events do not start the daemon; they wait in the spool until one runs.
    pub const BECKET_DAEMON: &str = "BECKET_DAEMON";
    /// `off`: no context is injected. A number: how many milliseconds an event waits for injected context.
    pub const BECKET_RECALL: &str = "BECKET_RECALL";
    /// The daemon's log level: `error`, `warn`, `info`, `debug` or `trace`.
    pub const BECKET_LOG: &str = "BECKET_LOG";
    /// The X11 display. Without this and `WAYLAND_DISPLAY`, `becket ui` opens no browser.
    pub const DISPLAY: &str = "DISPLAY";
    /// The Wayland display.
    pub const WAYLAND_DISPLAY: &str = "WAYLAND_DISPLAY";
    /// Disables colours.
    pub const NO_COLOR: &str = "NO_COLOR";
}

/// Reads environment variables; tests supply a map.
pub trait Vars {
    /// The value of a variable, if it is set and not empty.
    fn get(&self, name: &str) -> Option<OsString>;
}

/// The environment of this process.
pub struct ProcessEnv;

impl Vars for ProcessEnv {
    fn get(&self, name: &str) -> Option<OsString> {
        std::env::var_os(name).filter(|value| !value.is_empty())
    }
}

impl<S: std::hash::BuildHasher> Vars for HashMap<String, String, S> {
    fn get(&self, name: &str) -> Option<OsString> {
        HashMap::get(self, name)
            .filter(|value| !value.is_empty())
            .map(Into::into)
    }
}

/// The directories of one user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    /// The home directory, where agents keep their files.
    pub user: PathBuf,
    /// Contains `config.toml`.
    pub config: PathBuf,
    /// Contains the spool, the trust file and backups.
    pub state: PathBuf,
    /// Claude Code's directory.
    pub claude: PathBuf,
}

impl Home {
    /// Finds the directories. Without `HOME`, a directory that does not exist takes its place.
    pub fn find(vars: &impl Vars) -> Self {
        let path = |name: &str| {
            vars.get(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let user = path(EnvVars::HOME).unwrap_or_else(|| PathBuf::from("/nonexistent"));
        let claude = path(EnvVars::CLAUDE_CONFIG_DIR).unwrap_or_else(|| user.join(".claude"));
        if let Some(all) = path(EnvVars::BECKET_HOME) {
            return Self {
                user,
                config: all.clone(),
                state: all,
                claude,
            };
        }
        let config = path(EnvVars::XDG_CONFIG_HOME)
            .unwrap_or_else(|| user.join(".config"))
            .join("becket");
        let state = path(EnvVars::XDG_STATE_HOME)
            .unwrap_or_else(|| user.join(".local/state"))
            .join("becket");
        Self {
            user,
            config,
            state,
            claude,
        }
    }

    /// The user's configuration file.
    pub fn config_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    /// The spool of recorded events.
    pub fn spool(&self) -> PathBuf {
        self.state.join("spool")
    }

    /// The database of recorded events.
    pub fn database(&self) -> PathBuf {
        self.state.join("becket.db")
    }

    /// The file of trusted hooks.
    pub fn trust_file(&self) -> PathBuf {
        self.state.join("trust.json")
    }
}

/// Whether a project is the home directory itself. Its files then count as user files.
pub fn is_home(project: &Path, home: &Home) -> bool {
    project == home.user
}
