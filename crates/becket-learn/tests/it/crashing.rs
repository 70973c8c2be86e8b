//! Workers that are killed, wherever they are.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use becket_learn::{Desk, DeskError, Habits, OwnDesk, Ran, Worker, catch_up, status};
use becket_store::{Error, Group, MemoryKind, Options, Reader, Writer};
use becket_think::{Answer, Deadline, Model, ModelError, Question, Tokens};
use serde_json::json;

use crate::world::{MENDED, at, desk, end, ingest, memories, records, with_model};

/// Dies before one of its steps, like a process that is killed there.
pub(crate) struct Mortal<'d> {
    desk: &'d OwnDesk,
    left: AtomicUsize,
}

impl<'d> Mortal<'d> {
    /// With so many steps to live.
    pub(crate) fn new(desk: &'d OwnDesk, left: usize) -> Self {
        Self {
            desk,
            left: AtomicUsize::new(left),
        }
    }

    fn live(&self) -> Result<(), DeskError> {
        let more = |left: usize| left.checked_sub(1);
        let lived = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        lived.map(drop).map_err(|_| DeskError("killed".into()))
    }
}

impl Desk for Mortal<'_> {
    fn read<T>(&self, what: impl FnOnce(&Reader) -> Result<T, Error>) -> Result<T, DeskError> {
        self.live()?;
        self.desk.read(what)
    }

    fn write<T: Send + 'static>(
        &self,
        what: impl FnOnce(&mut Group<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, DeskError> {
        self.live()?;
        self.desk.write(what)
    }
}

/// Says something else each time.
struct Fickle(AtomicUsize);

impl Model for Fickle {
    fn ask(&self, question: &Question, _: &Deadline) -> Result<Answer, ModelError> {
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
        Ok(Answer {
            text: text.to_string(),
            tokens: Tokens {
                input: 100,
                output: 10,
            },
        })
    }
}

