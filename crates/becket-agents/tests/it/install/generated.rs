//! Generated files.

use becket_agents::edit::EditError;
use becket_agents::install::{InstallScope, SettingsFile, StaleReason};

use super::agents::{BINARY, agent, files};

#[test]
fn foreign_file_is_neither_overwritten_nor_deleted() {
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
fn edited_generated_file_is_rewritten() {
    for id in ["opencode", "amp", "cline"] {
        let agent = agent(id);
        let file = &files(agent)[0];
        let ours = agent.plan_install(file, None, BINARY).unwrap().text;
        let edited = format!("{ours}extra\n");
        assert!(
            agent
                .installed(file, &edited)
                .iter()
                .all(|e| e.stale == Some(StaleReason::Edited))
        );
        let edit = agent.plan_install(file, Some(&edited), BINARY).unwrap();
        assert_eq!(edit.text, ours);
        assert!(edit.changed && !edit.updated.is_empty());
        assert!(agent.plan_uninstall(file, &edited).unwrap().delete);
    }
}

#[test]
fn cline_scripts_are_executable_and_exec_becket() {
    let cline = agent("cline");
    for scope in [InstallScope::User, InstallScope::Project] {
        let names: Vec<_> = cline.files(scope).iter().map(SettingsFile::name).collect();
        assert_eq!(names, cline.events());
        assert!(cline.files(scope).iter().all(|file| file.executable));
    }
    let file = cline.files(InstallScope::Project)[5];
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
