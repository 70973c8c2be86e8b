//! Watches the files of indexed projects, so that searches find edits made outside of agents.
//!
//! Only directories with indexed files are watched; ignored, vendored and secret files are not in the index. The most
//! recently used projects are watched. If the system allows no more watches, the rest stays unwatched and the log says
//! so once. Changes by agents are indexed in any case (see `recall`).

mod project;
mod thread;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, SyncSender, TrySendError};

use crate::counters::Counters;
use crate::recall::MemoryService;
use thread::WatchThread;

/// Queued file events. When it is full, the projects are rescanned as a whole.
const QUEUE_CAPACITY: usize = 4096;

/// A message to the watch thread.
enum WatchMessage {
    FileEvent(notify::Event),
    /// There was activity in an indexed project.
    ProjectUsed(String),
    Stop,
}

/// A handle to the watch thread.
#[derive(Clone)]
pub(crate) struct WatchHandle {
    inbox: SyncSender<WatchMessage>,
    /// A file event was lost because the queue was full.
    overflowed: Arc<AtomicBool>,
}

impl WatchHandle {
    /// Reports activity in an indexed project. If the queue is full, the next activity reports it again.
    pub(crate) fn project_used(&self, project: &str) {
        let _ = self
            .inbox
            .try_send(WatchMessage::ProjectUsed(project.to_owned()));
    }

    fn file_event(&self, event: notify::Event) {
        if let Err(TrySendError::Full(_)) = self.inbox.try_send(WatchMessage::FileEvent(event)) {
            self.overflowed.store(true, Ordering::Relaxed);
        }
    }

    fn take_overflow(&self) -> bool {
        self.overflowed.swap(false, Ordering::Relaxed)
    }

    /// Stops the thread after its current work.
    pub(crate) fn stop(&self) {
        // Best effort: the daemon may exit without waiting for the thread.
        let _ = self.inbox.try_send(WatchMessage::Stop);
    }
}

/// Starts the watch thread.
pub(crate) fn start(
    memory: &MemoryService,
    counters: Arc<Counters>,
) -> std::io::Result<WatchHandle> {
    let (inbox, messages) = mpsc::sync_channel(QUEUE_CAPACITY);
    let handle = WatchHandle {
        inbox,
        overflowed: Arc::default(),
    };
    memory.set_watch_handle(handle.clone());
    let thread = WatchThread::new(memory.clone(), counters, handle.clone());
    std::thread::Builder::new()
        .name("becket-watch".into())
        .spawn(move || thread.run(&messages))?;
    Ok(handle)
}
