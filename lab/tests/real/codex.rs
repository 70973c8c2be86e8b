//! What Codex wants before it runs hooks.

use becket_lab::codex::Codex;
use becket_lab::harness::{Case, Test, TestResult};
use becket_lab::process::Exit;
use becket_lab::scenario::{Scenario, Step};

use crate::recorder::{self, Level, MOMENTS, Moment, payloads};

pub(crate) fn tests() -> Vec<Test> {
    becket_lab::tests![hooks_run_only_once_they_are_trusted]
}

fn hooks_run_only_once_they_are_trusted(case: &Case) -> TestResult {
    let scenario = Scenario::new([Step::say("All done.")]);
    let mut session = Codex::ready()?.session(case.dir(), &scenario)?;
    recorder::install(&session, Level::Home, None)?;
    let untrusted = session.run("Please do the task.")?;
    assert_eq!(untrusted.exit, Exit::Code(0));
    assert_eq!(payloads(&session, Moment::Prompt)?.len(), 0);

    assert_eq!(session.trust_hooks()?, MOMENTS.len());
    assert_eq!(session.trust_hooks()?, 0);
    let trusted = session.run("Please do the task.")?;
    assert_eq!(trusted.exit, Exit::Code(0));
    assert_eq!(payloads(&session, Moment::Prompt)?.len(), 1);

    recorder::install(&session, Level::Home, Some("NO"))?;
    assert_eq!(session.trust_hooks()?, 1);
    Ok(())
}
