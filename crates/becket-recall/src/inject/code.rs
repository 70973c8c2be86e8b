//! Renders code chunks as Markdown.

use becket_store::ChunkRow;

use super::lines::NAME_CHARS;
use super::sanitize::{sanitize, sanitize_label, truncate};
use super::sections::SectionItem;

/// Longer lines are truncated; only generated code has them.
const LINE_CHARS: usize = 400;

/// A chunk with path, lines and name, truncated to `most_lines`.
pub(super) fn render_chunk(chunk: &ChunkRow, most_lines: usize) -> SectionItem {
    let path = sanitize_label(&chunk.path, NAME_CHARS);
    let name = chunk
        .name
        .as_deref()
        .map(|name| sanitize_label(name, NAME_CHARS));
    let name = name.filter(|name| !name.is_empty());
    let name = name.map_or_else(String::new, |name| format!(" - `{name}`"));
    let (start, end) = (chunk.start, chunk.end);
    let text = shortened(&sanitize(&chunk.text), most_lines);
    let fence = fence(&text);
    let language = language(&chunk.path, &chunk.language);
    SectionItem {
        id: Some(chunk_id(chunk)),
        text: format!("**{path}** (L{start}-{end}){name}\n{fence}{language}\n{text}\n{fence}"),
    }
}

/// An id from path and content; it changes with the code.
pub(super) fn chunk_id(chunk: &ChunkRow) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in [&chunk.path, &chunk.text] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    format!("code:{}", &hasher.finalize().to_hex()[..16])
}

fn shortened(text: &str, most: usize) -> String {
    let mut lines = text.trim_end().lines();
    let kept = lines.by_ref().take(most);
    let mut kept: Vec<String> = kept
        .map(|line| truncate(line, LINE_CHARS).into_owned())
        .collect();
    match lines.count() {
        0 => {}
        1 => kept.push("... (1 more line)".to_owned()),
        more => kept.push(format!("... ({more} more lines)")),
    }
    kept.join("\n")
}

/// A fence longer than any run of backticks in the text, so that the text cannot close it.
fn fence(text: &str) -> String {
    let runs = text.split(|character| character != '`').map(str::len);
    let longest = runs.max().unwrap_or_default();
    "`".repeat(3.max(longest + 1))
}

/// The language for highlighting.
fn language<'l>(path: &str, known: &'l str) -> &'l str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    match ending {
        "py" => "python",
        "ts" | "tsx" => "typescript",
        "js" | "jsx" => "javascript",
        "go" => "go",
        "rs" => "rust",
        "rb" => "ruby",
        "java" => "java",
        "kt" => "kotlin",
        "c" | "h" => "c",
        "cpp" | "hpp" => "cpp",
        "sh" => "bash",
        "yaml" | "yml" => "yaml",
        "json" => "json",
        "md" => "markdown",
        "sql" => "sql",
        // The index knows more languages, as plain words.
        _ if known.bytes().all(|byte| byte.is_ascii_alphanumeric()) => known,
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fence_language_comes_from_extension_then_index() {
        for (path, known, expected) in [
            ("src/a.py", "", "python"),
            ("a.tsx", "tsx", "typescript"),
            ("include/a.h", "cpp", "c"),
            ("deploy.yml", "", "yaml"),
            ("a.swift", "swift", "swift"),
            ("Makefile", "", ""),
            ("src.py/Makefile", "", ""),
            ("a.x", "evil\n```", ""),
        ] {
            assert_eq!(language(path, known), expected, "{path}");
        }
    }

    #[test]
    fn long_code_is_truncated_and_cannot_close_its_fence() {
        assert_eq!(shortened("a\nb\nc\n", 2), "a\nb\n... (1 more line)");
        assert_eq!(shortened("a\nb\nc\n\nd\n", 2), "a\nb\n... (3 more lines)");
        assert_eq!(shortened("a\nb\n\n", 2), "a\nb");
        assert_eq!(fence("a"), "```");
        assert_eq!(fence("/// ```rust\n````"), "`````");
    }
}
