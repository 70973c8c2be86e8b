//! Stopping a run from another thread.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A handle that stops every [`run`](super::run) it was given to, at once and for good.
///
/// Clones are the same handle. One handle may serve any number of runs, at the same time or one
/// after the other; a run that is given a cancelled handle starts nothing.
#[derive(Debug, Clone)]
pub struct Cancel {
    shared: Option<Arc<Shared>>,
}

#[derive(Debug, Default)]
struct Shared {
    cancelled: AtomicBool,
    /// Made by the first run that waits; kept so that all later ones share it.
    bell: Mutex<Option<Arc<Bell>>>,
}

impl Cancel {
    /// A handle that can be cancelled. It holds no descriptor until a run needs one.
    pub fn new() -> Self {
        Self {
            shared: Some(Arc::default()),
        }
    }

    /// A handle that never cancels anything and costs nothing.
    pub fn never() -> Self {
        Self { shared: None }
    }

    /// Stops the runs that hold this handle and those that will be given it.
    pub fn cancel(&self) {
        let Some(shared) = &self.shared else { return };
        shared.cancelled.store(true, Ordering::Release);
        // A run that makes its bell after this lock is released looks at the flag afterwards; one
        // that made it before is rung here. Either way it hears.
        let bell = shared.bell.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bell) = bell.as_ref() {
            bell.ring();
        }
    }

    /// Whether [`Cancel::cancel`] has been called on any clone.
    pub fn is_cancelled(&self) -> bool {
        self.shared
            .as_ref()
            .is_some_and(|shared| shared.cancelled.load(Ordering::Acquire))
    }

    /// What to poll for cancellation, if it can happen. Look at [`Cancel::is_cancelled`] after
    /// this and before the first wait.
    pub(super) fn bell(&self) -> io::Result<Option<Arc<Bell>>> {
        let Some(shared) = &self.shared else {
            return Ok(None);
        };
        let mut bell = shared.bell.lock().unwrap_or_else(PoisonError::into_inner);
        if bell.is_none() {
            *bell = Some(Arc::new(Bell::new()?));
        }
        Ok(bell.clone())
    }
}

impl Default for Cancel {
    fn default() -> Self {
        Self::new()
    }
}

/// A descriptor that turns readable once and stays so: nobody ever empties it, therefore every
/// waiter wakes.
#[derive(Debug)]
pub(super) struct Bell {
    ears: OwnedFd,
    /// The writing end, where that is another descriptor.
    rope: Option<OwnedFd>,
}

impl Bell {
    #[cfg(target_os = "linux")]
    fn new() -> io::Result<Self> {
        use rustix::event::{EventfdFlags, eventfd};
        let ears = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self { ears, rope: None })
    }

    #[cfg(not(target_os = "linux"))]
    fn new() -> io::Result<Self> {
        let (ears, rope) = io::pipe()?;
        let (ears, rope) = (OwnedFd::from(ears), OwnedFd::from(rope));
        rustix::io::ioctl_fionbio(&rope, true)?;
        Ok(Self {
            ears,
            rope: Some(rope),
        })
    }

    fn ring(&self) {
        // The only way to fail is to be full already, which rings as well.
        let _ = rustix::io::write(
            self.rope.as_ref().unwrap_or(&self.ears),
            &1_u64.to_ne_bytes(),
        );
    }
}

impl std::os::fd::AsFd for Bell {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.ears.as_fd()
    }
}
