//! Finds and executes the full binary, which is installed next to the small hook client.

use std::fs::File;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use crate::exit::Exit;

/// The small program that agents run.
pub(crate) const HOOK_CLIENT: &str = "becket";
/// The full binary, with all other commands.
pub(crate) const FULL_BINARY: &str = "becketd";

/// The path of a program in this program's directory.
pub(crate) fn sibling_path(name: &str) -> std::io::Result<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name(name))
}

/// Replaces this process by the full binary with the same arguments. Returns only on failure.
pub(crate) fn exec_or_fail() -> Exit {
    let error = exec(None);
    let _ = writeln!(std::io::stderr(), "becket: {error}");
    Exit::Failure
}

/// Like [`exec_or_fail`], with another standard input. Returns the error.
pub(crate) fn exec(stdin: Option<File>) -> String {
    let hint = format!(
        "\nhint: `{HOOK_CLIENT}` and `{FULL_BINARY}` must be in the same directory; install both again"
    );
    let path = match sibling_path(FULL_BINARY) {
        Ok(path) => path,
        Err(error) => return format!("cannot find the path of this program: {error}{hint}"),
    };
    let mut command = Command::new(&path);
    command.args(std::env::args_os().skip(1));
    if let Some(stdin) = stdin {
        command.stdin(stdin);
    }
    let error = command.exec();
    format!("cannot start {}: {error}{hint}", path.display())
}
