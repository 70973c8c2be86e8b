//! Learning from what was recorded, while nobody waits for it.
//!
//! One thread works through the queue of turns and sessions that are over (`becket_learn`). It sleeps until something is
//! due: without anything to learn from, it costs nothing. What the person wants of it ([`Wanted`]) is read anew before
//! each job. Start at [`Learner`].

mod ask;
mod desk;
mod ended;
mod learner;
mod meaning;
mod thread;

pub use ask::{Ask, Learning, NotLearnt, Told, answer};
pub(crate) use ended::Ended;
pub use learner::{Learner, Wanted, WantedOf};
pub(crate) use thread::Running;
