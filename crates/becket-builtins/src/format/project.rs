//! Detects the formatter of a project from its files.

use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::edition;
use super::formatters::{FORMATTERS, Formatter, ProjectMarker};
use crate::hook::HookJob;
use crate::programs;
use crate::project_files::ProjectFile;

/// A formatter and the program to run.
pub(super) struct LocatedFormatter {
    pub(super) tool: &'static Formatter,
    pub(super) program: PathBuf,
    /// The directory of its configuration.
    pub(super) dir: PathBuf,
    /// For rustfmt: the edition, and the directory of its configuration.
    pub(super) edition: String,
    pub(super) config: Option<PathBuf>,
}

/// The first formatter, in order of preference, that the project has configured and that is installed.
pub(super) fn detect(job: &HookJob, file: &ProjectFile) -> Option<LocatedFormatter> {
    FORMATTERS
        .iter()
        .filter(|tool| tool.is_for(&file.path))
        .find_map(|tool| {
            let home = file.path.parent()?;
            let dir = ancestors_within(home, &file.root).find(|dir| is_configured(tool, dir))?;
            locate_program(job, tool, file, dir)
        })
}

/// A formatter that the user configured, with or without configuration in the project.
pub(super) fn locate(
    job: &HookJob,
    tool: &'static Formatter,
    file: &ProjectFile,
) -> Option<LocatedFormatter> {
    if tool.reads_name_as_pattern(&file.path) {
        return None;
    }
    let home = file.path.parent()?;
    let configured = ancestors_within(home, &file.root).find(|dir| is_configured(tool, dir));
    locate_program(
        job,
        tool,
        file,
        configured.unwrap_or_else(|| file.root.clone()),
    )
}

fn locate_program(
    job: &HookJob,
    tool: &'static Formatter,
    file: &ProjectFile,
    dir: PathBuf,
) -> Option<LocatedFormatter> {
    let home = file.path.parent()?;
    let local = || {
        ancestors_within(home, &file.root)
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
            edition::rust_edition(home, &file.root),
            rustfmt_config(home, &file.root),
        ),
        _ => Default::default(),
    };
    Some(LocatedFormatter {
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
    ancestors_within(home, root).find(has)
}

fn is_configured(tool: &Formatter, dir: &Path) -> bool {
    tool.markers.iter().any(|sign| match sign {
        ProjectMarker::File(name) => dir.join(name).is_file(),
        ProjectMarker::Contains(name, words) => read_small_text(&dir.join(name))
            .is_some_and(|text| words.iter().any(|word| text.contains(word))),
        ProjectMarker::Package(name) => {
            read_small_text(&dir.join("package.json")).is_some_and(|text| {
                let package: Value = serde_json::from_str(&text).unwrap_or_default();
                ["devDependencies", "dependencies"]
                    .iter()
                    .any(|key| package[key].get(name).is_some())
                    || package.get(name).is_some()
            })
        }
    })
}

/// The directories from `dir` up to the project root.
pub(super) fn ancestors_within(dir: &Path, root: &Path) -> impl Iterator<Item = PathBuf> {
    dir.ancestors()
        .take_while(move |dir| dir.starts_with(root))
        .map(Path::to_owned)
        .collect::<Vec<_>>()
        .into_iter()
}

/// The content of a configuration file; `None` if it is not a regular file of limited size.
pub(super) fn read_small_text(path: &Path) -> Option<String> {
    const LARGEST: u64 = 1024 * 1024;
    let file = std::fs::OpenOptions::new()
        .read(true)
        // A named pipe in place of a configuration file would block forever.
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
