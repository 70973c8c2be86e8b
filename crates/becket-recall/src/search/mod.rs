//! Hybrid search with calibrated confidence.
//!
//! A project has two corpora: memories and code. Each is searched by words (BM25, with split identifiers) and by meaning
//! (vectors). The results are fused, and the score is a probability of relevance ([`Band`]). Projects share no index, so
//! nothing leaks between them.
//!
//! The store is the source of truth. Indexes follow its change log and are cached in snapshot files. A snapshot that is
//! missing, damaged or made with another model only costs time. Start at [`Recall`].

mod background;
mod calibrate;
mod corpus;
mod features;
mod fuse;
mod inverted_index;
mod query;
mod rank;
mod recall;
mod snapshot;
mod tokenizer;
mod top_k;
mod vectors;

pub use background::CosineBackground;
pub use calibrate::{BENDS, Band, Calibration, CalibrationScale, FEATURES};
pub use corpus::{CorpusIndex, ScoredDoc, SearchMode};
pub use features::{Features, QueryFeatures};
pub use query::{Freshness, HitKind, SearchFilter, SearchQuery};
pub use rank::{RANKING_FEATURES, Ranker, rank};
pub use recall::{Recall, RecallError, SearchHit, SearchResult};
pub use vectors::QuantisedVector;

/// The id of the built-in model.
pub const BUILTIN_MODEL: &str = "becket-static-256/1";
