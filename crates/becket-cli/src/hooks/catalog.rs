//! All hook definitions with their state, and lookup by name.

use std::path::{Path, PathBuf};

use anyhow::bail;
use becket::model::{Action, EventKind, HookSpec, Level};
use becket::trust::{TrustStore, fingerprint};
use becket::{Configuration, Home, load};
use becket_agents::config::did_you_mean;
use becket_daemon::setup::HookTrust;

use super::builtins;
use super::change::HookChange;
use crate::args::ProjectArgs;
use crate::report::{one_line, sanitize};

/// Whether a hook runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum HookState {
    Enabled,
    Disabled,
    /// Enabled, but not trusted.
    Untrusted,
}

impl HookState {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Enabled => "enabled",
            Self::Disabled => "disabled",
            Self::Untrusted => "untrusted",
        }
    }
}

/// One entry of a configuration file. An entry with several events yields several hooks.
pub(crate) struct HookDefinition {
    pub(crate) specs: Vec<HookSpec>,
    pub(crate) state: HookState,
    /// Whether the hook is trusted; `None` if it needs no trust.
    pub(crate) trusted: Option<bool>,
    /// The trust state for the API; it also distinguishes new from changed hooks.
    pub(crate) trust: HookTrust,
}

impl HookDefinition {
    pub(crate) fn first(&self) -> &HookSpec {
        self.specs
            .first()
            .expect("a definition has at least one hook")
    }

    pub(crate) fn name(&self) -> &str {
        &self.first().name
    }

    pub(crate) fn level(&self) -> Level {
        self.first().source.level
    }

    pub(crate) fn file(&self) -> &Path {
        &self.first().source.file
    }

    pub(crate) fn place(&self) -> String {
        place(self.first())
    }

    pub(crate) fn enabled(&self) -> bool {
        self.first().enabled
    }

    /// Whether the hook runs for every event.
    pub(crate) fn is_for_every_event(&self) -> bool {
        self.specs.len() >= EventKind::ALL.len()
    }

    fn is_at(&self, file: &Path, key: &str) -> bool {
        let source = &self.first().source;
        source.file == file && source.key == key
    }
}

pub(crate) fn place(hook: &HookSpec) -> String {
    format!("{}:{}", hook.source.file.display(), hook.source.line)
}

/// All hook definitions of the user and one project.
pub(crate) struct HookCatalog {
    pub(crate) home: Home,
    pub(crate) root: PathBuf,
    pub(crate) configuration: Configuration,
    pub(crate) definitions: Vec<HookDefinition>,
}

impl HookCatalog {
    pub(crate) fn find(here: &ProjectArgs) -> anyhow::Result<Self> {
        let (home, root) = here.find()?;
        Ok(Self::load(home, root))
    }

    pub(crate) fn load(home: Home, root: PathBuf) -> Self {
        let configuration = load::load_written(&home, Some(&root));
        let mut definitions: Vec<HookDefinition> = Vec::new();
        for hook in &configuration.loaded.hooks {
            let (file, key) = (&hook.source.file, &hook.source.key);
            match definitions.iter_mut().find(|one| one.is_at(file, key)) {
                Some(one) => one.specs.push(hook.clone()),
                None => definitions.push(HookDefinition {
                    specs: vec![hook.clone()],
                    state: HookState::Disabled,
                    trusted: None,
                    trust: HookTrust::Own,
                }),
            }
        }
        let store = TrustStore::open(&home.trust_file()).ok();
        for one in &mut definitions {
            one.trusted = one.level().needs_trust().then(|| {
                let trusts = |hook: &HookSpec| {
                    let store = store.as_ref();
                    store.is_some_and(|store| store.trusts(&root, &fingerprint(hook, &root)))
                };
                one.specs.iter().all(trusts)
            });
            let was_trusted = |hook: &HookSpec| {
                let store = store.as_ref();
                store.is_some_and(|store| store.previous(&root, hook).is_some())
            };
            one.trust = match one.trusted {
                None => HookTrust::Own,
                Some(true) => HookTrust::Trusted,
                Some(false) if one.specs.iter().any(was_trusted) => HookTrust::Changed,
                Some(false) => HookTrust::Untrusted,
            };
            one.state = match (one.enabled(), one.trusted) {
                (false, _) => HookState::Disabled,
                (true, Some(false)) => HookState::Untrusted,
                (true, _) => HookState::Enabled,
            };
        }
        Self {
            home,
            root,
            configuration,
            definitions,
        }
    }

    /// Whether hooks are on at all.
    pub(crate) fn is_on(&self) -> bool {
        self.configuration.settings.hooks.enabled != Some(false)
    }

