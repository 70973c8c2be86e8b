//! Loopback HTTP: for dashboards, other tools, and clients of other systems.

pub mod gate;
pub mod serve;
