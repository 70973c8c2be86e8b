//! A full disk, a read-only disk, and corrupt data.

use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use becket_store::{CheckDepth, StoreReader};
use becket_testkit::wait_for;
use serde_json::{Value, json};

use crate::socket::Line;
use crate::world::{World, prompt, record};

fn set_aside(world: &World) -> PathBuf {
    std::fs::read_dir(world.state())
        .expect("a directory")
        .map(|entry| entry.expect("an entry").path())
        .find(|path| path.to_string_lossy().contains("becket.db.damaged-"))
        .expect("it is kept")
}

/// There is no database while a corrupt one is being replaced.
fn is_kept(world: &World, id: &str) -> bool {
    let reader = StoreReader::open(world.state().join("becket.db"));
    let event = reader.and_then(|reader| reader.event(id));
    event.is_ok_and(|event| event.is_some())
}

#[test]
fn corrupt_database_is_replaced_and_the_spool_is_ingested() {
    let mut world = World::asleep();
    let damaged = b"this was a database once, and is none any more".repeat(1000);
    std::fs::write(world.state().join("becket.db"), &damaged).expect("written");
    for number in 0..3 {
        world.append(&prompt(&format!("e{number}")));
    }
    world.start().expect("a daemon starts all the same");
    wait_for("the spool is emptied", || {
        world.reader().last_seq().expect("a database") == 3
    });
    assert_eq!(world.metric("becket_databases_set_aside_total "), 1);
    let kept = std::fs::read(set_aside(&world)).expect("readable");
    assert_eq!(kept, damaged);
}

/// Corrupts one of ten parts of a file.
fn damage(database: &Path, part: u64) {
    let mut file = std::fs::OpenOptions::new()
        .write(true)
        .open(database)
        .expect("a database");
    let length = file.metadata().expect("a length").len();
    let (from, to) = (length * part / 10, length * (part + 1) / 10);
    file.seek(SeekFrom::Start(from)).expect("found");
    let noise = vec![0xa5; usize::try_from(to - from).expect("small")];
    file.write_all(&noise).expect("written");
}

#[test]
fn records_after_a_corruption_are_never_lost() {
    let mut world = World::new();
    let mut line = Line::to(&world);
    for number in 0..300 {
        let request = json!({ "do": "record", "record": prompt(&format!("old{number:03}")) });
        assert_eq!(line.ask(&request)["ok"], true);
    }
    drop(line);
    world.stop();
    let sound = std::fs::read(world.state().join("becket.db")).expect("readable");
    let found: Vec<_> = (0..10).map(|part| found_in(&sound, part)).collect();
    assert!(found.contains(&Found::AtTheStart), "{found:?}");
    assert!(found.contains(&Found::Later), "{found:?}");
}

#[derive(Debug, PartialEq)]
enum Found {
    AtTheStart,
    Later,
    /// No write touched the corrupt part.
    NotYet,
}

fn found_in(sound: &[u8], part: u64) -> Found {
    let set_aside_total = "becket_databases_set_aside_total ";
    let mut world = World::asleep();
    let database = world.state().join("becket.db");
    std::fs::write(&database, sound).expect("written");
    damage(&database, part);
    world.start().expect("a daemon starts all the same");
    let at_the_start = world.metric(set_aside_total);
    for number in 0..3 {
        world.append(&prompt(&format!("new{number}")));
    }
    assert_eq!(Line::to(&world).ask(&json!({ "do": "notify" }))["ok"], true);
    world.oak(
        "prompt-submit",
        json!({ "prompt": "more", "session_id": "s2" }),
    );
    wait_for("the spool is emptied", || is_kept(&world, "new2"));
    let later = world.metric(set_aside_total);
    world.stop();
    assert!(is_kept(&world, "new0") && is_kept(&world, "new1"));
    if later == 0 {
        return Found::NotYet;
    }
    assert!(later == 1 && set_aside(&world).is_file());
    let checked = world.reader().check(CheckDepth::Full).expect("a check");
    assert_eq!(checked.problems, [""; 0]);
    if at_the_start == 1 {
        Found::AtTheStart
    } else {
        Found::Later
    }
}

