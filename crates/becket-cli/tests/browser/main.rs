//! The dashboard in Chromium, with sessions that real agents recorded.
//!
//! Claude Code and Codex run against a fake model with Becket connected; then a daemon serves the records, and
//! `web/browser` walks through every page. Each step is a test. The steps share one environment and run in order, one at
//! a time; each opens its own page, so that a filter can leave out any of them.
//!
//! If an agent, Chromium or the packages of `web` are missing, the tests are skipped and the last lines say so, unless
//! `BECKET_REQUIRE_BROWSER` is set. A failing step leaves a screenshot in `target/browser`.

mod recorded;
mod walk;

use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use becket_base::sync::MutexExt;
use becket_lab::harness::{self, Test, TestResult};

use walk::{Walk, WalkError};

/// The walk, started by the first test that needs it, or why there is none.
type Shared = Arc<Mutex<Option<Result<Walk, WalkError>>>>;

fn main() -> ExitCode {
    let shared = Shared::default();
    let tests = match walk::steps() {
        Ok(names) => names.into_iter().map(|name| test(name, &shared)).collect(),
        Err(trouble) => vec![Test::new("browser", move |_| Err(trouble.as_error()))],
    };
    let code = harness::main(tests);
    // Statics are not dropped at program exit, but the daemon must be stopped.
    drop(shared);
    code
}

fn test(name: String, shared: &Shared) -> Test {
    let shared = Arc::clone(shared);
    Test::new(name.clone(), move |_| step(&name, &shared))
}

fn step(name: &str, shared: &Shared) -> TestResult {
    let mut shared = shared.lock_ignoring_poison();
    match shared.get_or_insert_with(Walk::begin) {
        Ok(walk) => walk.step(name),
        Err(trouble) => Err(trouble.as_error()),
    }
}
