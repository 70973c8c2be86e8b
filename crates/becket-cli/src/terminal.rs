//! Takes over the terminal for a full-screen interface and restores it on return, on panic, and on a fatal signal.

use std::io::{self, Stdout, stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once};
use std::thread;
use std::time::Duration;

use becket::trial::StopHandle;
use becket_base::sync::MutexExt;
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

pub(crate) struct TerminalSession {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl TerminalSession {
    pub(crate) fn open() -> io::Result<Self> {
        static GUARDED: Once = Once::new();
        let mut signals = Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM])?;
        GUARDED.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                restore_terminal();
                before(panic);
            }));
            thread::spawn(move || {
                for signal in signals.forever() {
                    restore_terminal();
                    stop_running_test();
                    let _ = emulate_default_handler(signal);
                }
            });
        });
        enter_alternate_screen()?;
        let terminal = Terminal::new(CrosstermBackend::new(stdout()));
        if terminal.is_err() {
            restore_terminal();
        }
        Ok(Self {
            terminal: terminal?,
        })
    }

    pub(crate) fn draw(&mut self, render: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(render).map(|_| ())
    }

    /// Suspends the process as Ctrl-Z does, and redraws when it continues.
    pub(crate) fn suspend(&mut self) -> io::Result<()> {
        restore_terminal();
        rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP)?;
        enter_alternate_screen()?;
        self.terminal.clear()
    }
}

impl Drop for TerminalSession {
    fn drop(&mut self) {
        restore_terminal();
    }
}

static IN_ALTERNATE_SCREEN: AtomicBool = AtomicBool::new(false);

fn enter_alternate_screen() -> io::Result<()> {
    enable_raw_mode()?;
    IN_ALTERNATE_SCREEN.store(true, Ordering::SeqCst);
    let entered = execute!(stdout(), EnterAlternateScreen);
    if entered.is_err() {
        restore_terminal();
    }
    entered
}

/// Restores the terminal once per entry: leaving the alternate screen twice would erase later output. Errors are
/// ignored, because the terminal may be gone.
fn restore_terminal() {
    if !IN_ALTERNATE_SCREEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let _ = execute!(stdout(), LeaveAlternateScreen, Show);
    let _ = disable_raw_mode();
}

/// The hook test that is running.
static RUNNING_TEST: Mutex<Option<StopHandle>> = Mutex::new(None);

/// While this guard lives, a fatal signal stops the running test first.
pub(crate) struct StopOnSignal(());

pub(crate) fn stop_on_signal(stop: StopHandle) -> StopOnSignal {
    *RUNNING_TEST.lock_ignoring_poison() = Some(stop);
    StopOnSignal(())
}

impl Drop for StopOnSignal {
    fn drop(&mut self) {
        *RUNNING_TEST.lock_ignoring_poison() = None;
    }
}

/// Stops the running test and waits for it, at most five seconds.
fn stop_running_test() {
    let running = || RUNNING_TEST.lock_ignoring_poison().clone();
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
