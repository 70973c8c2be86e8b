//! Links the command so that it starts quickly, since agents start it for every event, and tells it which commit it is.
//!
//! Without position independence there are no ten thousand relocations to do at each start, and
//! with the unwinder linked in there is one shared library less to find and map. Together they save
//! two thirds of the spawn of `/bin/true`. Where the C compiler has no static unwinder nothing is lost
//! but that.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=BECKET_VERSION={}", version());
    let target = |what: &str| std::env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    if target("OS") != "linux" || target("ENV") != "gnu" {
        return;
    }
    println!("cargo::rustc-link-arg-bins=-no-pie");
    let native = std::env::var("HOST") == std::env::var("TARGET");
    if let Some(dir) = unwinder().filter(|_| native) {
        println!("cargo::rustc-link-search=native={dir}");
        println!("cargo::rustc-link-lib=static:+whole-archive=gcc_eh");
    }
}

/// The directory of `libgcc_eh.a`, asked of the compiler that links.
fn unwinder() -> Option<String> {
    let output = Command::new("cc")
        .arg("-print-file-name=libgcc_eh.a")
        .output()
        .ok()?;
    let path = String::from_utf8(output.stdout).ok()?;
    let path = Path::new(path.trim());
    path.is_absolute()
        .then(|| path.parent()?.to_str().map(str::to_owned))
        .flatten()
}

/// `0.1.0 (abc1234 2026-11-16)`; only the number where this is no checkout of the repository.
fn version() -> String {
    let number = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    match commit() {
        Some(commit) => format!("{number} ({commit})"),
        None => number,
    }
}

/// The commit and its date. Only this crate is rebuilt when the commit changes.
fn commit() -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?.parent()?;
    // Sources that were unpacked inside some other repository are not that one's commit.
    let top = git(root, &["rev-parse", "--show-toplevel"])?;
    if Path::new(&top).canonicalize().ok()? != root.canonicalize().ok()? {
        return None;
    }
    // The log of a checkout grows with every commit; a file that is not there would always count as changed.
    let log = root.join(git(root, &["rev-parse", "--git-path", "logs/HEAD"])?);
    if log.exists() {
        println!("cargo::rerun-if-changed={}", log.display());
    }
    git(root, &["log", "-1", "--abbrev=7", "--format=%h %cs"])
}

fn git(root: &Path, args: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .current_dir(root)
        .args(args)
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let text = text.trim();
    (output.status.success() && !text.is_empty()).then(|| text.to_owned())
}
