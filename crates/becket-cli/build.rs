//! Links the programs so that they start quickly, because agents start `becket` for every event, and sets their version.
//!
//! Without position independence there are no ten thousand relocations to process at each start. The unwinder is linked
//! in, so that the dynamic linker need not map its library. `becket` also contains the C library and needs no dynamic
//! linker at all. If the C compiler lacks one of these static libraries, the program links the shared one and starts
//! more slowly.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=BECKET_VERSION={}", version());
    let target = |what: &str| std::env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    if target("OS") != "linux" || target("ENV") != "gnu" {
        return;
    }
    println!("cargo::rustc-link-arg-bins=-no-pie");
    if std::env::var("HOST") != std::env::var("TARGET") {
        return;
    }
    if let Some(dir) = library_directory("unwinder", &[UNWINDER]) {
        println!("cargo::rustc-link-search=native={}", dir.display());
        println!("cargo::rustc-link-lib=static:+whole-archive=gcc_eh");
    }
    if let Some(dir) = library_directory("static", &REPLACED) {
        link_client_statically(&dir);
    }
}

/// The name under which the linker looks for a library, and the name of a static library of the C compiler.
type StaticLibrary = (&'static str, &'static str);

const UNWINDER: StaticLibrary = ("libgcc_eh.a", "libgcc_eh.a");

/// The libraries that rustc names for the linker.
const REPLACED: [StaticLibrary; 7] = [
    ("libc.a", "libc.a"),
    ("libdl.a", "libdl.a"),
    ("libgcc_s.a", "libgcc_eh.a"),
    ("libm.a", "libm.a"),
    ("libpthread.a", "libpthread.a"),
    ("librt.a", "librt.a"),
    ("libutil.a", "libutil.a"),
];

/// A directory with links to these libraries and no shared ones; `None` if one is missing.
fn library_directory(name: &str, libraries: &[StaticLibrary]) -> Option<PathBuf> {
    let dir = Path::new(&std::env::var_os("OUT_DIR")?).join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir(&dir).ok()?;
    for (name, library) in libraries {
        std::os::unix::fs::symlink(static_library(library)?, dir.join(name)).ok()?;
    }
    Some(dir)
}

/// rustc asks for shared libraries, and the linker takes the first library that it finds. The C library and the compiler's
/// library refer to each other. The standard library refers to two functions weakly, which does not link them: without
/// them it would start hooks with `fork`, not `posix_spawn`.
fn link_client_statically(libraries: &Path) {
    let search = format!("-L{}", libraries.display());
    let group = "-Wl,--start-group,-lc,-lgcc,-lgcc_eh,--end-group";
    let spawn = "-Wl,-u,posix_spawn_file_actions_addchdir_np,-u,gnu_get_libc_version";
    for argument in ["-static", &search, group, spawn] {
        println!("cargo::rustc-link-arg-bin=becket={argument}");
    }
}

/// The path of a static library of the C compiler, which links.
fn static_library(name: &str) -> Option<PathBuf> {
    let argument = format!("-print-file-name={name}");
    let output = Command::new("cc").arg(argument).output().ok()?;
    let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    path.is_absolute().then_some(path)
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
