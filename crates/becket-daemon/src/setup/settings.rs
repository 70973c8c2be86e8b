//! The person's own settings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Preset;

/// How Becket behaves for this person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Settings {
    /// Where they stand.
    pub file: String,
    /// The port that the daemon is to have; any that is free, and the same again, if none is said.
    pub port: Option<u16>,
    /// Whether events start the daemon.
    pub daemon: bool,
    /// Whether events are recorded.
    pub record: bool,
    /// Regular expressions for what is secret to the person.
    pub redact: Vec<String>,
    /// For how long records are kept.
    pub retention: Keeping,
    /// The guard.
    pub guard: GuardSettings,
    /// What is wrong with the file; what is wrong has no effect.
    pub problems: Vec<String>,
}

/// For how long records are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Keeping {
    /// A span as it is written: `90d`; for ever if there is none.
    pub keep: Option<String>,
}

/// How the guard is set up, by the person's own file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GuardSettings {
    /// How strict it is.
    pub preset: Preset,
    /// Whether it is switched on.
    pub enabled: bool,
}

/// Settings to be. What is left out stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SettingsWanted {
    /// Regular expressions for what is secret to the person.
    pub redact: Option<Vec<String>>,
    /// For how long records are kept.
    pub retention: Option<KeepingWanted>,
    /// The daemon's port, from its next start on; 0 is any that is free.
    pub port: Option<u16>,
    /// Whether events start the daemon.
    pub daemon: Option<bool>,
    /// Whether events are recorded.
    pub record: Option<bool>,
    /// The guard.
    pub guard: Option<GuardWanted>,
}

/// For how long records are to be kept.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeepingWanted {
    /// A number and `d` or `w`, as in `90d`; null is for ever.
    pub keep: Option<String>,
}

/// How the guard is to be.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GuardWanted {
    /// How strict.
    pub preset: Option<Preset>,
    /// Whether it is switched on.
    pub enabled: Option<bool>,
}

/// What other settings would write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SettingsPlan {
    /// Where.
    pub file: String,
    /// How the file would change; empty where it says so already.
    pub diff: String,
    /// Stands for all of it.
    pub plan: String,
}

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileWritten {
    /// Which.
    pub file: String,
}
