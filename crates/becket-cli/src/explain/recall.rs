//! Whether the agent would be told what is known, in one line.

use std::path::Path;

use becket::model::Event;
use becket::{Home, Room, room};
use serde_json::{Value, json};

use crate::recall::silenced;
use crate::report::{Style, tame};

pub(super) struct Recall {
    applies: bool,
    why: String,
}

impl Recall {
    pub(super) fn at(event: &Event, home: &Home, root: &Path) -> Self {
        let silent = |why: String| Self {
            applies: false,
            why,
        };
        match room(event) {
            Room::NotHere => silent(
                "adds nothing here: only at starts, at prompts and after tools on files".into(),
            ),
            Room::NoPlace => silent(format!(
                "adds nothing: {} has no place for it in its answer to this event",
                event.agent.as_str()
            )),
            Room::Subagent => silent("adds nothing: subagents are not told".into()),
            Room::Open => match silenced(home, root) {
                Some(why) => silent(format!("is off: {why}")),
                None => Self {
                    applies: true,
                    why: "tells the agent what is known that matters here, unless a hook refuses"
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
        format!("{mark} recall {}\n", tame(&self.why))
    }

    pub(super) fn json(&self) -> Value {
        json!({ "applies": self.applies, "why": self.why })
    }
}
