//! Replies of agents that read no object: exit code 2 denies with the reason on stderr, and stdout is for the
//! person.

use super::{ReplyWire, WirePoint, plain_line};
use crate::adapter::Rendered;
use crate::protocol::{AgentReply, ReplyAct};

/// The format; it has no exceptions.
pub(crate) struct ExitCodeWire;

impl ReplyWire for ExitCodeWire {
    fn write(&self, _: &WirePoint<'_>, reply: AgentReply) -> Rendered {
        let (exit, stderr) = match reply.act {
            ReplyAct::Deny { reason, .. } => (2, reason + "\n"),
            _ => (0, String::new()),
        };
        Rendered {
            stdout: reply
                .message
                .map_or(String::new(), |text| plain_line(&text)),
            stderr,
            exit,
            lost: reply.lost,
        }
    }
}
