//! Ledger of tokens used per day: a small JSON file that several processes share under a lock.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use becket_base::fs::{FileSync, LockRetry, create_private_dir, open_private, write_private};
use chrono::Utc;
use serde_json::{Value, json};

use super::{ModelError, TokenUsage};
use crate::deadline::Deadline;

/// How long to wait for the lock. Other processes hold it only briefly.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);

/// Tokens used on one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DailyUsage {
    /// Number of answered requests.
    pub answers: u64,
    /// Tokens of these requests, and tokens reserved for running or failed ones.
    pub tokens: TokenUsage,
}

/// Reads the usage of a day (UTC), such as `2026-11-16`.
pub fn daily_usage(state: &Path, day: &str) -> io::Result<DailyUsage> {
    read(&file(&directory(state), day))
}

pub(super) struct UsageLedger {
    dir: PathBuf,
}

impl UsageLedger {
    pub(super) fn new(state: &Path) -> Self {
        Self {
            dir: directory(state),
        }
    }

    /// Reserves tokens, if the limit allows it.
    pub(super) fn reserve(
        &self,
        price: TokenUsage,
        limit: Option<u64>,
        deadline: &Deadline,
    ) -> Result<(), ModelError> {
        deadline.remaining()?;
        let unknown =
            |error: io::Error| ModelError::Ledger(format!("{}: {error}", self.dir.display()));
        self.update(|usage| {
            let used = usage.tokens.total();
            match limit {
                Some(limit) if used.saturating_add(price.total()) > limit => {
                    Err(ModelError::BudgetExceeded { used, limit })
                }
                _ => {
                    usage.tokens = add(usage.tokens, price);
                    Ok(())
                }
            }
        })
        .map_err(unknown)?
    }

    /// Replaces a reservation by the real usage. If that fails, only precision is lost.
    pub(super) fn adjust(&self, paid: TokenUsage, cost: TokenUsage, answered: bool) {
        let _ = self.update(|usage| {
            usage.tokens = add(
                TokenUsage {
                    input: usage.tokens.input.saturating_sub(paid.input),
                    output: usage.tokens.output.saturating_sub(paid.output),
                },
                cost,
            );
            usage.answers += u64::from(answered);
            Ok::<(), ()>(())
        });
    }

    /// Updates today's file under the lock. On an error the file stays as it was.
    fn update<E>(
        &self,
        change: impl FnOnce(&mut DailyUsage) -> Result<(), E>,
    ) -> io::Result<Result<(), E>> {
        create_private_dir(&self.dir)?;
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

    /// Takes the lock; it is held while the file is open.
    fn lock(&self) -> io::Result<File> {
        let file = open_private(&self.dir.join("lock"))?;
        if LockRetry::new(LOCK_TIMEOUT).lock(&file)? {
            return Ok(file);
        }
        let message = "another process holds the lock";
        Err(io::Error::new(io::ErrorKind::WouldBlock, message))
    }
}

fn directory(state: &Path) -> PathBuf {
    state.join("llm")
}

fn file(dir: &Path, day: &str) -> PathBuf {
    dir.join(format!("usage-{day}.json"))
}

fn read(path: &Path) -> io::Result<DailyUsage> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(DailyUsage::default()),
        Err(error) => return Err(error),
    };
    let broken = || io::Error::new(io::ErrorKind::InvalidData, "not a valid usage file");
    let value: Value = serde_json::from_str(&text).map_err(|_| broken())?;
    let number = |key: &str| value.get(key).and_then(Value::as_u64).ok_or_else(broken);
    Ok(DailyUsage {
        answers: number("answers")?,
        tokens: TokenUsage {
            input: number("input_tokens")?,
            output: number("output_tokens")?,
        },
    })
}

/// Writes the file atomically.
fn write(path: &Path, day: &str, usage: &DailyUsage) -> io::Result<()> {
    let text = json!({
        "v": 1,
        "day": day,
        "answers": usage.answers,
        "input_tokens": usage.tokens.input,
        "output_tokens": usage.tokens.output,
    });
    write_private(path, format!("{text}\n").as_bytes(), FileSync::BeforeRename)
}

fn add(one: TokenUsage, other: TokenUsage) -> TokenUsage {
    TokenUsage {
        input: one.input.saturating_add(other.input),
        output: one.output.saturating_add(other.output),
    }
}
