//! Trust: whether a project's hooks may run.
//!
//! The user trusts one hook of one project: its definition and the bytes of every script that it names. Any change asks
//! again. The trust file belongs to the user; nothing in a project can change it. What a script itself calls is not
//! followed.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use becket_agents::shell_words;
use becket_base::fs::{FileSync, write_private};
use becket_model::{Action, HookSpec};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Scripts up to this size are stored, so that a later change can be shown as a diff.
const KEPT_SCRIPT: u64 = 256 * 1024;

/// The current definition and scripts of a hook, to which trust is bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    /// Digest of definition and scripts.
    pub digest: String,
    /// The definition as text to show.
    pub definition: String,
    /// The scripts that it names, with their digests.
    pub scripts: BTreeMap<PathBuf, String>,
}

/// Computes the fingerprint of a project's hook. `root` is the project's root.
pub fn fingerprint(hook: &HookSpec, root: &Path) -> Fingerprint {
    let definition = serde_json::to_string_pretty(&hook.definition()).unwrap_or_default();
    let scripts: BTreeMap<PathBuf, String> = referenced(hook, root)
        .into_iter()
        .map(|path| (path.clone(), file_digest(&root.join(&path))))
        .collect();
    let mut hasher = blake3::Hasher::new();
    hasher.update(definition.as_bytes());
    for (path, digest) in &scripts {
        hasher.update(&[0]);
        hasher.update(path.to_string_lossy().as_bytes());
        hasher.update(&[0]);
        hasher.update(digest.as_bytes());
    }
    Fingerprint {
        digest: hasher.finalize().to_hex().to_string(),
        definition,
        scripts,
    }
}

fn file_digest(path: &Path) -> String {
    let hashed = fs::File::open(path).and_then(|mut file| {
        let mut hasher = blake3::Hasher::new();
        io::copy(&mut file, &mut hasher)?;
        Ok(hasher.finalize().to_hex().to_string())
    });
    hashed.unwrap_or_else(|error| format!("unreadable: {}", error.kind()))
}

/// The files that the words of a command name. Files inside the project are relative to its root.
fn referenced(hook: &HookSpec, root: &Path) -> Vec<PathBuf> {
    let Action::Command { command, args } = &hook.action else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let lines: Vec<&str> = match args {
        None => vec![command],
        Some(args) => std::iter::once(command)
            .chain(args)
            .map(String::as_str)
            .collect(),
    };
    // Relative words are files relative to the hook's working directory.
    let runs_in = hook
        .cwd
        .as_ref()
        .map_or_else(|| root.to_owned(), |cwd| root.join(cwd));
    for line in lines {
        collect_files(line, root, &runs_in, 0, &mut found);
    }
    found.sort();
    found.dedup();
    found
}

fn collect_files(line: &str, root: &Path, runs_in: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    for word in shell_words::path_candidates(line) {
        let in_project = [
            "$CLAUDE_PROJECT_DIR/",
            "${CLAUDE_PROJECT_DIR}/",
            "$BECKET_PROJECT_DIR/",
            "${BECKET_PROJECT_DIR}/",
        ]
        .iter()
        .find_map(|prefix| word.strip_prefix(prefix));
        let path = match in_project {
            Some(rest) => root.join(rest),
            None => runs_in.join(&word),
        };
        if !word.is_empty() && path.is_file() {
            found.push(path.strip_prefix(root).unwrap_or(&path).to_owned());
        }
        // `bash -c "…"`: the word is a command line itself.
        if depth < 3 && word.contains(char::is_whitespace) && word != line {
            collect_files(&word, root, runs_in, depth + 1, found);
        }
    }
}

/// The trust file.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct TrustStore {
    version: u32,
    /// By project root.
    projects: BTreeMap<String, TrustedProject>,
    #[serde(skip)]
    file: PathBuf,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct TrustedProject {
    /// By fingerprint.
    hooks: BTreeMap<String, TrustedHook>,
}

/// A trusted hook, as it was when the user trusted it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedHook {
    /// The hook's name.
    pub name: String,
    /// Its source: file and key.
    pub place: String,
    /// Its definition at that time.
    pub definition: String,
    /// Its scripts at that time.
    pub scripts: BTreeMap<PathBuf, String>,
    /// When it was trusted.
    pub since: String,
}

/// The trust file cannot be used, so no project hook runs.
#[derive(Debug, thiserror::Error)]
#[error("cannot use the trust file `{}`", file.display())]
pub struct TrustError {
    /// The file.
    pub file: PathBuf,
    #[source]
    source: io::Error,
}

