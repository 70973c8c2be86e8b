//! The wording of prompt injections.

use std::fmt::Write;

use serde::Deserialize;
use toml::Spanned;

use crate::data_file::{DataError, DataFile, Sets};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WordingFile {
    pattern: Vec<Pattern>,
    role_markers: Vec<String>,
    sets: Sets,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pattern {
    kind: Kind,
    slots: Vec<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Override,
    Approval,
    Secrecy,
    Command,
}

/// The code of `prompt_injection.rs`.
pub(crate) fn code() -> Result<String, DataError> {
    let file = DataFile::read("prompt-injection.toml")?;
    let table: WordingFile = file.parse()?;
    let mut code = file.sets_code(&table.sets)?;
    let markers = &table.role_markers;
    let _ = writeln!(
        code,
        "pub(super) static ROLE_MARKERS: &[&str] = &{markers:?};"
    );
    code += "pub(super) static PATTERNS: &[(PromptInjection, WordPattern)] = &[\n";
    for Pattern { kind, slots } in &table.pattern {
        let slots: Result<Vec<String>, DataError> = slots
            .iter()
            .map(|slot| slot_code(&file, &table.sets, slot))
            .collect();
        let slots = slots?.join(", ");
        let _ = writeln!(code, "(PromptInjection::{kind:?}, &[{slots}]),");
    }
    Ok(code + "];\n")
}

/// The words of a slot, or the static of a set.
fn slot_code(file: &DataFile, sets: &Sets, slot: &Spanned<String>) -> Result<String, DataError> {
    let text = slot.get_ref().as_str();
    match text.strip_prefix('$') {
        Some(set) if sets.contains_key(set) => Ok(set.to_ascii_uppercase()),
        Some(set) => Err(file.error(slot.span(), format!("`slots`: there is no set `{set}`"))),
        None if text.trim().is_empty() => {
            Err(file.error(slot.span(), "`slots`: a slot needs words"))
        }
        None => Ok(format!(
            "&{:?}",
            text.split_whitespace().collect::<Vec<_>>()
        )),
    }
}
