//! The installer against `tests/fake-npm.sh`, whose doings follow from the package's name.

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

/// What npm was asked for, by the log that the fake keeps in the cache.
fn asked(cache: &Path) -> Vec<String> {
    let log = fs::read_to_string(cache.join("npm-calls")).unwrap_or_default();
    log.lines().map(str::to_owned).collect()
}

#[test]
fn a_client_is_installed_once() {
    let cache = tempfile::tempdir().unwrap();
    let installer = installer(cache.path());
    let first = installer.install("good").unwrap();
    assert!(first.program.exists());
    assert_eq!(first.version, "1.2.3");
    assert_eq!(installer.install("good").unwrap(), first);
    assert_eq!(asked(cache.path()), ["good@1.2.3"]);
}

#[test]
fn a_library_is_known_by_its_manifest() {
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
fn the_runtime_comes_first_and_is_on_the_path() {
    let cache = tempfile::tempdir().unwrap();
    let installed = installer(cache.path()).install("on-good").unwrap();
    // The fake fails to install this package where the runtime is not on its PATH.
    assert_eq!(asked(cache.path()), ["good@1.2.3", "needs-runtime@1.2.3"]);
    let runtime = bin_dir(&cache.path().join("good-1.2.3"));
    assert_eq!(installed.path.last(), Some(&runtime));
}

#[test]
fn an_install_that_was_cut_off_is_done_again() {
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
fn a_marker_of_another_version_does_not_count() {
    let cache = tempfile::tempdir().unwrap();
    let installer = installer(cache.path());
    installer.install("good").unwrap();
    let marker = cache.path().join("good-1.2.3").join(MARKER);
    fs::write(&marker, "good@1.0.0").unwrap();
    installer.install("good").unwrap();
    assert_eq!(fs::read_to_string(&marker).unwrap(), "good@1.2.3");
}

#[test]
fn a_failure_that_passes_is_overcome_by_another_attempt() {
    let cache = tempfile::tempdir().unwrap();
    installer(cache.path()).install("flaky").unwrap();
    assert_eq!(asked(cache.path()).len(), 2);
}

#[test]
fn after_three_failures_the_reason_is_what_npm_said() {
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
fn a_program_of_another_version_is_not_accepted() {
    let cache = tempfile::tempdir().unwrap();
    let error = installer(cache.path())
        .install("wrong-version")
        .unwrap_err();
    assert!(error.why.contains("does not show 1.2.3"), "{}", error.why);
    let marker = cache.path().join("wrong-version-1.2.3").join(MARKER);
    assert!(!marker.exists());
}

#[test]
fn a_client_whose_runtime_is_unavailable_says_so_under_its_own_name() {
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
fn without_npm_nothing_is_tried_twice() {
    let cache = tempfile::tempdir().unwrap();
    let mut installer = installer(cache.path());
    installer.npm = vec!["/no/such/npm".into()];
    let error = installer.install("good").unwrap_err();
    assert_eq!(error.why, "npm is not on the PATH");
}

#[test]
fn an_unknown_client_is_unavailable() {
    let cache = tempfile::tempdir().unwrap();
    let error = installer(cache.path()).install("nobody").unwrap_err();
    assert_eq!(error.why, "it is not listed in clients.json");
}

#[test]
fn the_deadline_ends_an_install_that_hangs() {
    let cache = tempfile::tempdir().unwrap();
    let mut installer = installer(cache.path());
    installer.deadline = Duration::from_secs(1);
    let start = Instant::now();
    let error = installer.install("hanging").unwrap_err();
    assert!(start.elapsed() < Duration::from_secs(60));
    assert!(error.why.contains("time is up"), "{}", error.why);
}

#[test]
fn a_lock_that_is_held_for_too_long_makes_the_client_unavailable() {
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
fn two_at_once_install_once() {
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
fn the_pins_are_exact_and_every_runtime_is_pinned_too() {
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
