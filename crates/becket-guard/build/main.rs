//! Turns the tables below `data/` into static slices, so that nothing is parsed at run time.
#![expect(clippy::print_stdout, reason = "Cargo reads standard output")]

mod data_file;
mod packs;
mod programs;
mod rules;
mod tokens;
mod words;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use data_file::DataError;

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=data");
    match generate() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("cargo::error=crates/becket-guard/{error}");
            ExitCode::FAILURE
        }
    }
}

fn generate() -> Result<(), DataError> {
    let directory = std::env::var_os("OUT_DIR").map(PathBuf::from);
    let directory = directory.ok_or("OUT_DIR is not set: run this program through Cargo")?;
    let rules = rules::Rules::read()?;
    let packs = packs::PackTables::read(&rules)?;
    for (name, code) in [
        ("rules.rs", rules.code()),
        ("tools.rs", packs.tools()),
        ("git_subcommands.rs", packs.git_subcommands()),
        ("sql_clients.rs", packs.sql_clients()),
        ("wrappers.rs", programs::wrappers()?),
        ("read_only.rs", programs::read_only()?),
        ("readers.rs", programs::readers()?),
        ("programs.rs", words::programs()?),
        ("secret_words.rs", words::secret_words()?),
        ("paths.rs", words::paths()?),
        ("tokens.rs", tokens::code()?),
    ] {
        write(&directory.join(name), &code)?;
    }
    Ok(())
}

fn write(path: &Path, code: &str) -> Result<(), DataError> {
    std::fs::write(path, code).map_err(|error| format!("cannot write {}: {error}", path.display()))
}
