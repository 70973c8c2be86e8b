//! Runs tests, one or several at a time, and reports the results.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use becket_base::sync::MutexExt;
use tempfile::TempDir;

use super::outcome::{self, TestOutcome};
use super::{Test, TestCase};
use crate::evidence;
use crate::settings::{KeepRuns, Settings};

/// Runs `tests`, reports to `out`, and returns whether none failed.
pub(super) fn run(
    tests: &[Test],
    settings: &Settings,
    out: &mut (impl Write + Send),
) -> io::Result<bool> {
    let report = Mutex::new(TestReport::new(out, settings.keep));
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..settings.jobs.get().min(tests.len()) {
            scope.spawn(|| {
                while let Some(test) = tests.get(next.fetch_add(1, Ordering::SeqCst)) {
                    let ended = FinishedTest::of(test);
                    let mut report = report.lock_ignoring_poison();
                    report.add(ended);
                }
            });
        }
    });
    let report = report.into_inner();
    report.unwrap_or_else(PoisonError::into_inner).close()
}

struct FinishedTest<'a> {
    name: &'a str,
    outcome: TestOutcome,
    took: Duration,
    dir: Option<TempDir>,
}

impl<'a> FinishedTest<'a> {
    fn of(test: &'a Test) -> Self {
        let start = Instant::now();
        let (outcome, dir) = match tempfile::Builder::new().prefix("becket-lab-").tempdir() {
            Ok(dir) => {
                let case = TestCase {
                    dir: dir.path().to_owned(),
                };
                (outcome::run_to_outcome(|| (test.run)(&case)), Some(dir))
            }
            Err(error) => {
                let why = format!("cannot create the run directory: {error}");
                (TestOutcome::Failed(why), None)
            }
        };
        Self {
            name: &test.name,
            outcome,
            took: start.elapsed(),
            dir,
        }
    }
}

struct TestReport<'a, W> {
    out: &'a mut W,
    keep: KeepRuns,
    passed: usize,
    failed: usize,
    skipped: usize,
    /// The reason, by client.
    unavailable: BTreeMap<String, String>,
    written: io::Result<()>,
}

impl<'a, W: Write> TestReport<'a, W> {
    fn new(out: &'a mut W, keep: KeepRuns) -> Self {
        Self {
            out,
            keep,
            passed: 0,
            failed: 0,
            skipped: 0,
            unavailable: BTreeMap::new(),
            written: Ok(()),
        }
    }

    /// Reports a test and deletes or keeps its run directory.
    fn add(&mut self, ended: FinishedTest<'_>) {
        let word = match &ended.outcome {
            TestOutcome::Passed => {
                self.passed += 1;
                "ok"
            }
            TestOutcome::Failed(_) => {
                self.failed += 1;
                "FAILED"
            }
            TestOutcome::Skipped(unavailable) => {
                self.skipped += 1;
                let (client, why) = (&unavailable.client, &unavailable.why);
                self.unavailable.insert(client.clone(), why.clone());
                "skipped"
            }
        };
        let mut text = format!(
            "test {} ... {word} ({:.1}s)\n",
            ended.name,
            ended.took.as_secs_f64()
        );
        if let TestOutcome::Failed(why) = &ended.outcome {
            let collected = ended.dir.as_ref().map(|dir| evidence::collect(dir.path()));
            text.push_str(why);
            text.push('\n');
            text.push_str(&collected.unwrap_or_default());
        }
        let failed = matches!(ended.outcome, TestOutcome::Failed(_));
        if let Some(dir) = ended.dir
            && (failed || self.keep == KeepRuns::All)
        {
            text.push_str(&kept(&dir.keep()));
        }
        self.write(&text);
    }

    fn close(mut self) -> io::Result<bool> {
        let skipped = self.unavailable.iter().map(|(client, why)| {
            let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
            format!("SKIPPED {client}: {why}\n")
        });
        let skipped: String = skipped.collect();
        self.write(&format!(
            "\n{skipped}{} passed, {} failed, {} skipped\n",
            self.passed, self.failed, self.skipped
        ));
        self.written.map(|()| self.failed == 0)
    }

    /// Write errors do not stop the tests; they are returned at the end.
    fn write(&mut self, text: &str) {
        let written = self.out.write_all(text.as_bytes());
        let written = written.and_then(|()| self.out.flush());
        if self.written.is_ok() {
            self.written = written;
        }
    }
}

