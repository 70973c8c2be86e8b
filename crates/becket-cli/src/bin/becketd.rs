//! `becketd`, the full binary behind every command but `becket hook`.

use std::process::ExitCode;

fn main() -> ExitCode {
    becket_cli::becketd()
}
