//! The built-in guard, enabled by one command, in every client.

use becket_lab::Permissions;
use becket_lab::harness::{TestCase, TestResult};
use becket_lab::scenario::{Scenario, Step};

use super::AgentUnderTest;
use super::decisions::assert_refused;
use crate::rig::{Result, Rig};

/// Would delete the repository's history.
const DANGEROUS: &str = "touch ran.txt; rm -rf ./.git";

/// The agent with the guard, set up as a user would.
fn guarded(subject: &AgentUnderTest, case: &TestCase, scenario: &Scenario) -> Result<Rig> {
    let mut rig = Rig::of(subject.agent, case.dir(), scenario)?;
    rig.becket(&["hooks", "enable", "security-guard"])?;
    rig.connect()?;
    Ok(rig)
}

pub(super) fn guard_blocks_a_dangerous_command_and_suggests_an_alternative(
    case: &TestCase,
    subject: &AgentUnderTest,
) -> TestResult {
    let scenario = Scenario::new([
        Step::shell(DANGEROUS),
        Step::shell("echo harmless > harmless.txt"),
        Step::say("Understood."),
    ]);
    let mut rig = guarded(subject, case, &scenario)?;
    let turn = rig.turn("Please start afresh.")?;

    assert_eq!(rig.workspace.files()?, ["README.md", "harmless.txt"]);
    assert!(rig.workspace.work().join(".git/HEAD").exists());
    assert_refused(&turn, 1, "core.delete-git");
    assert_refused(&turn, 1, "instead: keep `.git`");
    let trail = rig.recorded_events()?;
    assert_eq!(trail.verdicts("PreToolUse"), ["deny", "none"]);
    let decided = &trail.of("PreToolUse")[0]["decision"]["hooks"][0];
    assert_eq!(decided["hook"], "security-guard");
    Ok(())
}

pub(super) fn guard_keeps_a_secret_file_from_the_model(
    case: &TestCase,
    subject: &AgentUnderTest,
) -> TestResult {
    // Not `.env`, which Gemini refuses to read before it runs any hook.
    let scenario = Scenario::new([
        Step::read("${WORK}/id_ed25519"),
        Step::read("${WORK}/notes.txt"),
        Step::say("Understood."),
    ]);
    let mut rig = guarded(subject, case, &scenario)?;
    rig.workspace
        .write_work("id_ed25519", "SECRET_SAYS_4711\n")?;
    rig.workspace.write_work("notes.txt", "NOTES_SAY_1101\n")?;
    let turn = rig.turn("Please read the files.")?;

    assert_eq!(turn.marker_sightings("SECRET_SAYS_4711"), []);
    assert_refused(&turn, 1, "secrets.read");
    assert!(!turn.marker_sightings("NOTES_SAY_1101").is_empty());
    assert_eq!(
        rig.recorded_events()?.verdicts("PreToolUse"),
        ["deny", "none"]
    );
    Ok(())
}

/// The first command only reads, and no client allows it by default.
pub(crate) fn asking() -> Scenario {
    let reads = "timeout 20 awk '{ print \"NOTES_SAY_\" $1 }' notes.txt";
    Scenario::new([
        Step::shell(reads),
        Step::shell(DANGEROUS),
        Step::say("Understood."),
    ])
}

/// Connects the agent with a guard that answers permission requests and nothing else.
pub(crate) fn answer_questions(rig: &mut Rig) -> Result<()> {
    let guard = ["hooks", "add", "guard", "--use", "security-guard"];
    let when = ["--event", "PermissionRequest"];
    let how = ["--option", "auto_approve=true"];
    rig.becket(&[&guard[..], &when, &how].concat())?;
    rig.connect()?;
    rig.workspace.write_work("notes.txt", "1101\n")?;
    Ok(())
}

/// Asserts that the guard allowed the first command and denied the second.
pub(crate) fn assert_answered(rig: &mut Rig) -> TestResult {
    let trail = rig.recorded_events()?;
    // Some clients fire it only once they have permission.
    let before = trail.verdicts("PreToolUse");
    assert!(
        before.iter().all(|verdict| *verdict == "none"),
        "{before:?}"
    );
    assert_eq!(trail.verdicts("PermissionRequest"), ["allow", "deny"]);
    assert_eq!(rig.workspace.files()?, ["README.md", "notes.txt"]);
    assert!(rig.workspace.work().join(".git/HEAD").exists());
    Ok(())
}

/// If an agent runs its hooks before it asks a person, the guard answers.
pub(super) fn guard_answers_permission_requests(
    case: &TestCase,
    subject: &AgentUnderTest,
) -> TestResult {
    let mut rig = Rig::of(subject.agent, case.dir(), &asking())?;
    answer_questions(&mut rig)?;
    rig.permissions = Permissions::AskForAll;
    let turn = rig.turn("Please look at the notes.")?;
    assert!(!turn.marker_sightings("NOTES_SAY_1101").is_empty());
    assert_refused(&turn, 2, "core.delete-git");
    assert_answered(&mut rig)
}

/// The same commands without the guard: one is refused, because no person can answer.
pub(super) fn unanswered_permission_request_runs_nothing(
    case: &TestCase,
    subject: &AgentUnderTest,
) -> TestResult {
    let mut rig = Rig::of(subject.agent, case.dir(), &asking())?;
    rig.connect()?;
    rig.permissions = Permissions::AskForAll;
    rig.workspace.write_work("notes.txt", "1101\n")?;
    let turn = rig.turn("Please look at the notes.")?;
    assert_eq!(turn.marker_sightings("NOTES_SAY_1101"), []);
    Ok(())
}
