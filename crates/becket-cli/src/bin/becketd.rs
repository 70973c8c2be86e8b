//! The large program behind it.

use std::process::ExitCode;

fn main() -> ExitCode {
    becket_cli::becketd()
}
