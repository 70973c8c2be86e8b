//! Protection against other users of the machine.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

use becket_spool::notify::{self, NotifyResult};
use serde_json::json;

use crate::disk::{refusal, skip};
use crate::socket::Line;
use crate::world::{World, prompt};

fn change_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("changed");
}

fn with_its_place() -> (World, PathBuf) {
    let world = World::asleep();
    let place = world.place();
    place.prepare().expect("a private directory");
    (world, place.dir().to_owned())
}

fn is_empty(dir: &Path) -> bool {
    fs::read_dir(dir).expect("a directory").next().is_none()
}

#[test]
fn daemon_rejects_a_directory_that_others_can_enter() {
    for mode in [0o755, 0o770, 0o707, 0o711] {
        let (mut world, dir) = with_its_place();
        change_mode(&dir, mode);
        let text = refusal(&mut world);
        assert!(text.contains(&dir.display().to_string()), "{text}");
        assert!(text.contains(&format!("mode {mode:o}")), "{text}");
        assert!(is_empty(&dir), "something was written there");
    }
}

#[test]
fn daemon_rejects_another_users_directory() {
    let (mut world, dir) = with_its_place();
    if chown(&dir, Some(65534), None).is_err() {
        skip("only root can give a directory away");
        return;
    }
    let text = refusal(&mut world);
    assert!(text.contains("belongs to user 65534"), "{text}");
    assert!(is_empty(&dir), "something was written there");
}

#[test]
fn client_does_not_notify_an_unsafe_socket() {
    let world = World::new();
    let place = world.place();
    assert!(matches!(
        notify::notify_daemon(&place, "test"),
        NotifyResult::Delivered
    ));
    for mode in [0o755, 0o770, 0o707] {
        change_mode(place.dir(), mode);
        let reply = notify::notify_daemon(&place, "test");
        let NotifyResult::Refused(error) = reply else {
            panic!("{reply:?}");
        };
        assert!(
            error.to_string().contains(&format!("mode {mode:o}")),
            "{error}"
        );
    }
    change_mode(place.dir(), 0o700);
    assert!(matches!(
        notify::notify_daemon(&place, "test"),
        NotifyResult::Delivered
    ));
}

#[test]
fn token_readable_by_others_is_rejected() {
    for mode in [0o644, 0o640, 0o604] {
        let mut world = World::new();
        world.stop();
        let token = world.place().token();
        change_mode(&token, mode);
        let text = refusal(&mut world);
        assert!(text.contains(&token.display().to_string()), "{text}");
        assert!(text.contains("can be read by other users"), "{text}");
        fs::remove_file(&token).expect("removed");
        world.start().expect("another token is made");
    }
}

#[test]
fn invalid_token_file_is_rejected() {
    let digits = "0123456789abcdef".repeat(4);
    for text in [
        "",
        "0",
        &digits[1..],
        &format!("{digits}0"),
        &digits.replace('a', "g"),
    ] {
        let (mut world, dir) = with_its_place();
        fs::write(dir.join("token"), text).expect("written");
        change_mode(&dir.join("token"), 0o600);
        let refusal = refusal(&mut world);
        assert!(
            refusal.contains("contains no valid token"),
            "{text:?}: {refusal}"
        );
    }
}

#[test]
fn all_files_of_the_daemon_are_private() {
    let world = World::new();
    world.append(&prompt("e1"));
    world.oak("prompt-submit", json!({ "prompt": "hello" }));
    assert_eq!(Line::to(&world).ask(&json!({ "do": "notify" }))["ok"], true);
    let below = |dir: &Path| {
        let entries = fs::read_dir(dir).expect("a directory");
        entries.map(|entry| entry.expect("an entry").path())
    };
    let mut paths: Vec<PathBuf> = below(world.state()).collect();
    let mut names = Vec::new();
    while let Some(path) = paths.pop() {
        // The file was deleted meanwhile.
        let Ok(meta) = fs::symlink_metadata(&path) else {
            continue;
        };
        let mode = meta.mode() & 0o777;
        assert_eq!(mode & 0o077, 0, "{} has mode {mode:o}", path.display());
        if meta.is_dir() {
            paths.extend(below(&path));
        }
        names.extend(
            path.file_name()
                .map(|name| name.to_string_lossy().into_owned()),
        );
    }
    for name in [
        "becket.db",
        "becket.db-wal",
        "becket.db-shm",
        "token",
        "socket",
        "lock",
        "address",
    ] {
        assert!(
            names.iter().any(|known| known == name),
            "{name} in {names:?}"
        );
    }
}
