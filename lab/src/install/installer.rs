//! Installs one client: lock, attempts, deadline, verification, marker.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use super::{InstalledClient, Pin, Pins, Unavailable, bin_dir, pins};
use crate::process::{self, FinishedProcess, ProcessExit, until};
use crate::settings::Settings;

/// The marker file with package and version, written last.
const MARKER: &str = ".installed";
const ATTEMPTS: u32 = 3;
/// Time limit for `--version`. The first start of a large program reads it from a cold disk.
const CHECK: Duration = Duration::from_secs(60);

/// Installs clients into a cache folder.
#[derive(Debug, Clone)]
pub struct Installer {
    /// The cache directory, created if missing.
    pub cache: PathBuf,
    /// The installable clients.
    pub pins: Pins,
    /// The npm command: a program and its first arguments.
    pub npm: Vec<OsString>,
    /// Total time limit: waiting for the lock, all attempts, and the runtime of a client.
    pub deadline: Duration,
    /// The pause before the second attempt; it doubles before each further one.
    pub backoff: Duration,
}

impl Installer {
    /// The installer for tests of real clients.
    pub fn from_env() -> Self {
        Self {
            cache: Settings::from_env().cache,
            pins: pins(),
            npm: vec!["npm".into()],
            deadline: Duration::from_secs(600),
            backoff: Duration::from_secs(2),
        }
    }

    /// Installs the client `name` and its runtime, unless they are already installed.
    pub fn install(&self, name: &str) -> Result<InstalledClient, Unavailable> {
        self.install_until(name, Instant::now() + self.deadline)
    }

    fn install_until(&self, name: &str, deadline: Instant) -> Result<InstalledClient, Unavailable> {
        let unavailable = |why: String| Unavailable {
            client: name.to_owned(),
            why: one_line(&why),
        };
        let pin = self.pins.get(name);
        let pin = pin.ok_or_else(|| unavailable("it is not listed in clients.json".to_owned()))?;
        let runtime = match &pin.runtime {
            Some(runtime) => {
                let found = self.install_until(runtime, deadline);
                found.map_err(|error| unavailable(error.to_string()))?.path
            }
            None => Vec::new(),
        };
        let job = InstallJob {
            installer: self,
            name,
            pin,
            prefix: self.cache.join(format!("{name}-{}", pin.version)),
            runtime,
            deadline,
        };
        job.run().map_err(|why| unavailable(why.0))
    }
}

/// The reason of a failed install, for people.
struct InstallFailure(String);

impl From<io::Error> for InstallFailure {
    fn from(error: io::Error) -> Self {
        Self(error.to_string())
    }
}

/// One client to install.
struct InstallJob<'a> {
    installer: &'a Installer,
    name: &'a str,
    pin: &'a Pin,
    prefix: PathBuf,
    runtime: Vec<PathBuf>,
    deadline: Instant,
}

