//! Learning from the caller's side.

mod asking;
mod crashing;
mod laws;
mod real;
mod script;
mod sessions;
mod worker;
mod world;
