//! Foundations that several crates share: text, durations, suggestions, locks, files.
//!
//! [`text`], [`time`] and [`sync`] are pure. The other modules are behind features, so that a crate that must not
//! access files does not link the code that does: `fs` (files), `columns` (terminal columns), `suggest` ("did you
//! mean"). Code that knows a concept of Becket does not belong here.

#[cfg(feature = "fs")]
pub mod fs;
#[cfg(feature = "suggest")]
pub mod suggest;
pub mod sync;
pub mod text;
pub mod time;
