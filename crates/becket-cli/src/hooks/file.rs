//! A configuration file about to be changed: read, and written whole or not at all.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use becket::load::read_text;
use becket::model::Level;
use becket_agents::edit::diff;

use super::catalog::Catalog;
use crate::report::{Style, tame};

pub(crate) struct ConfigFile {
    /// As the person knows it.
    pub(crate) path: PathBuf,
    /// Where it really is.
    target: PathBuf,
    before: Option<String>,
}

impl ConfigFile {
    /// Reads a file; one that does not exist is empty.
    pub(crate) fn open(path: &Path, level: Level, catalog: &Catalog) -> anyhow::Result<Self> {
        let file = Self::own(path)?;
        // A link in a project may lead anywhere; the person's own links are their own affair.
        if level.needs_trust() && is_link(path) {
            let root = catalog.root.canonicalize()?;
            if !file.target.starts_with(&root) {
                bail!(
                    "`{}` is a link to `{}`, outside the project; it is left alone",
                    path.display(),
                    file.target.display()
                );
            }
        }
        Ok(file)
    }

    /// Reads a file of the person's own.
    pub(crate) fn own(path: &Path) -> anyhow::Result<Self> {
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

    /// Whether this would change anything.
    pub(crate) fn differs(&self, after: &str) -> bool {
        self.text() != after
    }

    /// The change, for a person.
    pub(crate) fn diff(&self, after: &str) -> String {
        let style = Style::stdout();
        format!(
            "{}\n{}",
            style.bold(&tame(&self.path.display().to_string())),
            style.diff(&tame(&diff(self.text(), after)))
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
        let written = self.write_beside(&temporary, mode.ok(), after);
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written.with_context(failed)
    }

    /// A file keeps its mode; a new one gets what the person's mask leaves.
    fn write_beside(&self, temporary: &Path, mode: Option<u32>, after: &str) -> anyhow::Result<()> {
        // Never through something that stands there already.
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
            bail!("it changed in the meantime; run the command again");
        }
        fs::rename(temporary, &self.target)?;
        Ok(())
    }
}

fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.file_type().is_symlink())
}
