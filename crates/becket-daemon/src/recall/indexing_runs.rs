//! The indexing runs of each project, and their progress.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

use becket_base::sync::MutexExt;

use super::request::IndexingStatus;

/// How many finished runs are remembered.
const MAX_FINISHED_RUNS: usize = 256;

#[derive(Default)]
pub(super) struct IndexingRuns {
    runs: Mutex<HashMap<String, IndexingStatus>>,
    /// Held while indexing: one run uses all cores, and two would duplicate work.
    pub(super) exclusive: Mutex<()>,
}

impl IndexingRuns {
    fn runs(&self) -> MutexGuard<'_, HashMap<String, IndexingStatus>> {
        self.runs.lock_ignoring_poison()
    }

    pub(super) fn get(&self, project: &str) -> IndexingStatus {
        self.runs().get(project).cloned().unwrap_or_default()
    }

    /// Registers a run; false if one is in progress.
    pub(super) fn begin(&self, project: &str) -> bool {
        let mut runs = self.runs();
        if runs.get(project).is_some_and(|run| run.running) {
            return false;
        }
        if runs.len() >= MAX_FINISHED_RUNS {
            runs.retain(|_, run| run.running);
        }
        let run = IndexingStatus {
            running: true,
            ..IndexingStatus::default()
        };
        runs.insert(project.to_owned(), run);
        true
    }

    pub(super) fn update(&self, project: &str, change: impl FnOnce(&mut IndexingStatus)) {
        if let Some(run) = self.runs().get_mut(project) {
            change(run);
        }
    }
}
