//! How far long work is, on standard error: a bar where somebody watches, a line every few seconds where
//! it goes to a file, nothing beside JSON.

use std::io::{IsTerminal, Read, Write};
use std::time::{Duration, Instant};

use becket::EnvVars;
use becket::env::{ProcessEnv, Vars};
use unicode_width::UnicodeWidthStr;

use crate::records::in_words;
use crate::report::talk;
use crate::table::fit;

/// A bar is drawn no more often than this.
const GLANCE: Duration = Duration::from_millis(100);
/// A line is written no more often than this.
const PATIENCE: Duration = Duration::from_secs(5);
/// What is left is told once there is something to tell it from.
const ENOUGH: Duration = Duration::from_secs(2);
const BAR: u64 = 30;

#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Bar,
    Lines,
    Silent,
}

/// Tells how far a piece of work is. What is on the screen goes when it is dropped.
pub(crate) struct Progress {
    doing: &'static str,
    unit: &'static str,
    how: How,
    begun: Instant,
    told: Option<Instant>,
    is_last: bool,
}

impl Progress {
    /// For work called `doing`, which is counted in `unit`. Programs that read JSON are not told.
    pub(crate) fn new(doing: &'static str, unit: &'static str, as_json: bool) -> Self {
        let dumb = ProcessEnv
            .get(EnvVars::TERM)
            .is_none_or(|term| term == "dumb");
        let how = match std::io::stderr().is_terminal() {
            _ if as_json => How::Silent,
            true if !dumb => How::Bar,
            _ => How::Lines,
        };
        Self {
            doing,
            unit,
            how,
            begun: Instant::now(),
            told: None,
            is_last: false,
        }
    }

    /// Names what is left when all is counted, which has no measure.
    pub(crate) fn last(&mut self, doing: &str) {
        if self.is_last {
            return;
        }
        self.is_last = true;
        match self.how {
            How::Silent => {}
            // Short work needs no line.
            How::Lines if self.told.is_none() => {}
            How::Lines => talk(&format!("becket: {doing}")),
            How::Bar => {
                self.told = Some(Instant::now());
                write(&format!("\r{doing}\x1b[K"));
            }
        }
    }

    /// Tells how far it is, if it is time to.
    pub(crate) fn tell(&mut self, done: u64, total: u64) {
        let pause = match self.how {
            How::Bar => GLANCE,
            How::Lines => PATIENCE,
            How::Silent => return,
        };
        // Short work needs no line; a bar is there at once.
        let since = match (self.told, self.how) {
            (Some(told), _) => told.elapsed(),
            (None, How::Lines) => self.begun.elapsed(),
            (None, _) => Duration::MAX,
        };
        if total == 0 || since < pause {
            return;
        }
        self.told = Some(Instant::now());
        let text = line(self.doing, self.unit, (done, total), self.begun.elapsed());
        if self.how == How::Lines {
            return talk(&format!("becket: {text}"));
        }
        let width = crossterm::terminal::size().map_or(80, |size| usize::from(size.0));
        write(&format!("\r{}\x1b[K", drawn(&text, (done, total), width)));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.how == How::Bar && self.told.is_some() {
            write("\r\x1b[K");
        }
    }
}

fn line(doing: &str, unit: &str, (done, total): (u64, u64), taken: Duration) -> String {
    let done = done.min(total);
    let left = match u32::try_from(done) {
        Ok(done) if done > 0 && taken >= ENOUGH => {
            let each = taken / done;
            let rest = u32::try_from(total - u64::from(done)).unwrap_or(u32::MAX);
            format!(", {} left", in_words(each.saturating_mul(rest)))
        }
        _ => String::new(),
    };
    format!("{doing} {done}/{total} {unit}{left}")
}

/// The bar and the text in one line of the terminal; where there is no room for both, the text.
fn drawn(text: &str, (done, total): (u64, u64), width: usize) -> String {
    let whole = format!("{} {text}", bar(done, total));
    // The last column stays free: some terminals go to the next line when it is written.
    let room = width.saturating_sub(1);
    if whole.width() <= room {
        whole
    } else {
        fit(text, room)
    }
}

fn bar(done: u64, total: u64) -> String {
    let full = usize::try_from(BAR * done.min(total) / total.max(1)).unwrap_or(0);
    let rest = usize::try_from(BAR).unwrap_or(0).saturating_sub(full);
    "█".repeat(full) + &"░".repeat(rest)
}

fn write(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}

/// A reader that tells how many kilobytes of it were read.
pub(crate) struct Watched<T> {
    inner: T,
    progress: Progress,
    done: u64,
    total: u64,
}

impl<T> Watched<T> {
    /// `total` is in bytes; zero where nobody knows.
    pub(crate) fn new(inner: T, progress: Progress, total: u64) -> Self {
        Self {
            inner,
            progress,
            done: 0,
            total,
        }
    }

    fn passed(&mut self, bytes: usize) {
        self.done += bytes as u64;
        self.progress.tell(self.done / 1000, self.total / 1000);
    }
}

impl<T: Read> Read for Watched<T> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.passed(read);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_it_is_and_what_is_left() {
        let told = |done, taken| line("indexing", "files", (done, 400), Duration::from_secs(taken));
        assert_eq!(told(0, 60), "indexing 0/400 files");
        assert_eq!(told(100, 1), "indexing 100/400 files");
        assert_eq!(told(100, 10), "indexing 100/400 files, 30 s left");
        assert_eq!(told(900, 10), "indexing 400/400 files, 0 ms left");
    }

    #[test]
    fn it_is_one_line_of_any_terminal() {
        let text = "indexing 100/400 files, 30 s left";
        for width in [1, 10, 40, 64, 65, 80] {
            let drawn = drawn(text, (100, 400), width);
            assert!(drawn.width() < width, "{width}: {drawn}");
            assert_eq!(drawn.contains('█'), width >= 65, "{width}: {drawn}");
        }
    }

    #[test]
    fn a_bar_is_always_as_long() {
        for (done, full) in [(0, 0), (1, 0), (200, 15), (400, 30), (9000, 30)] {
            let bar = bar(done, 400);
            assert_eq!(bar.chars().count(), 30, "{done}");
            assert_eq!(bar.matches('█').count(), full, "{done}");
        }
    }
}
