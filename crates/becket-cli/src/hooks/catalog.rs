//! Every definition of a hook, with its state, to be found by name.

use std::path::{Path, PathBuf};

use anyhow::bail;
use becket::model::{Action, EventKind, HookSpec, Level};
use becket::trust::{TrustStore, fingerprint};
use becket::{Configuration, Home, load};
use becket_agents::config::did_you_mean;
use becket_daemon::setup::HookTrust;

use super::builtins;
use super::change::Done;
use crate::args::Here;
use crate::report::{one_line, tame};

/// Whether a hook runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    Enabled,
    Disabled,
    /// Enabled, but nobody has trusted it.
    Untrusted,
}

impl State {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Enabled => "enabled",
            Self::Disabled => "disabled",
            Self::Untrusted => "untrusted",
        }
    }
}

/// One entry of a file. It may be for several events, and is then several hooks.
pub(crate) struct Definition {
    pub(crate) specs: Vec<HookSpec>,
    pub(crate) state: State,
    /// Whether it is trusted, where that matters.
    pub(crate) trusted: Option<bool>,
    /// The same in a word, with what was trusted before it changed.
    pub(crate) trust: HookTrust,
}

impl Definition {
    pub(crate) fn first(&self) -> &HookSpec {
        self.specs.first().expect("a definition has a hook")
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

    /// Whether it is for every event there is.
    pub(crate) fn is_everywhere(&self) -> bool {
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

/// What there is.
pub(crate) struct Catalog {
    pub(crate) home: Home,
    pub(crate) root: PathBuf,
    pub(crate) configuration: Configuration,
    pub(crate) definitions: Vec<Definition>,
}

impl Catalog {
    pub(crate) fn find(here: &Here) -> anyhow::Result<Self> {
        let (home, root) = here.find()?;
        Ok(Self::load(home, root))
    }

    pub(crate) fn load(home: Home, root: PathBuf) -> Self {
        let configuration = load::load_written(&home, Some(&root));
        let mut definitions: Vec<Definition> = Vec::new();
        for hook in &configuration.loaded.hooks {
            let (file, key) = (&hook.source.file, &hook.source.key);
            match definitions.iter_mut().find(|one| one.is_at(file, key)) {
                Some(one) => one.specs.push(hook.clone()),
                None => definitions.push(Definition {
                    specs: vec![hook.clone()],
                    state: State::Disabled,
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
                (false, _) => State::Disabled,
                (true, Some(false)) => State::Untrusted,
                (true, _) => State::Enabled,
            };
        }
        Self {
            home,
            root,
            configuration,
            definitions,
        }
    }

    /// Whether hooks run at all.
    pub(crate) fn is_on(&self) -> bool {
        self.configuration.settings.hooks.enabled != Some(false)
    }

    pub(crate) fn mode(&self) -> &'static str {
        if self.is_on() { "enabled" } else { "disabled" }
    }

    /// Where new hooks of a level go.
    pub(crate) fn file_for(&self, level: Level) -> anyhow::Result<PathBuf> {
        let in_project = |name: &str| {
            if self.root == self.home.user {
                bail!("your home directory is no project; use --level user");
            }
            Ok(self.root.join(name))
        };
        match level {
            Level::Project => in_project("becket.toml"),
            Level::Local => in_project("becket.local.toml"),
            _ => Ok(self.home.config_file()),
        }
    }

    /// The one definition that a name means.
    pub(crate) fn resolve(&self, name: &str, level: Option<Level>) -> anyhow::Result<&Definition> {
        match self.look_up(name, level)? {
            Some(found) => Ok(found),
            None => bail!("{}", self.unknown(name, level)),
        }
    }

    /// The same, where a name that nobody has is no error.
    pub(crate) fn look_up(
        &self,
        name: &str,
        level: Option<Level>,
    ) -> anyhow::Result<Option<&Definition>> {
        let of_level = |one: &&Definition| level.is_none_or(|level| one.level() == level);
        let all = || self.definitions.iter().filter(of_level);
        let mut found: Vec<&Definition> = all().filter(|one| one.name() == name).collect();
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
            return tame(&format!(
                "hook `{name}` did not load ({file}:{line}): {}",
                broken.message
            ));
        }
        let elsewhere: Vec<&Definition> = self
            .definitions
            .iter()
            .filter(|one| one.name() == name)
            .collect();
        match level {
            Some(level) if !elsewhere.is_empty() => format!(
                "no hook is called `{}` at level {}; there is:\n{}",
                tame(name),
                level.name(),
                candidates(&elsewhere)
            ),
            _ => format!("no hook is called `{}`; {}", tame(name), self.hint(name)),
        }
    }

    /// What somebody may have meant who named a hook that is none.
    fn hint(&self, name: &str) -> String {
        if builtins::find(name).is_some() {
            return format!("it is a built-in: `becket hooks enable {name}`");
        }
        let built_in = builtins::BUILTINS.iter().map(|builtin| builtin.name);
        let known = self.definitions.iter().map(Definition::name);
        let meant = did_you_mean(name, known.chain(built_in));
        meant.map_or_else(
            || "see `becket hooks list`".to_owned(),
            |meant| tame(&meant),
        )
    }

    /// The definition that a change was about, as it is now.
    pub(crate) fn find_again(&self, done: &Done) -> Option<&Definition> {
        let mut found = self.definitions.iter();
        found.find(|one| one.file() == done.file && one.name() == done.name)
    }

    /// Hooks that a change was about and that wait for trust.
    pub(crate) fn waiting(&self, done: &Done) -> Vec<HookSpec> {
        let hook = self.find_again(done);
        let waits = hook.filter(|hook| hook.state == State::Untrusted);
        waits.map_or_else(Vec::new, |hook| hook.specs.clone())
    }
}

fn uses(one: &Definition, wanted: &str) -> bool {
    matches!(&one.first().action, Action::Builtin { name, .. } if name == wanted)
}

fn ambiguous(name: &str, found: &[&Definition]) -> String {
    let mut levels: Vec<Level> = found.iter().map(|one| one.level()).collect();
    levels.dedup();
    let hint = if levels.len() == found.len() {
        "say which with --level"
    } else {
        "say which by its FILE:LINE instead of its name"
    };
    format!(
        "{} hooks are called `{}`:\n{}hint: {hint}",
        found.len(),
        tame(name),
        candidates(found)
    )
}

fn candidates(found: &[&Definition]) -> String {
    let mut out = String::new();
    for one in found {
        let (level, place) = (one.level().name(), tame(&one.place()));
        let summary = one_line(&one.first().action.summary(), 50);
        out += &format!("  {level:8} {place}  {summary}\n");
    }
    out
}
