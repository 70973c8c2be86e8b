//! Progress on standard error: a bar on a terminal, a line every few seconds otherwise, nothing with `--json`.

use std::io::{IsTerminal, Read, Write};
use std::time::{Duration, Instant};

use becket::EnvVars;
use becket::env::{ProcessEnv, Vars};
use becket_base::text::columns::ellipsize;
use becket_base::time::format_span;
use unicode_width::UnicodeWidthStr;

use crate::report::print_message;

/// Minimum time between two redraws of the bar.
const REDRAW_INTERVAL: Duration = Duration::from_millis(100);
/// Minimum time between two lines.
const LINE_INTERVAL: Duration = Duration::from_secs(5);
/// No remaining time is estimated before this much has passed.
const MIN_ESTIMATE_TIME: Duration = Duration::from_secs(2);
const BAR_WIDTH: u64 = 30;

#[derive(Clone, Copy, PartialEq, Eq)]
enum ProgressMode {
    Bar,
    Lines,
    Silent,
}

/// Shows the progress of one operation. Dropping it erases the bar.
pub(crate) struct Progress {
    label: &'static str,
    unit: &'static str,
    mode: ProgressMode,
    started: Instant,
    last_update: Option<Instant>,
    is_last: bool,
}

impl Progress {
    /// Progress of an operation `label`, counted in `unit`. With `as_json` nothing is shown.
    pub(crate) fn new(label: &'static str, unit: &'static str, as_json: bool) -> Self {
        let dumb = ProcessEnv
            .get(EnvVars::TERM)
            .is_none_or(|term| term == "dumb");
        let mode = match std::io::stderr().is_terminal() {
            _ if as_json => ProgressMode::Silent,
            true if !dumb => ProgressMode::Bar,
            _ => ProgressMode::Lines,
        };
        Self {
            label,
            unit,
            mode,
            started: Instant::now(),
            last_update: None,
            is_last: false,
        }
    }

    /// Shows the last phase, which has no count.
    pub(crate) fn finishing(&mut self, label: &str) {
        if self.is_last {
            return;
        }
        self.is_last = true;
        match self.mode {
            ProgressMode::Silent => {}
            // Short operations print no line.
            ProgressMode::Lines if self.last_update.is_none() => {}
            ProgressMode::Lines => print_message(&format!("becket: {label}")),
            ProgressMode::Bar => {
                self.last_update = Some(Instant::now());
                write(&format!("\r{label}\x1b[K"));
            }
        }
    }

    /// Shows the progress, at most once per interval.
    pub(crate) fn update(&mut self, done: u64, total: u64) {
        let pause = match self.mode {
            ProgressMode::Bar => REDRAW_INTERVAL,
            ProgressMode::Lines => LINE_INTERVAL,
            ProgressMode::Silent => return,
        };
        // Short operations print no line; a bar appears immediately.
        let since = match (self.last_update, self.mode) {
            (Some(last_update), _) => last_update.elapsed(),
            (None, ProgressMode::Lines) => self.started.elapsed(),
            (None, _) => Duration::MAX,
        };
        if total == 0 || since < pause {
            return;
        }
        self.last_update = Some(Instant::now());
        let text = line(self.label, self.unit, (done, total), self.started.elapsed());
        if self.mode == ProgressMode::Lines {
            return print_message(&format!("becket: {text}"));
        }
        let width = crossterm::terminal::size().map_or(80, |size| usize::from(size.0));
        write(&format!(
            "\r{}\x1b[K",
            render_line(&text, (done, total), width)
        ));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.mode == ProgressMode::Bar && self.last_update.is_some() {
            write("\r\x1b[K");
        }
    }
}

fn line(label: &str, unit: &str, (done, total): (u64, u64), taken: Duration) -> String {
    let done = done.min(total);
    let left = match u32::try_from(done) {
        Ok(done) if done > 0 && taken >= MIN_ESTIMATE_TIME => {
            let each = taken / done;
            let rest = u32::try_from(total - u64::from(done)).unwrap_or(u32::MAX);
            format!(", {} left", format_span(each.saturating_mul(rest)))
        }
        _ => String::new(),
    };
    format!("{label} {done}/{total} {unit}{left}")
}

/// The bar and the text on one terminal line, or only the text if both do not fit.
fn render_line(text: &str, (done, total): (u64, u64), width: usize) -> String {
    let whole = format!("{} {text}", bar(done, total));
    // The last column stays free: some terminals wrap when it is written.
    let room = width.saturating_sub(1);
    if whole.width() <= room {
        whole
    } else {
        ellipsize(text, room).into_owned()
    }
}

fn bar(done: u64, total: u64) -> String {
    let full = usize::try_from(BAR_WIDTH * done.min(total) / total.max(1)).unwrap_or(0);
    let rest = usize::try_from(BAR_WIDTH).unwrap_or(0).saturating_sub(full);
    "█".repeat(full) + &"░".repeat(rest)
}

fn write(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}

/// A reader that shows how many kilobytes were read.
pub(crate) struct ProgressReader<T> {
    inner: T,
    progress: Progress,
    done: u64,
    total: u64,
}

impl<T> ProgressReader<T> {
    /// `total` is in bytes; zero if unknown.
    pub(crate) fn new(inner: T, progress: Progress, total: u64) -> Self {
        Self {
            inner,
            progress,
            done: 0,
            total,
        }
    }

    fn advance(&mut self, bytes: usize) {
        self.done += bytes as u64;
        self.progress.update(self.done / 1000, self.total / 1000);
    }
}

impl<T: Read> Read for ProgressReader<T> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.advance(read);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_shows_progress_and_remaining_time() {
        let line_at =
            |done, taken| line("indexing", "files", (done, 400), Duration::from_secs(taken));
        assert_eq!(line_at(0, 60), "indexing 0/400 files");
        assert_eq!(line_at(100, 1), "indexing 100/400 files");
        assert_eq!(line_at(100, 10), "indexing 100/400 files, 30 s left");
        assert_eq!(line_at(900, 10), "indexing 400/400 files, 0 ms left");
    }

    #[test]
    fn progress_fits_one_line_at_any_width() {
        let text = "indexing 100/400 files, 30 s left";
        for width in [1, 10, 40, 64, 65, 80] {
            let drawn = render_line(text, (100, 400), width);
            assert!(drawn.width() < width, "{width}: {drawn}");
            assert_eq!(drawn.contains('█'), width >= 65, "{width}: {drawn}");
        }
    }

    #[test]
    fn bar_has_constant_width() {
        for (done, full) in [(0, 0), (1, 0), (200, 15), (400, 30), (9000, 30)] {
            let bar = bar(done, 400);
            assert_eq!(bar.chars().count(), 30, "{done}");
            assert_eq!(bar.matches('█').count(), full, "{done}");
        }
    }
}
