//! Packaging: the scripts that pack and install, and the service file.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::{read, root};
use crate::context::Context;

/// A stub for `packaging/check.sh`, so that no full build is needed.
const STAND_IN: &str = r#"case "$1" in
  --version) echo 'becket 0.0.0' ;;
  check) echo deny; exit 1 ;;
  init) echo "$0 hook"; touch "$HOME/connected" ;;
  uninstall) case "$*" in
    *--dry-run*) if [ -e "$HOME/connected" ]; then echo '{ "files": [ {} ] }'; else echo '{ "files": [] }'; fi ;;
    *) rm -f "$HOME/connected" ;;
  esac ;;
  man) [ "$2" = --help ] || echo page >"$2/becket.1" ;;
  completions) echo script ;;
  *) exit 64 ;;
esac"#;

#[test]
fn package_installs_and_a_damaged_one_is_rejected() {
    let context = Context::new();
    let becket = context.script("built/becket", STAND_IN);
    let becketd = context.script("built/becketd", STAND_IN);
    let dist = context.path("dist");
    let run = |script: &str, args: &[&Path]| {
        let output = Command::new(root().join("packaging").join(script))
            .args(args)
            .env("npm_config_cache", context.path("npm"))
            .output()
            .expect("started");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{script}: {said}{complaint}");
        said
    };
    run("dist.sh", &[&becket, &becketd, &dist]);
    let said = run("check.sh", &[&dist]);
    for part in ["installer", "formula"] {
        assert!(said.contains(&format!("{part}: ok")), "{said}");
    }
}

#[test]
fn sbom_contains_the_dashboard_libraries() {
    let script = root().join("packaging/web-parts.sh");
    let output = Command::new(script).output().expect("started");
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    let parts: Vec<Value> = said
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let wanted: Value =
        serde_json::from_str(&read(&root().join("web/package.json"))).expect("JSON");
    let libraries = wanted["dependencies"].as_object().expect("libraries");
    for (name, version) in libraries {
        let is_it = |part: &&Value| part["name"] == *name && part["version"] == *version;
        let part = parts.iter().find(is_it);
        let purl = part.and_then(|part| part["purl"].as_str());
        assert!(
            purl.is_some_and(|purl| purl.starts_with("pkg:npm/")),
            "{name}: {said}"
        );
    }
    assert!(!said.contains("playwright"), "{said}");
}

#[test]
fn packaged_service_matches_becket_daemon_unit() {
    let packaged = read(&root().join("packaging/systemd/becket.service"));
    let printed = Context::new().run(&["daemon", "unit"]).stdout;
    let set = |unit: &str| -> Vec<String> {
        unit.lines()
            .filter(|line| !line.starts_with('#') && !line.starts_with("Environment="))
            .filter(|line| !line.is_empty())
            .map(|line| match line.split_once("becketd") {
                Some((_, rest)) => format!("ExecStart=becketd{}", rest.trim_start_matches('"')),
                None => line.to_owned(),
            })
            .collect()
    };
    assert_eq!(set(&packaged), set(&printed));
}
