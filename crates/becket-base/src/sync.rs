//! Locks that ignore poisoning.
//!
//! A panic in one thread must not stop the others: every value behind these locks is valid after each statement.

use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Locks a [`Mutex`] even if another thread panicked while it held the lock.
pub trait MutexExt<T: ?Sized> {
    /// Waits for the lock.
    fn lock_ignoring_poison(&self) -> MutexGuard<'_, T>;
}

impl<T: ?Sized> MutexExt<T> for Mutex<T> {
    #[inline]
    fn lock_ignoring_poison(&self) -> MutexGuard<'_, T> {
        self.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Locks an [`RwLock`] even if another thread panicked while it held the lock.
pub trait RwLockExt<T: ?Sized> {
    /// Waits for shared access.
    fn read_ignoring_poison(&self) -> RwLockReadGuard<'_, T>;
    /// Waits for exclusive access.
    fn write_ignoring_poison(&self) -> RwLockWriteGuard<'_, T>;
}

impl<T: ?Sized> RwLockExt<T> for RwLock<T> {
    #[inline]
    fn read_ignoring_poison(&self) -> RwLockReadGuard<'_, T> {
        self.read().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline]
    fn write_ignoring_poison(&self) -> RwLockWriteGuard<'_, T> {
        self.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn locks_work_after_a_panic() {
        let (mutex, lock) = (Mutex::new(1), RwLock::new(1));
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let (_one, _other) = (mutex.lock(), lock.write());
            panic!("while both are held");
        }));
        assert!(panicked.is_err() && mutex.is_poisoned() && lock.is_poisoned());
        *mutex.lock_ignoring_poison() += 1;
        *lock.write_ignoring_poison() += 1;
        assert_eq!(
            (*mutex.lock_ignoring_poison(), *lock.read_ignoring_poison()),
            (2, 2)
        );
    }
}
