//! Which formatter a project uses, from the files it has.

use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::edition;
use super::tools::{Sign, TOOLS, Tool};
use crate::hook::Job;
use crate::places::ProjectFile;
use crate::programs;

/// A formatter that is there.
pub(super) struct Found {
    pub(super) tool: &'static Tool,
    pub(super) program: PathBuf,
    /// Where its configuration lies.
    pub(super) dir: PathBuf,
    /// For rustfmt: the edition, and the directory of its own configuration.
    pub(super) edition: String,
    pub(super) config: Option<PathBuf>,
}

/// The first formatter, in order of preference, that the project has configured and that is there.
pub(super) fn detect(job: &Job, file: &ProjectFile) -> Option<Found> {
    TOOLS
        .iter()
        .filter(|tool| tool.is_for(&file.path))
        .find_map(|tool| {
            let home = file.path.parent()?;
            let dir = above(home, &file.root).find(|dir| is_configured(tool, dir))?;
            found(job, tool, file, dir)
        })
}

/// A formatter that somebody has asked for, configured or not.
pub(super) fn locate(job: &Job, tool: &'static Tool, file: &ProjectFile) -> Option<Found> {
    if tool.reads_name_as_pattern(&file.path) {
        return None;
    }
    let home = file.path.parent()?;
    let configured = above(home, &file.root).find(|dir| is_configured(tool, dir));
    found(
        job,
        tool,
        file,
        configured.unwrap_or_else(|| file.root.clone()),
    )
}

fn found(job: &Job, tool: &'static Tool, file: &ProjectFile, dir: PathBuf) -> Option<Found> {
    let home = file.path.parent()?;
    let local = || {
        above(home, &file.root)
            .flat_map(|dir| tool.local.iter().map(move |place| dir.join(place)))
            .find(|program| programs::is_program(program))
    };
    let global = || {
        tool.global
            .iter()
            .find_map(|name| programs::find(job, name))
    };
    let (edition, config) = match tool.name {
        "rustfmt" => (
            edition::of(home, &file.root),
            rustfmt_config(home, &file.root),
        ),
        _ => Default::default(),
    };
    Some(Found {
        tool,
        program: local().or_else(global)?,
        dir,
        edition,
        config,
    })
}

fn rustfmt_config(home: &Path, root: &Path) -> Option<PathBuf> {
    let has = |dir: &PathBuf| {
        ["rustfmt.toml", ".rustfmt.toml"]
            .iter()
            .any(|name| dir.join(name).is_file())
    };
    above(home, root).find(has)
}

fn is_configured(tool: &Tool, dir: &Path) -> bool {
    tool.signs.iter().any(|sign| match sign {
        Sign::File(name) => dir.join(name).is_file(),
        Sign::Says(name, words) => small_text(&dir.join(name))
            .is_some_and(|text| words.iter().any(|word| text.contains(word))),
        Sign::Package(name) => small_text(&dir.join("package.json")).is_some_and(|text| {
            let package: Value = serde_json::from_str(&text).unwrap_or_default();
            ["devDependencies", "dependencies"]
                .iter()
                .any(|key| package[key].get(name).is_some())
                || package.get(name).is_some()
        }),
    })
}

/// The directories from `dir` up to the project's root.
pub(super) fn above(dir: &Path, root: &Path) -> impl Iterator<Item = PathBuf> {
    dir.ancestors()
        .take_while(move |dir| dir.starts_with(root))
        .map(Path::to_owned)
        .collect::<Vec<_>>()
        .into_iter()
}

/// The text of a configuration file; nothing for what is not one.
pub(super) fn small_text(path: &Path) -> Option<String> {
    const LARGEST: u64 = 1024 * 1024;
    let file = std::fs::OpenOptions::new()
        .read(true)
        // A pipe under the name of a configuration file would never end.
        .custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed())
        .open(path)
        .ok()?;
    let meta = file.metadata().ok()?;
    if !meta.is_file() || meta.len() > LARGEST {
        return None;
    }
    let mut text = String::new();
    file.take(LARGEST).read_to_string(&mut text).ok()?;
    Some(text)
}
