//! What the tests of all crates share. No program depends on this crate.
//!
//! [`poll_until`] waits for other threads and processes, [`HttpStub`] answers HTTP on loopback, [`TestDir`] is a
//! temporary directory with files, [`kill_after`] kills a child process between two of its steps, [`Dice`] are seeded
//! random numbers, and [`fuzz()`] mutates samples with them. Everything panics when it fails, as tests do.

mod dice;
mod fuzz;
mod http_stub;
mod kill;
mod poll;
mod test_dir;

pub use dice::Dice;
pub use fuzz::fuzz;
pub use http_stub::{HttpStub, StubReply, StubRequest};
pub use kill::{KilledTest, kill_after, may_continue};
pub use poll::{PATIENCE, poll_until, read_when_there, wait_for};
pub use test_dir::{TestDir, write_file, write_script};
