//! Notifications through the wake FIFO.
#![cfg(not(target_vendor = "apple"))]

use becket_daemon::run::Config;
use becket_spool::notify::{self, NotifyResult};
use becket_testkit::wait_for;

use crate::world::{World, config, prompt};

fn is_delivered(world: &World, version: &str) -> bool {
    let result = notify::notify_daemon(&world.place(), version);
    matches!(result, NotifyResult::Delivered)
}

fn notifications(world: &World) -> u64 {
    world.metric("becket_notifications_total")
}

#[test]
fn notification_needs_no_socket() {
    let world = World::new();
    std::fs::remove_file(world.place().socket()).expect("removed");
    world.append(&prompt("e1"));
    assert!(is_delivered(&world, "test"));
    wait_for("the record is stored", || world.kinds().len() == 1);
    wait_for("the notification is counted", || notifications(&world) == 1);
}

#[test]
fn without_a_fifo_the_socket_is_notified() {
    let world = World::new();
    std::fs::remove_file(world.place().wake_fifo()).expect("removed");
    world.append(&prompt("e1"));
    assert!(is_delivered(&world, "test"));
    wait_for("the record is stored", || world.kinds().len() == 1);
    wait_for("the notification is counted", || notifications(&world) == 1);
}

#[test]
fn concurrent_notifications_are_all_received() {
    let world = World::new();
    std::thread::scope(|scope| {
        for client in 0..8 {
            let world = &world;
            scope.spawn(move || {
                for number in 0..50 {
                    world.append(&prompt(&format!("e{client}-{number}")));
                    assert!(is_delivered(world, "test"));
                }
            });
        }
    });
    wait_for("all records are stored", || world.kinds().len() == 400);
    wait_for("all are counted", || notifications(&world) == 400);
}

#[test]
fn newer_client_stops_the_daemon_through_the_fifo() {
    let mut world = World::asleep();
    let old = Config {
        version: "0.9.0",
        ..config(world.state())
    };
    world.start_as(old, None).expect("it starts");
    std::fs::remove_file(world.place().socket()).expect("removed");
    for version in ["0.8.9", "0.9.0", "", "nonsense"] {
        assert!(is_delivered(&world, version));
    }
    wait_for("all are counted", || notifications(&world) == 4);
    assert!(!world.stopper().is_cancelled());
    world.append(&prompt("e1"));
    assert!(is_delivered(&world, "0.10.0"));
    world.ends_by_itself();
    assert!(!world.place().wake_fifo().exists());
    assert_eq!(world.kinds(), ["UserPromptSubmit"], "drained at the end");
}

#[test]
fn stopped_daemon_is_not_notified() {
    let mut world = World::new();
    world.stop();
    assert!(!world.place().wake_fifo().exists());
    let result = notify::notify_daemon(&world.place(), "test");
    assert!(matches!(result, NotifyResult::NoDaemon), "{result:?}");
    world.start().expect("it starts");
    assert!(is_delivered(&world, "test"));
    wait_for("the notification is counted", || notifications(&world) == 1);
}
