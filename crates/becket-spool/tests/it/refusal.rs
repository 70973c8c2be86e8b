//! Where a spool refuses to work, and how it says so.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use becket_spool::{Error, ErrorKind, Fate, Spool};
use rustix::fs::{CWD, FileType, Mode};

use crate::child::{APPENDED, REFUSED, appender, playing};
use crate::{append, drained, numbers_of, place, spool};

const NOBODY: u32 = 65534;

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("chmod");
}

/// What every way in says about this spool.
fn refusals(spool: &Spool) -> Vec<Error> {
    vec![
        spool.append(b"{}").expect_err("append"),
        spool.tail(1).expect_err("tail"),
        spool.status().expect_err("status"),
        spool
            .drain(|_| Ok::<_, Error>(Fate::Consumed))
            .expect_err("drain"),
    ]
}

#[test]
fn a_directory_that_others_may_write_to_is_refused() {
    for mode in [0o770, 0o707, 0o1777, 0o720] {
        let place = place();
        let path = place.path().join("spool");
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
    let place = place();
    let path = if is_root() {
        let path = place.path().join("spool");
        fs::create_dir(&path).expect("mkdir");
        chmod(&path, 0o700);
        std::os::unix::fs::chown(&path, Some(NOBODY), None).expect("chown");
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
    let place = place();
    let target = place.path().join("target");
    fs::create_dir(&target).expect("mkdir");
    chmod(&target, 0o700);
    symlink(&target, place.path().join("spool")).expect("symlink");
    for error in refusals(&spool(&place)) {
        assert!(matches!(error.kind, ErrorKind::SymbolicLink), "{error}");
    }
    assert_eq!(fs::read_dir(&target).expect("still there").count(), 0);
}

#[test]
fn a_file_in_the_place_of_the_directory_is_refused() {
    let place = place();
    fs::write(place.path().join("spool"), "").expect("written");
    for error in refusals(&spool(&place)) {
        assert!(matches!(error.kind, ErrorKind::NotADirectory), "{error}");
    }
}

#[test]
fn links_in_the_place_of_files_are_neither_written_nor_read() {
    let place = place();
    let spool = spool(&place);
    append(&spool, "1");
    let dir = place.path().join("spool");
    let victim = place.path().join("victim");
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
fn a_link_in_the_place_of_set_aside_keeps_the_segment() {
    let place = place();
    let spool = spool(&place);
    append(&spool, "no json");
    let target = place.path().join("target");
    fs::create_dir(&target).expect("mkdir");
    symlink(&target, place.path().join("spool/set-aside")).expect("symlink");
    let error = spool
        .drain(|_| Ok::<_, Error>(Fate::Consumed))
        .expect_err("a link is not followed");
    assert!(matches!(error.kind, ErrorKind::SymbolicLink), "{error}");
    assert_eq!(fs::read_dir(&target).expect("still there").count(), 0);
    fs::remove_file(place.path().join("spool/set-aside")).expect("removed");
    assert_eq!(spool.status().expect("status").segments, 1);
}

#[test]
fn what_is_no_file_is_refused_without_waiting() {
    let started = Instant::now();
    for kind in ["pipe", "directory"] {
        let place = place();
        let spool = spool(&place);
        append(&spool, "1");
        let active = place.path().join("spool/events.jsonl");
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

/// The superuser may write anywhere, so somebody else has to try.
#[test]
fn a_directory_that_cannot_be_written_to_gives_a_clear_error() {
    let place = place();
    chmod(place.path(), 0o755);
    let dir = place.path().join("spool");
    fs::create_dir(&dir).expect("mkdir");
    let binary = place.path().join("test-binary");
    fs::copy(
        std::env::current_exe().expect("this test has a binary"),
        &binary,
    )
    .expect("copied");
    chmod(&binary, 0o755);
    let mut child = playing(binary, &dir, 0, 1, 10);
    if is_root() {
        std::os::unix::fs::chown(&dir, Some(NOBODY), Some(NOBODY)).expect("chown");
        child.uid(NOBODY).gid(NOBODY).current_dir("/");
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

/// A limit on the size of files fails a write in its middle, as a full disk does.
#[test]
fn a_full_disk_gives_a_clear_error_and_no_half_record() {
    let place = place();
    let dir = place.path().join("spool");
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
    let spool = spool(&place);
    append(&spool, "{\"after\":true}");
    let records = drained(&spool);
    assert_eq!(numbers_of(&records, 3), (0..promised).collect::<Vec<_>>());
    assert_eq!(records.last().map(String::as_str), Some("{\"after\":true}"));
}
