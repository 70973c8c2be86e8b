//! Who is connected and has not shown yet that it belongs here.
//!
//! Places are few, and anybody on this machine can take one and say nothing. So a place is only lent until the gate
//! knows who sits there: when all are taken, whoever came first of those that it does not know has to leave.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

/// Strangers, in the order in which they came, and what sends each away.
#[derive(Debug, Default)]
pub(super) struct Guests {
    strangers: Mutex<BTreeMap<u64, CancellationToken>>,
    next: AtomicU64,
}

/// A connection, for its requests to tell what became of it.
#[derive(Debug)]
pub(super) struct Guest {
    guests: Arc<Guests>,
    number: u64,
    leave: CancellationToken,
    was_heard: AtomicBool,
}

impl Guests {
    /// Somebody came; who it is nobody knows.
    pub(super) fn welcome(self: &Arc<Self>) -> Arc<Guest> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let leave = CancellationToken::new();
        self.strangers().insert(number, leave.clone());
        Arc::new(Guest {
            guests: Arc::clone(self),
            number,
            leave,
            was_heard: AtomicBool::new(false),
        })
    }

    /// Sends away the stranger that came first, if there is one.
    pub(super) fn make_room(&self) {
        if let Some((_, leave)) = self.strangers().pop_first() {
            leave.cancel();
        }
    }

    fn strangers(&self) -> std::sync::MutexGuard<'_, BTreeMap<u64, CancellationToken>> {
        self.strangers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Guest {
    /// A request of it has arrived, whatever it asks for.
    pub(super) fn heard(&self) {
        self.was_heard.store(true, Ordering::Relaxed);
    }

    pub(super) fn was_heard(&self) -> bool {
        self.was_heard.load(Ordering::Relaxed)
    }

    /// It belongs here, and may stay.
    pub(super) fn is_known(&self) {
        self.guests.strangers().remove(&self.number);
    }

    /// Ends when it has to leave.
    pub(super) async fn sent_away(&self) {
        self.leave.cancelled().await;
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        self.guests.strangers().remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_strangers_has_to_leave_and_nobody_who_is_known() {
        let guests = Arc::<Guests>::default();
        let all: Vec<_> = std::iter::repeat_with(|| guests.welcome())
            .take(4)
            .collect();
        let gone = || -> Vec<bool> { all.iter().map(|guest| guest.leave.is_cancelled()).collect() };
        all[0].is_known();
        drop(guests.welcome());
        guests.make_room();
        assert_eq!(gone(), [false, true, false, false]);
        all[2].is_known();
        guests.make_room();
        guests.make_room();
        assert_eq!(gone(), [false, true, false, true]);
    }
}