#[test]
fn who_is_killed_between_two_steps_leaves_nothing_twice_and_nothing_out() {
    let mut steps = 0;
    loop {
        let mut session = records("s1", 0, "> add a cart\n~ src/cart.ts\n< done");
        session.push(end("s1", 30));
        let desk = desk(&session);
        catch_up(&desk, at(40), 10).unwrap();
        let model = Arc::new(Fickle(AtomicUsize::new(0)));
        let mortal = Mortal::new(&desk, steps);
        let killed = {
            let worker = Worker::new(mortal, with_model(model.clone()));
            (0..3).any(|_| worker.run_once(at(60)).is_err())
        };
        // Somebody starts it again, after what was taken is due again.
        let worker = Worker::new(Mortal::new(&desk, 1000), with_model(model));
        while worker.run_once(at(4000)).unwrap() != Ran::Idle {}
        let found = memories(&desk);
        let count = |kind| found.iter().filter(|row| row.kind == kind).count();
        assert_eq!(
            (
                count(MemoryKind::Discovery),
                count(MemoryKind::SessionSummary)
            ),
            (1, 1),
            "killed at {steps}: {found:?}"
        );
        let queue = desk.read(Reader::extractions).unwrap();
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
fn a_job_that_takes_everybody_with_it_is_given_up_and_stays_visible() {
    let desk = desk(&records("s1", 0, MENDED));
    catch_up(&desk, at(40), 10).unwrap();
    for round in 0..6 {
        // The third step of a job never comes.
        let mortal = Mortal::new(&desk, 2);
        assert!(
            Worker::new(mortal, Habits::default())
                .run_once(at(1000 * (round + 1)))
                .is_err()
        );
    }
    let mortal = Mortal::new(&desk, 100);
    let worker = Worker::new(mortal, Habits::default());
    assert!(matches!(
        worker.run_once(at(9000)).unwrap(),
        Ran::Failed { again: None, .. }
    ));
    assert_eq!(worker.run_once(at(99_000)).unwrap(), Ran::Idle);
    assert_eq!(
        catch_up(&desk, at(99_000), 10).unwrap(),
        0,
        "it is out of the way"
    );
    let now = desk
        .read(|reader| status(reader, None, at(99_000)))
        .unwrap();
    assert_eq!(now.given_up.len(), 1);
    assert!(
        now.given_up[0]
            .error
            .as_deref()
            .unwrap()
            .contains("tried 6 times")
    );
}

/// Asks before each step whether it may live on.
struct Asking(OwnDesk);

fn may_i() {
    let mut out = std::io::stdout();
    writeln!(out, "{STEP}")
        .and_then(|()| out.flush())
        .expect("a parent");
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).expect("an answer");
}

impl Desk for Asking {
    fn read<T>(&self, what: impl FnOnce(&Reader) -> Result<T, Error>) -> Result<T, DeskError> {
        self.0.read(what)
    }

    fn write<T: Send + 'static>(
        &self,
        what: impl FnOnce(&mut Group<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, DeskError> {
        may_i();
        let done = self.0.write(what);
        may_i();
        done
    }
}

const STEP: &str = "victim: may I?";
const DATABASE: &str = "BECKET_TEST_VICTIM";

#[test]
#[ignore = "the other half of a test: it is started to be killed"]
fn victim() {
    let path = std::env::var(DATABASE).expect("a database");
    let desk = OwnDesk::new(Writer::open(path, Options::default()).expect("a store"));
    let model = Arc::new(Fickle(AtomicUsize::new(0)));
    let worker = Worker::new(Asking(desk), with_model(model));
    while worker.run_once(at(60)).expect("a store") != Ran::Idle {}
}

/// Starts the victim and kills it with SIGKILL after so many steps; whether it was still alive then.
fn kill_after(steps: usize, database: &Path) -> bool {
    let mut child = Command::new(std::env::current_exe().expect("this program"))
        .args([
            "crashing::victim",
            "--exact",
            "--ignored",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(DATABASE, database)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a child");
    let mut answers = child.stdin.take().expect("its input");
    let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let questions = lines
        .map_while(Result::ok)
        .filter(|line| line.contains(STEP));
    for (asked, _) in questions.enumerate() {
        if asked == steps {
            child.kill().expect("killed");
            break;
        }
        writeln!(answers, "yes").expect("it listens");
    }
    let ended = child.wait().expect("it ended");
    match (ended.code(), ended.signal()) {
        (Some(0), _) => false,
        (_, Some(9)) => true,
        _ => panic!("it came to another end: {ended:?}"),
    }
}

#[test]
fn a_process_that_is_killed_leaves_nothing_twice_on_disk() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut steps = 0;
    loop {
        let path = dir.path().join(format!("{steps}.db"));
        let mut session = records("s1", 0, "> add a cart\n~ src/cart.ts\n< done");
        session.push(end("s1", 30));
        let mut writer = Writer::open(&path, Options::default()).expect("a store");
        ingest(&mut writer, &session);
        let desk = OwnDesk::new(writer);
        catch_up(&desk, at(40), 10).unwrap();
        drop(desk);

        let killed = kill_after(steps, &path);
        let desk = OwnDesk::new(Writer::open(&path, Options::default()).expect("a store"));
        let model = Arc::new(Fickle(AtomicUsize::new(50)));
        let worker = Worker::new(desk, with_model(model));
        while worker.run_once(at(4000)).unwrap() != Ran::Idle {}
        let found = memories(worker.desk());
        let count = |kind| found.iter().filter(|row| row.kind == kind).count();
        assert_eq!(
            (
                count(MemoryKind::Discovery),
                count(MemoryKind::SessionSummary)
            ),
            (1, 1),
            "killed at {steps}: {found:?}"
        );
        if !killed {
            assert!(steps > 6, "there are more steps than {steps}");
            return;
        }
        steps += 1;
    }
}
