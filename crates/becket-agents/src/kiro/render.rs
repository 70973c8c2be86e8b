//! A decision in the form that Kiro honours: exit code 2 and a reason, or text for the model.
//!
//! Every refusal is exit code 2. Another code warns and proceeds, or blocks, depending on which of
//! Kiro's documents is asked, so no other is used. Silence is empty: Kiro would hand `{}` to the
//! model as context. Start at [`render`].

use becket_model::{Decision, Event, EventKind, Verdict};

use super::events::{KIRO, is_trigger};
use crate::adapter::Rendered;
use crate::exchange::events::nothing_to_rewrite;
use crate::exchange::lean::{Act, ExchangeAnswer, joined};

/// Longer output is cut, unless the hook's entry says otherwise.
const OUTPUT_LIMIT: usize = 10 * 1024;

/// Answers an event.
pub(super) fn render(event: &Event, decision: &Decision) -> Rendered {
    let answer = KIRO.answer(event, decision, &nothing_to_rewrite);
    say(answer, is_trigger(&event.native_name))
}

/// Answers a payload that could not be read.
pub(super) fn render_unparsed(
    kind: Option<&EventKind>,
    verdict: Verdict,
    reason: &str,
) -> Rendered {
    let answer = KIRO.unread(kind, verdict, reason);
    answer.map_or_else(Rendered::default, |answer| say(answer, false))
}

fn say(answer: ExchangeAnswer, from_hook_file: bool) -> Rendered {
    let (text, exit) = match answer.act {
        Act::Refuse { reason, .. } => (Some(reason), 2),
        // A hook file reaches the model; an agent file can only warn the person.
        Act::Note { reason } if from_hook_file => (joined(Some(reason), answer.context), 0),
        Act::Note { reason } => (joined(Some(reason), answer.context), 2),
        _ => (answer.context, 0),
    };
    let text = text.map(|text| text + "\n").unwrap_or_default();
    let mut lost = answer.lost;
    if text.len() > OUTPUT_LIMIT {
        lost.push(format!(
            "Kiro cuts what a hook says after {OUTPUT_LIMIT} bytes."
        ));
    }
    let (stdout, stderr) = match exit {
        0 => (text, String::new()),
        _ => (String::new(), text),
    };
    Rendered {
        stdout,
        stderr,
        exit,
        lost,
    }
}
