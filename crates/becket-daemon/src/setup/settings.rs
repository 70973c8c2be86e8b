//! The user's settings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Preset;

/// The user's settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UserSettings {
    /// The configuration file.
    pub file: String,
    /// The daemon's port; null picks a free one and reuses it.
    pub port: Option<u16>,
    /// Whether events start the daemon.
    pub daemon: bool,
    /// Whether events are recorded.
    pub record: bool,
    /// Regular expressions for additional secrets to redact.
    pub redact: Vec<String>,
    /// How long records are kept.
    pub retention: RetentionSettings,
    /// The guard.
    pub guard: GuardSettings,
    /// Errors in the file; the affected settings have no effect.
    pub problems: Vec<String>,
}

/// How long records are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RetentionSettings {
    /// A duration such as `90d`; null for ever.
    pub keep: Option<String>,
}

/// The guard's settings in the user's configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GuardSettings {
    /// The preset.
    pub preset: Preset,
    /// Whether the guard is enabled.
    pub enabled: bool,
}

/// A change of settings; omitted members stay unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SettingsUpdate {
    /// Regular expressions for additional secrets to redact.
    pub redact: Option<Vec<String>>,
    /// How long records are kept.
    pub retention: Option<RetentionUpdate>,
    /// The daemon's port from its next start on; 0 picks a free one.
    pub port: Option<u16>,
    /// Whether events start the daemon.
    pub daemon: Option<bool>,
    /// Whether events are recorded.
    pub record: Option<bool>,
    /// The guard.
    pub guard: Option<GuardUpdate>,
}

/// A change of the retention period.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RetentionUpdate {
    /// A number with the unit `d` or `w`, such as `90d`; null for ever.
    pub keep: Option<String>,
}

/// A change of the guard's settings.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GuardUpdate {
    /// The preset.
    pub preset: Option<Preset>,
    /// Whether the guard is enabled.
    pub enabled: Option<bool>,
}

/// What a change of settings would write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SettingsPlan {
    /// The configuration file.
    pub file: String,
    /// The diff of the file; empty if nothing changes.
    pub diff: String,
    /// The digest of the plan.
    pub plan: String,
}

/// The file that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileWritten {
    /// The path.
    pub file: String,
}
