//! Whether a project's hooks may run.
//!
//! Trust is given to one hook of one project: to its definition and to the bytes of every script it
//! names. Any change asks again. What is trusted stands in one file of the person's own; nothing in
//! a project can influence it. What a script itself calls is not followed.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use becket_agents::words;
use becket_model::{Action, HookSpec};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Scripts up to this size are kept, so that a later change can be shown as a difference.
const KEPT_SCRIPT: u64 = 256 * 1024;

/// A hook as it stands now: what trust is bound to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    /// Over definition and scripts.
    pub digest: String,
    /// The definition, as text to show.
    pub definition: String,
    /// The scripts it names, and the digest of each.
    pub scripts: BTreeMap<PathBuf, String>,
}

/// Takes the fingerprint of a project's hook. `root` is the project's root, where it runs.
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

/// The files that the words of a command name, relative to the project's root where they lie in it.
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
    // Relative words mean files where the hook runs.
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
    for word in words::candidates(line) {
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

/// Everything the person has trusted.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct TrustStore {
    version: u32,
    /// By project root.
    projects: BTreeMap<String, Project>,
    #[serde(skip)]
    file: PathBuf,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Project {
    /// By fingerprint.
    hooks: BTreeMap<String, Trusted>,
}

/// A hook that was trusted, as it stood then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trusted {
    /// The hook's name.
    pub name: String,
    /// Where it stood: file and key.
    pub place: String,
    /// Its definition then.
    pub definition: String,
    /// Its scripts then.
    pub scripts: BTreeMap<PathBuf, String>,
    /// When it was trusted.
    pub since: String,
}

/// The trust file cannot be used. Nothing of any project runs then.
#[derive(Debug, thiserror::Error)]
#[error("cannot use the trust file `{}`", file.display())]
pub struct TrustError {
    /// The file.
    pub file: PathBuf,
    #[source]
    source: io::Error,
}

impl TrustStore {
    /// Reads the store; a missing file is an empty store.
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

    /// Whether this very hook is trusted in this project.
    pub fn trusts(&self, root: &Path, print: &Fingerprint) -> bool {
        self.project(root)
            .is_some_and(|project| project.hooks.contains_key(&print.digest))
    }

    /// Whether the person has trusted any hook of this project.
    pub fn trusts_any(&self, root: &Path) -> bool {
        self.project(root)
            .is_some_and(|project| !project.hooks.is_empty())
    }

    /// How a hook stood when it was last trusted, if another version of it was.
    pub fn previous(&self, root: &Path, hook: &HookSpec) -> Option<&Trusted> {
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

    /// Trusts hooks as they stand; what was trusted at their places before is trusted no longer. An entry
    /// for several events is several hooks at one place, and they are given together.
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
            let trusted = Trusted {
                name: hook.name.clone(),
                place,
                definition: print.definition.clone(),
                scripts: print.scripts.clone(),
                since: now.to_owned(),
            };
            project.hooks.insert(print.digest.clone(), trusted);
        }
    }

    /// Takes trust back from a whole project; says how many hooks had it.
    pub fn revoke(&mut self, root: &Path) -> usize {
        self.projects
            .remove(&key(root))
            .map_or(0, |project| project.hooks.len())
    }

    /// Every project and what is trusted in it.
    pub fn all(&self) -> impl Iterator<Item = (&str, impl Iterator<Item = &Trusted>)> {
        self.projects
            .iter()
            .map(|(root, project)| (root.as_str(), project.hooks.values()))
    }

    /// Writes the store: whole or not at all.
    pub fn save(&self) -> Result<(), TrustError> {
        let json = serde_json::to_vec_pretty(self).unwrap_or_default();
        write_private(&self.file, &json).map_err(|source| TrustError {
            file: self.file.clone(),
            source,
        })
    }

    fn project(&self, root: &Path) -> Option<&Project> {
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
            let _ = write_private(&blob, &bytes);
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

/// Writes a file that only its owner can read, by way of a new file beside it.
pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(dir)?;
    let temporary = path.with_extension(format!("new-{}", std::process::id()));
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&temporary)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&temporary, path)
}

/// The definition as JSON, for `--json` output.
pub fn definition_json(print: &Fingerprint) -> Value {
    serde_json::from_str(&print.definition).unwrap_or_default()
}
