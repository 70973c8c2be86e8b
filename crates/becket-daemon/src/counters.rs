//! What the daemon counts, for `/metrics` and `becket daemon status`.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

/// A number that only grows.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Counts.
    pub fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    /// How many there were.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Everything that is counted.
#[derive(Debug, Default)]
#[expect(missing_docs, reason = "`table` says what each is")]
pub struct Counters {
    pub records: Counter,
    pub bad_lines: Counter,
    pub failed_commits: Counter,
    pub failed_drains: Counter,
    pub databases_set_aside: Counter,
    pub rings: Counter,
    pub http_requests: Counter,
    pub refused: Counter,
    pub oak_requests: Counter,
    pub oak_echoes: Counter,
    pub oak_errors: Counter,
    pub learning_jobs: Counter,
    pub learning_failures: Counter,
    pub learnt: Counter,
    pub learning_tokens: Counter,
    pub watched_changes: Counter,
}

impl Counters {
    fn table(&self) -> [(&'static str, &'static str, u64); 16] {
        [
            (
                "becket_records_total",
                "Records that were kept.",
                self.records.get(),
            ),
            (
                "becket_bad_lines_total",
                "Lines in the spool that are no records.",
                self.bad_lines.get(),
            ),
            (
                "becket_failed_commits_total",
                "Groups of records that could not be kept.",
                self.failed_commits.get(),
            ),
            (
                "becket_failed_drains_total",
                "Times the spool could not be emptied.",
                self.failed_drains.get(),
            ),
            (
                "becket_databases_set_aside_total",
                "Damaged databases that were set aside.",
                self.databases_set_aside.get(),
            ),
            (
                "becket_rings_total",
                "Times a client said that there is something in the spool.",
                self.rings.get(),
            ),
            (
                "becket_http_requests_total",
                "Requests over HTTP.",
                self.http_requests.get(),
            ),
            (
                "becket_refused_total",
                "Requests that were not let in.",
                self.refused.get(),
            ),
            (
                "becket_oak_requests_total",
                "Requests to the hooks API.",
                self.oak_requests.get(),
            ),
            (
                "becket_oak_echoes_total",
                "Of them, repetitions of one before.",
                self.oak_echoes.get(),
            ),
            (
                "becket_oak_errors_total",
                "Of them, answered though something was wrong.",
                self.oak_errors.get(),
            ),
            (
                "becket_learning_jobs_total",
                "Turns and sessions that were learnt from.",
                self.learning_jobs.get(),
            ),
            (
                "becket_learning_failures_total",
                "Times that did not work.",
                self.learning_failures.get(),
            ),
            (
                "becket_learnt_total",
                "Memories that came of them.",
                self.learnt.get(),
            ),
            (
                "becket_learning_tokens_total",
                "Tokens that models cost for it.",
                self.learning_tokens.get(),
            ),
            (
                "becket_watched_changes_total",
                "Files that changed without an agent, and were indexed again.",
                self.watched_changes.get(),
            ),
        ]
    }

    /// In the text format of Prometheus.
    pub fn text(&self) -> String {
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
