//! How a daemon is, for those who ask over HTTP or the socket.

/// How a daemon is.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct Status {
    /// Its version.
    pub version: &'static str,
    /// Its process.
    pub pid: u32,
    /// For how long it has been running.
    pub uptime_seconds: u64,
    /// The place of the latest event in the stream of all.
    pub cursor: i64,
    /// Records that it has kept.
    pub records: u64,
    /// Groups of records that could not be kept.
    pub failed_commits: u64,
    /// Times the spool could not be emptied.
    pub failed_drains: u64,
    /// Bytes of the database on the disk, with the log beside it.
    pub database_bytes: u64,
    /// Bytes of records that wait in the spool.
    pub spool_bytes: u64,
}
