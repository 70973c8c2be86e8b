//! Turns the tables below `data/` into static slices, so that nothing is parsed at run time.
#![expect(clippy::print_stdout, reason = "Cargo reads standard output")]

mod data_file;
mod prompt_injection;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde::Deserialize;

use data_file::{DataError, DataFile, Sets};

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=data");
    match generate() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("cargo::error=crates/becket-recall/{error}");
            ExitCode::FAILURE
        }
    }
}

fn generate() -> Result<(), DataError> {
    let directory = std::env::var_os("OUT_DIR").map(PathBuf::from);
    let directory = directory.ok_or("OUT_DIR is not set: run this program through Cargo")?;
    for (name, code) in [
        ("terms.rs", terms()?),
        ("skipped_files.rs", skipped_files()?),
        ("prompt_injection.rs", prompt_injection::code()?),
    ] {
        write(&directory.join(name), &code)?;
    }
    Ok(())
}

fn write(path: &Path, code: &str) -> Result<(), DataError> {
    std::fs::write(path, code).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TermFile {
    sets: Sets,
}

fn terms() -> Result<String, DataError> {
    let file = DataFile::read("terms.toml")?;
    file.sets_code(&file.parse::<TermFile>()?.sets)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SkippedFiles {
    generated_phrases: Vec<String>,
    build_directories: Vec<BuildDirectory>,
    sets: Sets,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BuildDirectory {
    directory: String,
    manifests: String,
}

fn skipped_files() -> Result<String, DataError> {
    let file = DataFile::read("skipped-files.toml")?;
    let table: SkippedFiles = file.parse()?;
    let mut code = file.sets_code(&table.sets)?;
    let phrases = &table.generated_phrases;
    let _ = writeln!(code, "static GENERATED_PHRASES: &[&str] = &{phrases:?};");
    code += "static BUILD_DIRECTORIES: &[(&str, &[&str])] = &[\n";
    for BuildDirectory {
        directory,
        manifests,
    } in &table.build_directories
    {
        let manifests: Vec<&str> = manifests.split_whitespace().collect();
        let _ = writeln!(code, "({directory:?}, &{manifests:?}),");
    }
    Ok(code + "];\n")
}
