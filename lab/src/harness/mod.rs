//! A test harness for real clients, for test binaries with `harness = false`.
//!
//! ```no_run
//! use becket_lab::harness::{self, TestCase, TestResult};
//!
//! fn main() -> std::process::ExitCode {
//!     harness::main(becket_lab::tests![claude_says_hello])
//! }
//!
//! fn claude_says_hello(case: &TestCase) -> TestResult {
//!     let claude = becket_lab::claude::Claude::ready()?;
//!     // …
//!     Ok(())
//! }
//! ```
//!
//! Unlike the built-in harness it has a third outcome: a test that returns [`Unavailable`](crate::Unavailable) is skipped
//! and counted as skipped, with the reason at the end of the output. Filters, `--exact`, `--skip` and `--list` work as
//! usual. Each test has a run directory, which is kept if the test fails.

use std::error::Error;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::settings::Settings;

mod arguments;
mod outcome;
mod runner;

use arguments::{Arguments, Mode};

/// What a test returns. [`Unavailable`](crate::Unavailable) skips the test; any other error or a panic fails it.
pub type TestResult = Result<(), Box<dyn Error>>;

/// A named test.
pub struct Test {
    name: String,
    run: Box<dyn Fn(&TestCase) -> TestResult + Send + Sync>,
}

/// What a test gets: its run directory.
#[derive(Debug)]
pub struct TestCase {
    dir: PathBuf,
}

impl Test {
    /// A test with this name, for tests created in a loop; see [`tests!`](crate::tests).
    pub fn new(
        name: impl Into<String>,
        run: impl Fn(&TestCase) -> TestResult + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            run: Box::new(run),
        }
    }
}

impl fmt::Debug for Test {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Test").field(&self.name).finish()
    }
}

impl TestCase {
    /// The run directory: initially empty, outside any project, with a path short enough for a Unix socket.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// A subdirectory of the run directory, for tests with several sessions.
    pub fn subdir(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.dir.join(name);
        fs::create_dir_all(&path)?;
        Ok(path)
    }
}

/// A list of tests from functions. Each is named after its function, with the module path as written.
#[macro_export]
macro_rules! tests {
    ($($function:path),* $(,)?) => {
        vec![$($crate::harness::Test::new(stringify!($function), $function)),*]
    };
}

/// Runs the tests that the command line selects.
pub fn main(tests: Vec<Test>) -> ExitCode {
    let arguments = Arguments::parse(std::env::args().skip(1));
    let chosen: Vec<Test> = tests
        .into_iter()
        .filter(|test| arguments.choose(&test.name))
        .collect();
    let mut out = io::stdout();
    let done = match arguments.mode {
        Mode::List => list(&chosen, &mut out).map(|()| true),
        Mode::Run => runner::run(&chosen, &Settings::from_env(), &mut out),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        // A report that cannot be written must not count as success.
        Ok(false) | Err(_) => ExitCode::FAILURE,
    }
}

fn list(tests: &[Test], out: &mut impl io::Write) -> io::Result<()> {
    for test in tests {
        writeln!(out, "{}: test", test.name)?;
    }
    out.flush()
}
