//! `ask-editor`: somebody at an editor says whether it may be done.

use std::time::Duration;

use becket_model::Verdict;
use becket_runner::HookOutput;

use crate::deps::Word;
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
        let Some((word, reason)) = editor(&job.event, &job.event_id, patience) else {
            return Ok(HookOutput::allow());
        };
        Ok(match word {
            Word::Allow => HookOutput {
                verdict: Some(Verdict::Allow),
                ..HookOutput::allow()
            },
            Word::Deny => HookOutput::block(
                reason.unwrap_or_else(|| "refused by a person at an editor".to_owned()),
            ),
            Word::Ask => HookOutput::ask(reason.unwrap_or_default()),
        })
    }
}
