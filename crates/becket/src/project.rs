//! Finds the project that a directory belongs to.

use std::path::{Path, PathBuf};

/// The nearest directory at or above `cwd` that looks like a project's root; `cwd` itself if there is none.
///
/// `becket.toml` marks a root before version control does, so that a monorepo can have several projects.
pub fn root(cwd: &Path, home: &Path) -> PathBuf {
    let above = || {
        cwd.ancestors()
            .take_while(|dir| *dir != home && dir.parent().is_some())
            .take(64)
    };
    let has = |dir: &Path, name: &str| dir.join(name).symlink_metadata().is_ok();
    let mut repository = None;
    for dir in above() {
        if has(dir, "becket.toml") {
            return dir.to_owned();
        }
        if repository.is_none() && has(dir, ".git") {
            repository = Some(dir.to_owned());
        }
    }
    repository.unwrap_or_else(|| cwd.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_marker_wins_and_the_home_directory_is_never_a_project() {
        let dir = tempfile::tempdir().expect("a directory");
        let home = dir.path();
        let deep = home.join("repo/packages/app/src");
        std::fs::create_dir_all(&deep).expect("created");
        std::fs::create_dir(home.join(".git")).expect("created");
        assert_eq!(
            root(&deep, home),
            deep,
            "a repository in the home directory does not count"
        );
        std::fs::create_dir(home.join("repo/.git")).expect("created");
        assert_eq!(root(&deep, home), home.join("repo"));
        std::fs::write(home.join("repo/packages/app/becket.toml"), "").expect("written");
        assert_eq!(root(&deep, home), home.join("repo/packages/app"));
    }
}
