//! Which hooks decide anew, and what they say.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context, bail};
use becket::load::read_text;
use becket::make::{Around, Essentials};
use becket::model::{Action, Event, HookSpec, Level, Severity, Verdict, layer, select};
use becket::respond::untrusted_hooks;
use becket::trial::{self, Stop};
use becket::{Home, guard, load};
use becket_agents::config::{self, File};
use becket_guard::judge;
use serde_json::{Value, json};

use crate::report::{talk, tame};

/// Whose word is wanted.
pub(super) enum Choice {
    /// That of all hooks, as they are configured now.
    All,
    /// That of the guard with this preset; its other options are those that are configured.
    Guard(&'static str),
    /// That of the hook with this name, switched on or not.
    Named(String),
}

/// The hooks of every project that comes up.
pub(super) struct Rules<'h> {
    choice: Choice,
    home: &'h Home,
    /// Those of a file, which then are those of every project.
    given: Option<Vec<HookSpec>>,
    run_commands: bool,
    known: HashMap<(PathBuf, String), Rc<Vec<HookSpec>>>,
    /// Whether there was any hook of the name that is wanted.
    found: bool,
    stop: Stop,
}

/// What was said to an event.
#[derive(Default)]
pub(super) struct Answer {
    pub(super) verdict: Verdict,
    pub(super) reason: Option<String>,
    /// The first hook that gave the verdict.
    pub(super) hook: Option<String>,
    /// Hooks that were not run, and what kind each is of.
    pub(super) not_run: Vec<(String, &'static str)>,
}

impl Answer {
    /// The rule of the guard that led to it.
    pub(super) fn rule(&self) -> Option<&'static str> {
        let rule = self.reason.as_deref().and_then(judge::rule_in);
        rule.map(|rule| rule.id)
    }

    fn hear(&mut self, hook: &str, verdict: Verdict, reason: Option<String>) {
        if verdict > self.verdict {
            self.verdict = verdict;
            self.reason = reason;
            self.hook = Some(hook.to_owned());
        }
    }
}

