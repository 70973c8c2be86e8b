//! The built-in guard, switched on by one command, in every client.

use becket_lab::Permissions;
use becket_lab::harness::{Case, TestResult};
use becket_lab::scenario::{Scenario, Step};

use super::Subject;
use super::decisions::assert_refused;
use crate::rig::{Result, Rig};

/// Would take the repository's history with it.
const DANGEROUS: &str = "touch ran.txt; rm -rf ./.git";

/// The agent with the guard, set up as a person does it.
fn guarded(subject: &Subject, case: &Case, scenario: &Scenario) -> Result<Rig> {
    let mut rig = Rig::of(subject.agent, case.dir(), scenario)?;
    rig.becket(&["hooks", "enable", "security-guard"])?;
    rig.connect()?;
    Ok(rig)
}

pub(super) fn the_guard_stops_a_dangerous_command_and_says_what_to_do_instead(
    case: &Case,
    subject: &Subject,
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
    let trail = rig.trail()?;
    assert_eq!(trail.verdicts("PreToolUse"), ["deny", "none"]);
    let decided = &trail.of("PreToolUse")[0]["decision"]["hooks"][0];
    assert_eq!(decided["hook"], "security-guard");
    Ok(())
}

pub(super) fn the_guard_keeps_a_secret_file_from_the_model(
    case: &Case,
    subject: &Subject,
) -> TestResult {
    // Not `.env`, which Gemini refuses to read before it asks any hook.
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

    assert_eq!(turn.told_model("SECRET_SAYS_4711"), []);
    assert_refused(&turn, 1, "secrets.read");
    assert!(!turn.told_model("NOTES_SAY_1101").is_empty());
    assert_eq!(rig.trail()?.verdicts("PreToolUse"), ["deny", "none"]);
    Ok(())
}

/// The first command only reads, and is in no client's own list of what needs no permission.
pub(crate) fn asking() -> Scenario {
    let reads = "timeout 20 awk '{ print \"NOTES_SAY_\" $1 }' notes.txt";
    Scenario::new([
        Step::shell(reads),
        Step::shell(DANGEROUS),
        Step::say("Understood."),
    ])
}

/// Connects the agent, with a guard that answers its questions and nothing else.
pub(crate) fn answer_questions(rig: &mut Rig) -> Result<()> {
    let guard = ["hooks", "add", "guard", "--use", "security-guard"];
    let when = ["--event", "PermissionRequest"];
    let how = ["--option", "auto_approve=true"];
    rig.becket(&[&guard[..], &when, &how].concat())?;
    rig.connect()?;
    rig.workspace.write_work("notes.txt", "1101\n")?;
    Ok(())
}

/// Asserts that the guard allowed the first command and refused the second.
pub(crate) fn assert_answered(rig: &mut Rig) -> TestResult {
    let trail = rig.trail()?;
    // Some fire it only once they have permission.
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

/// Where an agent asks its hooks before it asks a person, the guard answers.
pub(super) fn the_guard_answers_what_a_person_would_be_asked(
    case: &Case,
    subject: &Subject,
) -> TestResult {
    let mut rig = Rig::of(subject.agent, case.dir(), &asking())?;
    answer_questions(&mut rig)?;
    rig.permissions = Permissions::AskForAll;
    let turn = rig.turn("Please look at the notes.")?;
    assert!(!turn.told_model("NOTES_SAY_1101").is_empty());
    assert_refused(&turn, 2, "core.delete-git");
    assert_answered(&mut rig)
}

/// The same commands without it: one is refused, because there is nobody to ask.
pub(super) fn without_an_answer_nobody_is_asked_and_nothing_runs(
    case: &Case,
    subject: &Subject,
) -> TestResult {
    let mut rig = Rig::of(subject.agent, case.dir(), &asking())?;
    rig.connect()?;
    rig.permissions = Permissions::AskForAll;
    rig.workspace.write_work("notes.txt", "1101\n")?;
    let turn = rig.turn("Please look at the notes.")?;
    assert_eq!(turn.told_model("NOTES_SAY_1101"), []);
    Ok(())
}
