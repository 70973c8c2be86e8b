//! Crates that must not access files do not link the code that does.

use std::path::Path;

const FEATURES_WITHOUT_FILES: [&str; 2] = ["columns", "suggest"];

#[test]
fn pure_crates_have_no_feature_with_file_access() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the directory of all crates");
    for name in ["becket-model", "becket-agents", "becket-guard"] {
        let manifest = std::fs::read_to_string(crates.join(name).join("Cargo.toml"));
        let manifest: toml::Table = manifest.expect("a manifest").parse().expect("TOML");
        let Some(base) = manifest["dependencies"].get("becket-base") else {
            continue;
        };
        let features = base.get("features").and_then(toml::Value::as_array);
        for feature in features.into_iter().flatten() {
            let feature = feature.as_str().expect("a name");
            assert!(
                FEATURES_WITHOUT_FILES.contains(&feature),
                "{name}: {feature}"
            );
        }
    }
}

#[test]
fn no_feature_is_on_by_default() {
    let manifest = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
    let manifest: toml::Table = manifest.expect("a manifest").parse().expect("TOML");
    let default = manifest["features"]["default"].as_array();
    assert_eq!(default.map(Vec::len), Some(0));
}
