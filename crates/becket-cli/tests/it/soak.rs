//! A daemon under load holds no more as time goes by. `make soak` does the same for longer.

use crate::flood::flood;

/// As much as the daemon may hold, in MB. It is 60 for a release build; this one is not.
const MOST_MEMORY: f64 = 100.0;

#[cfg(target_os = "linux")]
#[test]
fn many_events_leave_nothing_behind_in_the_daemon() {
    let flooded = flood(64, 4_000);
    assert_eq!(flooded.sent, 4_000, "within {:?}", flooded.took);
    let (first, last) = (flooded.first, flooded.last);
    assert!(last.memory < MOST_MEMORY, "{first:?}, then {last:?}");
    // The allocator has its moods; two thousand events that leak would be more.
    assert!(
        last.memory < first.memory + 25.0,
        "{first:?}, then {last:?}"
    );
    assert!(last.files <= first.files + 8, "{first:?}, then {last:?}");
    assert_eq!(last.children, 0);
}
