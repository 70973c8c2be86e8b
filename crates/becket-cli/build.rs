//! Links the command so that it starts quickly: agents start it for every event.
//!
//! Without position independence there are no ten thousand relocations to do at each start, and
//! with the unwinder linked in there is one shared library less to find and map. Together they save
//! two thirds of the spawn of `/bin/true`. Where the C compiler has no static unwinder nothing is lost
//! but that.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
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
