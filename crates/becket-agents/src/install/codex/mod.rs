//! Codex's own configuration, apart from the file with the hooks: its record of trusted hooks, and its
//! `notify` program.

mod notify;
mod trust;

pub use notify::{plan_notify, plan_unnotify};
pub use trust::{plan_distrust, plan_trust, untrusted};

pub(super) use trust::codex_handler;

use super::{PathBase, SettingsFile};

pub(crate) const ID: &str = "codex";

/// The user's configuration.
pub const CONFIG: SettingsFile =
    SettingsFile::new(PathBase::EnvOr("CODEX_HOME", ".codex"), "config.toml");
