//! `/rpc` for editors and `/mcp` for agents.

use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;

use crate::mcp::{self, McpServer, RecallBackend};
use crate::rpc::{NoHookAdmin, SessionServices, StoreBackend, ws};
use crate::run::Daemon;

pub(super) fn router(daemon: &Arc<Daemon>) -> Router {
    ws::router(rpc_endpoint(daemon)).merge(mcp::http::router(mcp_endpoint(daemon)))
}

fn rpc_endpoint(daemon: &Arc<Daemon>) -> ws::RpcEndpoint {
    let database = daemon.store.database_path();
    let client = daemon.memory.blocking_client();
    let (pending, setup) = (daemon.pending.clone(), daemon.setup.clone());
    let services = move || SessionServices {
        backend: Box::new(StoreBackend::at(&database).with_memories(Arc::clone(&client))),
        hooks: setup.hook_admin().unwrap_or_else(|| Box::new(NoHookAdmin)),
        permissions: Box::new(pending.editor()),
    };
    let changes = vec![daemon.store.last_seq(), daemon.pending.changes()];
    let endpoint = ws::RpcEndpoint::new(Arc::new(services), changes, daemon.stop.clone());
    let daemon = Arc::clone(daemon);
    endpoint.while_connected(Arc::new(move || daemon.touch()))
}

/// The HTTP server belongs to no project, so it serves all projects.
fn mcp_endpoint(daemon: &Arc<Daemon>) -> mcp::http::McpEndpoint {
    let database: PathBuf = daemon.store.database_path();
    let client = daemon.memory.blocking_client();
    mcp::http::McpEndpoint::new(Arc::new(move || {
        let memory = RecallBackend::new(StoreBackend::at(&database), Arc::clone(&client));
        McpServer::new(
            Box::new(StoreBackend::at(&database)),
            Box::new(memory),
            None,
        )
    }))
}