impl<'h> Rules<'h> {
    pub(super) fn new(
        choice: Choice,
        config: Option<&Path>,
        home: &'h Home,
        run_commands: bool,
        stop: Stop,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            choice,
            home,
            given: config.map(hooks_in).transpose()?,
            run_commands,
            known: HashMap::new(),
            found: false,
            stop,
        })
    }

    /// Says that the wanted hook does not exist, if that is so.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        match &self.choice {
            Choice::Named(name) if !self.found => {
                bail!(
                    "no hook is called `{}` in any project on record",
                    tame(name)
                )
            }
            _ => Ok(()),
        }
    }

    /// The wanted hooks of a project, for an agent.
    pub(super) fn of(&mut self, root: &Path, agent: &str) -> Rc<Vec<HookSpec>> {
        let key = (root.to_owned(), agent.to_owned());
        if let Some(hooks) = self.known.get(&key) {
            return Rc::clone(hooks);
        }
        let hooks = Rc::new(self.wanted(root, agent));
        self.found |= !hooks.is_empty();
        self.known.insert(key, Rc::clone(&hooks));
        hooks
    }

    fn wanted(&self, root: &Path, agent: &str) -> Vec<HookSpec> {
        let mut hooks = match &self.given {
            Some(hooks) => hooks.clone(),
            None => trusted(self.home, root, agent),
        };
        match &self.choice {
            Choice::All => {}
            Choice::Named(name) => {
                hooks.retain(|hook| hook.name == *name);
            }
            Choice::Guard(preset) => {
                hooks.retain(guard::is_guard);
                if hooks.is_empty() {
                    hooks = plain_guard();
                }
                for hook in &mut hooks {
                    set_preset(hook, preset);
                }
            }
        }
        if !matches!(self.choice, Choice::All) {
            for hook in &mut hooks {
                hook.enabled = true;
            }
        }
        hooks
    }

    /// What was said then by those whose word is wanted; `None` if they were not asked.
    pub(super) fn then(&self, record: &Value, hooks: &[HookSpec]) -> Option<Verdict> {
        let decision = &record["decision"];
        let said = decision["hooks"].as_array();
        if matches!(self.choice, Choice::All) {
            let verdict = verdict(&decision["verdict"]);
            return (said.is_some() || verdict > Verdict::NoOpinion).then_some(verdict);
        }
        let ours = |one: &&Value| hooks.iter().any(|hook| one["hook"] == hook.name.as_str());
        let verdicts = said.into_iter().flatten().filter(ours);
        verdicts.map(|one| verdict(&one["verdict"])).max()
    }

    /// What they say now; `None` if none of them is asked.
    pub(super) fn now(
        &self,
        event: &Event,
        record: &Value,
        hooks: &[HookSpec],
        root: &Path,
    ) -> Option<Answer> {
        let plan = select(hooks, event);
        if plan.stages.is_empty() {
            return None;
        }
        let beside: Vec<&HookSpec> = plan.hooks().collect();
        let around = Around {
            home: self.home,
            agent: event.agent.as_str(),
            root,
            cwd: event.cwd.as_deref(),
            beside: &beside,
        };
        let mut answer = Answer::default();
        for stage in &plan.stages {
            for hook in stage {
                self.ask(hook, event, record, &around, &mut answer);
            }
            if answer.verdict.blocks() {
                break;
            }
        }
        Some(answer)
    }

    /// A hook that would do something, and not only look, is taken to say what it said then.
    fn ask(
        &self,
        hook: &HookSpec,
        event: &Event,
        record: &Value,
        around: &Around<'_>,
        answer: &mut Answer,
    ) {
        let is_command = matches!(hook.action, Action::Command { .. });
        if guard::is_guard(hook) || (is_command && self.run_commands) {
            let outcome = trial::run(hook, event, around, &Essentials, &self.stop).outcome;
            return answer.hear(&hook.name, outcome.verdict, outcome.reason);
        }
        let said = record["decision"]["hooks"].as_array();
        let mut said = said.into_iter().flatten();
        if let Some(said) = said.find(|one| one["hook"] == hook.name.as_str()) {
            let reason = said["reason"].as_str().map(str::to_owned);
            answer.hear(&hook.name, verdict(&said["verdict"]), reason);
        }
        answer.not_run.push((hook.name.clone(), hook.action.kind()));
    }
}

/// The hooks that would run in a project: those of the project only if they are trusted.
fn trusted(home: &Home, root: &Path, agent: &str) -> Vec<HookSpec> {
    let configuration = load(home, Some(root), Some(agent));
    let untrusted: Vec<HookSpec> = untrusted_hooks(&configuration, home, root)
        .into_iter()
        .cloned()
        .collect();
    let mut hooks = configuration.loaded.hooks;
    // One that is switched off was not looked at there, and is nobody's to switch on here.
    hooks.retain(|hook| {
        !untrusted.contains(hook) && (hook.enabled || !hook.source.level.needs_trust())
    });
    hooks
}

fn hooks_in(path: &Path) -> anyhow::Result<Vec<HookSpec>> {
    let text = read_text(path).with_context(|| format!("`{}` cannot be read", path.display()))?;
    let read = config::becket(&File {
        path,
        level: Level::User,
        text: &text,
        root: None,
    });
    let mut problems = read.problems.clone();
    problems.extend(guard::problems(&read.hooks));
    for problem in &problems {
        talk(&tame(&problem.to_string()));
    }
    // What would be decided without the rest of it is of no use to anybody.
    if problems.iter().any(|one| one.severity == Severity::Error) || !read.broken.is_empty() {
        bail!("`{}` has errors; nothing was replayed", path.display());
    }
    Ok(layer([read]).hooks)
}

/// The guard, where none is configured.
fn plain_guard() -> Vec<HookSpec> {
    let text = format!("[[hook]]\nname = \"{0}\"\nuse = \"{0}\"\n", guard::NAME);
    let file = File {
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

pub(super) fn verdict(word: &Value) -> Verdict {
    let word = word.as_str().unwrap_or_default();
    let all = [Verdict::Allow, Verdict::Ask, Verdict::Deny, Verdict::Halt];
    let known = all.into_iter().find(|verdict| verdict.word() == word);
    known.unwrap_or_default()
}