/// The error with its causes, as a user sees it.
pub(crate) fn refusal(world: &mut World) -> String {
    let error = world.start().expect_err("it cannot start");
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

#[test]
fn unusable_state_directory_is_named_in_the_error() {
    let mut world = World::asleep();
    std::fs::create_dir(world.state().join("becket.db")).expect("created");
    let text = refusal(&mut world);
    assert!(
        text.contains("becket.db") && text.contains("database"),
        "{text}"
    );

    let mut world = World::asleep();
    std::fs::write(world.state().join("daemon"), "").expect("written");
    let text = refusal(&mut world);
    assert!(text.contains("/daemon`"), "{text}");
}

#[test]
fn unreadable_state_directory_is_named_in_the_error() {
    let mut world = World::asleep();
    let state = world.state().to_owned();
    let allow = |mode| {
        std::fs::set_permissions(&state, std::fs::Permissions::from_mode(mode)).expect("changed");
    };
    allow(0o500);
    if std::fs::create_dir(state.join("probe")).is_ok() {
        skip("modes mean nothing to this user");
        return;
    }
    let text = refusal(&mut world);
    allow(0o700);
    assert!(
        text.contains("ermission denied") && text.contains("/daemon`"),
        "{text}"
    );
}

#[expect(clippy::print_stderr, reason = "a skipped test must be visible")]
pub(crate) fn skip(why: &str) {
    eprintln!("SKIPPED: {why}");
}

/// Set for the child process with its own disk: the mount point.
const DISK: &str = "BECKET_DAEMON_TEST_DISK";

/// Runs a test of this file in a child process with its own disk.
fn with_a_disk(test: &str, size: &str) {
    let dir = tempfile::tempdir().expect("a directory");
    let unshared = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--mount", "sh", "-c", script, "sh"]);
        command.arg(dir.path()).arg(size);
        command
    };
    let mount = r#"mount -t tmpfs -o "size=$2,mode=700" tmpfs "$1""#;
    let tried = unshared(mount).output();
    if !tried.is_ok_and(|output| output.status.success()) {
        skip("this user may not mount anything");
        return;
    }
    let script = format!(r#"{mount} && shift 2 && exec "$@""#);
    run_inside(unshared(&script), test, dir.path());
}

/// Runs a test of this file through a command.
fn run_inside(mut command: Command, test: &str, dir: &Path) {
    let output = command
        .arg(std::env::current_exe().expect("this test has a binary"))
        .args(["--exact", test, "--nocapture", "--include-ignored"])
        .env(DISK, dir)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}"
    );
}

fn disk() -> PathBuf {
    let disk = std::env::var_os(DISK);
    disk.expect("this runs only in a process with a disk of its own")
        .into()
}

#[test]
fn full_disk_loses_no_acknowledged_record() {
    with_a_disk("disk::inside_a_small_disk", "6m");
}

#[test]
#[ignore = "runs on a small disk of its own"]
fn inside_a_small_disk() {
    let mut world = World::asleep_in(&disk());
    world.start().expect("there is room for a beginning");
    world.append(&prompt("spooled"));
    let filler = fill(&disk().join("filler"));
    let (mut promised, error) = tell_until_refused(&world);
    assert!(error.contains("full"), "{error}");
    // The agent sees no error.
    assert_eq!(
        world.oak("prompt-submit", json!({ "prompt": "no room" })),
        json!({ "status": "ok" })
    );
    let spooled = fill_the_spool(&world, &mut promised);
    assert!(
        spooled.contains("full") || spooled.contains("No space"),
        "{spooled}"
    );
    assert!(world.metric("becket_failed_commits_total ") > 0);

    std::fs::remove_file(filler).expect("removed");
    wait_for("there is room again", || {
        tell(&world, "after")["ok"] == true
    });
    world.append(&prompt("spooled-after"));
    world.oak("prompt-submit", json!({ "prompt": "room" }));
    world.stop();
    promised.extend(["spooled", "after", "spooled-after"].map(str::to_owned));
    for id in promised {
        assert!(is_kept(&world, &id), "{id}");
    }
    let checked = world.reader().check(CheckDepth::Full).expect("a check");
    assert_eq!(checked.problems, [""; 0]);
}

