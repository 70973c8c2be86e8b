//! The environment variables of the lab.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// The environment variables that the lab reads. It reads no others.
pub struct EnvVars;

impl EnvVars {
    /// Where installed clients are kept. Relative paths start at the workspace root.
    /// Default: `.lab` in the workspace root.
    pub const CACHE: &'static str = "BECKET_LAB_CACHE";
    /// How many tests run at once. Default: 1, because a client keeps more than one core busy.
    pub const JOBS: &'static str = "BECKET_LAB_JOBS";
    /// `1` also keeps the run directories of passed tests.
    pub const KEEP: &'static str = "BECKET_LAB_KEEP";
}

/// Which run directories are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeepRuns {
    /// Only those of tests that failed.
    Failed,
    /// All of them.
    All,
}

/// The lab's settings, read once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Where installed clients are kept.
    pub cache: PathBuf,
    /// How many tests run at once.
    pub jobs: NonZeroUsize,
    /// Which run directories are kept.
    pub keep: KeepRuns,
}

impl Settings {
    /// The settings of this process.
    pub fn from_env() -> Self {
        Self::from_lookup(|name| std::env::var_os(name))
    }

    /// The settings from a lookup function. An invalid value counts as unset.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<OsString>) -> Self {
        let set = |name| lookup(name).filter(|value| !value.is_empty());
        let cache = set(EnvVars::CACHE).map_or_else(|| PathBuf::from(".lab"), PathBuf::from);
        let jobs = set(EnvVars::JOBS)
            .and_then(|value| value.to_str()?.parse().ok())
            .unwrap_or(NonZeroUsize::MIN);
        let keep = match set(EnvVars::KEEP) {
            Some(value) if value != "0" => KeepRuns::All,
            _ => KeepRuns::Failed,
        };
        Self {
            cache: workspace_root().join(cache),
            jobs,
            keep,
        }
    }
}

/// Cargo starts tests in their crate's directory, so a relative path must not depend on the working directory.
fn workspace_root() -> &'static Path {
    let lab = Path::new(env!("CARGO_MANIFEST_DIR"));
    lab.parent().unwrap_or(lab)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(pairs: &[(&str, &str)]) -> Settings {
        Settings::from_lookup(|name| {
            let found = pairs.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn empty_environment_gives_the_documented_defaults() {
        let defaults = settings(&[]);
        assert!(defaults.cache.is_absolute());
        assert!(defaults.cache.ends_with(".lab"));
        assert_eq!(defaults.jobs.get(), 1);
        assert_eq!(defaults.keep, KeepRuns::Failed);
    }

    #[test]
    fn every_variable_is_honoured() {
        let given = settings(&[
            (EnvVars::CACHE, "/somewhere/else"),
            (EnvVars::JOBS, "3"),
            (EnvVars::KEEP, "1"),
        ]);
        assert_eq!(given.cache, Path::new("/somewhere/else"));
        assert_eq!(given.jobs.get(), 3);
        assert_eq!(given.keep, KeepRuns::All);
    }

    #[test]
    fn invalid_values_count_as_unset() {
        let given = settings(&[
            (EnvVars::CACHE, ""),
            (EnvVars::JOBS, "0"),
            (EnvVars::KEEP, "0"),
        ]);
        assert_eq!(given, settings(&[]));
    }
}
