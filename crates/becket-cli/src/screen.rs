//! The terminal, taken and given back: on return, on a panic, and on signals that end the process.

use std::io::{self, Stdout, stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use std::thread;
use std::time::Duration;

use becket::trial::Stop;
use crossterm::cursor::Show;
use crossterm::execute;
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::backend::CrosstermBackend;
use ratatui::{Frame, Terminal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

pub(crate) struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    pub(crate) fn open() -> io::Result<Self> {
        static GUARDED: Once = Once::new();
        let mut signals = Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM])?;
        GUARDED.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                give_back();
                before(panic);
            }));
            thread::spawn(move || {
                for signal in signals.forever() {
                    give_back();
                    end_test();
                    let _ = emulate_default_handler(signal);
                }
            });
        });
        take()?;
        let terminal = Terminal::new(CrosstermBackend::new(stdout()));
        if terminal.is_err() {
            give_back();
        }
        Ok(Self {
            terminal: terminal?,
        })
    }

    pub(crate) fn draw(&mut self, render: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(render).map(|_| ())
    }

    /// Stops this process as Ctrl-Z does, and goes on where it was.
    pub(crate) fn suspend(&mut self) -> io::Result<()> {
        give_back();
        rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP)?;
        take()?;
        self.terminal.clear()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

static TAKEN: AtomicBool = AtomicBool::new(false);

fn take() -> io::Result<()> {
    enable_raw_mode()?;
    TAKEN.store(true, Ordering::SeqCst);
    let entered = execute!(stdout(), EnterAlternateScreen);
    if entered.is_err() {
        give_back();
    }
    entered
}

/// Once for each time it was taken: a second time would throw away what was printed since. A terminal
/// that is gone cannot be given back, and that is no error.
fn give_back() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let _ = execute!(stdout(), LeaveAlternateScreen, Show);
    let _ = disable_raw_mode();
}

/// The test that is running.
static TEST: Mutex<Option<Stop>> = Mutex::new(None);

/// While it lives, a signal that ends this process ends the test first.
pub(crate) struct EndsOnSignal(());

pub(crate) fn end_on_signal(stop: Stop) -> EndsOnSignal {
    *TEST.lock().unwrap_or_else(PoisonError::into_inner) = Some(stop);
    EndsOnSignal(())
}

impl Drop for EndsOnSignal {
    fn drop(&mut self) {
        *TEST.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Ends the test that is running and waits for that, though not for ever.
fn end_test() {
    let running = || TEST.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some(stop) = running() {
        stop.stop();
    }
    for _ in 0..500 {
        if running().is_none() {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
}
