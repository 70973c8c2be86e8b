//! Switches: hooks that the user has disabled in `[hooks]` of their own configuration.
//!
//! Many files have no way to disable a single hook. `[hooks] disabled` names such a hook by its name, its file and a digest
//! of its definition, so that it disables exactly this hook. Names made of positions change when a file is edited, and
//! the entry must not disable another hook.

use becket_agents::config::HookSwitches;
use becket_model::{HookSpec, Layer, Problem, Severity};

use crate::env::Home;

/// Length of the digest; enough to distinguish the definitions of one file.
const DIGITS: usize = 12;

/// How `[hooks] disabled` names this hook.
pub fn reference(hook: &HookSpec, home: &Home) -> String {
    format!("{}#{}", plain(hook, home), digest(hook))
}

/// The entry of `[hooks] disabled` that names this hook, if any does.
pub fn entry<'s>(switches: &'s HookSwitches, hook: &HookSpec, home: &Home) -> Option<&'s str> {
    let listed = || switches.disabled.iter().map(String::as_str);
    listed().next()?;
    let by_name = plain(hook, home);
    let by_definition = format!("@{}#{}", file(hook, home), digest(hook));
    listed().find(|entry| *entry == by_name || entry.ends_with(&by_definition))
}

pub(crate) fn apply(switches: &HookSwitches, home: &Home, layers: &mut Vec<Layer>) {
    if switches.enabled == Some(false) {
        let message = "all hooks are switched off";
        let hint = "`becket hooks on` switches them on again";
        layers.push(problem(home, "hooks.enabled", message.into(), hint));
    }
    if switches.disabled.is_empty() {
        return;
    }
    let mut idle: Vec<&str> = switches.disabled.iter().map(String::as_str).collect();
    for hook in layers.iter_mut().flat_map(|layer| &mut layer.hooks) {
        if let Some(entry) = entry(switches, hook, home) {
            hook.enabled = false;
            idle.retain(|other| *other != entry);
        }
    }
    idle.retain(|entry| is_read_here(entry, home, layers));
    for entry in idle {
        let message = format!(
            "`{entry}` matches no hook: the hook was changed or removed, so it is no longer disabled"
        );
        let hint = "check it with `becket hooks list`, then remove the entry";
        layers.push(problem(home, "hooks.disabled", message, hint));
    }
}

/// Entries for files of other projects, or of the agent that fires, have nothing to match here.
fn is_read_here(entry: &str, home: &Home, layers: &[Layer]) -> bool {
    let hooks = layers.iter().flat_map(|layer| &layer.hooks);
    hooks.into_iter().any(|hook| {
        let of_file = format!("@{}", file(hook, home));
        let entry = entry.rsplit_once('#').map_or(entry, |(place, _)| place);
        entry.ends_with(&of_file)
    })
}

fn problem(home: &Home, key: &str, message: String, hint: &str) -> Layer {
    let problem = Problem {
        file: home.config_file(),
        line: 0,
        key: key.into(),
        message,
        hint: Some(hint.into()),
        severity: Severity::Warning,
    };
    Layer {
        problems: vec![problem],
        ..Layer::default()
    }
}

fn plain(hook: &HookSpec, home: &Home) -> String {
    format!("{}@{}", hook.name, file(hook, home))
}

fn file(hook: &HookSpec, home: &Home) -> String {
    let file = &hook.source.file;
    match file.strip_prefix(&home.user) {
        Ok(below) => format!("~/{}", below.display()),
        Err(_) => file.display().to_string(),
    }
}

fn digest(hook: &HookSpec) -> String {
    let definition = hook.definition().to_string();
    let hash = blake3::hash(definition.as_bytes()).to_hex();
    hash[..DIGITS].to_owned()
}
