//! Assigns times and ids to events, in order of arrival.
//!
//! The wall clock can be set back. No event gets an earlier time than the one before it, and durations are measured with
//! a monotonic clock.

use std::time::Duration;

use becket_store::Millis;

/// The current time on both clocks.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClockReading {
    /// The wall clock.
    pub(super) wall: Millis,
    /// The monotonic clock.
    pub(super) monotonic: Duration,
}

/// Assigns times and ids. Several events may share a millisecond; their ids then give the order.
pub(super) struct EventClock {
    last: Millis,
    count: u64,
    /// Random per daemon.
    suffix: String,
}

impl EventClock {
    pub(super) fn new() -> Self {
        let id = becket_spool::new_id();
        Self {
            last: Millis(0),
            count: 0,
            suffix: id[id.len() - 12..].to_owned(),
        }
    }

    pub(super) fn tick(&mut self, wall: Millis) -> (Millis, String) {
        self.last = self.last.max(wall);
        self.count += 1;
        let id = format!(
            "oak-{:012x}-{:010x}-{}",
            self.last.0, self.count, self.suffix
        );
        (self.last, id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn event_times_never_decrease_and_ids_are_ordered() {
        let mut clock = EventClock::new();
        let walls = [1000, 1000, 2000, 1500, 3, 0, 2000, 2001, -1];
        let ticks: Vec<_> = walls.map(|wall| clock.tick(Millis(wall))).into();
        let times: Vec<i64> = ticks.iter().map(|(at, _)| at.0).collect();
        assert_eq!(
            times,
            [1000, 1000, 2000, 2000, 2000, 2000, 2000, 2001, 2001]
        );
        let ids = ticks.iter().map(|(_, id)| id);
        assert!(ids.is_sorted_by(|one, other| one < other), "{ticks:?}");
    }

    #[test]
    fn ids_differ_between_daemons() {
        let (_, one) = EventClock::new().tick(Millis(5));
        let (_, other) = EventClock::new().tick(Millis(5));
        assert_ne!(one, other);
    }
}
