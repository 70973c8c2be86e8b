//! Learning from the caller's side.

mod asking;
mod crashing;
mod laws;
mod real;
mod script;
#[path = "../../../becket-think/tests/it/server.rs"]
#[expect(dead_code, reason = "it can do more than is needed here")]
mod server;
mod sessions;
mod worker;
mod world;
