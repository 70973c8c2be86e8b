//! Files that are Becket's alone.

use becket_agents::edit::EditError;
use becket_agents::install::{Scope, SettingsFile, Stale};

use super::agents::{BINARY, agent, files};

#[test]
fn a_file_of_somebody_elses_is_neither_overwritten_nor_deleted() {
    for id in ["opencode", "amp", "cline"] {
        let agent = agent(id);
        for file in files(agent) {
            for foreign in ["export default {}\n", "#!/bin/sh\nexit 0\n", " "] {
                let error = agent
                    .plan_install(&file, Some(foreign), BINARY)
                    .unwrap_err();
                assert_eq!(error, EditError::NotOurs);
                let edit = agent.plan_uninstall(&file, foreign).unwrap();
                assert_eq!(
                    (edit.text.as_str(), edit.changed, edit.delete),
                    (foreign, false, false)
                );
            }
        }
    }
}

#[test]
fn a_generated_file_that_was_edited_is_written_anew() {
    for id in ["opencode", "amp", "cline"] {
        let agent = agent(id);
        let file = &files(agent)[0];
        let ours = agent.plan_install(file, None, BINARY).unwrap().text;
        let edited = format!("{ours}extra\n");
        assert!(
            agent
                .installed(file, &edited)
                .iter()
                .all(|e| e.stale == Some(Stale::Edited))
        );
        let edit = agent.plan_install(file, Some(&edited), BINARY).unwrap();
        assert_eq!(edit.text, ours);
        assert!(edit.changed && !edit.updated.is_empty());
        assert!(agent.plan_uninstall(file, &edited).unwrap().delete);
    }
}

#[test]
fn clines_scripts_are_executable_and_hand_over_to_becket() {
    let cline = agent("cline");
    for scope in [Scope::User, Scope::Project] {
        let names: Vec<_> = cline.files(scope).iter().map(SettingsFile::name).collect();
        assert_eq!(names, cline.events());
        assert!(cline.files(scope).iter().all(|file| file.executable));
    }
    let file = cline.files(Scope::Project)[5];
    let edit = cline
        .plan_install(&file, None, "/home/o'brien/becket")
        .unwrap();
    let lines: Vec<_> = edit.text.lines().collect();
    assert_eq!(lines[0], "#!/bin/sh");
    assert_eq!(
        lines[2],
        r"exec '/home/o'\''brien/becket' hook PreToolUse --agent cline"
    );
    assert_eq!(lines.len(), 3);
}
