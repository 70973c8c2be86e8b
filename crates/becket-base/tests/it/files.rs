//! Atomic writes, rotation and locks on real files.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use becket_base::fs::{AtomicFile, FileSync, LockRetry, RotatingFile, open_private, write_private};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("there").permissions().mode() & 0o777
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("a directory");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name().into_string())
        .collect::<Result<_, _>>()
        .expect("UTF-8");
    names.sort();
    names
}

#[test]
fn file_is_replaced_as_a_whole_and_stays_private() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("deep/state/logins");
    for sync in [FileSync::BeforeRename, FileSync::Skip] {
        write_private(&path, b"a longer first text", sync).expect("written");
        write_private(&path, b"second", sync).expect("replaced");
        assert_eq!(fs::read(&path).expect("readable"), b"second");
    }
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(&dir.path().join("deep")), 0o700);
    assert_eq!(mode(&dir.path().join("deep/state")), 0o700);
    assert_eq!(names(&dir.path().join("deep/state")), ["logins"]);
}

#[test]
fn dropped_file_leaves_the_old_content_and_no_temporary_file() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("settings.json");
    fs::write(&path, "old").expect("written");
    let mut file = AtomicFile::create(&path, 0o644).expect("created");
    file.write_all(b"new").expect("written");
    assert_eq!(names(dir.path()).len(), 2);
    drop(file);
    assert_eq!(names(dir.path()), ["settings.json"]);
    assert_eq!(fs::read(&path).expect("readable"), b"old");
}

#[test]
fn concurrent_writers_of_one_path_do_not_mix() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("one");
    let texts: Vec<String> = (0..8).map(|n| n.to_string().repeat(10_000)).collect();
    std::thread::scope(|scope| {
        for text in &texts {
            scope.spawn(|| write_private(&path, text.as_bytes(), FileSync::Skip).expect("written"));
        }
    });
    let kept = fs::read_to_string(&path).expect("readable");
    assert!(texts.contains(&kept));
    assert_eq!(names(dir.path()), ["one"]);
}

#[test]
fn mode_is_set_exactly_and_survives_the_rename() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("run");
    let file = AtomicFile::create(&path, 0o600).expect("created");
    file.set_mode(0o777).expect("set");
    file.commit(FileSync::Skip).expect("renamed");
    assert_eq!(mode(&path), 0o777);
}

#[test]
fn log_is_rotated_and_old_files_are_deleted() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("log");
    for number in 0..8 {
        // Each pair of lines comes from a new writer, which opens the file again.
        let mut log = RotatingFile::new(&path, 30, 2);
        for half in ["a", "b"] {
            let line = format!("line number {number}{half}\n");
            log.append(line.as_bytes()).expect("written");
        }
    }
    let read = |name: &str| fs::read_to_string(dir.path().join(name)).expect("there");
    assert_eq!(names(dir.path()), ["log", "log.1", "log.2"]);
    assert_eq!(read("log"), "line number 7a\nline number 7b\n");
    assert_eq!(read("log.2"), "line number 5a\nline number 5b\n");
    assert_eq!(mode(&path), 0o600);
}

#[test]
fn writer_with_the_old_file_rotates_no_second_time() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("log");
    let mut one = RotatingFile::new(&path, 5, 3);
    let mut other = RotatingFile::new(&path, 5, 3);
    one.append(b"1234\n").expect("written");
    // Both have the first file open, and it is full for both.
    other.append(b"5678\n").expect("written");
    one.append(b"9\n").expect("written");
    let all: String = names(dir.path())
        .iter()
        .map(|name| fs::read_to_string(dir.path().join(name)).expect("there"))
        .collect();
    for line in ["1234\n", "5678\n", "9\n"] {
        assert_eq!(all.matches(line).count(), 1, "{all}");
    }
    assert_eq!(names(dir.path()), ["log", "log.1", "log.2"]);
}

#[test]
fn rotation_can_be_off_and_can_keep_nothing() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("log");
    let mut log = RotatingFile::new(&path, 0, 3);
    log.append(b"first\n").expect("written");
    log.append(b"second\n").expect("written");
    assert_eq!(names(dir.path()), ["log"]);
    let mut log = RotatingFile::new(&path, 1, 0);
    log.append(b"third\n").expect("written");
    assert_eq!(names(dir.path()), ["log"]);
    assert_eq!(fs::read(&path).expect("readable"), b"third\n");
}

#[test]
fn log_is_a_regular_file() {
    let mut log = RotatingFile::new("/dev/null", 0, 0);
    let error = log.append(b"line\n").expect_err("a device");
    assert_eq!(error.to_string(), "not a regular file");
}

#[test]
fn lock_is_exclusive_and_has_a_timeout() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("lock");
    let lock = |file: &File, timeout| LockRetry::new(timeout).lock(file).expect("locks work");
    let first = open_private(&path).expect("created");
    let second = open_private(&path).expect("opened");
    assert!(lock(&first, Duration::ZERO));
    assert!(!lock(&second, Duration::from_millis(1)));
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| lock(&second, Duration::from_secs(60)));
        drop(first);
        assert!(waiting.join().expect("no panic"));
    });
}
