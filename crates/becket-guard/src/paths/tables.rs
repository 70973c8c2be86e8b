//! Name tables for path classification (`data/paths.toml`). The reasons are documented where the tables are used.

use super::secret::SecretKind;

include!(concat!(env!("OUT_DIR"), "/paths.rs"));
