//! Merges the hooks of several configuration files into one ordered list.

use crate::spec::{HookSpec, Layer, LoadedHooks};

/// Merges layers: by priority (higher runs first), then by level (project before user), then by definition order.
/// Identical hooks are kept once: the first of them, unless a later one needs no trust. Otherwise a project could
/// disable a person's own hook by defining the same one, untrusted.
pub fn layer(layers: impl IntoIterator<Item = Layer>) -> LoadedHooks {
    let mut all = in_order(layers);
    drop_duplicates(&mut all.hooks);
    all
}

/// Merges layers in the same order and keeps identical definitions.
pub fn in_order(layers: impl IntoIterator<Item = Layer>) -> LoadedHooks {
    let mut all = LoadedHooks::default();
    for one in layers {
        all.hooks.extend(one.hooks);
        all.broken.extend(one.broken);
        all.problems.extend(one.problems);
    }
    all.hooks
        .sort_by_key(|hook| (std::cmp::Reverse(hook.priority), hook.source.level));
    all
}

fn drop_duplicates(hooks: &mut Vec<HookSpec>) {
    let mut kept: Vec<HookSpec> = Vec::with_capacity(hooks.len());
    for hook in hooks.drain(..) {
        match kept.iter_mut().find(|other| is_same_hook(other, &hook)) {
            Some(other) if needs_trust(other) && !needs_trust(&hook) => *other = hook,
            Some(_) => {}
            None => kept.push(hook),
        }
    }
    *hooks = kept;
}

fn needs_trust(hook: &HookSpec) -> bool {
    hook.source.level.needs_trust()
}

/// Whether two entries define the same hook, in whichever files. A disabled entry differs from an enabled one.
fn is_same_hook(a: &HookSpec, b: &HookSpec) -> bool {
    a.event == b.event
        && a.action == b.action
        && a.dialect == b.dialect
        && a.matcher == b.matcher
        && a.filter == b.filter
        && a.condition == b.condition
        && a.timeout == b.timeout
        && a.root == b.root
        && a.enabled == b.enabled
        && a.native_event == b.native_event
        && a.env == b.env
        && a.cwd == b.cwd
        && (a.is_async, a.once, a.sequential) == (b.is_async, b.once, b.sequential)
        && a.on_failure == b.on_failure
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::EventKind;
    use crate::matcher::{MatchStyle, Matcher};
    use crate::spec::{Dialect, HookSource, Level};

    fn hook(name: &str, level: Level) -> HookSpec {
        let source = HookSource {
            level,
            file: "f".into(),
            line: 1,
            key: name.into(),
        };
        HookSpec::command(name, Dialect::Becket, EventKind::PreToolUse, name, source)
    }

    fn names(hooks: Vec<HookSpec>) -> Vec<String> {
        let all = layer([Layer {
            hooks,
            ..Layer::default()
        }]);
        all.hooks.into_iter().map(|h| h.name).collect()
    }

    #[test]
    fn project_runs_before_user_and_definition_order_holds_within_a_level() {
        let hooks = vec![
            hook("u1", Level::User),
            hook("u2", Level::User),
            hook("p1", Level::Project),
            hook("p2", Level::Project),
        ];
        assert_eq!(names(hooks), ["p1", "p2", "u1", "u2"]);
    }

    #[test]
    fn priority_beats_level() {
        let mut urgent = hook("urgent", Level::User);
        urgent.priority = 10;
        assert_eq!(
            names(vec![hook("p", Level::Project), urgent]),
            ["urgent", "p"]
        );
    }

    #[test]
    fn identical_hooks_run_once_and_the_one_that_needs_no_trust_is_kept() {
        let kept = |levels: [Level; 2]| {
            let all = layer([Layer {
                hooks: levels.map(|level| hook("same", level)).into(),
                ..Layer::default()
            }]);
            let levels: Vec<Level> = all.hooks.iter().map(|hook| hook.source.level).collect();
            levels
        };
        assert_eq!(kept([Level::User, Level::Project]), [Level::User]);
        assert_eq!(kept([Level::Project, Level::User]), [Level::User]);
        assert_eq!(kept([Level::Local, Level::Project]), [Level::Project]);
        assert_eq!(kept([Level::User, Level::Plugin]), [Level::User]);
    }

    #[test]
    fn hooks_that_differ_in_matcher_or_dialect_are_different() {
        let mut narrow = hook("same", Level::User);
        narrow.matcher = Matcher::parse("Bash", MatchStyle::Names).expect("a name");
        let mut other = hook("same", Level::User);
        other.dialect = Dialect::CodeAgent;
        assert_eq!(
            names(vec![hook("same", Level::User), narrow, other]).len(),
            3
        );
    }
}
