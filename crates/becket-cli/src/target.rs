//! A settings file on disk, and what we remember of it: written whole or not at all, and given back.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use becket::Home;
use becket::trust::write_private;
use becket_agents::edit::Edit;
use becket_agents::install::SettingsFile;
use serde::{Deserialize, Serialize};

use crate::machine::Machine;

/// A settings file and what we remember of it.
pub(crate) struct Target {
    pub(crate) file: PathBuf,
    backup: PathBuf,
    executable: bool,
    alone_in: Option<PathBuf>,
}

/// What a file was before the first touch, and what we made of it.
#[derive(Serialize, Deserialize)]
struct Backup {
    file: PathBuf,
    before: Option<String>,
    /// Digest of what was written.
    written: String,
    /// The directories that were made for it, outermost first.
    #[serde(default)]
    made: Vec<PathBuf>,
}

impl Target {
    pub(crate) fn new(machine: &Machine, settings: &SettingsFile) -> Self {
        let path = machine.locate(settings);
        // A symlinked settings file stays one: its target is what we edit.
        let file = path.canonicalize().unwrap_or(path);
        let name = &digest(file.as_os_str().as_encoded_bytes())[..32];
        let backup = machine
            .home
            .state
            .join("backups")
            .join(format!("{name}.json"));
        let alone_in = settings.alone_in.map(|dir| {
            machine.locate(&SettingsFile {
                path: dir,
                instead: &[],
                ..*settings
            })
        });
        Self {
            file,
            backup,
            executable: settings.executable,
            alone_in,
        }
    }

    pub(crate) fn read(&self) -> anyhow::Result<Option<String>> {
        // A FIFO in its place would be waited for.
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

    /// What was there before, if nobody has changed the file since we wrote it.
    pub(crate) fn untouched_original(&self, existing: &str) -> Option<Edit> {
        let backup = self.remembered()?;
        if backup.written != digest(existing) {
            return None;
        }
        let text = backup.before.clone().unwrap_or_default();
        Some(Edit {
            changed: text != existing,
            delete: backup.before.is_none(),
            text,
            ..Edit::default()
        })
    }

    /// Carries out an edit. Says which directories have nothing to hold any more, if they are empty.
    pub(crate) fn write(
        &self,
        existing: Option<&str>,
        edit: &Edit,
    ) -> anyhow::Result<Vec<PathBuf>> {
        if edit.delete {
            fs::remove_file(&self.file)
                .with_context(|| format!("cannot delete `{}`", self.file.display()))?;
            let mut left = self.remembered().map_or_else(Vec::new, |it| it.made);
            let _ = fs::remove_file(&self.backup);
            if let Some(top) = &self.alone_in {
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

    fn replace(&self, existing: Option<&str>, edit: &Edit) -> anyhow::Result<()> {
        let failed = || format!("cannot write `{}`", self.file.display());
        self.keep_backup(existing, &edit.text)?;
        let fresh = if self.executable { 0o755 } else { 0o644 };
        let mode = fs::metadata(&self.file).map_or(fresh, |meta| meta.permissions().mode());
        let dir = self
            .file
            .parent()
            .context("a settings file has a directory")?;
        fs::create_dir_all(dir).with_context(failed)?;
        let temporary = self
            .file
            .with_extension(format!("becket-{}", std::process::id()));
        fs::write(&temporary, &edit.text).with_context(failed)?;
        fs::set_permissions(&temporary, fs::Permissions::from_mode(mode)).with_context(failed)?;
        fs::File::open(&temporary)
            .and_then(|file| file.sync_all())
            .with_context(failed)?;
        if self.read()?.as_deref() != existing {
            let _ = fs::remove_file(&temporary);
            bail!(
                "`{}` changed while you were deciding; run the command again",
                self.file.display()
            );
        }
        fs::rename(&temporary, &self.file).with_context(failed)
    }

    fn remembered(&self) -> Option<Backup> {
        serde_json::from_slice(&fs::read(&self.backup).ok()?).ok()
    }

    fn keep_backup(&self, existing: Option<&str>, written: &str) -> anyhow::Result<()> {
        // The first touch counts: a second install must not take the first for the original.
        let first = self.remembered();
        let mut made = first.as_ref().map_or_else(Vec::new, |it| it.made.clone());
        made.extend(missing_above(&self.file));
        let before = match first {
            Some(first) if existing.is_some_and(|text| digest(text) == first.written) => {
                first.before
            }
            _ => existing.map(str::to_owned),
        };
        let backup = Backup {
            file: self.file.clone(),
            before,
            written: digest(written),
            made,
        };
        write_private(&self.backup, &serde_json::to_vec_pretty(&backup)?)
            .context("cannot keep a copy of the original")
    }
}

/// The files that were ever written, by the copies that were kept of them.
pub(crate) fn touched(home: &Home) -> Vec<PathBuf> {
    let entries = fs::read_dir(home.state.join("backups"));
    let read = |entry: fs::DirEntry| {
        let backup: Backup = serde_json::from_slice(&fs::read(entry.path()).ok()?).ok()?;
        Some(backup.file)
    };
    let entries = entries.into_iter().flatten().flatten();
    entries.filter_map(read).collect()
}

/// Removes directories that nothing is left in, innermost first.
pub(crate) fn remove_empty(mut dirs: Vec<PathBuf>) {
    dirs.sort_by_key(|dir| std::cmp::Reverse(dir.components().count()));
    for dir in dirs {
        let _ = fs::remove_dir(dir);
    }
}

/// The directories above a file that do not exist, outermost first.
fn missing_above(file: &Path) -> Vec<PathBuf> {
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
