//! `becket rpc`: JSON-RPC for editors, over standard input and output.

use std::cell::{Cell, RefCell};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use becket::Home;
use becket_daemon::place::Place;
use becket_daemon::rpc::drive::{Input, drive, inbox};
use becket_daemon::rpc::frame::{Decoder, Framing};
use becket_daemon::rpc::{
    Decided, Failure, FailureKind, HookName, HookTest, Hooks, Permissions, Services, Session,
    Store, Waiting, Wanted,
};
use becket_daemon::socket::Request;
use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::Value;

use crate::args::Here;
use crate::daemon::ask;
use crate::exit::Exit;
use crate::hooks::remote;
use crate::memories::asking::asking;

/// How often the stream is looked at while somebody listens.
const LOOK: Duration = Duration::from_millis(100);
/// Bytes that are read at once.
const PIECE: usize = 64 * 1024;

#[derive(Args)]
pub(crate) struct RpcArgs {
    /// Send notifications from the start, without waiting for `becket.subscribe`
    #[arg(long)]
    all: bool,
    /// With --all: only these events, in any spelling
    #[arg(long, value_name = "NAME", value_delimiter = ',', requires = "all")]
    events: Vec<String>,
    /// With --all: from this place in the stream on, instead of from now on; 0 is its beginning
    #[arg(long, value_name = "CURSOR", requires = "all")]
    since: Option<i64>,
    /// How messages are told apart
    #[arg(long, value_enum, default_value = "auto")]
    framing: FramingArg,
    /// The project's directory, instead of the current one; with --all, tell of this project only
    #[arg(long, short = 'C', value_name = "DIR")]
    project: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FramingArg {
    /// As the client's first message has it; lines until then
    Auto,
    /// One message a line
    Lines,
    /// Content-Length headers, as language servers do
    Headers,
}

impl FramingArg {
    fn known(self) -> Option<Framing> {
        match self {
            Self::Auto => None,
            Self::Lines => Some(Framing::Lines),
            Self::Headers => Some(Framing::Headers),
        }
    }
}

pub(crate) fn main(args: &RpcArgs) -> anyhow::Result<Exit> {
    let here = Here {
        project: args.project.clone(),
        json: true,
    };
    let (home, root) = here.find()?;
    let mut session = Session::new(Services {
        backend: Box::new(Store::at(home.database()).with_memories(asking(&home))),
        hooks: Box::new(Configured(here)),
        permissions: Box::new(AtTheDaemon::new(&home)),
    });
    if args.all {
        let wanted = Wanted::events(&args.events);
        let mut wanted = wanted.map_err(|why| anyhow::anyhow!("--events: {why}"))?;
        let named = args.project.is_some();
        wanted.project = named.then(|| root.to_string_lossy().into_owned());
        session.subscribe(wanted, args.since)?;
    }
    let framing = Arc::new(OnceLock::new());
    if let Some(known) = args.framing.known() {
        let _ = framing.set(known);
    }
    let (inputs, inbox) = inbox();
    let reader = std::thread::Builder::new()
        .name("becket-stdin".into())
        .spawn({
            let framing = Arc::clone(&framing);
            move || read(&inputs, &framing)
        })?;
    let gone = drive(session, &inbox, LOOK, |message| {
        let framing = framing.get().copied().unwrap_or(Framing::Lines);
        let mut out = std::io::stdout().lock();
        out.write_all(&framing.encode(message))?;
        out.flush()
    });
    // A client that reads no longer is gone, and its end of our input may stay open for ever.
    if gone.is_ok() {
        let _ = reader.join();
    }
    Ok(Exit::Success)
}

/// Puts what the client says into the inbox, until it says no more.
fn read(inputs: &SyncSender<Input>, framing: &OnceLock<Framing>) {
    let mut decoder = Decoder::new(framing.get().copied());
    let mut piece = vec![0; PIECE];
    let mut stdin = std::io::stdin().lock();
    loop {
        let length = match stdin.read(&mut piece) {
            Ok(0) | Err(_) => break,
            Ok(length) => length,
        };
        let messages = decoder.feed(&piece[..length]);
        if let Some(known) = decoder.framing() {
            let _ = framing.set(known);
        }
        for message in messages {
            if inputs.send(Input::Message(message)).is_err() {
                return;
            }
        }
    }
    if let Some(message) = decoder.finish() {
        let _ = inputs.send(Input::Message(message));
    }
}

/// Permissions that wait at the daemon, which is asked now and then.
struct AtTheDaemon {
    place: Place,
    watches: Cell<bool>,
    looked: Cell<Option<Instant>>,
    found: RefCell<Vec<Waiting>>,
}

/// How often the daemon is asked.
const ASK: Duration = Duration::from_millis(500);

impl AtTheDaemon {
    fn new(home: &Home) -> Self {
        Self {
            place: Place::below(&home.state),
            watches: Cell::new(false),
            looked: Cell::new(None),
            found: RefCell::default(),
        }
    }
}

impl Permissions for AtTheDaemon {
    fn watches(&self, watches: bool) {
        self.watches.set(watches);
    }

    fn pending(&self) -> Result<Vec<Waiting>, Failure> {
        let lately = self.looked.get().is_some_and(|last| last.elapsed() < ASK);
        if self.watches.get() && !lately {
            self.looked.set(Some(Instant::now()));
            // Without a daemon nothing waits.
            let answer = ask(&self.place, &Request::Waiting);
            *self.found.borrow_mut() = answer.ok().and_then(|it| it.waiting).unwrap_or_default();
        }
        Ok(self.found.borrow().clone())
    }

    fn decide(&self, id: &str, decision: Decided) -> Result<(), Failure> {
        let id = id.to_owned();
        self.looked.set(None);
        let answer = ask(&self.place, &Request::Decide { id, decision });
        answer.map(|_| ()).map_err(undecided)
    }
}

/// A daemon that answers refuses only what nobody waits for.
fn undecided(error: anyhow::Error) -> Failure {
    let kind = if error
        .chain()
        .any(<dyn std::error::Error>::is::<std::io::Error>)
    {
        FailureKind::Unavailable
    } else {
        FailureKind::NotFound
    };
    Failure::new(kind, format!("{error:#}"))
}

/// The hooks of this machine, as editors ask for them.
pub(crate) struct Configured(Here);

impl Configured {
    /// For who is not in any project by itself.
    pub(crate) fn everywhere() -> Self {
        Self(Here {
            project: None,
            json: true,
        })
    }

    fn here(&self, project: Option<&Path>) -> Here {
        Here {
            project: project
                .map(Path::to_owned)
                .or_else(|| self.0.project.clone()),
            json: true,
        }
    }
}

pub(crate) fn failed(error: anyhow::Error) -> Failure {
    Failure::new(FailureKind::Refused, format!("{error:#}"))
}

fn as_json(told: anyhow::Result<impl Serialize>) -> Result<Value, Failure> {
    let told = told.and_then(|told| Ok(serde_json::to_value(told)?));
    told.map_err(failed)
}

impl Hooks for Configured {
    fn list(&self, project: Option<&Path>) -> Result<Value, Failure> {
        as_json(remote::list(&self.here(project)))
    }

    fn switch(&self, hook: &HookName<'_>, on: bool) -> Result<Value, Failure> {
        as_json(remote::switch(hook, on, &self.here(hook.project)))
    }

    fn test(&self, test: &HookTest<'_>) -> Result<Value, Failure> {
        as_json(remote::test(test, &self.here(test.hook.project)))
    }
}
