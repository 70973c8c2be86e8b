//! Selects the hooks to replay and evaluates them against recorded events.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context, bail};
use becket::factory::{CoreHooks, HookSite};
use becket::load::read_text;
use becket::model::{Action, Event, HookSpec, Level, Severity, Verdict, layer, select};
use becket::pipeline::untrusted_hooks;
use becket::trial::{self, StopHandle};
use becket::{Home, guard, load};
use becket_agents::config::{self, ConfigFile};
use becket_guard::judge;
use serde_json::{Value, json};

use crate::report::{print_message, sanitize};

/// Which hooks decide in a replay.
pub(super) enum HookSelection {
    /// All hooks, as configured now.
    All,
    /// The guard with this preset and its other configured options.
    Guard(&'static str),
    /// The hook with this name, enabled or not.
    Named(String),
}

/// The hooks to replay, cached per project and agent.
pub(super) struct ReplayHooks<'h> {
    selection: HookSelection,
    home: &'h Home,
    /// The hooks of a configuration file, used for every project.
    config_hooks: Option<Vec<HookSpec>>,
    run_commands: bool,
    cache: HashMap<(PathBuf, String), Rc<Vec<HookSpec>>>,
    /// Whether any project has a selected hook.
    has_match: bool,
    stop: StopHandle,
}

/// The decision on an event.
#[derive(Default)]
pub(super) struct ReplayDecision {
    pub(super) verdict: Verdict,
    pub(super) reason: Option<String>,
    /// The first hook that returned the verdict.
    pub(super) hook: Option<String>,
    /// Hooks that were not run, with their kind.
    pub(super) not_run: Vec<(String, &'static str)>,
}

impl ReplayDecision {
    /// The guard rule that led to the verdict.
    pub(super) fn rule(&self) -> Option<&'static str> {
        let rule = self.reason.as_deref().and_then(judge::rule_in);
        rule.map(|rule| rule.id)
    }

    fn record_verdict(&mut self, hook: &str, verdict: Verdict, reason: Option<String>) {
        if verdict > self.verdict {
            self.verdict = verdict;
            self.reason = reason;
            self.hook = Some(hook.to_owned());
        }
    }
}

impl<'h> ReplayHooks<'h> {
    pub(super) fn new(
        selection: HookSelection,
        config: Option<&Path>,
        home: &'h Home,
        run_commands: bool,
        stop: StopHandle,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            selection,
            home,
            config_hooks: config.map(load_config).transpose()?,
            run_commands,
            cache: HashMap::new(),
            has_match: false,
            stop,
        })
    }

    /// Fails if the named hook exists in no project.
    pub(super) fn check_hook_exists(&self) -> anyhow::Result<()> {
        match &self.selection {
            HookSelection::Named(name) if !self.has_match => {
                bail!("no hook `{}` in any recorded project", sanitize(name))
            }
            _ => Ok(()),
        }
    }

    /// The selected hooks of a project, for an agent.
    pub(super) fn hooks_for(&mut self, root: &Path, agent: &str) -> Rc<Vec<HookSpec>> {
        let key = (root.to_owned(), agent.to_owned());
        if let Some(hooks) = self.cache.get(&key) {
            return Rc::clone(hooks);
        }
        let hooks = Rc::new(self.select_hooks(root, agent));
        self.has_match |= !hooks.is_empty();
        self.cache.insert(key, Rc::clone(&hooks));
        hooks
    }

    fn select_hooks(&self, root: &Path, agent: &str) -> Vec<HookSpec> {
        let mut hooks = match &self.config_hooks {
            Some(hooks) => hooks.clone(),
            None => trusted_hooks(self.home, root, agent),
        };
        match &self.selection {
            HookSelection::All => {}
            HookSelection::Named(name) => {
                hooks.retain(|hook| hook.name == *name);
            }
            HookSelection::Guard(preset) => {
                hooks.retain(guard::is_guard);
                if hooks.is_empty() {
                    hooks = default_guard();
                }
                for hook in &mut hooks {
                    set_preset(hook, preset);
                }
            }
        }
        if !matches!(self.selection, HookSelection::All) {
            for hook in &mut hooks {
                hook.enabled = true;
            }
        }
        hooks
    }

    /// The recorded verdict of the selected hooks; `None` if none of them ran.
    pub(super) fn recorded_verdict(&self, record: &Value, hooks: &[HookSpec]) -> Option<Verdict> {
        let decision = &record["decision"];
        let recorded = decision["hooks"].as_array();
        if matches!(self.selection, HookSelection::All) {
            let verdict = parse_verdict(&decision["verdict"]);
            return (recorded.is_some() || verdict > Verdict::NoOpinion).then_some(verdict);
        }
        let ours = |one: &&Value| hooks.iter().any(|hook| one["hook"] == hook.name.as_str());
        let verdicts = recorded.into_iter().flatten().filter(ours);
        verdicts.map(|one| parse_verdict(&one["verdict"])).max()
    }

    /// The verdict of the selected hooks today; `None` if none of them matches the event.
    pub(super) fn decide_now(
        &self,
        event: &Event,
        record: &Value,
        hooks: &[HookSpec],
        root: &Path,
    ) -> Option<ReplayDecision> {
        let plan = select(hooks, event);
        if plan.stages.is_empty() {
            return None;
        }
        let matching: Vec<&HookSpec> = plan.hooks().collect();
        let site = HookSite {
            home: self.home,
            agent: event.agent.as_str(),
            root,
            cwd: event.cwd.as_deref(),
            hooks: &matching,
        };
        let mut decision_now = ReplayDecision::default();
        for stage in &plan.stages {
            for hook in stage {
                self.evaluate_hook(hook, event, record, &site, &mut decision_now);
            }
            if decision_now.verdict.blocks() {
                break;
            }
        }
        Some(decision_now)
    }

    /// Evaluates one hook. The guard is pure and runs again; a hook with side effects keeps its recorded verdict.
    fn evaluate_hook(
        &self,
        hook: &HookSpec,
        event: &Event,
        record: &Value,
        site: &HookSite<'_>,
        decision_now: &mut ReplayDecision,
    ) {
        let is_command = matches!(hook.action, Action::Command { .. });
        if guard::is_guard(hook) || (is_command && self.run_commands) {
            let outcome = trial::run(hook, event, site, &CoreHooks, &self.stop).outcome;
            return decision_now.record_verdict(&hook.name, outcome.verdict, outcome.reason);
        }
        let recorded = record["decision"]["hooks"].as_array();
        let mut recorded = recorded.into_iter().flatten();
        if let Some(recorded) = recorded.find(|one| one["hook"] == hook.name.as_str()) {
            let reason = recorded["reason"].as_str().map(str::to_owned);
            decision_now.record_verdict(&hook.name, parse_verdict(&recorded["verdict"]), reason);
        }
        decision_now
            .not_run
            .push((hook.name.clone(), hook.action.kind()));
    }
}

