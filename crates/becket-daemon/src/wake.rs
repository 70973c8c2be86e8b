//! Receives the clients' notifications that the spool has new records.
//!
//! A thread reads the wake FIFO. A client notifies while its agent still waits for it, so the thread sleeps before it
//! reads: the client ends without competing for the CPU, and notifications that follow meanwhile cause no wake-up.

use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

use becket_spool::wake_fifo::{WakeReader, WakeStopper};

use crate::run::Daemon;
use crate::store_handle::DRAIN_DEBOUNCE;

/// The running thread.
pub(crate) struct WakeThread {
    stopper: WakeStopper,
    thread: JoinHandle<()>,
}

impl WakeThread {
    pub(crate) fn start(reader: WakeReader, daemon: &Arc<Daemon>) -> io::Result<Self> {
        let stopper = reader.stopper()?;
        let daemon = Arc::clone(daemon);
        let thread = std::thread::Builder::new()
            .name("becket-wake".into())
            .spawn(move || {
                if let Err(error) = run(&reader, &daemon) {
                    tracing::warn!("cannot read the wake FIFO, so clients use the socket: {error}");
                }
            })?;
        Ok(Self { stopper, thread })
    }

    /// Ends the thread of a daemon that was stopped, and closes the FIFO: an open file keeps its file system busy.
    pub(crate) fn stop(self) {
        self.stopper.wake();
        let _ = self.thread.join();
    }
}

fn run(reader: &WakeReader, daemon: &Daemon) -> io::Result<()> {
    loop {
        reader.wait()?;
        let notified_at = Instant::now();
        std::thread::sleep(DRAIN_DEBOUNCE);
        let versions = reader.take()?;
        if daemon.stop.is_cancelled() {
            return Ok(());
        }
        daemon.handle_notifications(versions.lines(), notified_at);
    }
}
