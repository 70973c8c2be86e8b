//! `becket`, the small hook client that agents start.

use std::process::ExitCode;

fn main() -> ExitCode {
    becket_cli::becket()
}