fn kept(dir: &Path) -> String {
    format!("run directory: {}\n", dir.display())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::num::NonZeroUsize;
    use std::path::PathBuf;
    use std::sync::{Arc, Barrier};

    use super::*;
    use crate::install::Unavailable;

    fn settings(jobs: usize, keep: KeepRuns) -> Settings {
        Settings {
            cache: PathBuf::from("unused"),
            jobs: NonZeroUsize::new(jobs).unwrap(),
            keep,
        }
    }

    fn report(tests: &[Test], settings: &Settings) -> (bool, String) {
        let mut out = Vec::new();
        let good = run(tests, settings, &mut out).unwrap();
        (good, String::from_utf8(out).unwrap())
    }

    fn passing() -> Test {
        Test::new("passes", |_| Ok(()))
    }

    fn failing() -> Test {
        Test::new("fails", |case| {
            fs::create_dir(case.dir().join("turn-1"))?;
            fs::write(case.dir().join("turn-1/stderr"), "the client's last output")?;
            panic!("not what was expected");
        })
    }

    fn skipping(client: &'static str, why: &'static str) -> Test {
        Test::new(format!("needs_{client}"), move |_| {
            Err(Unavailable {
                client: client.to_owned(),
                why: why.to_owned(),
            }
            .into())
        })
    }

    #[test]
    fn report_ends_with_skip_reasons_and_counts() {
        let tests = [
            passing(),
            skipping("claude", "no\nnetwork"),
            skipping("claude", "no\nnetwork"),
            skipping("another", "no npm"),
            passing(),
        ];
        let (good, text) = report(&tests, &settings(1, KeepRuns::Failed));
        assert!(good);
        let lines: Vec<&str> = text.lines().collect();
        let expected = [
            "",
            "SKIPPED another: no npm",
            "SKIPPED claude: no network",
            "2 passed, 0 failed, 3 skipped",
        ];
        assert_eq!(lines[lines.len() - 4..], expected);
        assert!(lines[0].starts_with("test passes ... ok ("), "{text}");
        assert!(lines[1].starts_with("test needs_claude ... skipped ("));
    }

    #[test]
    fn failure_shows_evidence_and_keeps_the_run_directory() {
        let (good, text) = report(&[failing(), passing()], &settings(1, KeepRuns::Failed));
        assert!(!good);
        assert!(text.contains("test fails ... FAILED ("), "{text}");
        assert!(text.contains("not what was expected"), "{text}");
        assert!(text.contains("the client's last output"), "{text}");
        assert!(
            text.ends_with("\n1 passed, 1 failed, 0 skipped\n"),
            "{text}"
        );
        let kept = kept_in(&text);
        assert_eq!(kept.len(), 1, "{text}");
        assert!(kept[0].join("turn-1/stderr").exists());
        fs::remove_dir_all(&kept[0]).unwrap();
    }

    #[test]
    fn run_directory_of_a_passed_test_is_kept_only_on_request() {
        let (_, text) = report(&[passing()], &settings(1, KeepRuns::Failed));
        assert_eq!(kept_in(&text), Vec::<PathBuf>::new());
        let (_, text) = report(&[passing()], &settings(1, KeepRuns::All));
        let kept = kept_in(&text);
        assert!(kept[0].is_dir(), "{text}");
        fs::remove_dir_all(&kept[0]).unwrap();
    }

    fn kept_in(text: &str) -> Vec<PathBuf> {
        let lines = text.lines();
        lines
            .filter_map(|line| line.strip_prefix("run directory: "))
            .map(PathBuf::from)
            .collect()
    }

    #[test]
    fn two_jobs_run_two_tests_at_once() {
        let both = Arc::new(Barrier::new(2));
        let meeting = |name: &str| {
            let both = Arc::clone(&both);
            Test::new(name, move |_| {
                both.wait();
                Ok(())
            })
        };
        let (good, text) = report(
            &[meeting("one"), meeting("two")],
            &settings(2, KeepRuns::Failed),
        );
        assert!(good);
        assert!(text.ends_with("\n2 passed, 0 failed, 0 skipped\n"));
    }

    #[test]
    fn empty_test_list_succeeds() {
        let (good, text) = report(&[], &settings(1, KeepRuns::Failed));
        assert!(good);
        assert_eq!(text, "\n0 passed, 0 failed, 0 skipped\n");
    }

    #[test]
    fn unwritable_report_is_an_error() {
        struct BrokenWriter;
        impl Write for BrokenWriter {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let result = run(
            &[passing()],
            &settings(1, KeepRuns::Failed),
            &mut BrokenWriter,
        );
        assert!(result.is_err());
    }
}
