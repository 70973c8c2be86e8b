//! Workers that are killed at every step.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use becket_learn::{
    OwnedStoreAccess, RunOutcome, StoreAccess, StoreAccessError, Worker, WorkerOptions,
    backfill_queue, status,
};
use becket_store::{Error, MemoryKind, Options, StoreReader, StoreWriter, WriteTransaction};
use becket_testkit::{KilledTest, kill_after, may_continue};
use becket_think::{Deadline, LanguageModel, ModelError, ModelRequest, ModelResponse, TokenUsage};
use serde_json::json;

use crate::world::{MENDED, at, end, ingest, memories, records, store, with_model};

/// Stops before one of its steps, like a killed process.
pub(crate) struct Mortal<'d> {
    store: &'d OwnedStoreAccess,
    left: AtomicUsize,
}

impl<'d> Mortal<'d> {
    /// Runs this many steps before it stops.
    pub(crate) fn new(store: &'d OwnedStoreAccess, left: usize) -> Self {
        Self {
            store,
            left: AtomicUsize::new(left),
        }
    }

    fn live(&self) -> Result<(), StoreAccessError> {
        let more = |left: usize| left.checked_sub(1);
        let lived = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        lived
            .map(drop)
            .map_err(|_| StoreAccessError("killed".into()))
    }
}

impl StoreAccess for Mortal<'_> {
    fn read<T>(
        &self,
        what: impl FnOnce(&StoreReader) -> Result<T, Error>,
    ) -> Result<T, StoreAccessError> {
        self.live()?;
        self.store.read(what)
    }

    fn write<T: Send + 'static>(
        &self,
        what: impl FnOnce(&mut WriteTransaction<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, StoreAccessError> {
        self.live()?;
        self.store.write(what)
    }
}

/// Answers differently each time.
struct Fickle(AtomicUsize);

impl LanguageModel for Fickle {
    fn complete(&self, question: &ModelRequest, _: &Deadline) -> Result<ModelResponse, ModelError> {
        let number = self.0.fetch_add(1, Ordering::Relaxed);
        let schema = question
            .schema
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default();
        let text = if schema.contains("observations") {
            let words = [
                "alpha beta gamma delta",
                "red green blue yellow",
                "one two three four",
                "north east south west",
            ];
            let said = format!("Variant {number} is about {} here.", words[number % 4]);
            json!({ "observations": [{ "type": "discovery", "text": said, "importance": "high", "source": "tool", "files": [] }] })
        } else if schema.contains("class") {
            json!({ "class": "feature" })
        } else {
            json!({ "title": format!("Title {number}"), "summary": format!("Summary {number} of the session.") })
        };
        Ok(ModelResponse {
            text: text.to_string(),
            tokens: TokenUsage {
                input: 100,
                output: 10,
            },
        })
    }
}

#[test]
fn crash_between_steps_loses_and_duplicates_nothing() {
    let mut steps = 0;
    loop {
        let mut session = records("s1", 0, "> add a cart\n~ src/cart.ts\n< done");
        session.push(end("s1", 30));
        let store = store(&session);
        backfill_queue(&store, at(40), 10).unwrap();
        let model = Arc::new(Fickle(AtomicUsize::new(0)));
        let mortal = Mortal::new(&store, steps);
        let killed = {
            let worker = Worker::new(mortal, with_model(model.clone()));
            (0..3).any(|_| worker.run_once(at(60)).is_err())
        };
        // A restarted worker, after the claimed job is due again.
        let worker = Worker::new(Mortal::new(&store, 1000), with_model(model));
        while worker.run_once(at(4000)).unwrap() != RunOutcome::Idle {}
        let found = memories(&store);
        let count = |kind| found.iter().filter(|row| row.kind == kind).count();
        assert_eq!(
            (
                count(MemoryKind::Discovery),
                count(MemoryKind::SessionSummary)
            ),
            (1, 1),
            "killed at {steps}: {found:?}"
        );
        let queue = store.read(StoreReader::extractions).unwrap();
        assert_eq!(
            (queue.done, queue.waiting, queue.running, queue.failed),
            (2, 0, 0, 0),
            "killed at {steps}"
        );
        if !killed {
            assert!(steps > 10, "there are more steps than {steps}");
            return;
        }
        steps += 1;
    }
}

