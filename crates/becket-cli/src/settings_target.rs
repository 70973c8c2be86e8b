//! An agent's settings file on disk with its backup: written atomically, and restored on uninstall.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use becket::Home;
use becket_agents::edit::FileEdit;
use becket_agents::install::SettingsFile;
use becket_base::fs::{AtomicFile, FileSync, PRIVATE_FILE, write_private};
use serde::{Deserialize, Serialize};

use crate::machine::Machine;

/// A settings file and its backup.
pub(crate) struct SettingsTarget {
    pub(crate) file: PathBuf,
    backup: PathBuf,
    executable: bool,
    own_dir: Option<PathBuf>,
}

/// The original of a settings file and the digest of the version that Becket wrote.
#[derive(Serialize, Deserialize)]
struct SettingsBackup {
    file: PathBuf,
    before: Option<String>,
    /// Digest of the written text.
    written: String,
    /// Directories that were created for the file, outermost first.
    #[serde(default)]
    made: Vec<PathBuf>,
}

impl SettingsTarget {
    pub(crate) fn new(machine: &Machine, settings: &SettingsFile) -> Self {
        let path = machine.locate(settings);
        // A symbolic link stays a link: its target is edited.
        let file = path.canonicalize().unwrap_or(path);
        let name = &digest(file.as_os_str().as_encoded_bytes())[..32];
        let backup = machine
            .home
            .state
            .join("backups")
            .join(format!("{name}.json"));
        let own_dir = settings.own_dir.map(|dir| {
            machine.locate(&SettingsFile {
                path: dir,
                alternatives: &[],
                ..*settings
            })
        });
        Self {
            file,
            backup,
            executable: settings.executable,
            own_dir,
        }
    }

    pub(crate) fn read(&self) -> anyhow::Result<Option<String>> {
        // Reading a FIFO would block.
        if self.file.exists() && !self.file.is_file() {
            bail!("`{}` is not a regular file", self.file.display());
        }
        match fs::read_to_string(&self.file) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => {
                Err(error).with_context(|| format!("cannot read `{}`", self.file.display()))
            }
        }
    }

    /// The original text, if the file is still as Becket wrote it.
    pub(crate) fn original_if_unmodified(&self, existing: &str) -> Option<FileEdit> {
        let backup = self.load_backup()?;
        if backup.written != digest(existing) {
            return None;
        }
        let text = backup.before.clone().unwrap_or_default();
        Some(FileEdit {
            changed: text != existing,
            delete: backup.before.is_none(),
            text,
            ..FileEdit::default()
        })
    }

    /// Applies an edit. Returns directories that may be empty now.
    pub(crate) fn write(
        &self,
        existing: Option<&str>,
        edit: &FileEdit,
    ) -> anyhow::Result<Vec<PathBuf>> {
        if edit.delete {
            fs::remove_file(&self.file)
                .with_context(|| format!("cannot delete `{}`", self.file.display()))?;
            let mut left = self.load_backup().map_or_else(Vec::new, |it| it.made);
            let _ = fs::remove_file(&self.backup);
            if let Some(top) = &self.own_dir {
                let above = self.file.ancestors().skip(1);
                left.extend(
                    above
                        .take_while(|dir| dir.starts_with(top))
                        .map(Path::to_owned),
                );
            }
            return Ok(left);
        }
        self.replace(existing, edit)?;
        Ok(Vec::new())
    }

    fn replace(&self, existing: Option<&str>, edit: &FileEdit) -> anyhow::Result<()> {
        let failed = || format!("cannot write `{}`", self.file.display());
        self.save_backup(existing, &edit.text)?;
        let fresh = if self.executable { 0o755 } else { 0o644 };
        let mode = fs::metadata(&self.file).map_or(fresh, |meta| meta.permissions().mode());
        let dir = self
            .file
            .parent()
            .context("the settings file has no parent directory")?;
        fs::create_dir_all(dir).with_context(failed)?;
        let mut file = AtomicFile::create(&self.file, PRIVATE_FILE).with_context(failed)?;
        file.write_all(edit.text.as_bytes())
            .and_then(|()| file.set_mode(mode))
            .and_then(|()| file.sync())
            .with_context(failed)?;
        if self.read()?.as_deref() != existing {
            bail!(
                "`{}` changed in the meantime; run the command again",
                self.file.display()
            );
        }
        file.commit(FileSync::Skip).with_context(failed)
    }

    fn load_backup(&self) -> Option<SettingsBackup> {
        serde_json::from_slice(&fs::read(&self.backup).ok()?).ok()
    }

    fn save_backup(&self, existing: Option<&str>, written: &str) -> anyhow::Result<()> {
        // The first backup counts: a second install must not take the first one's result for the original.
        let first = self.load_backup();
        let mut made = first.as_ref().map_or_else(Vec::new, |it| it.made.clone());
        made.extend(missing_parents(&self.file));
        let before = match first {
            Some(first) if existing.is_some_and(|text| digest(text) == first.written) => {
                first.before
            }
            _ => existing.map(str::to_owned),
        };
        let backup = SettingsBackup {
            file: self.file.clone(),
            before,
            written: digest(written),
            made,
        };
        let backup = serde_json::to_vec_pretty(&backup)?;
        write_private(&self.backup, &backup, FileSync::BeforeRename)
            .context("cannot save a backup of the original")
    }
}

/// The settings files that Becket has written, according to their backups.
pub(crate) fn backed_up_files(home: &Home) -> Vec<PathBuf> {
    let entries = fs::read_dir(home.state.join("backups"));
    let read = |entry: fs::DirEntry| {
        let backup: SettingsBackup = serde_json::from_slice(&fs::read(entry.path()).ok()?).ok()?;
        Some(backup.file)
    };
    let entries = entries.into_iter().flatten().flatten();
    entries.filter_map(read).collect()
}

/// Removes empty directories, innermost first.
pub(crate) fn remove_empty_dirs(mut dirs: Vec<PathBuf>) {
    dirs.sort_by_key(|dir| std::cmp::Reverse(dir.components().count()));
    for dir in dirs {
        let _ = fs::remove_dir(dir);
    }
}

/// The missing parent directories of a file, outermost first.
fn missing_parents(file: &Path) -> Vec<PathBuf> {
    let above = file.ancestors().skip(1);
    let mut missing: Vec<PathBuf> = above
        .take_while(|dir| !dir.exists() && !dir.as_os_str().is_empty())
        .map(Path::to_owned)
        .collect();
    missing.reverse();
    missing
}

fn digest(text: impl AsRef<[u8]>) -> String {
    blake3::hash(text.as_ref()).to_hex().to_string()
}
