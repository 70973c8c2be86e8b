//! Installs pinned clients with npm, once.
//!
//! Versions are pinned only in `clients.json`. A client is installed to `<cache>/<name>-<version>/`. It counts as installed
//! only with its marker file, which is written last, so an interrupted install is repeated. A file lock serialises
//! concurrent processes. npm keeps the caller's configuration (registry, proxy, certificates).
//!
//! A machine may have only an old node: clients that need a newer one get the pinned one first on their `PATH`, also for
//! their installation. Start at [`client`].

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use becket_base::sync::MutexExt;
use serde::Deserialize;

mod installer;

pub use installer::Installer;

/// A client that cannot be installed here. Tests that need it are skipped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{client} is unavailable: {why}")]
pub struct Unavailable {
    /// The client, by its name in `clients.json`.
    pub client: String,
    /// The reason, on one line.
    pub why: String,
}

/// An installed client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledClient {
    /// The program to start; for a library, its directory.
    pub program: PathBuf,
    /// Directories to put first on its `PATH`: its own and its runtime's.
    pub path: Vec<PathBuf>,
    /// The installation directory.
    pub prefix: PathBuf,
    /// The pinned version.
    pub version: String,
}

/// One entry of `clients.json`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// The npm package.
    pub package: String,
    /// Its exact version.
    pub version: String,
    /// The package's program; none for a library.
    pub bin: Option<String>,
    /// Another entry that must be on this one's `PATH`.
    pub runtime: Option<String>,
}

/// The pins by client.
pub type Pins = HashMap<String, Pin>;

/// The pins of `clients.json`.
pub fn pins() -> Pins {
    serde_json::from_str(include_str!("../../clients.json"))
        .expect("clients.json is part of the crate and read by its tests")
}

/// The client of this name, installed if necessary.
///
/// The result is cached for the life of the process: without a network, the second test that needs a client fails at
/// once.
pub fn client(name: &str) -> Result<InstalledClient, Unavailable> {
    static KNOWN: Mutex<Option<HashMap<String, Result<InstalledClient, Unavailable>>>> =
        Mutex::new(None);
    let mut known = KNOWN.lock_ignoring_poison();
    let answer = known
        .get_or_insert_default()
        .entry(name.to_owned())
        .or_insert_with(|| Installer::from_env().install(name));
    answer.clone()
}

/// The directory of npm's programs under `prefix`.
fn bin_dir(prefix: &Path) -> PathBuf {
    prefix.join("node_modules").join(".bin")
}
