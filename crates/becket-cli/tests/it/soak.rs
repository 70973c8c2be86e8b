//! The daemon's memory stays bounded under load. `make soak` runs the same for longer.

use crate::flood::flood;

/// The memory limit in MB. A release build needs 60; this is a debug build.
const MAX_MEMORY_MB: f64 = 100.0;

#[cfg(target_os = "linux")]
#[test]
fn many_events_do_not_grow_the_daemon() {
    let flooded = flood(64, 4_000);
    assert_eq!(flooded.sent, 4_000, "within {:?}", flooded.took);
    let (first, last) = (flooded.first, flooded.last);
    assert!(last.memory < MAX_MEMORY_MB, "{first:?}, then {last:?}");
    // Allocator noise; two thousand leaking events would take more.
    assert!(
        last.memory < first.memory + 25.0,
        "{first:?}, then {last:?}"
    );
    assert!(last.files <= first.files + 8, "{first:?}, then {last:?}");
    assert_eq!(last.children, 0);
}
