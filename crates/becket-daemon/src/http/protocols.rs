//! `/rpc` and `/mcp`: what editors and agents speak, over what was kept.

use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;

use crate::mcp::{self, RecordOnly, Server};
use crate::rpc::{NoHooks, Services, Store, ws};
use crate::run::Daemon;

pub(super) fn router(daemon: &Arc<Daemon>) -> Router {
    ws::router(editors(daemon)).merge(mcp::http::router(agents(daemon)))
}

fn editors(daemon: &Arc<Daemon>) -> ws::Endpoint {
    let database = daemon.keeper.database();
    let (pending, hooks) = (daemon.pending.clone(), daemon.hooks.clone());
    let services = move || Services {
        backend: Box::new(Store::at(&database)),
        hooks: hooks
            .as_ref()
            .map_or_else(|| Box::new(NoHooks) as _, |hooks| (hooks.0)()),
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
    mcp::http::Endpoint::new(Arc::new(move || {
        let memory = RecordOnly::new(Store::at(&database));
        Server::new(Box::new(Store::at(&database)), Box::new(memory), None)
    }))
}