impl InstallJob<'_> {
    fn run(&self) -> Result<InstalledClient, InstallFailure> {
        if !self.is_done() {
            fs::create_dir_all(&self.installer.cache)?;
            let _lock = self.lock()?;
            // Another process may have installed it while this one waited for the lock.
            if !self.is_done() {
                self.install_with_retries()?;
            }
        }
        let own = bin_dir(&self.prefix);
        Ok(InstalledClient {
            program: self.program(),
            path: [own].into_iter().chain(self.runtime.clone()).collect(),
            prefix: self.prefix.clone(),
            version: self.pin.version.clone(),
        })
    }

    fn is_done(&self) -> bool {
        let marker = fs::read_to_string(self.prefix.join(MARKER));
        marker.is_ok_and(|text| text.trim() == self.wanted()) && self.program().exists()
    }

    fn program(&self) -> PathBuf {
        match &self.pin.bin {
            Some(bin) => bin_dir(&self.prefix).join(bin),
            None => self.prefix.join("node_modules").join(&self.pin.package),
        }
    }

    fn wanted(&self) -> String {
        format!("{}@{}", self.pin.package, self.pin.version)
    }

    /// The lock belongs to the open file, so it ends with the process.
    fn lock(&self) -> Result<File, InstallFailure> {
        let path = self.installer.cache.join(format!("{}.lock", self.name));
        let file = File::create(path)?;
        let taken = until(self.left(), || match file.try_lock() {
            Err(TryLockError::WouldBlock) => None,
            Err(TryLockError::Error(error)) => Some(Err(error)),
            Ok(()) => Some(Ok(())),
        });
        match taken {
            Some(result) => result.map(|()| file).map_err(InstallFailure::from),
            None => Err(InstallFailure(
                "another process is still installing it".to_owned(),
            )),
        }
    }

    fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    fn install_with_retries(&self) -> Result<(), InstallFailure> {
        let mut last = String::new();
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                let pause = self.installer.backoff * 2_u32.pow(attempt - 1);
                thread::sleep(pause.min(self.left()));
            }
            if self.left().is_zero() {
                return Err(InstallFailure(format!(
                    "time limit reached after {attempt} attempts: {last}"
                )));
            }
            match self.attempt(attempt) {
                Ok(()) => return Ok(()),
                Err(AttemptError::Permanent(why)) => return Err(why),
                Err(AttemptError::Retryable(why)) => last = why.0,
            }
        }
        Err(InstallFailure(format!(
            "{ATTEMPTS} attempts failed: {last}"
        )))
    }

    fn attempt(&self, number: u32) -> Result<(), AttemptError> {
        self.start_afresh()?;
        let output = self.installer.cache.join(format!("{}.output", self.name));
        let mut npm = self.npm(number)?;
        let finished =
            process::run(&mut npm, &output, self.left()).map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => {
                    AttemptError::Permanent(InstallFailure("npm is not on the PATH".to_owned()))
                }
                _ => error.into(),
            })?;
        if !finished.exit.is_success() {
            let why = format!("npm {}", describe(&finished));
            return Err(AttemptError::Retryable(InstallFailure(why)));
        }
        self.check(&output)?;
        fs::write(self.prefix.join(MARKER), self.wanted())?;
        Ok(())
    }

    /// Deletes the files of an earlier attempt, because npm would reuse them.
    fn start_afresh(&self) -> io::Result<()> {
        match fs::remove_dir_all(&self.prefix) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        fs::create_dir_all(&self.prefix)?;
        // Without this file npm installs into the nearest parent directory that has one.
        fs::write(self.prefix.join("package.json"), "{\"private\": true}\n")
    }

    fn npm(&self, attempt: u32) -> io::Result<Command> {
        let [program, first_arguments @ ..] = self.installer.npm.as_slice() else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let mut command = Command::new(program);
        command
            .args(first_arguments)
            .args(["install", "--no-audit", "--no-fund", "--loglevel=error"])
            .args(["--fetch-retries=1", "--fetch-retry-mintimeout=2000"]);
        // A pinned version never changes, so npm's cache is good enough for the first attempt. Its metadata may be older than
        // the version; then only a request to the registry helps.
        if attempt == 0 {
            command.arg("--prefer-offline");
        }
        command
            .arg(self.wanted())
            .current_dir(&self.prefix)
            .env("PATH", self.search_path()?);
        Ok(command)
    }

    /// The caller's `PATH` after the runtime: npm selects releases by the node that runs it, so an old one silently installs
    /// old clients.
    fn search_path(&self) -> io::Result<OsString> {
        let callers = std::env::var_os("PATH").unwrap_or_default();
        let callers = std::env::split_paths(&callers);
        std::env::join_paths(self.runtime.iter().cloned().chain(callers)).map_err(io::Error::other)
    }

    /// Starts the program, because npm reports success even if it skipped install scripts or platform packages.
    fn check(&self, output: &Path) -> Result<(), AttemptError> {
        let Some(bin) = &self.pin.bin else {
            return self.check_library();
        };
        let mut command = Command::new(self.program());
        command
            .arg("--version")
            .current_dir(&self.prefix)
            .env("PATH", self.search_path()?)
            .env("HOME", &self.prefix);
        let limit = CHECK.min(self.left());
        let finished = process::run(&mut command, output, limit)?;
        if finished.exit.is_success() && finished.stdout.contains(&self.pin.version) {
            return Ok(());
        }
        Err(AttemptError::Retryable(InstallFailure(format!(
            "`{bin} --version` {}, which does not show {}",
            describe(&finished),
            self.pin.version,
        ))))
    }
}

impl InstallJob<'_> {
    /// Checks a library's version in its manifest, because it cannot be started.
    fn check_library(&self) -> Result<(), AttemptError> {
        let manifest = fs::read_to_string(self.program().join("package.json"))?;
        let manifest: serde_json::Value =
            serde_json::from_str(&manifest).map_err(io::Error::other)?;
        if manifest["version"] == self.pin.version.as_str() {
            return Ok(());
        }
        Err(AttemptError::Retryable(InstallFailure(format!(
            "version {} was installed instead of {}",
            manifest["version"], self.pin.version
        ))))
    }
}

enum AttemptError {
    /// Another attempt may succeed.
    Retryable(InstallFailure),
    /// Further attempts are useless.
    Permanent(InstallFailure),
}

impl From<io::Error> for AttemptError {
    fn from(error: io::Error) -> Self {
        Self::Retryable(error.into())
    }
}

fn describe(finished: &FinishedProcess) -> String {
    let end = match finished.exit {
        ProcessExit::Code(code) => format!("exited with {code}"),
        ProcessExit::Signal(signal) => format!("was killed by signal {signal}"),
        ProcessExit::TimedOut => "ran out of time".to_owned(),
    };
    let said = format!("{}\n{}", finished.stdout, finished.stderr);
    // npm names the error first and explains it later. Addresses are removed, because reports are shared.
    let said = one_line(&said)
        .split(' ')
        .map(hide_address)
        .collect::<Vec<_>>()
        .join(" ");
    let beginning: String = said.chars().take(400).collect();
    format!("{end} ({beginning})")
}

fn hide_address(word: &str) -> &str {
    if word.contains("://") {
        "<address>"
    } else {
        word
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[path = "installer_tests.rs"]
mod tests;
