//! Loads all hooks of a user and a project: every dialect, with a list of problems.

use std::fs;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use becket_agents::config::{self, BecketSettings, ConfigFile, HookSwitches, RecallSettings};
use becket_model::{Dialect, Layer, Level, LoadedHooks, Problem, Severity, layer, layer::in_order};

use crate::env::{Home, is_home};
use crate::{guard, switches};

/// The size limit of a configuration file.
const MAX_CONFIG: u64 = 4 * 1024 * 1024;

/// The loaded configuration.
#[derive(Debug, Default)]
pub struct Configuration {
    /// Hooks in running order, entries that failed, problems.
    pub loaded: LoadedHooks,
    /// Settings of Becket's own files. A project can only tighten the user's settings.
    pub settings: BecketSettings,
    /// Hooks of skills, subagents and plugins. They have the lifetime of their component, and the agent that owns the
    /// component runs them.
    pub components: Layer,
    /// The files that were read.
    pub files: Vec<PathBuf>,
}

/// A file that may define hooks.
pub(crate) struct HookFile {
    path: PathBuf,
    level: Level,
    kind: FileFormat,
}

/// The format of a hook file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileFormat {
    Becket,
    Claude,
    CodeAgent,
    Autohand,
    Cursor,
    Gemini,
    Codex,
    Copilot,
}

impl FileFormat {
    fn reader(self) -> fn(&ConfigFile<'_>) -> Layer {
        match self {
            Self::Becket => config::becket,
            Self::Claude => config::settings,
            Self::CodeAgent => config::code_agent,
            Self::Autohand => config::autohand,
            Self::Cursor => config::cursor,
            Self::Gemini => config::gemini,
            Self::Codex => config::codex,
            Self::Copilot => config::copilot,
        }
    }

    /// The agents that run this file themselves. Four agents run Claude's project files.
    fn run_by(self, level: Level) -> &'static [&'static str] {
        match self {
            Self::Becket | Self::CodeAgent => &[],
            Self::Claude if level == Level::User => &["claude"],
            Self::Claude => &["claude", "cursor", "copilot", "devin"],
            Self::Autohand => &["autohand"],
            Self::Cursor => &["cursor"],
            Self::Gemini => &["gemini"],
            Self::Codex => &["codex"],
            Self::Copilot => &["copilot"],
        }
    }
}

/// The name of a hook file below its location, its level and its format.
type NamedFile = (&'static str, Level, FileFormat);

/// Hook files below a project's root, nearest first.
const IN_PROJECT: [NamedFile; 9] = [
    ("becket.toml", Level::Project, FileFormat::Becket),
    (".claude/settings.json", Level::Project, FileFormat::Claude),
    (
        ".code-agent/hooks/hooks.json",
        Level::Project,
        FileFormat::CodeAgent,
    ),
    (".cursor/hooks.json", Level::Project, FileFormat::Cursor),
    (".gemini/settings.json", Level::Project, FileFormat::Gemini),
    (".codex/hooks.json", Level::Project, FileFormat::Codex),
    (".codex/config.toml", Level::Project, FileFormat::Codex),
    ("becket.local.toml", Level::Local, FileFormat::Becket),
    (
        ".claude/settings.local.json",
        Level::Local,
        FileFormat::Claude,
    ),
];

/// Hook files below the user's home. Becket's and Claude's directories can be elsewhere and are listed separately.
const IN_HOME: [NamedFile; 8] = [
    (
        ".code-agent/hooks/hooks.json",
        Level::User,
        FileFormat::CodeAgent,
    ),
    (".autohand/config.json", Level::User, FileFormat::Autohand),
    (".autohand/config.toml", Level::User, FileFormat::Autohand),
    (".autohand/config.yaml", Level::User, FileFormat::Autohand),
    (".cursor/hooks.json", Level::User, FileFormat::Cursor),
    (".gemini/settings.json", Level::User, FileFormat::Gemini),
    (".codex/hooks.json", Level::User, FileFormat::Codex),
    (".codex/config.toml", Level::User, FileFormat::Codex),
];

/// A directory with hook files.
pub(crate) struct ConfigLocation<'a> {
    pub(crate) base: &'a Path,
    pub(crate) files: &'static [NamedFile],
    /// A subdirectory in which every `.json` file defines hooks (Copilot).
    pub(crate) directory: Option<&'static str>,
    level: Level,
}

impl ConfigLocation<'_> {
    /// The hook files in `directory`.
    pub(crate) fn listed(&self) -> impl Iterator<Item = PathBuf> + use<> {
        let dir = self.directory.map(|name| self.base.join(name));
        dir.into_iter().flat_map(|dir| json_files(&dir))
    }

    fn sources(&self) -> impl Iterator<Item = HookFile> {
        let named = self.files.iter().map(|file| self.named_file(file));
        named.chain(self.listed().map(|path| self.listed_file(path)))
    }

    /// One of `files`.
    pub(crate) fn named_file(&self, &(name, level, kind): &NamedFile) -> HookFile {
        HookFile {
            path: self.base.join(name),
            level,
            kind,
        }
    }

    /// One of the files in `directory`.
    pub(crate) fn listed_file(&self, path: PathBuf) -> HookFile {
        HookFile {
            path,
            level: self.level,
            kind: FileFormat::Copilot,
        }
    }
}

