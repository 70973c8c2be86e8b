//! Unauthenticated connections, and their eviction.
//!
//! Connection slots are limited, and any local process can take one and send nothing. Therefore a connection can be
//! evicted until a request on it has been authenticated: when all slots are taken, the oldest unauthenticated
//! connection is closed.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use becket_base::sync::MutexExt;
use tokio_util::sync::CancellationToken;

/// Unauthenticated connections in order of arrival, each with the token that closes it.
#[derive(Debug, Default)]
pub(super) struct UnauthenticatedConnections {
    connections: Mutex<BTreeMap<u64, CancellationToken>>,
    next_id: AtomicU64,
}

/// The state of one connection, shared with its requests.
#[derive(Debug)]
pub(super) struct TrackedConnection {
    registry: Arc<UnauthenticatedConnections>,
    id: u64,
    evict: CancellationToken,
    has_request: AtomicBool,
}

impl UnauthenticatedConnections {
    /// Registers a new connection.
    pub(super) fn register(self: &Arc<Self>) -> Arc<TrackedConnection> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let evict = CancellationToken::new();
        self.connections().insert(id, evict.clone());
        Arc::new(TrackedConnection {
            registry: Arc::clone(self),
            id,
            evict,
            has_request: AtomicBool::new(false),
        })
    }

    /// Evicts the oldest unauthenticated connection, if there is one.
    pub(super) fn evict_oldest(&self) {
        if let Some((_, evict)) = self.connections().pop_first() {
            evict.cancel();
        }
    }

    fn connections(&self) -> std::sync::MutexGuard<'_, BTreeMap<u64, CancellationToken>> {
        self.connections.lock_ignoring_poison()
    }
}

impl TrackedConnection {
    /// Records that a request arrived, of any kind.
    pub(super) fn request_received(&self) {
        self.has_request.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_request(&self) -> bool {
        self.has_request.load(Ordering::Relaxed)
    }

    /// Protects the connection from eviction.
    pub(super) fn mark_authenticated(&self) {
        self.registry.connections().remove(&self.id);
    }

    /// Returns when the connection is evicted.
    pub(super) async fn evicted(&self) {
        self.evict.cancelled().await;
    }
}

impl Drop for TrackedConnection {
    fn drop(&mut self) {
        self.registry.connections().remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oldest_unauthenticated_connection_is_evicted() {
        let registry = Arc::<UnauthenticatedConnections>::default();
        let all: Vec<_> = std::iter::repeat_with(|| registry.register())
            .take(4)
            .collect();
        let evicted = || -> Vec<bool> {
            all.iter()
                .map(|connection| connection.evict.is_cancelled())
                .collect()
        };
        all[0].mark_authenticated();
        drop(registry.register());
        registry.evict_oldest();
        assert_eq!(evicted(), [false, true, false, false]);
        all[2].mark_authenticated();
        registry.evict_oldest();
        registry.evict_oldest();
        assert_eq!(evicted(), [false, true, false, true]);
    }
}
