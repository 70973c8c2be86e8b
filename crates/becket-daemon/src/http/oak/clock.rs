//! Times and ids of events, in the order in which they are told.
//!
//! The clock on the wall can be set back. No event is then older than the one before it, and how long ago
//! something was is measured on a clock that nobody sets.

use std::time::Duration;

use becket_store::Millis;

/// This moment, on both clocks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Now {
    /// What people call it.
    pub(super) wall: Millis,
    /// Since some beginning, always forwards.
    pub(super) steady: Duration,
}

/// Gives events their times and ids: several may fall into one millisecond, and then their ids say which
/// came first.
pub(super) struct Clock {
    last: Millis,
    count: u64,
    /// Differs from one daemon to the next.
    chance: String,
}

impl Clock {
    pub(super) fn new() -> Self {
        let id = becket::id::new_id();
        Self {
            last: Millis(0),
            count: 0,
            chance: id[id.len() - 12..].to_owned(),
        }
    }

    pub(super) fn tick(&mut self, wall: Millis) -> (Millis, String) {
        self.last = self.last.max(wall);
        self.count += 1;
        let id = format!(
            "oak-{:012x}-{:010x}-{}",
            self.last.0, self.count, self.chance
        );
        (self.last, id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_never_go_back_and_ids_follow_the_order_of_telling() {
        let mut clock = Clock::new();
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
    fn two_daemons_at_one_time_give_different_ids() {
        let (_, one) = Clock::new().tick(Millis(5));
        let (_, other) = Clock::new().tick(Millis(5));
        assert_ne!(one, other);
    }
}
