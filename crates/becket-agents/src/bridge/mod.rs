//! Agents that have plugins instead of hook commands: what they and Becket say to each other.
//!
//! Becket writes a plugin that forwards each of the agent's hooks as JSON on the standard input of
//! `becket hook` and applies the answer. Both sides of that bridge are Becket's own, so one reply
//! serves every such agent; what a key does at which hook is said in the plugin's header. The half
//! of a plugin that starts Becket, keeps its deadline and reads its answer is `ask.js`, shared by
//! all. Start at [`compose`] and [`say`].

use becket_model::{Decision, Verdict};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::adapter::Rendered;
use crate::lean::{self, At, LeanAnswer, LeanBack, LeanDeny};

/// The line in a plugin's template that `ask.js` takes the place of.
const ASK_MARK: &str = "//@becket: ask.js\n";
const ASK: &str = include_str!("ask.js");

/// What the first line of a plugin says, so that it is known as Becket's own.
#[cfg(test)]
pub(crate) const FIRST_LINE: &str = "// becket: generated, bridge 1";

/// The key of a forwarded payload that names the bridge.
pub(crate) const MARK: &str = "becket_bridge";

/// A plugin's source: the template with its bridge, and the program as a string that no path can
/// break out of.
pub(crate) fn compose(template: &str, agent: &str, bridge: &str, binary: &str) -> String {
    template
        .replace(ASK_MARK, ASK)
        .replace("@BECKET_AGENT@", agent)
        .replace("@BECKET_BRIDGE@", bridge)
        // Last, because a path may hold anything, also a mark.
        .replace("\"@BECKET_BINARY@\"", &Value::from(binary).to_string())
}

/// The reply to the plugin.
#[derive(Debug, Default, PartialEq, Serialize)]
struct BridgeReplyWire {
    /// Which bridge speaks; the plugin takes no other answer.
    bridge: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<VerdictWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// End the turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    halt: Option<bool>,
    /// The whole input of the tool, in the agent's keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<Map<String, Value>>,
    /// Text for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<String>,
    /// Text for the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// What to go on with.
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    go_on: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum VerdictWire {
    Allow,
    Ask,
    Deny,
}

/// Says a decision to the plugin.
pub(crate) fn say(
    bridge: &'static str,
    at: &At<'_>,
    decision: &Decision,
    back: LeanBack<'_>,
) -> Rendered {
    let answer = at.lean(decision, back);
    let note = matches!(at.means.deny, LeanDeny::Note(_));
    let (wire, lost) = write(bridge, answer, note);
    let silent = wire
        == BridgeReplyWire {
            bridge,
            ..BridgeReplyWire::default()
        };
    Rendered {
        stdout: if silent { String::new() } else { line(&wire) },
        lost,
        ..Rendered::default()
    }
}

/// Answers a payload that could not be read. Silence is said in words: a plugin takes an exit code
/// for a failure, and that is how the caller ends where there is nothing to print.
pub(crate) fn unread(
    bridge: &'static str,
    at: &At<'_>,
    verdict: Verdict,
    reason: &str,
) -> Rendered {
    let no_input = |_: &Value| Err("There is no input to rewrite".to_owned());
    let mut rendered = lean::unread(verdict, reason)
        .map(|decision| say(bridge, at, &decision, &no_input))
        .unwrap_or_default();
    if rendered.stdout.is_empty() {
        rendered.stdout = line(&BridgeReplyWire {
            bridge,
            ..BridgeReplyWire::default()
        });
    }
    rendered
}

fn line(wire: &BridgeReplyWire) -> String {
    serde_json::to_string(wire).expect("a reply is strings, flags and JSON") + "\n"
}

fn write(
    bridge: &'static str,
    mut answer: LeanAnswer,
    note: bool,
) -> (BridgeReplyWire, Vec<String>) {
    let halt = (answer.verdict == Verdict::Halt).then_some(true);
    if note && answer.verdict.blocks() {
        let reason = answer.reason.take().unwrap_or_default();
        let said = format!("A hook that the person set up objects to this: {reason}");
        answer.context = Some(said);
        answer.verdict = Verdict::NoOpinion;
    }
    let verdict = match answer.verdict {
        Verdict::NoOpinion => None,
        Verdict::Allow => Some(VerdictWire::Allow),
        Verdict::Ask => Some(VerdictWire::Ask),
        Verdict::Deny | Verdict::Halt => Some(VerdictWire::Deny),
    };
    let wire = BridgeReplyWire {
        bridge,
        verdict,
        reason: answer.reason.filter(|_| verdict.is_some()),
        halt,
        input: answer.rewrite,
        context: answer.context,
        message: answer.message,
        go_on: answer.keep_going,
    };
    (wire, answer.lost)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_breaks_out_of_the_plugins_string() {
        let template = format!("{FIRST_LINE}\n{ASK_MARK}rest\n");
        for binary in [
            "/usr/bin/becket",
            "/home/ana/my \"tools\"/becket\\new\n\u{2028}",
            "\"; process.exit(1); //",
            "@BECKET_AGENT@",
        ] {
            let source = compose(&template, "amp", "amp/1", binary);
            let line = source
                .lines()
                .find_map(|line| line.strip_prefix("const BECKET = "))
                .expect("the program has a line of its own");
            let read: String = serde_json::from_str(line).expect("the line is one JSON string");
            assert_eq!(read, binary);
            assert!(source.starts_with(FIRST_LINE));
            assert!(source.ends_with("rest\n"));
        }
    }
}
