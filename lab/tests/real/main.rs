//! The lab itself, with real clients and hooks that are plain shell commands.
//!
//! What these tests prove of the kit, tests of Becket may rely on: tools run, hooks fire, what the
//! client tells the model is recorded, and nothing leaves the machine. [`every`] has the tests that
//! every client passes, [`claude`] and [`codex`] those of one.

use std::process::ExitCode;

use becket_lab::harness;

mod claude;
mod codex;
mod every;
mod recorder;

fn main() -> ExitCode {
    let tests = [every::tests(), claude::tests(), codex::tests()];
    harness::main(tests.into_iter().flatten().collect())
}
