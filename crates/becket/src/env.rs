//! Where Becket looks and keeps things, from the environment.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Every environment variable that Becket reads.
pub struct EnvVars;

impl EnvVars {
    /// Moves all state (configuration, spool, trust, logs) to one directory.
    pub const BECKET_HOME: &str = "BECKET_HOME";
    /// The person's home.
    pub const HOME: &str = "HOME";
    /// Where configuration lives, instead of `~/.config`.
    pub const XDG_CONFIG_HOME: &str = "XDG_CONFIG_HOME";
    /// Where state lives, instead of `~/.local/state`.
    pub const XDG_STATE_HOME: &str = "XDG_STATE_HOME";
    /// Where Claude Code keeps its settings, instead of `~/.claude`.
    pub const CLAUDE_CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";
    /// The project that Claude Code works in.
    pub const CLAUDE_PROJECT_DIR: &str = "CLAUDE_PROJECT_DIR";
    /// What the terminal can do; `dumb` or nothing means no interactive screens.
    pub const TERM: &str = "TERM";
    /// Set for an agent or a program that answers for a hook: its own hooks that would ask an agent are silent, all
    /// others run. Counts only while that hook waits.
    pub const BECKET_INSIDE: &str = "BECKET_INSIDE";
    /// How wide tables may be where there is no terminal.
    pub const COLUMNS: &str = "COLUMNS";
    /// `off` keeps events from starting the daemon; they wait in the spool until one runs.
    pub const BECKET_DAEMON: &str = "BECKET_DAEMON";
    /// What the daemon writes to its log: `error`, `warn`, `info`, `debug` or `trace`.
    pub const BECKET_LOG: &str = "BECKET_LOG";
    /// The display of X11; with neither this nor the next, `becket ui` opens no browser.
    pub const DISPLAY: &str = "DISPLAY";
    /// The display of Wayland.
    pub const WAYLAND_DISPLAY: &str = "WAYLAND_DISPLAY";
    /// No colours.
    pub const NO_COLOR: &str = "NO_COLOR";
}

/// Reads variables; tests bring a map.
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

/// The directories of one person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    /// The person's home, where agents keep their files.
    pub user: PathBuf,
    /// Holds `config.toml`.
    pub config: PathBuf,
    /// Holds the spool, trust, backups.
    pub state: PathBuf,
    /// Claude Code's directory.
    pub claude: PathBuf,
}

impl Home {
    /// Finds the directories. Without `HOME` the current directory's root stands in, so that
    /// nothing is found there and nothing is lost.
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

    /// The person's own configuration.
    pub fn config_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    /// The spool of recorded events.
    pub fn spool(&self) -> PathBuf {
        self.state.join("spool")
    }

    /// The database of what agents did.
    pub fn database(&self) -> PathBuf {
        self.state.join("becket.db")
    }

    /// What the person has trusted.
    pub fn trust_file(&self) -> PathBuf {
        self.state.join("trust.json")
    }
}

/// Whether a project is really the person's home: then its files are user files already.
pub fn is_home(project: &Path, home: &Home) -> bool {
    project == home.user
}
