//! What was spent today: a small file that several processes keep together.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::Utc;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use serde_json::{Value, json};

use super::{ModelError, Tokens};
use crate::deadline::Deadline;

/// How long to wait for another process, which needs the file for a moment only.
const PATIENCE: Duration = Duration::from_secs(2);

const LOOK_EVERY: Duration = Duration::from_millis(5);

/// What was spent on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Questions that were answered.
    pub answers: u64,
    /// What they cost, and what was paid for others.
    pub tokens: Tokens,
}

/// What was spent on a day (UTC), such as `2026-11-16`.
pub fn usage(state: &Path, day: &str) -> io::Result<Usage> {
    read(&file(&directory(state), day))
}

pub(super) struct Ledger {
    dir: PathBuf,
}

impl Ledger {
    pub(super) fn new(state: &Path) -> Self {
        Self {
            dir: directory(state),
        }
    }

    /// Pays, if there is enough left of the limit.
    pub(super) fn pay(
        &self,
        price: Tokens,
        limit: Option<u64>,
        deadline: &Deadline,
    ) -> Result<(), ModelError> {
        deadline.left()?;
        let unknown =
            |error: io::Error| ModelError::Ledger(format!("{}: {error}", self.dir.display()));
        self.change(|usage| {
            let used = usage.tokens.total();
            match limit {
                Some(limit) if used.saturating_add(price.total()) > limit => {
                    Err(ModelError::Budget { used, limit })
                }
                _ => {
                    usage.tokens = add(usage.tokens, price);
                    Ok(())
                }
            }
        })
        .map_err(unknown)?
    }

    /// Puts right what was paid. Failing to costs precision and nothing else.
    pub(super) fn settle(&self, paid: Tokens, cost: Tokens, answered: bool) {
        let _ = self.change(|usage| {
            usage.tokens = add(
                Tokens {
                    input: usage.tokens.input.saturating_sub(paid.input),
                    output: usage.tokens.output.saturating_sub(paid.output),
                },
                cost,
            );
            usage.answers += u64::from(answered);
            Ok::<(), ()>(())
        });
    }

    /// Changes today's file under the lock; leaves it alone on an error.
    fn change<E>(
        &self,
        change: impl FnOnce(&mut Usage) -> Result<(), E>,
    ) -> io::Result<Result<(), E>> {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.dir)?;
        let _lock = self.lock()?;
        let day = Utc::now().format("%Y-%m-%d").to_string();
        let path = file(&self.dir, &day);
        let mut usage = read(&path)?;
        let changed = change(&mut usage);
        if changed.is_ok() {
            write(&path, &day, &usage)?;
        }
        Ok(changed)
    }

    /// Held while the file is open.
    fn lock(&self) -> io::Result<File> {
        let lock = private()
            .create(true)
            .truncate(false)
            .open(self.dir.join("lock"))?;
        let mut waited = Duration::ZERO;
        loop {
            match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(lock),
                Err(Errno::WOULDBLOCK | Errno::INTR) if waited < PATIENCE => {
                    std::thread::sleep(LOOK_EVERY);
                    waited += LOOK_EVERY;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

fn directory(state: &Path) -> PathBuf {
    state.join("llm")
}

fn file(dir: &Path, day: &str) -> PathBuf {
    dir.join(format!("usage-{day}.json"))
}

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o600);
    options
}

fn read(path: &Path) -> io::Result<Usage> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Usage::default()),
        Err(error) => return Err(error),
    };
    let broken = || io::Error::new(io::ErrorKind::InvalidData, "is not a ledger of ours");
    let value: Value = serde_json::from_str(&text).map_err(|_| broken())?;
    let number = |key: &str| value.get(key).and_then(Value::as_u64).ok_or_else(broken);
    Ok(Usage {
        answers: number("answers")?,
        tokens: Tokens {
            input: number("input_tokens")?,
            output: number("output_tokens")?,
        },
    })
}

/// Whole or not at all.
fn write(path: &Path, day: &str, usage: &Usage) -> io::Result<()> {
    let text = json!({
        "v": 1,
        "day": day,
        "answers": usage.answers,
        "input_tokens": usage.tokens.input,
        "output_tokens": usage.tokens.output,
    });
    // Only the holder of the lock writes, so that one name is enough.
    let temporary = path.with_extension("new");
    let mut file = private().create(true).truncate(true).open(&temporary)?;
    writeln!(file, "{text}")?;
    file.sync_data()?;
    fs::rename(temporary, path)
}

fn add(one: Tokens, other: Tokens) -> Tokens {
    Tokens {
        input: one.input.saturating_add(other.input),
        output: one.output.saturating_add(other.output),
    }
}
