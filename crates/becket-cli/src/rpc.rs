//! `becket rpc`: serves JSON-RPC for editors over standard input and output.

use std::cell::{Cell, RefCell};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use becket::Home;
use becket_daemon::rpc::drive::{SessionInput, drive, inbox};
use becket_daemon::rpc::frame::{FrameDecoder, Framing};
use becket_daemon::rpc::{
    HookAdmin, HookSelector, HookTest, PendingPermission, PermissionDecision, Permissions,
    RpcSession, ServiceError, ServiceErrorKind, SessionServices, StoreBackend, SubscriptionFilter,
};
use becket_daemon::runtime_dir::RuntimeDir;
use becket_daemon::socket::SocketRequest;
use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::Value;

use crate::args::ProjectArgs;
use crate::daemon::send_request;
use crate::exit::Exit;
use crate::hooks::api;
use crate::memories::backend::query_handler;

/// How often to poll for new events while a client is subscribed.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Size of the read buffer.
const READ_BUFFER_BYTES: usize = 64 * 1024;

#[derive(Args)]
pub(crate) struct RpcArgs {
    /// Send notifications immediately, without waiting for `becket.subscribe`
    #[arg(long)]
    all: bool,
    /// With --all: only these events, in any agent's spelling
    #[arg(long, value_name = "NAME", value_delimiter = ',', requires = "all")]
    events: Vec<String>,
    /// With --all: start at this stream position [default: now]; 0 is the beginning
    #[arg(long, value_name = "CURSOR", requires = "all")]
    since: Option<i64>,
    /// Message framing
    #[arg(long, value_enum, default_value = "auto")]
    framing: FramingArg,
    /// Project directory [default: the current directory]; with --all, only this project's events
    #[arg(long, short = 'C', value_name = "DIR")]
    project: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FramingArg {
    /// Use the framing of the client's first message; lines until then
    Auto,
    /// One message per line
    Lines,
    /// Content-Length headers, as in the Language Server Protocol
    Headers,
}

impl FramingArg {
    fn fixed(self) -> Option<Framing> {
        match self {
            Self::Auto => None,
            Self::Lines => Some(Framing::Lines),
            Self::Headers => Some(Framing::Headers),
        }
    }
}

pub(crate) fn main(args: &RpcArgs) -> anyhow::Result<Exit> {
    let here = ProjectArgs {
        project: args.project.clone(),
        json: true,
    };
    let (home, root) = here.find()?;
    let mut session = RpcSession::new(SessionServices {
        backend: Box::new(StoreBackend::at(home.database()).with_memories(query_handler(&home))),
        hooks: Box::new(HookService(here)),
        permissions: Box::new(DaemonPermissions::new(&home)),
    });
    if args.all {
        let filter = SubscriptionFilter::for_events(&args.events);
        let mut filter = filter.map_err(|why| anyhow::anyhow!("--events: {why}"))?;
        let named = args.project.is_some();
        filter.project = named.then(|| root.to_string_lossy().into_owned());
        session.subscribe(filter, args.since)?;
    }
    let framing = Arc::new(OnceLock::new());
    if let Some(known) = args.framing.fixed() {
        let _ = framing.set(known);
    }
    let (inputs, inbox) = inbox();
    let reader = std::thread::Builder::new()
        .name("becket-stdin".into())
        .spawn({
            let framing = Arc::clone(&framing);
            move || read_messages(&inputs, &framing)
        })?;
    let gone = drive(session, &inbox, POLL_INTERVAL, |message| {
        let framing = framing.get().copied().unwrap_or(Framing::Lines);
        let mut out = std::io::stdout().lock();
        out.write_all(&framing.encode(message))?;
        out.flush()
    });
    // A client that no longer reads is gone, but its end of our standard input may stay open.
    if gone.is_ok() {
        let _ = reader.join();
    }
    Ok(Exit::Success)
}

/// Reads the client's messages into the inbox until end of file.
fn read_messages(inputs: &SyncSender<SessionInput>, framing: &OnceLock<Framing>) {
    let mut decoder = FrameDecoder::new(framing.get().copied());
    let mut buffer = vec![0; READ_BUFFER_BYTES];
    let mut stdin = std::io::stdin().lock();
    loop {
        let length = match stdin.read(&mut buffer) {
            Ok(0) | Err(_) => break,
            Ok(length) => length,
        };
        let messages = decoder.feed(&buffer[..length]);
        if let Some(known) = decoder.framing() {
            let _ = framing.set(known);
        }
        for message in messages {
            if inputs.send(SessionInput::Message(message)).is_err() {
                return;
            }
        }
    }
    if let Some(message) = decoder.finish() {
        let _ = inputs.send(SessionInput::Message(message));
    }
}

/// Pending permission requests, polled from the daemon.
struct DaemonPermissions {
    runtime_dir: RuntimeDir,
    is_watching: Cell<bool>,
    last_poll: Cell<Option<Instant>>,
    pending_requests: RefCell<Vec<PendingPermission>>,
}

/// How often to poll the daemon.
const PERMISSION_POLL_INTERVAL: Duration = Duration::from_millis(500);

impl DaemonPermissions {
    fn new(home: &Home) -> Self {
        Self {
            runtime_dir: RuntimeDir::in_state_dir(&home.state),
            is_watching: Cell::new(false),
            last_poll: Cell::new(None),
            pending_requests: RefCell::default(),
        }
    }
}

impl Permissions for DaemonPermissions {
    fn set_watching(&self, watching: bool) {
        self.is_watching.set(watching);
    }

