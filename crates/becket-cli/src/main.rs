//! The small program that agents start.

use std::process::ExitCode;

fn main() -> ExitCode {
    becket_cli::becket()
}
