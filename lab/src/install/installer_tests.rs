//! Tests of the installer against `tests/fake-npm.sh`, which behaves according to the package's name.

use super::*;

const FAKE_NPM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fake-npm.sh");

fn installer(cache: &Path) -> Installer {
    let pin = |package: &str| Pin {
        package: package.to_owned(),
        version: "1.2.3".to_owned(),
        bin: Some("tool".to_owned()),
        runtime: None,
    };
    let packages = ["good", "broken", "hanging", "flaky", "wrong-version"];
    let mut pins: Pins = packages
        .iter()
        .map(|package| ((*package).to_owned(), pin(package)))
        .collect();
    let on_runtime = |runtime: &str| Pin {
        runtime: Some(runtime.to_owned()),
        ..pin("needs-runtime")
    };
    pins.insert("on-good".to_owned(), on_runtime("good"));
    pins.insert("on-broken".to_owned(), on_runtime("broken"));
    Installer {
        cache: cache.to_owned(),
        pins,
        npm: vec!["/bin/sh".into(), FAKE_NPM.into()],
        deadline: Duration::from_secs(120),
        backoff: Duration::from_millis(1),
    }
}

/// The packages that npm was run for, from the fake's log in the cache.
fn asked(cache: &Path) -> Vec<String> {
    let log = fs::read_to_string(cache.join("npm-calls")).unwrap_or_default();
    log.lines().map(str::to_owned).collect()
}

#[test]
fn client_is_installed_once() {
    let cache = tempfile::tempdir().unwrap();
    let installer = installer(cache.path());
    let first = installer.install("good").unwrap();
    assert!(first.program.exists());
    assert_eq!(first.version, "1.2.3");
    assert_eq!(installer.install("good").unwrap(), first);
    assert_eq!(asked(cache.path()), ["good@1.2.3"]);
}

#[test]
fn library_version_is_read_from_its_manifest() {
    let cache = tempfile::tempdir().unwrap();
    let mut installer = installer(cache.path());
    for pin in installer.pins.values_mut() {
        pin.bin = None;
    }
    let library = installer.install("good").unwrap();
    assert!(library.program.join("package.json").exists());
    let error = installer.install("wrong-version").unwrap_err();
    assert!(error.why.contains("instead of 1.2.3"), "{error}");
}

#[test]
fn runtime_is_installed_first_and_is_on_the_path() {
    let cache = tempfile::tempdir().unwrap();
    let installed = installer(cache.path()).install("on-good").unwrap();
    // The fake fails for this package if the runtime is not on its PATH.
    assert_eq!(asked(cache.path()), ["good@1.2.3", "needs-runtime@1.2.3"]);
    let runtime = bin_dir(&cache.path().join("good-1.2.3"));
    assert_eq!(installed.path.last(), Some(&runtime));
}

#[test]
fn interrupted_install_is_repeated() {
    let cache = tempfile::tempdir().unwrap();
    let installer = installer(cache.path());
    let program = installer.install("good").unwrap().program;
    fs::remove_file(cache.path().join("good-1.2.3").join(MARKER)).unwrap();
    fs::write(&program, "half a program").unwrap();
    installer.install("good").unwrap();
    assert_eq!(asked(cache.path()).len(), 2);
    assert_ne!(fs::read_to_string(&program).unwrap(), "half a program");
}

#[test]
fn marker_of_another_version_is_ignored() {
    let cache = tempfile::tempdir().unwrap();
    let installer = installer(cache.path());
    installer.install("good").unwrap();
    let marker = cache.path().join("good-1.2.3").join(MARKER);
    fs::write(&marker, "good@1.0.0").unwrap();
    installer.install("good").unwrap();
    assert_eq!(fs::read_to_string(&marker).unwrap(), "good@1.2.3");
}

#[test]
fn transient_failure_is_retried() {
    let cache = tempfile::tempdir().unwrap();
    installer(cache.path()).install("flaky").unwrap();
    assert_eq!(asked(cache.path()).len(), 2);
}

#[test]
fn three_failures_report_npms_error() {
    let cache = tempfile::tempdir().unwrap();
    let error = installer(cache.path()).install("broken").unwrap_err();
    assert_eq!(asked(cache.path()).len(), 3);
    assert_eq!(error.client, "broken");
    assert!(error.why.starts_with("3 attempts failed"), "{}", error.why);
    assert!(error.why.contains("no network today"), "{}", error.why);
    assert!(!error.why.contains('\n'));
    assert!(!error.why.contains("packages.invalid"), "{}", error.why);
}

#[test]
fn program_of_another_version_is_rejected() {
    let cache = tempfile::tempdir().unwrap();
    let error = installer(cache.path())
        .install("wrong-version")
        .unwrap_err();
    assert!(error.why.contains("does not show 1.2.3"), "{}", error.why);
    let marker = cache.path().join("wrong-version-1.2.3").join(MARKER);
    assert!(!marker.exists());
}

#[test]
fn unavailable_runtime_is_reported_for_the_client() {
    let cache = tempfile::tempdir().unwrap();
    let error = installer(cache.path()).install("on-broken").unwrap_err();
    assert_eq!(error.client, "on-broken");
    assert!(
        error.why.starts_with("broken is unavailable"),
        "{}",
        error.why
    );
}

#[test]
fn missing_npm_is_not_retried() {
    let cache = tempfile::tempdir().unwrap();
    let mut installer = installer(cache.path());
    installer.npm = vec!["/no/such/npm".into()];
    let error = installer.install("good").unwrap_err();
    assert_eq!(error.why, "npm is not on the PATH");
}

#[test]
fn unknown_client_is_unavailable() {
    let cache = tempfile::tempdir().unwrap();
    let error = installer(cache.path())
        .install("no-such-client")
        .unwrap_err();
    assert_eq!(error.why, "it is not listed in clients.json");
}

#[test]
fn deadline_ends_a_hanging_install() {
    let cache = tempfile::tempdir().unwrap();
    let mut installer = installer(cache.path());
    installer.deadline = Duration::from_secs(1);
    let start = Instant::now();
    let error = installer.install("hanging").unwrap_err();
    assert!(start.elapsed() < Duration::from_secs(60));
    assert!(error.why.contains("time limit reached"), "{}", error.why);
}

#[test]
fn lock_timeout_makes_the_client_unavailable() {
    let cache = tempfile::tempdir().unwrap();
    let mut installer = installer(cache.path());
    installer.deadline = Duration::from_millis(200);
    let held = File::create(cache.path().join("good.lock")).unwrap();
    held.lock().unwrap();
    let error = installer.install("good").unwrap_err();
    assert_eq!(error.why, "another process is still installing it");
    assert!(asked(cache.path()).is_empty());
}

#[test]
fn concurrent_installs_run_once() {
    let cache = tempfile::tempdir().unwrap();
    let installer = installer(cache.path());
    thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| installer.install("good")))
            .collect();
        for thread in threads {
            thread.join().unwrap().unwrap();
        }
    });
    assert_eq!(asked(cache.path()), ["good@1.2.3"]);
}

#[test]
fn pins_are_exact_and_every_runtime_is_pinned() {
    let pins = pins();
    assert!(pins.contains_key("claude"));
    for (name, pin) in &pins {
        let numbers = pin.version.split('.').map(str::parse::<u32>);
        assert_eq!(numbers.flatten().count(), 3, "{name}");
        if let Some(runtime) = &pin.runtime {
            assert!(pins.contains_key(runtime), "{name} needs {runtime}");
        }
    }
}
