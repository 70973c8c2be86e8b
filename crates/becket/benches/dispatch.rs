//! The cost of an event that no hook matches.
#![allow(missing_docs, reason = "a benchmark")]

use becket::{FnHook, HookContext, HookEvent, HookInput, HookManager, HookOutput};
use futures_lite::future::block_on;
use regex::Regex;
use serde_json::json;

fn main() {
    divan::main();
}

fn hundred(matcher: Option<&str>, event: &HookEvent) -> HookManager {
    let mut manager = HookManager::new();
    for number in 0..100 {
        let hook = FnHook::new(format!("hook-{number}"), [event.clone()], |_, _| async {
            Ok(HookOutput::allow())
        });
        manager.register(match matcher {
            Some(pattern) => hook.matcher(Regex::new(pattern).expect("a pattern")),
            None => hook,
        });
    }
    manager
}

fn dispatch(bencher: divan::Bencher<'_, '_>, manager: &HookManager) {
    let ctx = HookContext::new("s");
    bencher
        .with_inputs(|| HookInput::pre_tool_use("s", "Read", json!({ "file_path": "src/main.rs" })))
        .bench_values(|input| block_on(manager.execute(HookEvent::PreToolUse, input, &ctx)));
}

#[divan::bench]
fn hundred_hooks_for_another_event(bencher: divan::Bencher<'_, '_>) {
    dispatch(bencher, &hundred(None, &HookEvent::Stop));
}

#[divan::bench]
fn hundred_hooks_for_another_tool(bencher: divan::Bencher<'_, '_>) {
    dispatch(
        bencher,
        &hundred(Some("^(Bash|Write)$"), &HookEvent::PreToolUse),
    );
}
