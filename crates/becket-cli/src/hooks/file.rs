//! A configuration file to be edited: read, then written atomically.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use becket::load::read_text;
use becket::model::Level;
use becket_agents::edit::diff;
use becket_base::fs::{AtomicFile, FileSync, PRIVATE_FILE};

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
        self.replace(after).with_context(failed)
    }

    /// The mode is kept; a new file gets the default mode.
    fn replace(&self, after: &str) -> anyhow::Result<()> {
        let mode = fs::metadata(&self.target).map(|meta| meta.permissions().mode());
        let first_mode = mode.as_ref().map_or(0o644, |_| PRIVATE_FILE);
        let mut file = AtomicFile::create(&self.target, first_mode)?;
        file.write_all(after.as_bytes())?;
        if let Ok(mode) = mode {
            file.set_mode(mode)?;
        }
        file.sync()?;
        let now = match read_text(&self.target) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error.into()),
        };
        if now != self.before {
            bail!("the file changed in the meantime; run the command again");
        }
        Ok(file.commit(FileSync::Skip)?)
    }
}

fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.file_type().is_symlink())
}
