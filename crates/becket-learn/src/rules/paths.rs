//! Paths that a text names.

/// Endings of files: a name with another dot in it may be anything.
const ENDINGS: &[&str] = &[
    "rs", "toml", "lock", "py", "pyi", "js", "jsx", "mjs", "cjs", "ts", "tsx", "go", "java", "kt",
    "rb", "php", "c", "h", "cc", "cpp", "hpp", "cs", "swift", "scala", "sh", "sql", "md", "txt",
    "json", "yaml", "yml", "xml", "html", "css", "scss", "vue", "svelte", "proto", "tf", "ini",
    "cfg", "env", "snap",
];

/// Paths that a sentence names.
pub(super) fn paths(text: &str) -> Vec<String> {
    let words = text.split(' ').map(|word| {
        word.trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '/' | '_')))
    });
    let words = words.map(|word| word.trim_end_matches('.').trim_start_matches("./"));
    let mut found: Vec<String> = Vec::new();
    for word in words.filter(|word| is_path(word)) {
        if !found.iter().any(|one| one == word) {
            found.push(word.to_owned());
        }
    }
    found
}

fn is_path(word: &str) -> bool {
    if word.contains("://") || word.contains("..") || word.starts_with('/') {
        return false;
    }
    let name = word.rsplit('/').next().unwrap_or_default();
    let is_file = name
        .rsplit_once('.')
        .is_some_and(|(stem, ending)| !stem.is_empty() && ENDINGS.contains(&ending));
    let is_directory = word.len() > 3 && word.ends_with('/');
    is_file || is_directory
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_looks_like_a_file_of_the_project_is_a_path() {
        let text = "see https://a.b/c.html and ../x.rs, /etc/passwd, v1.2, e.g. 3.5, os.path";
        assert_eq!(paths(text), [""; 0]);
        assert_eq!(
            paths("In `src/a.rs`, (docs/) and ./b.py; b.py."),
            ["src/a.rs", "docs/", "b.py"]
        );
    }
}
