//! `/rpc` and `/mcp`: what editors and agents speak, over what was kept.

use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;

use crate::mcp::{self, Recalling, Server};
use crate::rpc::{NoHooks, Services, Store, ws};
use crate::run::Daemon;

pub(super) fn router(daemon: &Arc<Daemon>) -> Router {
    ws::router(editors(daemon)).merge(mcp::http::router(agents(daemon)))
}

fn editors(daemon: &Arc<Daemon>) -> ws::Endpoint {
    let database = daemon.keeper.database();
    let asking = daemon.remembering.asking();
    let (pending, setup) = (daemon.pending.clone(), daemon.setup.clone());
    let services = move || Services {
        backend: Box::new(Store::at(&database).with_memories(Arc::clone(&asking))),
        hooks: setup.editor().unwrap_or_else(|| Box::new(NoHooks)),
        permissions: Box::new(pending.editor()),
    };
    let changes = vec![daemon.keeper.latest(), daemon.pending.changes()];
    let endpoint = ws::Endpoint::new(Arc::new(services), changes, daemon.stop.clone());
    let daemon = Arc::clone(daemon);
    endpoint.while_connected(Arc::new(move || daemon.used()))
}

/// The server is not in any project, so it answers about all of them.
fn agents(daemon: &Arc<Daemon>) -> mcp::http::Endpoint {
    let database: PathBuf = daemon.keeper.database();
    let asking = daemon.remembering.asking();
    mcp::http::Endpoint::new(Arc::new(move || {
        let memory = Recalling::new(Store::at(&database), Arc::clone(&asking));
        Server::new(Box::new(Store::at(&database)), Box::new(memory), None)
    }))
}
