//! Tests of the lab itself, with real clients and hooks that are plain shell commands.
//!
//! Tests of Becket rely on what these tests show: tools run, hooks fire, requests to the model are recorded, and nothing
//! leaves the machine. [`every`] has the tests for every client, [`claude`], [`codex`] and [`kimi`] those for one.

use std::process::ExitCode;

use becket_lab::harness;

mod claude;
mod codex;
mod every;
mod kimi;
mod recorder;

fn main() -> ExitCode {
    let tests = [
        every::tests(),
        claude::tests(),
        codex::tests(),
        kimi::tests(),
    ];
    harness::main(tests.into_iter().flatten().collect())
}
