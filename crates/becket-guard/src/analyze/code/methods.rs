//! Methods of texts, paths and file contents.

use super::CodeAction;
use super::eval::{CodeEvaluator, CodeValue};
use crate::analyze::known_output;
use crate::command::UNKNOWN;

/// Maximum number of pieces of a split text.
const MAX_PIECES: usize = 256;

/// The value of `value.name(args)`.
pub(super) fn method(
    eval: &mut CodeEvaluator<'_>,
    value: &CodeValue,
    name: &str,
    args: &[CodeValue],
) -> CodeValue {
    match value {
        CodeValue::Text(text) => text_method(text, name, args),
        CodeValue::Path(path) => path_method(eval, path, name, args),
        CodeValue::Each(values) => {
            for value in values.iter().take(16) {
                method(eval, value, name, args);
            }
            CodeValue::Unknown
        }
        CodeValue::List(values) => match (name, args.first()) {
            ("join", Some(CodeValue::Text(separator))) => CodeValue::Text(
                values
                    .iter()
                    .map(CodeValue::text)
                    .collect::<Vec<_>>()
                    .join(separator),
            ),
            ("reverse", _) => CodeValue::List(values.iter().rev().cloned().collect()),
            ("forEach" | "each" | "map", _) => CodeValue::Unknown,
            _ => value.clone(),
        },
        // Reading and decoding keep the origin.
        CodeValue::Remote(url) => {
            let runs = args.iter().any(|arg| matches!(arg, CodeValue::Name(name) if matches!(name.as_str(), "eval" | "exec" | "Function")));
            if runs {
                eval.act(CodeAction::RunDownloaded(url.clone()));
            }
            value.clone()
        }
        CodeValue::Contents(_) => value.clone(),
        _ => CodeValue::Unknown,
    }
}

fn text_method(text: &str, name: &str, args: &[CodeValue]) -> CodeValue {
    let kept = |text: String| CodeValue::Text(text);
    match (name, args) {
        ("join", [CodeValue::List(values)]) => kept(
            values
                .iter()
                .map(CodeValue::text)
                .collect::<Vec<_>>()
                .join(text),
        ),
        ("split", _) => {
            let pieces: Vec<&str> = match args.first() {
                Some(CodeValue::Text(separator)) if !separator.is_empty() => {
                    text.split(separator.as_str()).collect()
                }
                Some(CodeValue::Text(_)) => {
                    return CodeValue::List(
                        text.chars()
                            .map(|c| CodeValue::Text(c.to_string()))
                            .collect(),
                    );
                }
                _ => text.split_whitespace().collect(),
            };
            if pieces.len() > MAX_PIECES {
                return CodeValue::Unknown;
            }
            CodeValue::List(
                pieces
                    .into_iter()
                    .map(|piece| CodeValue::Text(piece.to_owned()))
                    .collect(),
            )
        }
        (
            "replace" | "replaceAll" | "gsub" | "sub",
            [CodeValue::Text(from), CodeValue::Text(to), ..],
        ) if !from.is_empty() && text.len() * (1 + to.len()) < 1 << 16 => {
            kept(text.replace(from.as_str(), to))
        }
        ("reverse", _) => kept(text.chars().rev().collect()),
        ("strip" | "trim", _) => kept(text.trim().to_owned()),
        ("lower" | "toLowerCase" | "downcase", _) => kept(text.to_lowercase()),
        ("upper" | "toUpperCase" | "upcase", _) => kept(text.to_uppercase()),
        ("concat", [CodeValue::Text(more)]) => kept(format!("{text}{more}")),
        ("format", values) => kept(format(text, values)),
        (
            "decode" | "encode" | "toString" | "to_s" | "expanduser" | "rstrip" | "lstrip"
            | "chomp" | "freeze" | "dup",
            args,
        ) if !args
            .iter()
            .any(|arg| matches!(arg, CodeValue::Text(text) if text.starts_with("base64"))) =>
        {
            kept(text.to_owned())
        }
        ("unpack1" | "unpack", [CodeValue::Text(format)]) if format.starts_with('m') => {
            unbase64(&CodeValue::Text(text.to_owned()))
        }
        _ => CodeValue::Unknown,
    }
}

