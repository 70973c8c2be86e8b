//! Checks memory: whether context is injected, and which embedding model is used.

use becket_daemon::learn::LearningRequest;
use becket_daemon::recall::EmbeddingStatus;
use becket_daemon::runtime_dir::RuntimeDir;
use becket_daemon::socket::SocketRequest;

use super::{CheckStatus, Finding};
use crate::daemon::send_request;
use crate::machine::Machine;
use crate::report::one_line;
use crate::{learn, recall};

/// The embedding model that needs no server.
const BUILT_IN_MODEL: &str = "the built-in embedding model";

pub(super) fn finding(machine: &Machine, has_daemon: bool) -> Finding {
    if let Some(why) = recall::disabled_reason(&machine.home, &machine.root) {
        let message = format!("off, no context is injected: {why}");
        return Finding::new(CheckStatus::Ok, "memory", message);
    }
    let wanted = learn::embedding_endpoint(&machine.home).map(|endpoint| endpoint.model);
    let Some(wanted) = wanted else {
        return memory_on(BUILT_IN_MODEL);
    };
    let queried = has_daemon.then(|| query_embedding(machine)).flatten();
    match queried {
        Some(embedding) => embedding_finding(&embedding),
        None => memory_on(&wanted),
    }
}

fn memory_on(by: &str) -> Finding {
    let message = format!("on, using {}", one_line(by, 100));
    Finding::new(CheckStatus::Ok, "memory", message)
}

/// Asks the daemon for the embedding model in use.
fn query_embedding(machine: &Machine) -> Option<EmbeddingStatus> {
    let place = RuntimeDir::in_state_dir(&machine.home.state);
    let request = SocketRequest::Learning {
        request: LearningRequest::Status,
    };
    send_request(&place, &request)
        .ok()?
        .learning?
        .learning
        .embedding
}

fn embedding_finding(embedding: &EmbeddingStatus) -> Finding {
    let Some(wanted) = &embedding.wanted else {
        return memory_on(&embedding.model);
    };
    let wanted = one_line(wanted, 100);
    if let Some(problem) = &embedding.problem {
        let message = format!(
            "on, using {BUILT_IN_MODEL} instead of {wanted}: {}",
            one_line(problem, 160)
        );
        let fix = "start the server that `[embedding]` in your configuration names, or correct the setting";
        return Finding::new(CheckStatus::Warning, "memory", message).fix(fix);
    }
    let (done, total) = (embedding.done, embedding.total);
    memory_on(&format!(
        "{BUILT_IN_MODEL} until {wanted} has embedded {done} of {total} texts"
    ))
}