    fn pending(&self) -> Result<Vec<PendingPermission>, ServiceError> {
        let is_recent = self
            .last_poll
            .get()
            .is_some_and(|last| last.elapsed() < PERMISSION_POLL_INTERVAL);
        if self.is_watching.get() && !is_recent {
            self.last_poll.set(Some(Instant::now()));
            // Without a daemon no request is pending.
            let response = send_request(&self.runtime_dir, &SocketRequest::PendingPermissions);
            *self.pending_requests.borrow_mut() = response
                .ok()
                .and_then(|it| it.pending_permissions)
                .unwrap_or_default();
        }
        Ok(self.pending_requests.borrow().clone())
    }

    fn decide(&self, id: &str, decision: PermissionDecision) -> Result<(), ServiceError> {
        let id = id.to_owned();
        self.last_poll.set(None);
        let response = send_request(&self.runtime_dir, &SocketRequest::Decide { id, decision });
        response.map(|_| ()).map_err(decide_error)
    }
}

/// A daemon that responds rejects only decisions on unknown requests.
fn decide_error(error: anyhow::Error) -> ServiceError {
    let kind = if error
        .chain()
        .any(<dyn std::error::Error>::is::<std::io::Error>)
    {
        ServiceErrorKind::Unavailable
    } else {
        ServiceErrorKind::NotFound
    };
    ServiceError::new(kind, format!("{error:#}"))
}

/// Lists, switches and tests the hooks of this machine for editors and the dashboard.
pub(crate) struct HookService(ProjectArgs);

impl HookService {
    /// A service that belongs to no project; each request names its own.
    pub(crate) fn without_project() -> Self {
        Self(ProjectArgs {
            project: None,
            json: true,
        })
    }

    fn here(&self, project: Option<&Path>) -> ProjectArgs {
        ProjectArgs {
            project: project
                .map(Path::to_owned)
                .or_else(|| self.0.project.clone()),
            json: true,
        }
    }
}

pub(crate) fn service_error(error: anyhow::Error) -> ServiceError {
    ServiceError::new(ServiceErrorKind::Refused, format!("{error:#}"))
}

fn to_json(result: anyhow::Result<impl Serialize>) -> Result<Value, ServiceError> {
    let result = result.and_then(|result| Ok(serde_json::to_value(result)?));
    result.map_err(service_error)
}

impl HookAdmin for HookService {
    fn list(&self, project: Option<&Path>) -> Result<Value, ServiceError> {
        to_json(api::list(&self.here(project)))
    }

    fn switch(&self, hook: &HookSelector<'_>, on: bool) -> Result<Value, ServiceError> {
        to_json(api::switch(hook, on, &self.here(hook.project)))
    }

    fn test(&self, test: &HookTest<'_>) -> Result<Value, ServiceError> {
        to_json(api::test(test, &self.here(test.hook.project)))
    }
}
