//! `becket init` and `becket uninstall`: Becket's entries in an agent's own settings.
//!
//! The change is shown before it is made, touches only Becket's own entries, is written whole or not
//! at all, and can be undone: the first touch keeps a copy, and uninstalling an untouched file gives
//! back exactly the bytes that were there.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use anyhow::{Context, bail};
use becket::trust::write_private;
use becket_agents::edit::{Edit, diff};
use becket_agents::install::{Installer, Scope, SettingsFile, installer, installers};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::args::InitArgs;
use crate::exit::Exit;
use crate::machine::Machine;
use crate::report::{SCHEMA_VERSION, Style, confirm, print, print_json, talk};
use crate::twin;

pub(crate) fn install(args: &InitArgs) -> anyhow::Result<Exit> {
    change(args, Direction::In)
}

pub(crate) fn uninstall(args: &InitArgs) -> anyhow::Result<Exit> {
    change(args, Direction::Out)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    In,
    Out,
}

fn change(args: &InitArgs, direction: Direction) -> anyhow::Result<Exit> {
    let machine = Machine::find(&args.here)?;
    let chosen = choose(args, &machine, direction)?;
    let mut plans = Vec::new();
    for installer in &chosen {
        plans.extend(plan(*installer, args.scope.into(), &machine, direction)?);
    }
    let changes: Vec<&Plan> = plans.iter().filter(|plan| plan.edit.changed).collect();
    if !args.here.json {
        show(&plans, direction);
    }
    let mut written = false;
    if !changes.is_empty() && !args.dry_run {
        if !args.yes && !confirm("Write this?") {
            talk("becket: nothing written. (Use --yes where there is no terminal.)");
            return Ok(Exit::Failure);
        }
        for plan in &changes {
            plan.target.write(plan.existing.as_deref(), &plan.edit)?;
            if !args.here.json {
                print(&format!("Wrote {}.\n", plan.target.file.display()));
            }
        }
        written = true;
    }
    if args.here.json {
        let files: Vec<Value> = plans.iter().map(Plan::json).collect();
        print_json(
            &json!({ "schema_version": SCHEMA_VERSION, "written": written, "files": files }),
        )?;
    } else if direction == Direction::In && written {
        for text in chosen.iter().filter_map(|installer| installer.afterwards()) {
            print(&format!("{text}\n"));
        }
    }
    Ok(Exit::Success)
}

/// The agents that were named, else those that are on this machine or in this project.
fn choose(
    args: &InitArgs,
    machine: &Machine,
    direction: Direction,
) -> anyhow::Result<Vec<&'static dyn Installer>> {
    if !args.agent.is_empty() {
        let known = || {
            installers()
                .iter()
                .map(|installer| installer.agent())
                .collect::<Vec<_>>()
                .join(", ")
        };
        let find = |id: &String| {
            installer(id).with_context(|| format!("unknown agent `{id}` (one of: {})", known()))
        };
        return args.agent.iter().map(find).collect();
    }
    let scope = args.scope.into();
    let wanted = |installer: &&'static dyn Installer| match direction {
        Direction::In => machine.has(*installer) && !installer.files(scope).is_empty(),
        Direction::Out => machine.is_connected(*installer, scope),
    };
    let found: Vec<_> = installers().iter().copied().filter(wanted).collect();
    if found.is_empty() && direction == Direction::In {
        bail!("no coding agent was found on this machine; name one with --agent");
    }
    Ok(found)
}

struct Plan {
    agent: &'static str,
    target: Target,
    existing: Option<String>,
    edit: Edit,
}

impl Plan {
    fn json(&self) -> Value {
        let edit = &self.edit;
        json!({
            "agent": self.agent, "file": self.target.file, "changed": edit.changed, "added": edit.added,
            "updated": edit.updated, "removed": edit.removed, "warnings": edit.warnings,
        })
    }
}

fn plan(
    installer: &'static dyn Installer,
    scope: Scope,
    machine: &Machine,
    direction: Direction,
) -> anyhow::Result<Vec<Plan>> {
    let mut plans = Vec::new();
    for declared in installer.files(scope) {
        let files: Vec<SettingsFile> = match direction {
            Direction::In => vec![declared.choose(|file| machine.locate(file).exists())],
            Direction::Out => declared
                .candidates()
                .filter(|file| machine.locate(file).exists())
                .collect(),
        };
        for file in files {
            let target = Target::new(machine, &file);
            let existing = target.read()?;
            let edit = match (direction, &existing) {
                (Direction::In, existing) => {
                    installer.plan_install(&file, existing.as_deref(), &binary(scope)?)
                }
                (Direction::Out, Some(existing)) => match target.untouched_original(existing) {
                    Some(original) => Ok(original),
                    None => installer.plan_uninstall(&file, existing),
                },
                (Direction::Out, None) => continue,
            };
            let edit =
                edit.with_context(|| format!("`{}` is left as it is", target.file.display()))?;
            plans.push(Plan {
                agent: installer.agent(),
                target,
                existing,
                edit,
            });
        }
    }
    Ok(plans)
}

/// The program to put into the settings: the one beside this for the person, its plain name in a project,
/// where other people's machines must find their own.
fn binary(scope: Scope) -> anyhow::Result<String> {
    if scope == Scope::Project {
        return Ok("becket".into());
    }
    let path = twin::beside(twin::SMALL).context("own path unknown")?;
    path.into_os_string()
        .into_string()
        .map_err(|path| anyhow::anyhow!("own path is not UTF-8: {}", path.to_string_lossy()))
}

fn show(plans: &[Plan], direction: Direction) {
    let style = Style::stdout();
    if plans.is_empty() {
        print("Nothing to do: no agent is connected to Becket.\n");
    }
    for plan in plans {
        for warning in &plan.edit.warnings {
            talk(&format!(
                "becket: warning: {}: {warning}",
                plan.target.file.display()
            ));
        }
        let name = plan.target.file.display();
        if plan.edit.changed {
            let new = if plan.edit.delete {
                ""
            } else {
                &plan.edit.text
            };
            let old = plan.existing.as_deref().unwrap_or_default();
            print(&format!(
                "{} {name}\n{}",
                style.bold(plan.agent),
                style.diff(&diff(old, new))
            ));
        } else {
            let state = if direction == Direction::In {
                "connected to Becket already"
            } else {
                "not connected to Becket"
            };
            print(&format!("{name} is {state}; nothing to do.\n"));
        }
    }
}

/// A settings file and what we remember of it.
struct Target {
    file: PathBuf,
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
}

impl Target {
    fn new(machine: &Machine, settings: &SettingsFile) -> Self {
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

    fn read(&self) -> anyhow::Result<Option<String>> {
        match fs::read_to_string(&self.file) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => {
                Err(error).with_context(|| format!("cannot read `{}`", self.file.display()))
            }
        }
    }

    /// What was there before, if nobody has changed the file since we wrote it.
    fn untouched_original(&self, existing: &str) -> Option<Edit> {
        let backup: Backup = serde_json::from_slice(&fs::read(&self.backup).ok()?).ok()?;
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

    fn write(&self, existing: Option<&str>, edit: &Edit) -> anyhow::Result<()> {
        let failed = || format!("cannot write `{}`", self.file.display());
        if edit.delete {
            fs::remove_file(&self.file).with_context(failed)?;
            let _ = fs::remove_file(&self.backup);
            if let Some(dir) = &self.alone_in {
                // Only an empty one goes.
                let _ = fs::remove_dir(dir);
            }
            return Ok(());
        }
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

fn digest(text: impl AsRef<[u8]>) -> String {
    blake3::hash(text.as_ref()).to_hex().to_string()
}
