//! A configuration file to be edited: read, then written atomically.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use becket::load::read_text;
use becket::model::Level;
use becket_agents::edit::diff;

use super::catalog::HookCatalog;
use crate::report::{Style, sanitize};

pub(crate) struct EditableConfig {
    /// The path as configured.
    pub(crate) path: PathBuf,
    /// The path with symbolic links resolved.
    target: PathBuf,
    before: Option<String>,
}

impl EditableConfig {
    /// Opens a file; a missing file counts as empty.
    pub(crate) fn open(path: &Path, level: Level, catalog: &HookCatalog) -> anyhow::Result<Self> {
        let file = Self::open_user_file(path)?;
        // A link in a project must not lead out of it. Links of the user's own files may lead anywhere.
        if level.needs_trust() && is_link(path) {
            let root = catalog.root.canonicalize()?;
            if !file.target.starts_with(&root) {
                bail!(
                    "`{}` links to `{}`, outside the project; the file was not changed",
                    path.display(),
                    file.target.display()
                );
            }
        }
        Ok(file)
    }

    /// Opens a file of the user, without the link check.
    pub(crate) fn open_user_file(path: &Path) -> anyhow::Result<Self> {
        let target = match path.canonicalize() {
            Ok(target) => target,
            Err(error) if error.kind() == ErrorKind::NotFound && !is_link(path) => path.to_owned(),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read `{}`", path.display()));
            }
        };
        let before = match read_text(&target) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read `{}`", path.display()));
            }
        };
        Ok(Self {
            path: path.to_owned(),
            target,
            before,
        })
    }

    pub(crate) fn text(&self) -> &str {
        self.before.as_deref().unwrap_or_default()
    }

    /// Whether the new text differs from the file.
    pub(crate) fn differs(&self, after: &str) -> bool {
        self.text() != after
    }

    /// The change as a colored diff.
    pub(crate) fn diff(&self, after: &str) -> String {
        let style = Style::stdout();
        format!(
            "{}\n{}",
            style.bold(&sanitize(&self.path.display().to_string())),
            style.diff(&sanitize(&diff(self.text(), after)))
        )
    }

    pub(crate) fn write(&self, after: &str) -> anyhow::Result<()> {
        let failed = || format!("cannot write `{}`", self.path.display());
        let dir = self.target.parent().with_context(failed)?;
        fs::create_dir_all(dir).with_context(failed)?;
        let mode = fs::metadata(&self.target).map(|meta| meta.permissions().mode());
        let name = self.target.file_name().unwrap_or_default();
        let mut temporary = name.to_owned();
        temporary.push(format!(".becket-{}", std::process::id()));
        let temporary = dir.join(temporary);
        let written = self.write_temporary(&temporary, mode.ok(), after);
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written.with_context(failed)
    }

    /// Writes a temporary file and renames it. The mode is kept; a new file gets the default mode.
    fn write_temporary(
        &self,
        temporary: &Path,
        mode: Option<u32>,
        after: &str,
    ) -> anyhow::Result<()> {
        // Never write through an existing file.
        let mut file = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(if mode.is_some() { 0o600 } else { 0o644 })
            .open(temporary)?;
        file.write_all(after.as_bytes())?;
        if let Some(mode) = mode {
            file.set_permissions(fs::Permissions::from_mode(mode))?;
        }
        file.sync_all()?;
        let now = match read_text(&self.target) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error.into()),
        };
        if now != self.before {
            bail!("the file changed in the meantime; run the command again");
        }
        fs::rename(temporary, &self.target)?;
        Ok(())
    }
}

fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.file_type().is_symlink())
}
