//! Ids of events: sortable by time, unique without coordination.

pub use becket_spool::new_id;
