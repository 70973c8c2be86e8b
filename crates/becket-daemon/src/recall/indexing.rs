//! Which projects are being indexed, and how far it is with each.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::ask::Indexing;

/// As many projects are remembered after they were indexed.
const MOST: usize = 256;

#[derive(Default)]
pub(super) struct Board {
    runs: Mutex<HashMap<String, Indexing>>,
    /// One at a time: the cores are all in use, and two would do each other's work.
    pub(super) alone: Mutex<()>,
}

impl Board {
    fn runs(&self) -> MutexGuard<'_, HashMap<String, Indexing>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn of(&self, project: &str) -> Indexing {
        self.runs().get(project).cloned().unwrap_or_default()
    }

    /// Notes that it begins; whether it had not.
    pub(super) fn begin(&self, project: &str) -> bool {
        let mut runs = self.runs();
        if runs.get(project).is_some_and(|run| run.running) {
            return false;
        }
        if runs.len() >= MOST {
            runs.retain(|_, run| run.running);
        }
        let run = Indexing {
            running: true,
            ..Indexing::default()
        };
        runs.insert(project.to_owned(), run);
        true
    }

    pub(super) fn change(&self, project: &str, change: impl FnOnce(&mut Indexing)) {
        if let Some(run) = self.runs().get_mut(project) {
            change(run);
        }
    }
}
