//! The daemon's status, for HTTP and the socket.

/// The daemon's status.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct DaemonStatus {
    /// The daemon's version.
    pub version: &'static str,
    /// Its process id.
    pub pid: u32,
    /// Seconds since the start.
    pub uptime_seconds: u64,
    /// The sequence number of the newest event.
    pub cursor: i64,
    /// Records stored since the start.
    pub records: u64,
    /// Transactions that failed.
    pub failed_commits: u64,
    /// Attempts to drain the spool that failed.
    pub failed_drains: u64,
    /// Size of the database with its write-ahead log, in bytes.
    pub database_bytes: u64,
    /// Size of the records in the spool, in bytes.
    pub spool_bytes: u64,
}
