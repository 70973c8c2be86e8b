//! Notices at session start: hooks that are switched off, untrusted hooks, configuration problems.

use becket_model::{Decision, Severity};

use super::{Pipeline, untrusted_hooks};
use crate::load::Configuration;

impl Pipeline<'_> {
    /// Shows the notices as the system message, before the messages of hooks.
    pub(super) fn add_session_start_notices(
        &self,
        configuration: &Configuration,
        decision: &mut Decision,
    ) {
        if !self.is_session_start() {
            return;
        }
        let notices = [
            switched_off(configuration),
            self.untrusted(configuration),
            problems(configuration),
        ];
        let message = decision.system_message.take();
        let lines: Vec<String> = notices.into_iter().flatten().chain(message).collect();
        decision.system_message = (!lines.is_empty()).then(|| lines.join("\n"));
    }

    fn untrusted(&self, configuration: &Configuration) -> Option<String> {
        let untrusted = untrusted_hooks(configuration, self.request.home, &self.root);
        let names: Vec<&str> = untrusted.iter().map(|hook| hook.name.as_str()).collect();
        (!names.is_empty()).then(|| {
            format!(
                "becket: {} of this project's hooks are not trusted and do not run ({}). Review them with `becket trust`.",
                names.len(),
                names.join(", ")
            )
        })
    }
}

fn switched_off(configuration: &Configuration) -> Option<String> {
    let is_off = configuration.settings.hooks.enabled == Some(false);
    is_off.then(|| "becket: all hooks are switched off (`becket hooks on`).".to_owned())
}

fn problems(configuration: &Configuration) -> Option<String> {
    let mut errors = configuration
        .loaded
        .problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error);
    let first = errors.next()?;
    Some(format!(
        "becket: {} problems in hook configuration, first: {first}. See `becket doctor`.",
        1 + errors.count()
    ))
}
