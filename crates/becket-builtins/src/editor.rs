//! `ask-editor`: let the user answer in a connected editor.

use std::time::Duration;

use becket_model::Verdict;
use becket_runner::HookOutput;

use crate::hook::{BlockingHook, HookFailure, HookJob};

/// Time reserved for returning the answer.
const REPLY_MARGIN: Duration = Duration::from_millis(500);

pub(crate) struct AskEditor;

impl BlockingHook for AskEditor {
    fn run(&self, job: &HookJob) -> Result<HookOutput, HookFailure> {
        let Some(editor) = &job.deps.editor else {
            return Ok(HookOutput::allow());
        };
        let patience = job.remaining().saturating_sub(REPLY_MARGIN);
        let Some((verdict, reason)) = editor(&job.event, &job.event_id, patience) else {
            return Ok(HookOutput::allow());
        };
        Ok(match verdict {
            Verdict::Deny | Verdict::Halt => HookOutput::block(
                reason.unwrap_or_else(|| "denied by the user in the editor".to_owned()),
            ),
            Verdict::Ask => HookOutput::ask(reason.unwrap_or_default()),
            Verdict::Allow | Verdict::NoOpinion => HookOutput {
                verdict: Some(verdict),
                ..HookOutput::allow()
            },
        })
    }
}
