//! The two programs find each other: they are installed in one directory.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use crate::exit::Exit;

/// The program that agents start.
pub(crate) const SMALL: &str = "becket";
/// The program that knows everything else.
const LARGE: &str = "becketd";

/// The program of that name beside this one.
pub(crate) fn beside(name: &str) -> std::io::Result<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name(name))
}

/// Goes on as `becketd`, with the same arguments. Returns only when that is impossible.
pub(crate) fn become_becketd() -> Exit {
    let error = match beside(LARGE) {
        Ok(path) => {
            let error = Command::new(&path).args(std::env::args_os().skip(1)).exec();
            format!("{} cannot be started: {error}", path.display())
        }
        Err(error) => format!("own path unknown: {error}"),
    };
    let _ = writeln!(
        std::io::stderr(),
        "becket: {error}\nhint: `becket` and `{LARGE}` belong in one directory; install both again"
    );
    Exit::Failure
}
