//! The dashboard in Chromium, with what real agents left on record.
//!
//! Claude Code and Codex work against a fake model, with Becket connected; then a daemon serves what they did, and
//! `web/browser` walks through every page. Each step of that walk is a test. They share one world and run in their order, one
//! at a time; each goes to its page by itself, so that a filter may leave any of them out.
//!
//! Where an agent, Chromium or the packages of `web` cannot be had, the tests are skipped and the last lines say so, unless
//! `BECKET_REQUIRE_BROWSER` is set. A step that fails leaves a picture in `target/browser`.

mod recorded;
mod walk;

use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use becket_lab::harness::{self, Test, TestResult};

use walk::{Trouble, Walk};

/// The walk, begun by the first test that needs it, or why there is none.
type Shared = Arc<Mutex<Option<Result<Walk, Trouble>>>>;

fn main() -> ExitCode {
    let shared = Shared::default();
    let tests = match walk::steps() {
        Ok(names) => names.into_iter().map(|name| test(name, &shared)).collect(),
        Err(trouble) => vec![Test::new("browser", move |_| Err(trouble.as_error()))],
    };
    let code = harness::main(tests);
    // Statics and their like are not dropped at the end of a program, and a daemon must not stay.
    drop(shared);
    code
}

fn test(name: String, shared: &Shared) -> Test {
    let shared = Arc::clone(shared);
    Test::new(name.clone(), move |_| step(&name, &shared))
}

fn step(name: &str, shared: &Shared) -> TestResult {
    let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
    match shared.get_or_insert_with(Walk::begin) {
        Ok(walk) => walk.step(name),
        Err(trouble) => Err(trouble.as_error()),
    }
}
