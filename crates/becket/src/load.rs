//! All hooks of a person and a project, in one call: every dialect, with what is wrong beside what loaded.

use std::fs;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use becket_agents::config::{self, File, Settings};
use becket_model::{Dialect, Layer, Level, Loaded, Problem, Severity, layer};

use crate::env::{Home, is_home};

/// Configuration beyond this size is not read: nobody writes that much by hand.
const MAX_CONFIG: u64 = 4 * 1024 * 1024;

/// What was loaded.
#[derive(Debug, Default)]
pub struct Configuration {
    /// Hooks in running order, entries that failed, problems.
    pub loaded: Loaded,
    /// Settings of Becket's own files; the person's own can only be tightened by a project's.
    pub settings: Settings,
    /// Hooks of skills, subagents and plugins, which live and die with their component: the agent
    /// that owns the component runs them.
    pub components: Layer,
    /// The files that were found and read.
    pub files: Vec<PathBuf>,
}

/// How a file is read.
#[derive(Clone, Copy)]
enum Reader {
    Becket,
    Claude,
    CodeAgent,
}

/// Every file that may hold hooks, nearest first.
fn sources(home: &Home, project: Option<&Path>) -> Vec<(PathBuf, Level, Reader)> {
    let project = project.filter(|root| !is_home(root, home));
    let of_project = |root: &Path| {
        [
            (root.join("becket.toml"), Level::Project, Reader::Becket),
            (
                root.join(".claude/settings.json"),
                Level::Project,
                Reader::Claude,
            ),
            (
                root.join(".code-agent/hooks/hooks.json"),
                Level::Project,
                Reader::CodeAgent,
            ),
            (root.join("becket.local.toml"), Level::Local, Reader::Becket),
            (
                root.join(".claude/settings.local.json"),
                Level::Local,
                Reader::Claude,
            ),
        ]
    };
    let of_person = [
        (home.config_file(), Level::User, Reader::Becket),
        (
            home.claude.join("settings.json"),
            Level::User,
            Reader::Claude,
        ),
        (
            home.user.join(".code-agent/hooks/hooks.json"),
            Level::User,
            Reader::CodeAgent,
        ),
    ];
    project
        .map(of_project)
        .into_iter()
        .flatten()
        .chain(of_person)
        .collect()
}

/// The paths of every file that may hold hooks.
pub(crate) fn candidates(home: &Home, project: Option<&Path>) -> impl Iterator<Item = PathBuf> {
    sources(home, project).into_iter().map(|(path, _, _)| path)
}

/// Reads every file that may hold hooks. `agent` is who will fire the events: hooks that it runs
/// from its own files are left to it.
pub fn load(home: &Home, project: Option<&Path>, agent: Option<&str>) -> Configuration {
    let mut found = Configuration::default();
    let mut layers = Vec::new();
    for (path, level, reader) in sources(home, project) {
        match reader {
            Reader::Becket => found.becket(&path, level, &mut layers),
            Reader::Claude => found.settings_file(&path, level, agent, &mut layers),
            Reader::CodeAgent => found.read(&path, level, config::code_agent, &mut layers),
        }
    }
    found.loaded = layer(layers);
    found
}

/// Reads the hooks of skills, subagents, commands and plugins as well: for listing, not for every event.
pub fn load_components(home: &Home, project: Option<&Path>, found: &mut Configuration) {
    let mut layers = Vec::new();
    let roots = project
        .filter(|root| !is_home(root, home))
        .map(|root| (root.join(".claude"), Level::Project))
        .into_iter()
        .chain([(home.claude.clone(), Level::User)]);
    for (claude, level) in roots {
        for file in markdown_files(&claude) {
            found.read(&file, level, config::front_matter, &mut layers);
        }
    }
    for hooks in plugin_files(&home.claude.join("plugins")) {
        found.read(&hooks, Level::Plugin, config::plugin, &mut layers);
    }
    found.components = layer(layers);
}

