//! Brace expansion: `{a,b}` and `{1..3}`, before anything else is expanded.

use crate::shell::ast::WordPart;

/// Maximum number of words that one word may expand to.
pub(super) const MAX_WORDS: usize = 256;

/// A character that may be special, or a part that is not.
#[derive(Clone)]
enum BraceAtom {
    Char(char),
    WordPart(WordPart),
}

/// The words that a word expands to; `None` if it has no braces to expand, `Err` if there are too many words.
pub(super) fn expand(parts: &[WordPart]) -> Option<Result<Vec<Vec<WordPart>>, ()>> {
    let candidate = parts
        .iter()
        .any(|part| matches!(part, WordPart::Bare(text) if text.contains('{')))
        && parts
            .iter()
            .any(|part| matches!(part, WordPart::Bare(text) if text.contains('}')));
    if !candidate {
        return None;
    }
    let mut atoms = Vec::new();
    for part in parts {
        match part {
            WordPart::Bare(text) => atoms.extend(text.chars().map(BraceAtom::Char)),
            other => atoms.push(BraceAtom::WordPart(other.clone())),
        }
    }
    let words = alternatives(&atoms, 0)?;
    if words.len() > MAX_WORDS {
        return Some(Err(()));
    }
    Some(Ok(words.into_iter().map(|atoms| gather(&atoms)).collect()))
}

fn gather(atoms: &[BraceAtom]) -> Vec<WordPart> {
    let mut parts: Vec<WordPart> = Vec::new();
    for atom in atoms {
        match (atom, parts.last_mut()) {
            (BraceAtom::Char(character), Some(WordPart::Bare(text))) => text.push(*character),
            (BraceAtom::Char(character), _) => parts.push(WordPart::Bare(character.to_string())),
            (BraceAtom::WordPart(part), _) => parts.push(part.clone()),
        }
    }
    parts
}

/// Expands the first brace group; `None` if there is none.
fn alternatives(atoms: &[BraceAtom], depth: usize) -> Option<Vec<Vec<BraceAtom>>> {
    if depth > 16 {
        // The caller treats this as too many words.
        return Some(vec![Vec::new(); MAX_WORDS + 1]);
    }
    let (open, close, commas) = first_group(atoms)?;
    let inside = &atoms[open + 1..close];
    let choices: Vec<Vec<BraceAtom>> = if commas.is_empty() {
        range(inside)?
    } else {
        let mut from = open + 1;
        let mut choices = Vec::new();
        for end in commas.into_iter().chain([close]) {
            let piece = atoms[from..end].to_vec();
            choices.extend(alternatives(&piece, depth + 1).unwrap_or_else(|| vec![piece]));
            from = end + 1;
        }
        choices
    };
    let rest = atoms[close + 1..].to_vec();
    let tails = alternatives(&rest, depth + 1).unwrap_or_else(|| vec![rest]);
    let mut words = Vec::new();
    for choice in &choices {
        for tail in &tails {
            if words.len() > MAX_WORDS {
                return Some(words);
            }
            let mut word = atoms[..open].to_vec();
            word.extend(choice.iter().cloned());
            word.extend(tail.iter().cloned());
            words.push(word);
        }
    }
    Some(words)
}

/// The first `{` with a matching `}` and a comma or `..` between them.
fn first_group(atoms: &[BraceAtom]) -> Option<(usize, usize, Vec<usize>)> {
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut found: Option<(usize, usize, Vec<usize>)> = None;
    for (at, atom) in atoms.iter().enumerate() {
        match atom {
            BraceAtom::Char('{') => open.push((at, Vec::new())),
            BraceAtom::Char(',') => {
                if let Some((_, commas)) = open.last_mut() {
                    commas.push(at);
                }
            }
            BraceAtom::Char('}') => {
                let Some((start, commas)) = open.pop() else {
                    continue;
                };
                let group = !commas.is_empty() || range(&atoms[start + 1..at]).is_some();
                if group && found.as_ref().is_none_or(|(first, ..)| start < *first) {
                    found = Some((start, at, commas));
                }
                if open.is_empty() && found.is_some() {
                    break;
                }
            }
            _ => {}
        }
    }
    found
}

/// `1..5`, `a..e`, `01..10..2`
fn range(atoms: &[BraceAtom]) -> Option<Vec<Vec<BraceAtom>>> {
    if atoms.len() > 40 {
        return None;
    }
    let mut text = String::new();
    for atom in atoms {
        match atom {
            BraceAtom::Char(character) => text.push(*character),
            BraceAtom::WordPart(_) => return None,
        }
    }
    let mut pieces = text.split("..");
    let (from, to, step) = (pieces.next()?, pieces.next()?, pieces.next());
    if pieces.next().is_some() {
        return None;
    }
    let step = match step {
        Some(step) => step.parse::<i64>().ok()?.unsigned_abs().max(1),
        None => 1,
    };
    let words = if let (Ok(from_number), Ok(to_number)) = (from.parse::<i64>(), to.parse::<i64>()) {
        let padded = [from, to].iter().any(|text| {
            text.trim_start_matches('-').len() > 1 && text.trim_start_matches('-').starts_with('0')
        });
        let width = if padded { from.len().max(to.len()) } else { 0 };
        count(from_number, to_number, step)
            .map(|number| format!("{number:0width$}"))
            .collect::<Vec<_>>()
    } else {
        let (from, to) = (single(from)?, single(to)?);
        count(i64::from(from), i64::from(to), step)
            .filter_map(|number| u8::try_from(number).ok())
            .map(|byte| char::from(byte).to_string())
            .collect()
    };
    Some(
        words
            .into_iter()
            .map(|word| word.chars().map(BraceAtom::Char).collect())
            .collect(),
    )
}

fn single(text: &str) -> Option<u8> {
    match text.as_bytes() {
        [byte] if byte.is_ascii_alphabetic() => Some(*byte),
        _ => None,
    }
}

fn count(from: i64, to: i64, step: u64) -> impl Iterator<Item = i64> {
    let step = i64::try_from(step).unwrap_or(i64::MAX);
    let sign = if from <= to { 1 } else { -1 };
    let mut next = Some(from);
    std::iter::from_fn(move || {
        let number = next?;
        let past = if sign > 0 { number > to } else { number < to };
        if past {
            return None;
        }
        next = number.checked_add(sign * step);
        Some(number)
    })
    .take(MAX_WORDS + 1)
}
