//! When a spool refuses to work, and its error messages.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use becket_spool::{Disposition, Error, ErrorKind, Spool};
use rustix::fs::{CWD, FileType, Mode};

use crate::child::{APPENDED, REFUSED, appender, playing};
use crate::{append, drained, numbers_of, spool, temp_dir};

const NOBODY_UID: u32 = 65534;

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("chmod");
}

/// The errors of all operations on this spool.
fn refusals(spool: &Spool) -> Vec<Error> {
    vec![
        spool.append(b"{}").expect_err("append"),
        spool.tail(1).expect_err("tail"),
        spool.status().expect_err("status"),
        spool
            .drain(|_| Ok::<_, Error>(Disposition::Consumed))
            .expect_err("drain"),
    ]
}

#[test]
fn a_directory_that_others_may_write_to_is_refused() {
    for mode in [0o770, 0o707, 0o1777, 0o720] {
        let temp_dir = temp_dir();
        let path = temp_dir.path().join("spool");
        fs::create_dir(&path).expect("mkdir");
        chmod(&path, mode);
        for error in refusals(&Spool::open(&path)) {
            assert!(
                matches!(error.kind, ErrorKind::WritableByOthers { .. }),
                "{error}"
            );
            assert!(error.to_string().contains("chmod 700"), "{error}");
        }
    }
}

#[test]
fn a_directory_of_another_user_is_refused() {
    let temp_dir = temp_dir();
    let path = if is_root() {
        let path = temp_dir.path().join("spool");
        fs::create_dir(&path).expect("mkdir");
        chmod(&path, 0o700);
        std::os::unix::fs::chown(&path, Some(NOBODY_UID), None).expect("chown");
        path
    } else {
        "/".into()
    };
    for error in refusals(&Spool::open(path)) {
        assert!(
            matches!(error.kind, ErrorKind::ForeignOwner { .. }),
            "{error}"
        );
    }
}

#[test]
fn a_link_in_the_place_of_the_directory_is_refused() {
    let temp_dir = temp_dir();
    let target = temp_dir.path().join("target");
    fs::create_dir(&target).expect("mkdir");
    chmod(&target, 0o700);
    symlink(&target, temp_dir.path().join("spool")).expect("symlink");
    for error in refusals(&spool(&temp_dir)) {
        assert!(matches!(error.kind, ErrorKind::SymbolicLink), "{error}");
    }
    assert_eq!(fs::read_dir(&target).expect("still there").count(), 0);
}

#[test]
fn a_file_in_the_place_of_the_directory_is_refused() {
    let temp_dir = temp_dir();
    fs::write(temp_dir.path().join("spool"), "").expect("written");
    for error in refusals(&spool(&temp_dir)) {
        assert!(matches!(error.kind, ErrorKind::NotADirectory), "{error}");
    }
}

#[test]
fn links_in_the_place_of_files_are_neither_written_nor_read() {
    let temp_dir = temp_dir();
    let spool = spool(&temp_dir);
    append(&spool, "1");
    let dir = temp_dir.path().join("spool");
    let victim = temp_dir.path().join("victim");
    fs::write(&victim, "{\"secret\":true}\n").expect("written");
    fs::rename(
        dir.join("events.jsonl"),
        dir.join("segment-00000000000000000001.jsonl"),
    )
    .expect("renamed");
    for name in [
        "events.jsonl",
        "segment-00000000000000000002.jsonl",
        "event-1-00000000000000000003.jsonl",
    ] {
        symlink(&victim, dir.join(name)).expect("symlink");
    }
    let error = spool.append(b"2").expect_err("a link is not followed");
    assert!(matches!(error.kind, ErrorKind::SymbolicLink), "{error}");
    assert_eq!(crate::tail(&spool, 10), ["1"]);
    fs::remove_file(dir.join("events.jsonl")).expect("removed");
    assert_eq!(drained(&spool), ["1"]);
    assert_eq!(
        fs::read_to_string(&victim).expect("still there"),
        "{\"secret\":true}\n"
    );
}