/// The records acknowledged before the first rejection, and its error.
fn tell_until_refused(world: &World) -> (Vec<String>, String) {
    let mut promised = Vec::new();
    for number in 0..10_000 {
        let id = format!("e{number:04}");
        let answer = tell(world, &id);
        if answer["ok"] != true {
            let why = answer["error"].as_str().expect("a reason");
            return (promised, why.to_owned());
        }
        promised.push(id);
    }
    panic!("the disk is never full");
}

fn tell(world: &World, id: &str) -> Value {
    let payload = json!({ "prompt": format!("{id} {}", "word ".repeat(2000)) });
    let record = record(id, "UserPromptSubmit", "s1", payload);
    Line::to(world).ask(&json!({ "do": "record", "record": record }))
}

/// Appends until the disk is full; returns the error.
fn fill_the_spool(world: &World, promised: &mut Vec<String>) -> String {
    for number in 0..10_000 {
        let id = format!("spool{number:04}");
        if let Err(error) = world.try_append(&prompt(&id)) {
            let cause = std::error::Error::source(&error);
            return format!(
                "{error}: {}",
                cause.map(ToString::to_string).unwrap_or_default()
            );
        }
        promised.push(id);
    }
    panic!("the disk is never full");
}

/// Leaves little free space.
fn fill(path: &Path) -> PathBuf {
    let mut file = std::fs::File::create(path).expect("created");
    while file.write_all(&[0; 4096]).is_ok() {}
    let length = file.metadata().expect("a length").len();
    file.set_len(length.saturating_sub(256 * 1024))
        .expect("shorter");
    path.to_owned()
}

/// Needs no privileges: files of the process are limited to a few megabytes.
#[test]
fn file_size_limit_loses_no_acknowledged_record() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut command = Command::new("sh");
    command.args(["-c", r#"trap "" XFSZ && ulimit -f 8192 && exec "$@""#, "sh"]);
    run_inside(command, "disk::inside_a_limit", dir.path());
}

#[test]
#[ignore = "runs in a process whose files may not grow"]
fn inside_a_limit() {
    let mut world = World::asleep_in(&disk());
    world.start().expect("there is room for a beginning");
    let (promised, error) = tell_until_refused(&world);
    assert!(promised.len() > 10, "{error}");
    assert!(error.contains("becket.db"), "{error}");
    // A small record might still fit.
    let prompt = format!("no room {}", "word ".repeat(20_000));
    let told = world.oak("prompt-submit", json!({ "prompt": prompt }));
    assert_eq!(told, json!({ "status": "ok" }));
    world.stop();
    for id in promised {
        assert!(is_kept(&world, &id), "{id}");
    }
    let checked = world.reader().check(CheckDepth::Full).expect("a check");
    assert_eq!(checked.problems, [""; 0]);
}

#[test]
fn read_only_disk_is_named_in_the_error() {
    with_a_disk("disk::inside_a_read_only_disk", "16m");
}

#[test]
#[ignore = "runs on a disk of its own"]
fn inside_a_read_only_disk() {
    let mut new = World::asleep_in(&disk());
    let mut world = World::asleep_in(&disk());
    world.start().expect("it can be written");
    world.append(&prompt("e1"));
    world.stop();
    world.append(&prompt("e2"));
    remount("ro");
    for (world, named) in [(&mut new, "/daemon`"), (&mut world, "/daemon/lock`")] {
        let text = refusal(world);
        let path = world.state().display().to_string();
        assert!(text.contains("Read-only file system"), "{text}");
        assert!(text.contains(named) && text.contains(&path), "{text}");
    }
    let error = world
        .try_append(&prompt("e3"))
        .expect_err("it cannot be written");
    assert!(error.to_string().contains("/spool"), "{error}");
    remount("rw");
    world.start().expect("it can be written again");
    wait_for("the spool is emptied", || is_kept(&world, "e2"));
    assert!(is_kept(&world, "e1") && !is_kept(&world, "e3"));
}

fn remount(how: &str) {
    let status = Command::new("mount")
        .args(["-o", &format!("remount,{how}")])
        .arg(disk())
        .status();
    assert!(status.expect("it runs").success());
}
