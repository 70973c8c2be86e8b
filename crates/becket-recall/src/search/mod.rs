//! Finding what is relevant, and saying how sure one is.
//!
//! A project has two shelves, memories and code. Each is searched by words (BM25, identifiers taken apart) and by
//! meaning (vectors); the two are fused, and the outcome becomes one score that is a probability ([`Band`]). Shelves
//! of different projects share nothing, so nothing leaks.
//!
//! The store is the truth; shelves are made from its log of changes and remembered in files beside it. A file
//! that is missing, damaged or of another model costs time and nothing else. Start at [`Recall`].

mod background;
mod calibrate;
mod features;
mod filter;
mod fuse;
mod pick;
mod rank;
mod recall;
mod shelf;
mod snapshot;
mod terms;
mod vectors;
mod words;

pub use background::Background;
pub use calibrate::{BENDS, Band, Calibration, FEATURES, Scale};
pub use features::{Features, QueryFeatures};
pub use filter::{Filter, Freshness, Kind, Query};
pub use rank::{RANKED, Ranker, rank};
pub use recall::{Found, Hit, Recall, RecallError};
pub use shelf::{Mode, Scored, ShelfIndex};
pub use vectors::Quantised;

/// The id of the model inside the program.
pub const BUILTIN_MODEL: &str = "becket-static-256/1";