/// `"{} {}".format(a, b)`
fn format(text: &str, values: &[CodeValue]) -> String {
    let mut out = String::new();
    let mut values = values.iter();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((_, after)) = after.split_once('}') else {
            rest = after;
            break;
        };
        out.push_str(
            &values
                .next()
                .map_or_else(|| UNKNOWN.to_string(), CodeValue::text),
        );
        rest = after;
    }
    out + rest
}

/// `"%s %s" % (a, b)`
pub(super) fn percent(format: &CodeValue, values: &CodeValue) -> CodeValue {
    let CodeValue::Text(text) = format else {
        return CodeValue::Unknown;
    };
    let values = match values {
        CodeValue::List(values) => values.clone(),
        value => vec![value.clone()],
    };
    let mut out = String::new();
    let mut next = values.iter();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '%' {
            out.push(character);
            continue;
        }
        match characters.next() {
            Some('%') | None => out.push('%'),
            Some(_) => out.push_str(
                &next
                    .next()
                    .map_or_else(|| UNKNOWN.to_string(), CodeValue::text),
            ),
        }
    }
    CodeValue::Text(out)
}

fn path_method(
    eval: &mut CodeEvaluator<'_>,
    path: &str,
    name: &str,
    args: &[CodeValue],
) -> CodeValue {
    let first = || {
        args.first()
            .map_or_else(|| UNKNOWN.to_string(), CodeValue::text)
    };
    match name {
        "unlink" | "rmdir" | "delete" => eval.act(CodeAction::Command(vec![
            "rm".to_owned(),
            "-f".to_owned(),
            path.to_owned(),
        ])),
        "rmtree" | "rm_rf" => eval.act(CodeAction::Command(vec![
            "rm".to_owned(),
            "-rf".to_owned(),
            path.to_owned(),
        ])),
        "write_text" | "write_bytes" | "write" => eval.act(CodeAction::Write {
            path: path.to_owned(),
            append: false,
        }),
        "read_text" | "read_bytes" | "read" => {
            eval.act(CodeAction::Command(vec!["cat".to_owned(), path.to_owned()]));
            return CodeValue::Contents(path.to_owned());
        }
        "open" => {
            let mode = args.first().map_or_else(|| "r".to_owned(), CodeValue::text);
            if mode.starts_with(['w', 'a', 'x']) {
                eval.act(CodeAction::Write {
                    path: path.to_owned(),
                    append: mode.starts_with('a'),
                });
            } else {
                eval.act(CodeAction::Command(vec!["cat".to_owned(), path.to_owned()]));
                return CodeValue::Contents(path.to_owned());
            }
        }
        "rename" | "replace" => eval.act(CodeAction::Command(vec![
            "mv".to_owned(),
            path.to_owned(),
            first(),
        ])),
        "chmod" => eval.act(CodeAction::Command(vec![
            "chmod".to_owned(),
            first().trim_start_matches("0o").to_owned(),
            path.to_owned(),
        ])),
        "joinpath" | "join" => return CodeValue::Path(format!("{path}/{}", first())),
        "resolve" | "absolute" | "expanduser" | "to_s" => return CodeValue::Path(path.to_owned()),
        "parent" | "dirname" => return CodeValue::Path(format!("{path}/..")),
        "glob" | "rglob" if matches!(args.first(), Some(CodeValue::Text(_))) => {
            return CodeValue::List(vec![CodeValue::Path(format!("{path}/{}", first()))]);
        }
        "glob" | "rglob" | "iterdir" => {
            return CodeValue::List(vec![CodeValue::Path(format!("{path}/{UNKNOWN}"))]);
        }
        _ => {}
    }
    CodeValue::Unknown
}

pub(super) fn unbase64(value: &CodeValue) -> CodeValue {
    match value {
        CodeValue::Text(text) if !text.contains(UNKNOWN) => {
            known_output::unbase64(text).map_or(CodeValue::Unknown, CodeValue::Text)
        }
        CodeValue::Remote(_) | CodeValue::Contents(_) => value.clone(),
        _ => CodeValue::Unknown,
    }
}
