//! Reads a project's current commit from the files of git, without running a program.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The most that is read of a file; only `packed-refs` is long.
const MAX_BYTES: u64 = 1024 * 1024;

/// The checked-out commit, if git stores it in the usual places.
pub fn head_commit(project: &Path) -> Option<String> {
    let git = project.join(".git");
    let head = read(&git.join("HEAD"))?;
    let Some(name) = head.trim().strip_prefix("ref: ") else {
        return commit(&head);
    };
    let is_name = name.starts_with("refs/") && !name.split('/').any(|part| part == "..");
    if !is_name {
        return None;
    }
    let loose = || commit(&read(&git.join(name))?);
    let packed = || {
        let list = read(&git.join("packed-refs"))?;
        let line = list
            .lines()
            .find(|line| line.split(' ').nth(1) == Some(name))?;
        commit(line.split(' ').next()?)
    };
    loose().or_else(packed)
}

fn read(path: &Path) -> Option<String> {
    let meta = path.symlink_metadata().ok()?;
    if !meta.is_file() {
        return None;
    }
    let mut text = String::new();
    let file = File::open(path).ok()?;
    file.take(MAX_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

fn commit(text: &str) -> Option<String> {
    let text = text.trim();
    let is_hash =
        (text.len() == 40 || text.len() == 64) && text.bytes().all(|b| b.is_ascii_hexdigit());
    is_hash.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn head_commit_is_read_from_loose_refs_packed_refs_and_head() {
        let dir = tempfile::tempdir().expect("a directory");
        let git = dir.path().join(".git");
        let write = |name: &str, text: &str| {
            let path = git.join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("made");
            fs::write(path, text).expect("written");
        };
        assert_eq!(head_commit(dir.path()), None);
        let (one, two, three) = ("1".repeat(40), "2".repeat(40), "3".repeat(40));
        write("HEAD", &format!("{one}\n"));
        assert_eq!(head_commit(dir.path()), Some(one));
        write("HEAD", "ref: refs/heads/main\n");
        write(
            "packed-refs",
            &format!("# pack-refs\n{two} refs/heads/main\n"),
        );
        assert_eq!(head_commit(dir.path()), Some(two));
        write("refs/heads/main", &format!("{three}\n"));
        assert_eq!(head_commit(dir.path()), Some(three));
        write("HEAD", "ref: refs/../../outside\n");
        assert_eq!(head_commit(dir.path()), None);
    }
}
