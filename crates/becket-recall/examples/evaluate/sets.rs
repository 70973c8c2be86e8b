//! The sets that can be had on this machine. One that cannot is named, and the others are measured.

use std::path::{Path, PathBuf};
use std::process::Command;

use becket_recall::eval::{
    Set, by_name, hand_written, history, repository, rust_docs, strings_of_python, unanswerable,
};

pub(crate) fn all() -> Vec<Set> {
    let mut sets = vec![hand_written(), repository()];
    for (what, path) in [
        ("of Python itself", "stdlib"),
        ("of installed packages", "purelib"),
    ] {
        let ask = format!("import sysconfig; print(sysconfig.get_path('{path}'))");
        let dir = output("python3", &["-c", &ask]).unwrap_or_default();
        let set = strings_of_python(what, Path::new(dir.trim()), 2000);
        if dir.is_empty() || set.questions.len() < 50 {
            println!("SKIPPED: doc strings {what}; there are none, or no python3");
            continue;
        }
        sets.push(by_name(&set).thinned(600).with_unanswerable(4));
        sets.push(set.thinned(1000).with_unanswerable(4).with(unanswerable()));
    }
    let rust = rust_docs(&root().join("crates"), 2000);
    sets.push(by_name(&rust).thinned(600).with_unanswerable(4));
    sets.push(rust.thinned(1000).with_unanswerable(4).with(unanswerable()));
    let log = [
        "log",
        "--no-merges",
        "-n",
        "2000",
        "--name-only",
        "--format=%x01%s",
    ];
    let commits = output("git", &log).map(|log| history(&log, &root()));
    match commits.filter(|set| set.questions.len() >= 20) {
        Some(set) => sets.push(set),
        None => println!("SKIPPED: commits of this repository; git or its history is not there"),
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