    pub(crate) fn mode(&self) -> &'static str {
        if self.is_on() { "enabled" } else { "disabled" }
    }

    /// The file that new hooks of a level are added to.
    pub(crate) fn file_for(&self, level: Level) -> anyhow::Result<PathBuf> {
        let in_project = |name: &str| {
            if self.root == self.home.user {
                bail!("your home directory is not a project; use --level user");
            }
            Ok(self.root.join(name))
        };
        match level {
            Level::Project => in_project("becket.toml"),
            Level::Local => in_project("becket.local.toml"),
            _ => Ok(self.home.config_file()),
        }
    }

    /// Finds the definition with this name; no match is an error.
    pub(crate) fn resolve(
        &self,
        name: &str,
        level: Option<Level>,
    ) -> anyhow::Result<&HookDefinition> {
        match self.look_up(name, level)? {
            Some(found) => Ok(found),
            None => bail!("{}", self.unknown(name, level)),
        }
    }

    /// Finds the definition with this name, if there is one; several matches are an error.
    pub(crate) fn look_up(
        &self,
        name: &str,
        level: Option<Level>,
    ) -> anyhow::Result<Option<&HookDefinition>> {
        let of_level = |one: &&HookDefinition| level.is_none_or(|level| one.level() == level);
        let all = || self.definitions.iter().filter(of_level);
        let mut found: Vec<&HookDefinition> = all().filter(|one| one.name() == name).collect();
        if found.is_empty() {
            found = all().filter(|one| one.place() == name).collect();
        }
        if found.is_empty() {
            found = all().filter(|one| uses(one, name)).collect();
        }
        match found[..] {
            [] => Ok(None),
            [one] => Ok(Some(one)),
            _ => bail!("{}", ambiguous(name, &found)),
        }
    }

    fn unknown(&self, name: &str, level: Option<Level>) -> String {
        let broken = &self.configuration.loaded.broken;
        if let Some(broken) = broken.iter().find(|broken| broken.name == name) {
            let (file, line) = (broken.source.file.display(), broken.source.line);
            return sanitize(&format!(
                "hook `{name}` failed to load ({file}:{line}): {}",
                broken.message
            ));
        }
        let elsewhere: Vec<&HookDefinition> = self
            .definitions
            .iter()
            .filter(|one| one.name() == name)
            .collect();
        match level {
            Some(level) if !elsewhere.is_empty() => format!(
                "no hook `{}` at level {}; found:\n{}",
                sanitize(name),
                level.name(),
                candidates(&elsewhere)
            ),
            _ => format!("no hook `{}`; {}", sanitize(name), self.hint(name)),
        }
    }

    /// Suggests what the user may have meant by an unknown name.
    fn hint(&self, name: &str) -> String {
        if builtins::find(name).is_some() {
            return format!("it is a built-in; enable it with `becket hooks enable {name}`");
        }
        let built_in = builtins::BUILTINS.iter().map(|builtin| builtin.name);
        let known = self.definitions.iter().map(HookDefinition::name);
        let meant = did_you_mean(name, known.chain(built_in));
        meant.map_or_else(
            || "`becket hooks list` shows all hooks".to_owned(),
            |meant| sanitize(&meant),
        )
    }

    /// The current definition of a changed hook.
    pub(crate) fn find_changed(&self, done: &HookChange) -> Option<&HookDefinition> {
        let mut found = self.definitions.iter();
        found.find(|one| one.file() == done.file && one.name() == done.name)
    }

    /// The untrusted hooks of a changed definition.
    pub(crate) fn untrusted_specs(&self, done: &HookChange) -> Vec<HookSpec> {
        let hook = self.find_changed(done);
        let waits = hook.filter(|hook| hook.state == HookState::Untrusted);
        waits.map_or_else(Vec::new, |hook| hook.specs.clone())
    }
}

fn uses(one: &HookDefinition, wanted: &str) -> bool {
    matches!(&one.first().action, Action::Builtin { name, .. } if name == wanted)
}

fn ambiguous(name: &str, found: &[&HookDefinition]) -> String {
    let mut levels: Vec<Level> = found.iter().map(|one| one.level()).collect();
    levels.dedup();
    let hint = if levels.len() == found.len() {
        "select one with --level"
    } else {
        "select one by FILE:LINE instead of its name"
    };
    format!(
        "{} hooks have the name `{}`:\n{}hint: {hint}",
        found.len(),
        sanitize(name),
        candidates(found)
    )
}

fn candidates(found: &[&HookDefinition]) -> String {
    let mut out = String::new();
    for one in found {
        let (level, place) = (one.level().name(), sanitize(&one.place()));
        let summary = one_line(&one.first().action.summary(), 50);
        out += &format!("  {level:8} {place}  {summary}\n");
    }
    out
}