/// Every directory with hook files, nearest first.
pub(crate) fn config_locations<'a>(
    home: &'a Home,
    project: Option<&'a Path>,
) -> impl Iterator<Item = ConfigLocation<'a>> {
    let project = project.filter(|root| !is_home(root, home));
    let project = project.map(|root| ConfigLocation {
        base: root,
        files: &IN_PROJECT,
        directory: Some(".github/hooks"),
        level: Level::Project,
    });
    let own = |base, files, directory| ConfigLocation {
        base,
        files,
        directory,
        level: Level::User,
    };
    project.into_iter().chain([
        own(
            &home.config,
            &[("config.toml", Level::User, FileFormat::Becket)],
            None,
        ),
        own(
            &home.claude,
            &[("settings.json", Level::User, FileFormat::Claude)],
            None,
        ),
        own(&home.user, &IN_HOME, Some(".copilot/hooks")),
    ])
}

/// Every file that may define hooks, nearest first.
fn sources(home: &Home, project: Option<&Path>) -> Vec<HookFile> {
    config_locations(home, project)
        .flat_map(|place| place.sources().collect::<Vec<_>>())
        .collect()
}

fn json_files(dir: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    entries(dir).filter(|path| {
        path.extension()
            .is_some_and(|extension| extension == "json")
    })
}

/// Reads every file that may define hooks. `agent` fires the events: hooks that it runs from its own files are left out.
pub fn load(home: &Home, project: Option<&Path>, agent: Option<&str>) -> Configuration {
    load_files(sources(home, project), home, agent)
}

/// Like [`load`], for a caller that has already found the files.
pub(crate) fn load_files(files: Vec<HookFile>, home: &Home, agent: Option<&str>) -> Configuration {
    let (mut found, layers) = read_files(files, home, agent);
    found.loaded = layer(layers);
    if found.settings.hooks.enabled == Some(false) {
        for hook in &mut found.loaded.hooks {
            hook.enabled = false;
        }
        found.loaded.broken.clear();
    }
    found
}

/// Every definition as written, for commands that manage hooks: duplicates stay, and each hook is enabled by its own
/// entry alone, whatever the switch for all hooks says.
pub fn load_written(home: &Home, project: Option<&Path>) -> Configuration {
    let (mut found, layers) = read_files(sources(home, project), home, None);
    found.loaded = in_order(layers);
    found
}

fn read_files(
    files: Vec<HookFile>,
    home: &Home,
    agent: Option<&str>,
) -> (Configuration, Vec<Layer>) {
    let mut found = Configuration::default();
    let mut layers = Vec::new();
    for source in files {
        let native = agent.is_some_and(|agent| source.kind.run_by(source.level).contains(&agent));
        if source.kind == FileFormat::Becket {
            found.becket(&source.path, source.level, &mut layers);
        } else if !native || source.kind == FileFormat::Claude {
            found.read(
                &source.path,
                source.level,
                source.kind.reader(),
                &mut layers,
            );
        }
        if native
            && source.kind == FileFormat::Claude
            && let Some(layer) = layers.last_mut()
        {
            // The agent runs the nested shape itself, but not the claude-agent shape.
            layer.hooks.retain(|hook| {
                hook.dialect == Dialect::ClaudeAgent || hook.source.file != source.path
            });
            layer
                .broken
                .retain(|broken| broken.source.file != source.path);
        }
    }
    switches::apply(&found.settings.hooks, home, &mut layers);
    for layer in &mut layers {
        layer.problems.extend(guard::problems(&layer.hooks));
    }
    (found, layers)
}

/// The recall settings of the user, and of a project, which can switch recall off. Reads Becket's own files only.
pub fn recall_settings(home: &Home, project: Option<&Path>) -> RecallSettings {
    let mut found = Configuration::default();
    for source in sources(home, project) {
        if source.kind == FileFormat::Becket {
            found.becket(&source.path, source.level, &mut Vec::new());
        }
    }
    found.settings.recall
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
        let file = ConfigFile {
            path,
            level,
            text: &text,
            root: None,
        };
        let (mut layer, settings) = config::becket_with_settings(&file);
        if level == Level::User {
            let switched_off = self.settings.recall.enabled;
            self.settings = settings;
            if switched_off == Some(false) {
                self.settings.recall.enabled = switched_off;
            }
        } else {
            layer
                .problems
                .extend(self.apply_project_settings(path, settings));
        }
        layers.push(layer);
    }

    /// A project can switch recall off. All other settings, such as trust and recording, belong to the user alone.
    fn apply_project_settings(
        &mut self,
        path: &Path,
        mut settings: BecketSettings,
    ) -> Option<Problem> {
        if settings.recall.enabled == Some(false) {
            self.settings.recall.enabled = settings.recall.enabled.take();
        }
        let (key, message) = if settings.recall != RecallSettings::default() {
            let message = "a project can only switch recall off (`enabled = false`); the other keys have no effect";
            ("recall", message)
        } else if settings == BecketSettings::default() {
            return None;
        } else {
            let switches = settings.hooks != HookSwitches::default();
            let key = if switches { "hooks" } else { "settings" };
            let message = "only the user configuration can have settings; these have no effect";
            (key, message)
        };
        Some(Problem {
            file: path.to_owned(),
            line: 0,
            key: key.into(),
            message: message.into(),
            hint: None,
            severity: Severity::Warning,
        })
    }

    fn read(
        &mut self,
        path: &Path,
        level: Level,
        parse: fn(&ConfigFile<'_>) -> Layer,
        layers: &mut Vec<Layer>,
    ) {
        let Some(text) = self.text(path, layers) else {
            return;
        };
        layers.push(parse(&ConfigFile {
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

/// Reads a configuration file. Never blocks, and never reads more than the size limit.
pub fn read_text(path: &Path) -> std::io::Result<String> {
    // A FIFO in place of a file would block every event: even opening one waits for its writer.
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