/// The hooks that would run in a project. The project's own hooks count only if they are trusted.
fn trusted_hooks(home: &Home, root: &Path, agent: &str) -> Vec<HookSpec> {
    let configuration = load(home, Some(root), Some(agent));
    let untrusted: Vec<HookSpec> = untrusted_hooks(&configuration, home, root)
        .into_iter()
        .cloned()
        .collect();
    let mut hooks = configuration.loaded.hooks;
    // A disabled project hook has no trust check, so it must not be enabled here.
    hooks.retain(|hook| {
        !untrusted.contains(hook) && (hook.enabled || !hook.source.level.needs_trust())
    });
    hooks
}

fn load_config(path: &Path) -> anyhow::Result<Vec<HookSpec>> {
    let text = read_text(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let read = config::becket(&ConfigFile {
        path,
        level: Level::User,
        text: &text,
        root: None,
    });
    let mut problems = read.problems.clone();
    problems.extend(guard::problems(&read.hooks));
    for problem in &problems {
        print_message(&sanitize(&problem.to_string()));
    }
    // A partial configuration would give misleading decisions.
    if problems.iter().any(|one| one.severity == Severity::Error) || !read.broken.is_empty() {
        bail!("`{}` has errors; nothing was replayed", path.display());
    }
    Ok(layer([read]).hooks)
}

/// The guard with its defaults, for projects without one.
fn default_guard() -> Vec<HookSpec> {
    let text = format!("[[hook]]\nname = \"{0}\"\nuse = \"{0}\"\n", guard::NAME);
    let file = ConfigFile {
        path: Path::new("becket.toml"),
        level: Level::User,
        text: &text,
        root: None,
    };
    config::becket(&file).hooks
}

fn set_preset(hook: &mut HookSpec, preset: &str) {
    if let Action::Builtin { options, .. } = &mut hook.action {
        if !options.is_object() {
            *options = json!({});
        }
        options["preset"] = json!(preset);
    }
}

pub(super) fn parse_verdict(word: &Value) -> Verdict {
    let word = word.as_str().unwrap_or_default();
    let all = [Verdict::Allow, Verdict::Ask, Verdict::Deny, Verdict::Halt];
    let verdict = all.into_iter().find(|verdict| verdict.word() == word);
    verdict.unwrap_or_default()
}