#[test]
fn symlinked_quarantine_directory_keeps_the_segment() {
    let temp_dir = temp_dir();
    let spool = spool(&temp_dir);
    append(&spool, "no json");
    let target = temp_dir.path().join("target");
    fs::create_dir(&target).expect("mkdir");
    symlink(&target, temp_dir.path().join("spool/set-aside")).expect("symlink");
    let error = spool
        .drain(|_| Ok::<_, Error>(Disposition::Consumed))
        .expect_err("a link is not followed");
    assert!(matches!(error.kind, ErrorKind::SymbolicLink), "{error}");
    assert_eq!(fs::read_dir(&target).expect("still there").count(), 0);
    fs::remove_file(temp_dir.path().join("spool/set-aside")).expect("removed");
    assert_eq!(spool.status().expect("status").segments, 1);
}

#[test]
fn non_regular_files_are_refused_without_blocking() {
    let started = Instant::now();
    for kind in ["pipe", "directory"] {
        let temp_dir = temp_dir();
        let spool = spool(&temp_dir);
        append(&spool, "1");
        let active = temp_dir.path().join("spool/events.jsonl");
        fs::remove_file(&active).expect("removed");
        if kind == "pipe" {
            rustix::fs::mknodat(CWD, &active, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)
                .expect("mkfifo");
        } else {
            fs::create_dir(&active).expect("mkdir");
        }
        let error = spool.append(b"2").expect_err("not a file");
        assert!(matches!(error.kind, ErrorKind::NotAFile), "{error}");
    }
    assert!(started.elapsed() < Duration::from_secs(20));
}

/// Root can write anywhere, so another user has to try.
#[test]
fn a_directory_that_cannot_be_written_to_gives_a_clear_error() {
    let temp_dir = temp_dir();
    chmod(temp_dir.path(), 0o755);
    let dir = temp_dir.path().join("spool");
    fs::create_dir(&dir).expect("mkdir");
    let binary = temp_dir.path().join("test-binary");
    fs::copy(
        std::env::current_exe().expect("this test has a binary"),
        &binary,
    )
    .expect("copied");
    chmod(&binary, 0o755);
    let mut child = playing(binary, &dir, 0, 1, 10);
    if is_root() {
        std::os::unix::fs::chown(&dir, Some(NOBODY_UID), Some(NOBODY_UID)).expect("chown");
        child.uid(NOBODY_UID).gid(NOBODY_UID).current_dir("/");
    }
    chmod(&dir, 0o500);
    let said = child.output().expect("a child runs");
    chmod(&dir, 0o700);
    let said = String::from_utf8_lossy(&said.stdout);
    assert!(
        said.contains(REFUSED) && said.contains("cannot be written to"),
        "{said}"
    );
    assert!(said.contains("events.jsonl"), "{said}");
}

/// A file size limit fails a write half-way, as a full disk does.
#[test]
fn full_disk_gives_a_clear_error_and_no_partial_record() {
    let temp_dir = temp_dir();
    let dir = temp_dir.path().join("spool");
    let wanted = appender(&dir, 3, 1000, 1000);
    let mut child = Command::new("sh");
    child
        .args(["-c", "trap '' XFSZ; ulimit -f 64; exec \"$0\" \"$@\""])
        .arg(wanted.get_program());
    child
        .args(wanted.get_args())
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    for (name, value) in wanted.get_envs() {
        child.env(name, value.expect("set above"));
    }
    let output = child.output().expect("a child runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        said.contains(REFUSED) && said.contains("the disk is full"),
        "{said}"
    );
    let promised = u64::try_from(said.matches(APPENDED).count()).expect("few");
    assert!(promised > 10, "{said}");

    let content = fs::read(dir.join("events.jsonl")).expect("readable");
    assert!(content.ends_with(b"}\n"), "half a record was left");
    let spool = spool(&temp_dir);
    append(&spool, "{\"after\":true}");
    let records = drained(&spool);
    assert_eq!(numbers_of(&records, 3), (0..promised).collect::<Vec<_>>());
    assert_eq!(records.last().map(String::as_str), Some("{\"after\":true}"));
}
