//! The Rust edition of a file, from the nearest `Cargo.toml`.

use std::path::Path;

use toml::Table;

/// The edition that cargo would pass to rustfmt.
pub(super) fn rust_edition(dir: &Path, root: &Path) -> String {
    let known = || {
        let package = manifests(dir, root).find(|manifest| manifest.contains_key("package"))?;
        let said = package.get("package")?.get("edition");
        match said {
            Some(edition) if edition.is_str() => edition.as_str().map(str::to_owned),
            Some(inherited) if inherited.get("workspace").is_some() => manifests(dir, root)
                .find_map(|manifest| {
                    let workspace = manifest.get("workspace")?.get("package")?;
                    workspace.get("edition")?.as_str().map(str::to_owned)
                }),
            _ => Some("2015".to_owned()),
        }
    };
    let plain =
        |edition: &String| edition.len() == 4 && edition.bytes().all(|c| c.is_ascii_digit());
    known().filter(plain).unwrap_or_else(|| "2021".to_owned())
}

fn manifests(dir: &Path, root: &Path) -> impl Iterator<Item = Table> {
    super::project::ancestors_within(dir, root)
        .filter_map(|dir| super::project::read_small_text(&dir.join("Cargo.toml")))
        .filter_map(|text| text.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edition_comes_from_the_nearest_package_or_its_workspace() {
        let dir = tempfile::tempdir().expect("a directory");
        let root = dir.path();
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("created");
            std::fs::write(path, text).expect("written");
        };
        write("Cargo.toml", "[workspace.package]\nedition = \"2024\"\n");
        write("own/Cargo.toml", "[package]\nedition = \"2018\"\n");
        write(
            "inherits/Cargo.toml",
            "[package]\nedition.workspace = true\n",
        );
        write("silent/Cargo.toml", "[package]\nname = \"x\"\n");
        write("evil/Cargo.toml", "[package]\nedition = \"--config=x\"\n");
        write("broken/Cargo.toml", "[package\n");
        for (package, expected) in [
            ("own/src", "2018"),
            ("inherits/src", "2024"),
            ("silent/src", "2015"),
            ("evil/src", "2021"),
            ("broken/src", "2021"),
            ("nowhere", "2021"),
        ] {
            let dir = root.join(package);
            std::fs::create_dir_all(&dir).expect("created");
            assert_eq!(rust_edition(&dir, root), expected, "{package}");
        }
    }
}
