//! `becket init` and `becket uninstall`: Becket's entries in an agent's own settings.
//!
//! The change is shown before it is made, touches only Becket's own entries, is written whole or not
//! at all, and can be undone: the first touch keeps a copy, and uninstalling an untouched file gives
//! back exactly the bytes that were there.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use becket::trust::write_private;
use becket::{Home, adapter};
use becket_agents::claude::install;
use becket_agents::edit::{Edit, diff};
use serde::{Deserialize, Serialize};

use crate::args::{InitArgs, Scope};
use crate::exit::Exit;
use crate::report::{SCHEMA_VERSION, Style, confirm, print, print_json, talk};

pub(crate) fn install(args: &InitArgs) -> anyhow::Result<Exit> {
    let target = Target::find(args)?;
    let existing = target.read()?;
    let edit = install::plan_install(existing.as_deref(), &Target::binary(args.scope)?)
        .with_context(|| format!("`{}` is left as it is", target.file.display()))?;
    target.apply(
        args,
        existing.as_deref(),
        &edit,
        "connected to Becket already",
    )
}

pub(crate) fn uninstall(args: &InitArgs) -> anyhow::Result<Exit> {
    let target = Target::find(args)?;
    let Some(existing) = target.read()? else {
        return target.apply(args, None, &Edit::default(), "not connected to Becket");
    };
    let edit = match target.untouched_original(&existing) {
        Some(original) => original,
        None => install::plan_uninstall(&existing)
            .with_context(|| format!("`{}` is left as it is", target.file.display()))?,
    };
    target.apply(args, Some(&existing), &edit, "not connected to Becket")
}

/// A settings file and what we remember of it.
struct Target {
    file: PathBuf,
    backup: PathBuf,
}

/// What a file was before the first touch, and what we made of it.
#[derive(Serialize, Deserialize)]
struct Backup {
    file: PathBuf,
    before: Option<String>,
    /// Digest of what was written.
    written: String,
}

impl Target {
    fn find(args: &InitArgs) -> anyhow::Result<Self> {
        if args.agent != "claude" {
            match adapter(&args.agent) {
                Some(_) => bail!("`{}` cannot be set up yet", args.agent),
                None => bail!("unknown agent `{}`", args.agent),
            }
        }
        let (home, root) = args.here.find()?;
        let file = match args.scope {
            Scope::User => home.claude.join("settings.json"),
            Scope::Project => root.join(".claude/settings.json"),
        };
        // A symlinked settings file stays one: its target is what we edit.
        let file = file.canonicalize().unwrap_or(file);
        let backup = backup_path(&home, &file);
        Ok(Self { file, backup })
    }

    fn read(&self) -> anyhow::Result<Option<String>> {
        match fs::read_to_string(&self.file) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => {
                Err(error).with_context(|| format!("cannot read `{}`", self.file.display()))
            }
        }
    }

    /// The program to put into the settings: this very file for the person, its plain name in a
    /// project, where other people's machines must find their own.
    fn binary(scope: Scope) -> anyhow::Result<String> {
        if scope == Scope::Project {
            return Ok("becket".into());
        }
        let path = std::env::current_exe().context("own path unknown")?;
        path.into_os_string()
            .into_string()
            .map_err(|path| anyhow::anyhow!("own path is not UTF-8: {}", path.to_string_lossy()))
    }

    /// What was there before, if nobody has changed the file since we wrote it.
    fn untouched_original(&self, existing: &str) -> Option<Edit> {
        let backup: Backup = serde_json::from_slice(&fs::read(&self.backup).ok()?).ok()?;
        if backup.written != digest(existing) {
            return None;
        }
        let text = backup.before.clone().unwrap_or_default();
        Some(Edit {
            changed: true,
            delete: backup.before.is_none(),
            text,
            ..Edit::default()
        })
    }

    fn apply(
        &self,
        args: &InitArgs,
        existing: Option<&str>,
        edit: &Edit,
        nothing: &str,
    ) -> anyhow::Result<Exit> {
        for warning in &edit.warnings {
            talk(&format!("becket: warning: {warning}"));
        }
        let name = self.file.display();
        let mut written = false;
        if edit.changed && !args.here.json {
            let new = if edit.delete { "" } else { &edit.text };
            print(&format!(
                "{name}\n{}",
                Style::stdout().diff(&diff(existing.unwrap_or_default(), new))
            ));
        }
        if edit.changed && !args.dry_run {
            if !args.yes && !confirm("Write this?") {
                talk("becket: nothing written. (Use --yes where there is no terminal.)");
                return Ok(Exit::Failure);
            }
            self.write(existing, edit)?;
            written = true;
        }
        if args.here.json {
            print_json(&serde_json::json!({
                "schema_version": SCHEMA_VERSION, "file": self.file, "changed": edit.changed, "written": written,
                "added": edit.added, "updated": edit.updated, "removed": edit.removed, "warnings": edit.warnings,
            }))?;
        } else if !edit.changed {
            print(&format!("{name} is {nothing}; nothing to do.\n"));
        } else if written {
            print(&format!("Wrote {name}.\n"));
        }
        Ok(Exit::Success)
    }

    fn write(&self, existing: Option<&str>, edit: &Edit) -> anyhow::Result<()> {
        let failed = || format!("cannot write `{}`", self.file.display());
        if edit.delete {
            fs::remove_file(&self.file).with_context(failed)?;
            let _ = fs::remove_file(&self.backup);
            return Ok(());
        }
        self.keep_backup(existing, &edit.text)?;
        let mode = fs::metadata(&self.file).map_or(0o644, |meta| meta.permissions().mode());
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

    fn keep_backup(&self, existing: Option<&str>, written: &str) -> anyhow::Result<()> {
        // The first touch counts: a second install must not take the first for the original.
        let first = fs::read(&self.backup)
            .ok()
            .and_then(|bytes| serde_json::from_slice::<Backup>(&bytes).ok());
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
        };
        write_private(&self.backup, &serde_json::to_vec_pretty(&backup)?)
            .context("cannot keep a copy of the original")
    }
}

fn backup_path(home: &Home, file: &Path) -> PathBuf {
    home.state
        .join("backups")
        .join(format!("{}.json", &digest(&file.to_string_lossy())[..32]))
}

fn digest(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}