impl TrustStore {
    /// Reads the trust file; a missing file is an empty store.
    pub fn open(file: &Path) -> Result<Self, TrustError> {
        let failed = |source| TrustError {
            file: file.to_owned(),
            source,
        };
        let mut store = match fs::read(file) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|error| failed(io::Error::new(ErrorKind::InvalidData, error)))?,
            Err(error) if error.kind() == ErrorKind::NotFound => Self {
                version: 1,
                ..Self::default()
            },
            Err(error) => return Err(failed(error)),
        };
        file.clone_into(&mut store.file);
        Ok(store)
    }

    /// Whether exactly this hook is trusted in this project.
    pub fn trusts(&self, root: &Path, print: &Fingerprint) -> bool {
        self.project(root)
            .is_some_and(|project| project.hooks.contains_key(&print.digest))
    }

    /// Whether the user has trusted any hook of this project.
    pub fn trusts_any(&self, root: &Path) -> bool {
        self.project(root)
            .is_some_and(|project| !project.hooks.is_empty())
    }

    /// The last trusted version of a hook, if another version was trusted.
    pub fn previous(&self, root: &Path, hook: &HookSpec) -> Option<&TrustedHook> {
        let place = place(hook, root);
        let trusted = &self.project(root)?.hooks;
        trusted
            .values()
            .filter(|t| t.place == place || t.name == hook.name)
            .max_by(|a, b| a.since.cmp(&b.since))
    }

    /// The content of a script when it was trusted.
    pub fn previous_script(&self, digest: &str) -> Option<String> {
        fs::read_to_string(self.blob(digest)?).ok()
    }

    /// Trusts hooks in their current version and replaces earlier versions from the same sources. An entry for
    /// several events is several hooks at one source, and they are added together.
    pub fn add(&mut self, root: &Path, hooks: &[(&HookSpec, &Fingerprint)], now: &str) {
        for (_, print) in hooks {
            for (path, digest) in &print.scripts {
                self.keep_script(&root.join(path), digest);
            }
        }
        let places: Vec<String> = hooks.iter().map(|(hook, _)| place(hook, root)).collect();
        let project = self.projects.entry(key(root)).or_default();
        project
            .hooks
            .retain(|_, trusted| !places.contains(&trusted.place));
        for ((hook, print), place) in hooks.iter().zip(places) {
            let trusted = TrustedHook {
                name: hook.name.clone(),
                place,
                definition: print.definition.clone(),
                scripts: print.scripts.clone(),
                since: now.to_owned(),
            };
            project.hooks.insert(print.digest.clone(), trusted);
        }
    }

    /// Revokes the trust of a whole project; returns how many hooks had it.
    pub fn revoke(&mut self, root: &Path) -> usize {
        self.projects
            .remove(&key(root))
            .map_or(0, |project| project.hooks.len())
    }

    /// Every project with its trusted hooks.
    pub fn all(&self) -> impl Iterator<Item = (&str, impl Iterator<Item = &TrustedHook>)> {
        self.projects
            .iter()
            .map(|(root, project)| (root.as_str(), project.hooks.values()))
    }

    /// Writes the trust file atomically.
    pub fn save(&self) -> Result<(), TrustError> {
        let json = serde_json::to_vec_pretty(self).unwrap_or_default();
        write_private(&self.file, &json, FileSync::BeforeRename).map_err(|source| TrustError {
            file: self.file.clone(),
            source,
        })
    }

    fn project(&self, root: &Path) -> Option<&TrustedProject> {
        self.projects.get(&key(root))
    }

    fn blob(&self, digest: &str) -> Option<PathBuf> {
        let plain = digest.len() == 64 && digest.bytes().all(|b| b.is_ascii_hexdigit());
        plain.then(|| self.file.with_file_name("trusted-scripts").join(digest))
    }

    fn keep_script(&self, script: &Path, digest: &str) {
        let small = fs::metadata(script).is_ok_and(|meta| meta.len() <= KEPT_SCRIPT);
        if let Some(blob) = self.blob(digest)
            && small
            && let Ok(bytes) = fs::read(script)
        {
            let _ = write_private(&blob, &bytes, FileSync::BeforeRename);
        }
    }
}

fn key(root: &Path) -> String {
    root.canonicalize()
        .unwrap_or_else(|_| root.to_owned())
        .to_string_lossy()
        .into_owned()
}

fn place(hook: &HookSpec, root: &Path) -> String {
    let file = hook
        .source
        .file
        .strip_prefix(root)
        .unwrap_or(&hook.source.file);
    format!("{}#{}", file.display(), hook.source.key)
}

/// The definition as JSON, for `--json` output.
pub fn definition_json(print: &Fingerprint) -> Value {
    serde_json::from_str(&print.definition).unwrap_or_default()
}
