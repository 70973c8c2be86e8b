//! Watching the files of projects that are indexed, so that what people change with their editors is found as it is.
//!
//! Watched are the directories that hold files of the index, and no others: what git ignores, what is vendored and what
//! holds secrets is not in the index. As many projects as are used at a time, the latest ones. Where the system allows
//! no more watches, the rest goes unwatched with one warning; what agents do is followed in any case (`recall`).

mod places;
mod thread;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, SyncSender, TrySendError};

use crate::counters::Counters;
use crate::recall::Remembering;
use thread::Thread;

/// Changes that wait; beyond, the projects are looked at whole.
const WAITING: usize = 4096;

/// What the thread hears.
enum Message {
    Changed(notify::Event),
    /// Something happened in a project that is indexed.
    Used(String),
    Stop,
}

/// The thread's ear.
#[derive(Clone)]
pub(crate) struct Ear {
    inbox: SyncSender<Message>,
    /// Something was not heard because too much was said.
    missed: Arc<AtomicBool>,
}

impl Ear {
    /// Says that a project that is indexed is used. If too much is going on, it will be said again.
    pub(crate) fn used(&self, project: &str) {
        let _ = self.inbox.try_send(Message::Used(project.to_owned()));
    }

    fn changed(&self, event: notify::Event) {
        if let Err(TrySendError::Full(_)) = self.inbox.try_send(Message::Changed(event)) {
            self.missed.store(true, Ordering::Relaxed);
        }
    }

    fn has_missed(&self) -> bool {
        self.missed.swap(false, Ordering::Relaxed)
    }

    /// Lets the thread end when it has done what it does.
    pub(crate) fn stop(&self) {
        // A full inbox is emptied soon, and the daemon may go without the thread.
        let _ = self.inbox.try_send(Message::Stop);
    }
}

/// Starts to watch.
pub(crate) fn start(remembering: &Remembering, counters: Arc<Counters>) -> std::io::Result<Ear> {
    let (inbox, messages) = mpsc::sync_channel(WAITING);
    let ear = Ear {
        inbox,
        missed: Arc::default(),
    };
    remembering.watch_with(ear.clone());
    let thread = Thread::new(remembering.clone(), counters, ear.clone());
    std::thread::Builder::new()
        .name("becket-watch".into())
        .spawn(move || thread.run(&messages))?;
    Ok(ear)
}
