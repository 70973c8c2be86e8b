//! Looking after the database: how long things are kept, copies, and whether it is whole.

mod check;
mod export;
mod import;
mod prune;

pub use check::{Depth, Found};
pub use export::Exported;
pub use import::{ImportError, Imported};
pub use prune::{Extent, Pruned, Retention};
