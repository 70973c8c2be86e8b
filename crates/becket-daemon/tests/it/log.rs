//! The log of the daemons in this process.

use std::sync::{Mutex, Once};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Starts to capture the log.
pub(crate) fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| tracing::subscriber::set_global_default(Log).expect("the only one"));
}

/// The log captured so far.
pub(crate) fn so_far() -> String {
    LOGGED.lock().expect("the log").clone()
}

struct Log;

static LOGGED: Mutex<String> = Mutex::new(String::new());

impl Visit for Log {
    fn record_debug(&mut self, _: &Field, value: &dyn std::fmt::Debug) {
        let line = format!("{value:?}\n");
        LOGGED.lock().expect("the log").push_str(&line);
    }
}

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, span: &Attributes<'_>) -> Id {
        span.record(&mut Log);
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut Log);
    }
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        event.record(&mut Log);
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}
