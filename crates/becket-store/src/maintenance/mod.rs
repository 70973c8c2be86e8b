//! Maintenance: retention, export, import and integrity checks.

mod check;
mod export;
mod import;
mod retention;

pub use check::{CheckDepth, IntegrityReport};
pub use export::ExportReport;
pub use import::{ImportError, ImportReport};
pub use retention::{PruneExtent, PruneReport, Retention};
