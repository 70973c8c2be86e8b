//! Counters for `/metrics` and `becket daemon status`.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

/// A monotonic counter.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Adds to the counter.
    pub fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    /// The current value.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// All counters of the daemon.
#[derive(Debug, Default)]
#[expect(missing_docs, reason = "`table` describes each counter")]
pub struct Counters {
    pub records: Counter,
    pub bad_lines: Counter,
    pub failed_commits: Counter,
    pub failed_drains: Counter,
    pub databases_replaced: Counter,
    pub notifications: Counter,
    pub http_requests: Counter,
    pub refused: Counter,
    pub oak_requests: Counter,
    pub oak_duplicates: Counter,
    pub oak_errors: Counter,
    pub learning_jobs: Counter,
    pub learning_failures: Counter,
    pub memories_learned: Counter,
    pub learning_tokens: Counter,
    pub watched_changes: Counter,
}

impl Counters {
    fn table(&self) -> [(&'static str, &'static str, u64); 16] {
        [
            (
                "becket_records_total",
                "Records stored in the database.",
                self.records.get(),
            ),
            (
                "becket_bad_lines_total",
                "Lines in the spool that were not valid records.",
                self.bad_lines.get(),
            ),
            (
                "becket_failed_commits_total",
                "Transactions that failed.",
                self.failed_commits.get(),
            ),
            (
                "becket_failed_drains_total",
                "Attempts to drain the spool that failed.",
                self.failed_drains.get(),
            ),
            (
                "becket_databases_set_aside_total",
                "Corrupt databases that were replaced.",
                self.databases_replaced.get(),
            ),
            (
                "becket_notifications_total",
                "Notifications from clients about new records in the spool.",
                self.notifications.get(),
            ),
            (
                "becket_http_requests_total",
                "HTTP requests.",
                self.http_requests.get(),
            ),
            (
                "becket_refused_total",
                "HTTP requests that authentication rejected.",
                self.refused.get(),
            ),
            (
                "becket_oak_requests_total",
                "Requests to the Codebase Intelligence hooks API.",
                self.oak_requests.get(),
            ),
            (
                "becket_oak_echoes_total",
                "Requests to the hooks API that were duplicates.",
                self.oak_duplicates.get(),
            ),
            (
                "becket_oak_errors_total",
                "Requests to the hooks API that failed.",
                self.oak_errors.get(),
            ),
            (
                "becket_learning_jobs_total",
                "Turns and sessions that were learned from.",
                self.learning_jobs.get(),
            ),
            (
                "becket_learning_failures_total",
                "Learning jobs that failed.",
                self.learning_failures.get(),
            ),
            (
                "becket_learnt_total",
                "Memories learned.",
                self.memories_learned.get(),
            ),
            (
                "becket_learning_tokens_total",
                "Tokens that language models used for learning.",
                self.learning_tokens.get(),
            ),
            (
                "becket_watched_changes_total",
                "Files that changed outside of agents and were indexed again.",
                self.watched_changes.get(),
            ),
        ]
    }

    /// Renders the counters in the Prometheus text format.
    pub fn render_prometheus(&self) -> String {
        let mut out = String::new();
        for (name, help, value) in self.table() {
            let _ = writeln!(
                out,
                "# HELP {name} {help}\n# TYPE {name} counter\n{name} {value}"
            );
        }
        out
    }
}
