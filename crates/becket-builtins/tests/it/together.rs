//! Several hooks on one event, through the hook manager.

use std::sync::Arc;
use std::time::{Duration, Instant};

use becket_builtins::make;
use becket_model::EventKind;
use becket_runner::{CancellationToken, HookInput, HookManager};
use becket_testkit::read_when_there;
use futures_lite::future::block_on;

use crate::world::{World, noting};

fn manager(world: &World, entries: &[&str]) -> HookManager {
    let mut manager = HookManager::new();
    let deps = Arc::new(world.deps.clone());
    for spec in entries.iter().flat_map(|entry| world.specs(entry)) {
        manager.register_arc(make(spec, &deps).expect("the options are right"));
    }
    manager
}

#[test]
fn formatting_runs_before_staging() {
    let world = World::with_git();
    world.write(".clang-format", "");
    world.write("a.c", "text\n");
    // Slow enough to be overtaken if both ran concurrently.
    world.program("clang-format", "/bin/sleep 0.3; exec /usr/bin/tr a-z A-Z");
    let entries = [
        "use = 'git-auto-stage'",
        "use = 'auto-format'",
        "use = 'log'",
    ];
    let input = HookInput::from_event(world.wrote("a.c"), "e1");
    let (manager, ctx) = (manager(&world, &entries), world.context());
    let decided = block_on(manager.decide(EventKind::PostToolUse, input, &ctx));
    let decision = decided.expect("not cancelled");
    assert_eq!(world.git(&["show", ":a.c"]), "TEXT");
    assert_eq!(
        decision.context.as_deref(),
        Some("`a.c` was reformatted by clang-format; read it again before editing it.")
    );
    assert_eq!(decision.hook_runs.len(), 3);
}

#[test]
fn a_hook_about_files_does_not_run_for_another_tool() {
    let world = World::with_git();
    let mut event = world.wrote("a.c");
    if let Some(call) = event.data.call_mut() {
        call.name = "Bash".into();
        call.native_name = "Bash".into();
    }
    let manager = manager(&world, &["use = 'git-auto-stage'", "use = 'auto-format'"]);
    let (input, ctx) = (HookInput::from_event(event, "e1"), world.context());
    let decided = block_on(manager.decide(EventKind::PostToolUse, input, &ctx));
    assert!(decided.expect("not cancelled").hook_runs.is_empty());
}

#[test]
fn cancellation_kills_child_processes() {
    let world = World::new();
    let started = world.path("started");
    world.write(".clang-format", "");
    world.write("a.c", "text\n");
    let script = format!("{}\nexec /bin/sleep 600", noting(&started));
    world.program("clang-format", &script);
    let manager = manager(&world, &["use = 'auto-format'"]);
    let token = CancellationToken::new();
    let ctx = world.context().with_cancellation(token.clone());
    let begin = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            read_when_there(&started);
            token.cancel();
        });
        let input = HookInput::from_event(world.wrote("a.c"), "e1");
        let decided = block_on(manager.decide(EventKind::PostToolUse, input, &ctx));
        assert!(decided.is_err(), "cancelled");
    });
    assert!(begin.elapsed() < Duration::from_secs(25));
    assert_eq!(world.read("a.c"), "text\n");
}
