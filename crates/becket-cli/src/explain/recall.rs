//! Whether Becket would inject context at an event, in one line.

use std::path::Path;

use becket::model::Event;
use becket::{Availability, Home, availability};
use serde_json::{Value, json};

use crate::recall::disabled_reason;
use crate::report::{Style, sanitize};

pub(super) struct RecallNote {
    applies: bool,
    why: String,
}

impl RecallNote {
    pub(super) fn at(event: &Event, home: &Home, root: &Path) -> Self {
        let silent = |why: String| Self {
            applies: false,
            why,
        };
        match availability(event) {
            Availability::UnsupportedEvent => silent(
                "injects nothing: it runs only at session start, at prompts and after file tools"
                    .into(),
            ),
            Availability::UnsupportedByAgent => silent(format!(
                "injects nothing: {} does not accept context at this event",
                event.agent.as_str()
            )),
            Availability::Subagent => silent("injects nothing: subagents are excluded".into()),
            Availability::Available => match disabled_reason(home, root) {
                Some(why) => silent(format!("is off: {why}")),
                None => Self {
                    applies: true,
                    why: "injects relevant memories and code, unless a hook blocks the event"
                        .into(),
                },
            },
        }
    }

    pub(super) fn text(&self, style: Style) -> String {
        let mark = if self.applies {
            style.good("✓")
        } else {
            style.dim("·")
        };
        format!("{mark} recall {}\n", sanitize(&self.why))
    }

    pub(super) fn json(&self) -> Value {
        json!({ "applies": self.applies, "why": self.why })
    }
}
