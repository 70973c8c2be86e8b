//! `sound-alert`

use becket_model::{EventData, HookOutcome, ToolCall};
use becket_testkit::read_when_there;
use serde_json::json;

use crate::world::{World, failure, noting};

#[test]
fn missing_player_is_not_an_error() {
    let world = World::new();
    assert_eq!(
        world.fire("use = 'sound-alert'", world.stop()),
        HookOutcome::none()
    );
}

#[test]
fn each_player_gets_file_and_volume_arguments() {
    for (player, ending, expected) in [
        ("afplay", "aiff", "-t\n15\n-v\n0.40\nFILE"),
        ("paplay", "oga", "--volume=26214\nFILE"),
        ("pw-play", "oga", "--volume=0.40\nFILE"),
        ("canberra-gtk-play", "oga", "--volume=-8.0\n--file=FILE"),
        ("aplay", "wav", "--quiet\nFILE"),
    ] {
        let world = World::new();
        let played = world.path("played");
        world.program(player, &noting(&played));
        let file = world.path(&format!("ding dong.{ending}"));
        std::fs::write(&file, "").expect("written");
        let file = file.to_string_lossy().into_owned();
        let entry = format!("use = 'sound-alert'\noptions = {{ sound = '{file}', volume = 40 }}");
        assert_eq!(world.fire(&entry, world.stop()), HookOutcome::none());
        let said = read_when_there(&played);
        let said: Vec<&str> = said.lines().skip(1).collect();
        assert_eq!(said.join("\n"), expected.replace("FILE", &file), "{player}");
    }
}

#[test]
fn the_system_sound_fits_the_event() {
    let world = World::new();
    let played = world.path("played");
    world.program("canberra-gtk-play", &noting(&played));
    let entry = "use = 'sound-alert'";
    world.fire(entry, world.stop());
    assert!(read_when_there(&played).contains("--id=complete"));
    std::fs::remove_file(&played).expect("removed");
    let call = ToolCall::new("Bash", json!({ "command": "ls" }));
    world.fire(entry, world.event(EventData::PermissionRequest { call }));
    assert!(read_when_there(&played).contains("--id=message"));
}

#[test]
fn hanging_player_does_not_delay_the_agent() {
    let world = World::new();
    let started = world.path("started");
    world.program(
        "afplay",
        &format!("{}\nexec /bin/sleep 600", noting(&started)),
    );
    let begin = std::time::Instant::now();
    assert_eq!(
        world.fire("use = 'sound-alert'", world.stop()),
        HookOutcome::none()
    );
    assert!(begin.elapsed() < std::time::Duration::from_secs(30));
    read_when_there(&started);
}

#[test]
fn sound_can_be_set_per_event() {
    let world = World::new();
    // If it started, the test would find its trace after the other player's.
    let played = world.path("played");
    world.program("afplay", &noting(&played));
    let entry =
        "use = 'sound-alert'\noptions = { events = { stop = 'none', notification = 'system' } }";
    assert_eq!(world.fire(entry, world.stop()), HookOutcome::none());
    let data = EventData::Notification {
        kind: None,
        message: "hello".into(),
    };
    world.fire(entry, world.event(data));
    assert!(read_when_there(&played).contains("Ping.aiff"));
}

#[test]
fn missing_sound_file_is_an_error() {
    let world = World::new();
    let entry = "use = 'sound-alert'\noptions = { sound = '/no/such/ding.wav' }";
    let outcome = world.fire(entry, world.stop());
    assert_eq!(
        failure(&outcome),
        "hook `sound-alert` failed: sound file `/no/such/ding.wav` not found"
    );
}
