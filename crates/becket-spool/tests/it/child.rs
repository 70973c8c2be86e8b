//! Child processes: this test binary, started again with a role.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use becket_spool::Spool;

use crate::{numbered, patient};

const ROLE: &str = "BECKET_SPOOL_TEST_ROLE";
const DIR: &str = "BECKET_SPOOL_TEST_DIR";
const WRITER: &str = "BECKET_SPOOL_TEST_WRITER";
const COUNT: &str = "BECKET_SPOOL_TEST_COUNT";
const PADDING: &str = "BECKET_SPOOL_TEST_PADDING";

/// Printed by a child after each appended record.
pub(crate) const APPENDED: &str = "appended ";
/// Printed by a child when a record was refused.
pub(crate) const REFUSED: &str = "refused: ";

/// A process that appends `count` records of `writer` to the spool in `dir`.
pub(crate) fn appender(dir: &Path, writer: u64, count: u64, padding: usize) -> Command {
    playing(
        std::env::current_exe().expect("this test has a binary"),
        dir,
        writer,
        count,
        padding,
    )
}

/// Like [`appender`], from another binary.
pub(crate) fn playing(
    binary: PathBuf,
    dir: &Path,
    writer: u64,
    count: u64,
    padding: usize,
) -> Command {
    let mut command = Command::new(binary);
    command
        .args([
            "child::plays_its_part",
            "--exact",
            "--ignored",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(ROLE, "append")
        .env(DIR, dir)
        .env(WRITER, writer.to_string())
        .env(COUNT, count.to_string())
        .env(PADDING, padding.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    command
}

#[test]
#[ignore = "started by other tests, as another process"]
fn plays_its_part() {
    let Ok(_) = std::env::var(ROLE) else { return };
    let number = |name: &str| {
        std::env::var(name)
            .ok()
            .and_then(|text| text.parse::<u64>().ok())
            .unwrap_or_default()
    };
    let spool = Spool::with_options(std::env::var_os(DIR).unwrap_or_default(), patient());
    let padding = usize::try_from(number(PADDING)).unwrap_or_default();
    let mut out = std::io::stdout().lock();
    for n in 0..number(COUNT) {
        let said = match spool.append(numbered(number(WRITER), n, padding).as_bytes()) {
            Ok(()) => format!("{APPENDED}{n}"),
            Err(error) => format!("{REFUSED}{error}"),
        };
        if writeln!(out, "{said}").is_err() || said.starts_with(REFUSED) {
            return;
        }
    }
}
