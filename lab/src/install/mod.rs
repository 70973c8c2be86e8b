//! Brings pinned clients in with npm, once.
//!
//! Versions are pinned in `clients.json` and nowhere else. A client lands in
//! `<cache>/<name>-<version>/` and counts as there only when its marker file says so, which is
//! written last, so an install that was cut off is done again. A file lock lets any number of
//! processes ask at once. npm keeps the caller's configuration (registry, proxy, certificates);
//! nothing here knows where packages come from.
//!
//! A machine may have an old node only: clients that need one get the pinned one first on their
//! `PATH`, for their own install as well. Start at [`client`].

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::Deserialize;

mod installer;

pub use installer::Installer;

/// A client that cannot be had on this machine now. Tests that need it are skipped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{client} is unavailable: {why}")]
pub struct Unavailable {
    /// The client, by its name in `clients.json`.
    pub client: String,
    /// The reason, on one line.
    pub why: String,
}

/// A client that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The program to start; of a library, its folder.
    pub program: PathBuf,
    /// Folders that belong first on its `PATH`: its own and that of the runtime it needs.
    pub path: Vec<PathBuf>,
    /// The folder that everything was installed into.
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
    /// The program that the package provides; none for a library.
    pub bin: Option<String>,
    /// Another entry that must be on the `PATH` of this one.
    pub runtime: Option<String>,
}

/// The pins, by client.
pub type Pins = HashMap<String, Pin>;

/// The pins of `clients.json`.
pub fn pins() -> Pins {
    serde_json::from_str(include_str!("../../clients.json"))
        .expect("clients.json is part of the crate and read by its tests")
}

/// The client of this name, installed now if it was not before.
///
/// The answer is remembered for the life of the process: where the network is down, the second test
/// that needs a client is told at once.
pub fn client(name: &str) -> Result<Installed, Unavailable> {
    static KNOWN: Mutex<Option<HashMap<String, Result<Installed, Unavailable>>>> = Mutex::new(None);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let answer = known
        .get_or_insert_default()
        .entry(name.to_owned())
        .or_insert_with(|| Installer::from_env().install(name));
    answer.clone()
}

/// Where npm puts the programs of a package installed under `prefix`.
fn bin_dir(prefix: &Path) -> PathBuf {
    prefix.join("node_modules").join(".bin")
}
