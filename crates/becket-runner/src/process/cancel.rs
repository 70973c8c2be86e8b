//! Cancels a run from another thread.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use becket_base::sync::MutexExt;

/// A handle that cancels every [`run`](super::run) it was given to, immediately and permanently.
///
/// Clones share one state. A handle may serve any number of runs, concurrently or in sequence; a run with a
/// cancelled handle starts nothing.
#[derive(Debug, Clone)]
pub struct Cancel {
    shared: Option<Arc<CancelState>>,
}

#[derive(Debug, Default)]
struct CancelState {
    cancelled: AtomicBool,
    /// Created by the first run that waits, and shared by all later ones.
    wake_fd: Mutex<Option<Arc<WakeFd>>>,
}

impl Cancel {
    /// A handle that can be cancelled. It uses no file descriptor until a run needs one.
    pub fn new() -> Self {
        Self {
            shared: Some(Arc::default()),
        }
    }

    /// A handle that never cancels and costs nothing.
    pub fn never() -> Self {
        Self { shared: None }
    }

    /// Cancels all runs that have this handle, now or later.
    pub fn cancel(&self) {
        let Some(shared) = &self.shared else { return };
        shared.cancelled.store(true, Ordering::Release);
        // A run that creates its descriptor after this lock is released checks the flag afterwards; one that
        // created it before is woken here. So no run misses the cancellation.
        let wake_fd = shared.wake_fd.lock_ignoring_poison();
        if let Some(wake_fd) = wake_fd.as_ref() {
            wake_fd.wake();
        }
    }

    /// Whether [`Cancel::cancel`] has been called on any clone.
    pub fn is_cancelled(&self) -> bool {
        self.shared
            .as_ref()
            .is_some_and(|shared| shared.cancelled.load(Ordering::Acquire))
    }

    /// The descriptor to poll for cancellation; `None` if the handle never cancels. Check [`Cancel::is_cancelled`]
    /// after this and before the first wait.
    pub(super) fn wake_fd(&self) -> io::Result<Option<Arc<WakeFd>>> {
        let Some(shared) = &self.shared else {
            return Ok(None);
        };
        let mut wake_fd = shared.wake_fd.lock_ignoring_poison();
        if wake_fd.is_none() {
            *wake_fd = Some(Arc::new(WakeFd::new()?));
        }
        Ok(wake_fd.clone())
    }
}

impl Default for Cancel {
    fn default() -> Self {
        Self::new()
    }
}

/// A descriptor that becomes readable once and stays readable. It is never drained, so it wakes every waiter.
#[derive(Debug)]
pub(super) struct WakeFd {
    read_end: OwnedFd,
    /// The write end, if it is a separate descriptor.
    write_end: Option<OwnedFd>,
}

impl WakeFd {
    #[cfg(target_os = "linux")]
    fn new() -> io::Result<Self> {
        use rustix::event::{EventfdFlags, eventfd};
        let read_end = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self {
            read_end,
            write_end: None,
        })
    }

    #[cfg(not(target_os = "linux"))]
    fn new() -> io::Result<Self> {
        let (read_end, write_end) = io::pipe()?;
        let (read_end, write_end) = (OwnedFd::from(read_end), OwnedFd::from(write_end));
        rustix::io::ioctl_fionbio(&write_end, true)?;
        Ok(Self {
            read_end,
            write_end: Some(write_end),
        })
    }

    fn wake(&self) {
        // It fails only if it is already full, which wakes as well.
        let _ = rustix::io::write(
            self.write_end.as_ref().unwrap_or(&self.read_end),
            &1_u64.to_ne_bytes(),
        );
    }
}

impl std::os::fd::AsFd for WakeFd {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.read_end.as_fd()
    }
}
