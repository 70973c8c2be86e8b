//! Separates the typed text of a prompt from pasted text.

/// In longer prompts, only the start and the end count as typed.
const MAX_TYPED_CHARS: usize = 1_200;
const KEPT_END_CHARS: usize = 500;

/// A prompt without pasted parts: code, quotes, logs, tagged text.
pub(crate) fn typed_text(prompt: &str) -> String {
    let mut said = String::new();
    let mut fenced = false;
    let mut tagged: Option<String> = None;
    for line in prompt.lines() {
        let bare = line.trim();
        if bare.starts_with("```") || bare.starts_with("~~~") {
            fenced = !fenced;
            continue;
        }
        if let Some(tag) = &tagged {
            if bare.contains(&format!("</{tag}")) {
                tagged = None;
            }
            continue;
        }
        if let Some(tag) = opened_tag(bare) {
            if !bare.contains(&format!("</{tag}")) {
                tagged = Some(tag);
            }
            continue;
        }
        let is_quote = bare.starts_with('>')
            || bare.starts_with('|')
            || line.starts_with("    ")
            || line.starts_with('\t');
        if !fenced && !is_quote {
            said.push_str(line);
            said.push('\n');
        }
    }
    let all = said.chars().count();
    if all <= MAX_TYPED_CHARS {
        return said;
    }
    let front: String = said.chars().take(KEPT_END_CHARS).collect();
    let back: String = said.chars().skip(all - KEPT_END_CHARS).collect();
    // Drops the partial line at a cut.
    let front = front.rsplit_once('\n').map_or("", |(whole, _)| whole);
    let back = back.split_once('\n').map_or("", |(_, whole)| whole);
    format!("{front}\n{back}")
}

/// `<system-reminder>` at the start of a line.
fn opened_tag(line: &str) -> Option<String> {
    let rest = line.strip_prefix('<')?;
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))?;
    (end > 0).then(|| rest[..end].to_owned())
}
