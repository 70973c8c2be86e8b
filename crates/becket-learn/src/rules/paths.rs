//! Finds file paths in a text.

/// File extensions; other names with a dot may be anything.
const EXTENSIONS: &[&str] = &[
    "rs", "toml", "lock", "py", "pyi", "js", "jsx", "mjs", "cjs", "ts", "tsx", "go", "java", "kt",
    "rb", "php", "c", "h", "cc", "cpp", "hpp", "cs", "swift", "scala", "sh", "sql", "md", "txt",
    "json", "yaml", "yml", "xml", "html", "css", "scss", "vue", "svelte", "proto", "tf", "ini",
    "cfg", "env", "snap",
];

/// The paths that a sentence mentions.
pub(super) fn mentioned_paths(text: &str) -> Vec<String> {
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
        .is_some_and(|(stem, ending)| !stem.is_empty() && EXTENSIONS.contains(&ending));
    let is_directory = word.len() > 3 && word.ends_with('/');
    is_file || is_directory
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_project_file_names_are_paths() {
        let text = "see https://a.b/c.html and ../x.rs, /etc/passwd, v1.2, e.g. 3.5, os.path";
        assert_eq!(mentioned_paths(text), [""; 0]);
        assert_eq!(
            mentioned_paths("In `src/a.rs`, (docs/) and ./b.py; b.py."),
            ["src/a.rs", "docs/", "b.py"]
        );
    }
}