#[test]
fn crashing_job_is_given_up_and_stays_visible() {
    let store = store(&records("s1", 0, MENDED));
    backfill_queue(&store, at(40), 10).unwrap();
    for round in 0..6 {
        // The third step of a job never happens.
        let mortal = Mortal::new(&store, 2);
        assert!(
            Worker::new(mortal, WorkerOptions::default())
                .run_once(at(1000 * (round + 1)))
                .is_err()
        );
    }
    let mortal = Mortal::new(&store, 100);
    let worker = Worker::new(mortal, WorkerOptions::default());
    assert!(matches!(
        worker.run_once(at(9000)).unwrap(),
        RunOutcome::Failed { retry_at: None, .. }
    ));
    assert_eq!(worker.run_once(at(99_000)).unwrap(), RunOutcome::Idle);
    assert_eq!(
        backfill_queue(&store, at(99_000), 10).unwrap(),
        0,
        "it is out of the way"
    );
    let now = store
        .read(|reader| status(reader, None, at(99_000)))
        .unwrap();
    assert_eq!(now.given_up.len(), 1);
    assert!(
        now.given_up[0]
            .error
            .as_deref()
            .unwrap()
            .contains("gave up after 6 attempts")
    );
}

/// Asks before each step whether to continue.
struct Asking(OwnedStoreAccess);

impl StoreAccess for Asking {
    fn read<T>(
        &self,
        what: impl FnOnce(&StoreReader) -> Result<T, Error>,
    ) -> Result<T, StoreAccessError> {
        self.0.read(what)
    }

    fn write<T: Send + 'static>(
        &self,
        what: impl FnOnce(&mut WriteTransaction<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, StoreAccessError> {
        may_continue();
        let done = self.0.write(what);
        may_continue();
        done
    }
}

const DATABASE: &str = "BECKET_TEST_VICTIM";

#[test]
#[ignore = "the other half of a test: it is started to be killed"]
fn victim() {
    let path = std::env::var(DATABASE).expect("a database");
    let store =
        OwnedStoreAccess::new(StoreWriter::open(path, Options::default()).expect("a store"));
    let model = Arc::new(Fickle(AtomicUsize::new(0)));
    let worker = Worker::new(Asking(store), with_model(model));
    while worker.run_once(at(60)).expect("a store") != RunOutcome::Idle {}
}

#[test]
fn killed_process_leaves_no_duplicates_on_disk() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut steps = 0;
    loop {
        let path = dir.path().join(format!("{steps}.db"));
        let mut session = records("s1", 0, "> add a cart\n~ src/cart.ts\n< done");
        session.push(end("s1", 30));
        let mut writer = StoreWriter::open(&path, Options::default()).expect("a store");
        ingest(&mut writer, &session);
        let store = OwnedStoreAccess::new(writer);
        backfill_queue(&store, at(40), 10).unwrap();
        drop(store);

        let ended = kill_after(steps, "crashing::victim", [(DATABASE, &path)]);
        let store =
            OwnedStoreAccess::new(StoreWriter::open(&path, Options::default()).expect("a store"));
        let model = Arc::new(Fickle(AtomicUsize::new(50)));
        let worker = Worker::new(store, with_model(model));
        while worker.run_once(at(4000)).unwrap() != RunOutcome::Idle {}
        let found = memories(worker.store());
        let count = |kind| found.iter().filter(|row| row.kind == kind).count();
        assert_eq!(
            (
                count(MemoryKind::Discovery),
                count(MemoryKind::SessionSummary)
            ),
            (1, 1),
            "killed at {steps}: {found:?}"
        );
        if ended == KilledTest::Finished {
            assert!(steps > 6, "there are more steps than {steps}");
            return;
        }
        steps += 1;
    }
}
