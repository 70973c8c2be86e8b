//! The two programs find each other: they are installed in one directory.

use std::fs::File;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use crate::exit::Exit;

/// The program that agents start.
pub(crate) const SMALL: &str = "becket";
/// The program that knows everything else.
pub(crate) const LARGE: &str = "becketd";

/// The program of that name beside this one.
pub(crate) fn beside(name: &str) -> std::io::Result<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name(name))
}

/// Goes on as `becketd`, with the same arguments. Returns only when that is impossible.
pub(crate) fn become_becketd() -> Exit {
    let error = go_on_as_becketd(None);
    let _ = writeln!(std::io::stderr(), "becket: {error}");
    Exit::Failure
}

/// The same, with another standard input; returns why it is impossible.
pub(crate) fn go_on_as_becketd(stdin: Option<File>) -> String {
    let hint =
        format!("\nhint: `{SMALL}` and `{LARGE}` belong in one directory; install both again");
    let path = match beside(LARGE) {
        Ok(path) => path,
        Err(error) => return format!("own path unknown: {error}{hint}"),
    };
    let mut command = Command::new(&path);
    command.args(std::env::args_os().skip(1));
    if let Some(stdin) = stdin {
        command.stdin(stdin);
    }
    let error = command.exec();
    format!("{} cannot be started: {error}{hint}", path.display())
}
