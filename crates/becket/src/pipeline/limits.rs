//! Limits on a decision: how often hooks may keep a turn going.

use becket_agents::config::BecketSettings;
use becket_model::{Decision, EventData, Verdict};

use super::Pipeline;
use crate::state::StopAttempt;

/// How often a turn may be kept going, unless `stop_retries` is set.
const STOP_RETRIES: u32 = 1;

impl Pipeline<'_> {
    /// Lets the agent stop after `stop_retries` retries. Otherwise a hook that always wants more would keep the turn
    /// going for ever.
    pub(super) fn limit_retries(&mut self, decision: &mut Decision, settings: &BecketSettings) {
        let (EventData::Stop { active, .. } | EventData::SubagentStop { active, .. }) =
            &self.event.data
        else {
            return;
        };
        let attempt = match active {
            true => Some(StopAttempt::Repeated),
            // Only some agents report it; the others are never "active".
            false if self.event.raw.contains_key("stop_hook_active") => Some(StopAttempt::First),
            false => None,
        };
        let allowed = settings.stop_retries.unwrap_or(STOP_RETRIES);
        let wants_more = decision.keep_going.is_some() || decision.verdict == Verdict::Deny;
        if wants_more && self.state.count_retry(attempt) > allowed {
            decision.keep_going = None;
            decision.verdict = Verdict::NoOpinion;
            self.notes.push(format!(
                "hooks kept this turn going {allowed} times already; the agent may stop now"
            ));
        }
    }
}
