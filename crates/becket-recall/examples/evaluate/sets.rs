//! The sets available on this machine. Missing ones are reported and skipped.

use std::path::{Path, PathBuf};
use std::process::Command;

use becket_recall::eval::{
    EvalSet, by_name, commit_history, hand_written, other_domains, python_docs, repositories,
    rust_docs, sealed, unanswerable,
};

use crate::progress::Progress;

/// Sets of one name belong together, each in its own store.
pub(crate) fn all(progress: &Progress) -> Vec<Vec<EvalSet>> {
    let (memories, trades, sealed) = (hand_written(), other_domains(), sealed());
    let left_out = |sets: &[EvalSet]| sets.iter().flat_map(|set| set.without_answers(4)).collect();
    let mut sets = vec![
        left_out(&sealed),
        sealed,
        left_out(&trades),
        trades,
        memories.without_answers(4),
        memories.in_small_stores(15),
        vec![memories],
        repositories().into(),
    ];
    for (what, path) in [
        ("of the Python standard library", "stdlib"),
        ("of installed packages", "purelib"),
    ] {
        progress.report(&format!("reading doc strings {what}"));
        let ask = format!("import sysconfig; print(sysconfig.get_path('{path}'))");
        let dir = output("python3", &["-c", &ask]).unwrap_or_default();
        let set = python_docs(what, Path::new(dir.trim()), 2000);
        if dir.is_empty() || set.questions.len() < 50 {
            println!("SKIPPED: doc strings {what}; none found, or no python3");
            continue;
        }
        sets.push(vec![by_name(&set).thinned(600).with_unanswerable(4)]);
        let set = set.thinned(1000).with_unanswerable(4);
        sets.push(vec![set.with(unanswerable())]);
    }
    progress.report("reading this repository");
    let rust = rust_docs(&root().join("crates"), 2000);
    sets.push(vec![by_name(&rust).thinned(600).with_unanswerable(4)]);
    let rust = rust.thinned(1000).with_unanswerable(4);
    sets.push(vec![rust.with(unanswerable())]);
    let log = [
        "log",
        "--no-merges",
        "-n",
        "2000",
        "--name-only",
        "--format=%x01%s",
    ];
    let commits = output("git", &log).map(|log| commit_history(&log, &root()));
    match commits.filter(|set| set.questions.len() >= 20) {
        Some(set) => sets.push(vec![set]),
        None => println!("SKIPPED: commits of this repository; no git or no history"),
    }
    sets
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn output(program: &str, args: &[&str]) -> Option<String> {
    let done = Command::new(program)
        .args(args)
        .current_dir(root())
        .output()
        .ok()?;
    done.status
        .success()
        .then(|| String::from_utf8_lossy(&done.stdout).into_owned())
}