impl Configuration {
    fn becket(&mut self, path: &Path, level: Level, layers: &mut Vec<Layer>) {
        let Some(text) = self.text(path, layers) else {
            return;
        };
        let file = File {
            path,
            level,
            text: &text,
            root: None,
        };
        let (layer, settings) = config::becket_with_settings(&file);
        layers.push(layer);
        // What governs trust and recording is the person's own affair.
        if level == Level::User {
            self.settings = settings;
        }
    }

    fn settings_file(
        &mut self,
        path: &Path,
        level: Level,
        agent: Option<&str>,
        layers: &mut Vec<Layer>,
    ) {
        let Some(text) = self.text(path, layers) else {
            return;
        };
        let mut layer = config::settings(&File {
            path,
            level,
            text: &text,
            root: None,
        });
        if agent == Some("claude") {
            // Claude runs the nested shape itself; the claude-agent shape is not its own.
            layer
                .hooks
                .retain(|hook| hook.dialect == Dialect::ClaudeAgent);
            layer.broken.clear();
        }
        layers.push(layer);
    }

    fn read(
        &mut self,
        path: &Path,
        level: Level,
        parse: fn(&File<'_>) -> Layer,
        layers: &mut Vec<Layer>,
    ) {
        let Some(text) = self.text(path, layers) else {
            return;
        };
        layers.push(parse(&File {
            path,
            level,
            text: &text,
            root: path.parent(),
        }));
    }

    fn text(&mut self, path: &Path, layers: &mut Vec<Layer>) -> Option<String> {
        match read_text(path) {
            Ok(text) => {
                self.files.push(path.to_owned());
                Some(text)
            }
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                None
            }
            Err(error) => {
                layers.push(Layer {
                    problems: vec![unreadable(path, &error)],
                    ..Layer::default()
                });
                None
            }
        }
    }
}

fn read_text(path: &Path) -> std::io::Result<String> {
    // A FIFO in place of a file would hold up every event: even opening one waits for its writer.
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let mut file = fs::OpenOptions::new()
        .read(true)
        .custom_flags(nonblocking)
        .open(path)?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(std::io::Error::new(
            ErrorKind::InvalidInput,
            "not a regular file",
        ));
    }
    if meta.len() > MAX_CONFIG {
        return Err(std::io::Error::new(
            ErrorKind::InvalidData,
            format!("larger than {MAX_CONFIG} bytes"),
        ));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or_default() + 1);
    file.by_ref().take(MAX_CONFIG).read_to_end(&mut bytes)?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        std::io::Error::new(ErrorKind::InvalidData, format!("not UTF-8 (byte {at})"))
    })
}

fn unreadable(path: &Path, error: &std::io::Error) -> Problem {
    Problem {
        file: path.to_owned(),
        line: 0,
        key: String::new(),
        message: format!("cannot be read: {error}"),
        hint: Some("none of its hooks run until it can be read".into()),
        severity: Severity::Error,
    }
}

fn entries(dir: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let mut paths: Vec<PathBuf> = fs::read_dir(dir)
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.path())
        .take(1000)
        .collect();
    paths.sort();
    paths.into_iter()
}

fn markdown_files(claude: &Path) -> Vec<PathBuf> {
    let is_markdown = |path: &PathBuf| path.extension().is_some_and(|ext| ext == "md");
    let skills = entries(&claude.join("skills")).map(|dir| dir.join("SKILL.md"));
    let flat = ["agents", "commands"]
        .into_iter()
        .flat_map(|name| entries(&claude.join(name)));
    skills.chain(flat).filter(is_markdown).collect()
}

/// `hooks/hooks.json` at most four levels down, as plugin caches nest them.
fn plugin_files(plugins: &Path) -> Vec<PathBuf> {
    let mut level: Vec<PathBuf> = vec![plugins.to_owned()];
    let mut found = Vec::new();
    for _ in 0..5 {
        found.extend(
            level
                .iter()
                .map(|dir| dir.join("hooks/hooks.json"))
                .filter(|file| file.is_file()),
        );
        level = level
            .iter()
            .flat_map(|dir| entries(dir))
            .filter(|path| path.is_dir())
            .take(1000)
            .collect();
    }
    found
}
