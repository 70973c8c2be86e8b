//! Whether agents are told what is known, and by which model it is found.

use becket_daemon::learn::Ask;
use becket_daemon::place::Place;
use becket_daemon::recall::Embedding;
use becket_daemon::socket::Request;

use super::{Finding, State};
use crate::daemon::ask;
use crate::machine::Machine;
use crate::report::one_line;
use crate::{learn, recall};

/// Said of the model that needs nobody.
const INSIDE: &str = "the model inside Becket";

pub(super) fn finding(machine: &Machine, has_daemon: bool) -> Finding {
    if let Some(why) = recall::silenced(&machine.home, &machine.root) {
        let message = format!("off, agents are told nothing: {why}");
        return Finding::new(State::Good, "recall", message);
    }
    let wanted = learn::endpoint(&machine.home).map(|endpoint| endpoint.model);
    let Some(wanted) = wanted else {
        return on(INSIDE);
    };
    let asked = has_daemon.then(|| embedding(machine)).flatten();
    match asked {
        Some(embedding) => searched_by(&embedding),
        None => on(&wanted),
    }
}

fn on(by: &str) -> Finding {
    let message = format!("on, finds by {}", one_line(by, 100));
    Finding::new(State::Good, "recall", message)
}

/// What the daemon says of the model that it searches by.
fn embedding(machine: &Machine) -> Option<Embedding> {
    let place = Place::below(&machine.home.state);
    let request = Request::Learning { ask: Ask::Status };
    ask(&place, &request).ok()?.learning?.learning.embedding
}

fn searched_by(embedding: &Embedding) -> Finding {
    let Some(wanted) = &embedding.wanted else {
        return on(&embedding.model);
    };
    let wanted = one_line(wanted, 100);
    if let Some(problem) = &embedding.problem {
        let message = format!(
            "on, finds by {INSIDE} instead of {wanted}: {}",
            one_line(problem, 160)
        );
        let fix =
            "start the server that [embedding] of your own configuration names, or put that right";
        return Finding::new(State::Warning, "recall", message).fix(fix);
    }
    let (done, total) = (embedding.done, embedding.total);
    on(&format!(
        "{INSIDE} until {wanted} has made {done} of {total} vectors"
    ))
}
