//! `ask-editor`: somebody at an editor says whether it may be done.

use std::time::Duration;

use becket_model::Verdict;
use becket_runner::HookOutput;

use crate::hook::{Job, Trouble, Work};

/// Time that is left for the answer to travel.
const REST: Duration = Duration::from_millis(500);

pub(crate) struct AskEditor;

impl Work for AskEditor {
    fn work(&self, job: &Job) -> Result<HookOutput, Trouble> {
        let Some(editor) = &job.deps.editor else {
            return Ok(HookOutput::allow());
        };
        let patience = job.left().saturating_sub(REST);
        let Some((verdict, reason)) = editor(&job.event, &job.event_id, patience) else {
            return Ok(HookOutput::allow());
        };
        Ok(match verdict {
            Verdict::Deny | Verdict::Halt => HookOutput::block(
                reason.unwrap_or_else(|| "refused by a person at an editor".to_owned()),
            ),
            Verdict::Ask => HookOutput::ask(reason.unwrap_or_default()),
            Verdict::Allow | Verdict::NoOpinion => HookOutput {
                verdict: Some(verdict),
                ..HookOutput::allow()
            },
        })
    }
}
