//! Connecting every client, and removing Becket again.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use becket_lab::harness::{TestCase, TestResult};
use becket_lab::scenario::{Scenario, Step};

use super::{AgentUnderTest, HOOKS};
use crate::proven::{ProvenBehaviour, saw};
use crate::rig::{BECKET, Result, Rig};

/// Files by path.
type Files = BTreeMap<PathBuf, Vec<u8>>;

pub(super) fn uninstall_leaves_nothing_and_stops_recording(
    case: &TestCase,
    subject: &AgentUnderTest,
) -> TestResult {
    let agent = subject.agent.name();
    let uninstall = ["uninstall", "--agent", agent, "--yes"];
    let scenario = Scenario::new([Step::shell("echo ran > out.txt"), Step::say("Done.")]);
    let mut rig = Rig::of(subject.agent, case.dir(), &scenario)?;
    rig.configure_with(HOOKS)?;
    let before = client_files(&rig)?;

    rig.becket(&["init", "--agent", agent, "--yes"])?;
    let connected = client_files(&rig)?;
    let changed = differing(&before, &connected);
    assert!(changed.iter().any(|path| mentions_becket(&connected, path)));
    rig.becket(&uninstall)?;
    let after = client_files(&rig)?;
    assert_eq!(differing(&before, &after), Vec::<PathBuf>::new());

    rig.connect()?;
    rig.turn("Please run it.")?;
    let recorded = rig.recorded_events()?.all().len();
    assert_ne!(recorded, 0);
    let used = client_files(&rig)?;
    rig.becket(&uninstall)?;
    let after = client_files(&rig)?;
    for path in &changed {
        // Qwen adds a version to its settings file, which Becket must not remove.
        if used.get(path) == connected.get(path) {
            assert_eq!(before.get(path), after.get(path), "{}", path.display());
        }
        assert!(!mentions_becket(&after, path), "{}", path.display());
    }
    rig.turn("Please run it.")?;
    assert_eq!(rig.recorded_events()?.all().len(), recorded);
    let ran = rig.workspace.read_work("out.txt");
    assert_eq!(ran.as_deref(), Some("ran\n"));
    saw(subject.agent, ProvenBehaviour::UninstallClean, "yes");
    Ok(())
}

/// The client's home and the repository.
fn client_files(rig: &Rig) -> Result<Files> {
    let mut files = Files::new();
    for folder in [rig.workspace.home(), rig.workspace.work()] {
        collect(folder, &mut files)?;
    }
    Ok(files)
}

fn collect(folder: &Path, files: &mut Files) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() {
            collect(&path, files)?;
        } else if kind.is_file() {
            files.insert(path.clone(), fs::read(path)?);
        }
    }
    Ok(())
}

/// Whether a file contains the program path that `becket init` writes.
fn mentions_becket(files: &Files, path: &Path) -> bool {
    let text = files.get(path).map(|bytes| String::from_utf8_lossy(bytes));
    text.is_some_and(|text| text.contains(BECKET))
}

/// The paths at which two sets of files differ.
fn differing(one: &Files, other: &Files) -> Vec<PathBuf> {
    let mut paths: Vec<&PathBuf> = one.keys().chain(other.keys()).collect();
    paths.sort();
    paths.dedup();
    let differ = paths
        .into_iter()
        .filter(|path| one.get(*path) != other.get(*path));
    differ.cloned().collect()
}
