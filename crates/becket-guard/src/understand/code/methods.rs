//! What is done to texts, paths and the contents of files by calling their methods.

use super::Action;
use super::eval::{Eval, Value};
use crate::command::UNKNOWN;
use crate::understand::output;

/// A text in more pieces than this is not followed.
const MOST_PIECES: usize = 256;

/// The worth of `value.name(args)`.
pub(super) fn method(eval: &mut Eval<'_>, value: &Value, name: &str, args: &[Value]) -> Value {
    match value {
        Value::Text(text) => text_method(text, name, args),
        Value::Path(path) => path_method(eval, path, name, args),
        Value::Each(values) => {
            for value in values.iter().take(16) {
                method(eval, value, name, args);
            }
            Value::Unknown
        }
        Value::List(values) => match (name, args.first()) {
            ("join", Some(Value::Text(separator))) => Value::Text(
                values
                    .iter()
                    .map(Value::text)
                    .collect::<Vec<_>>()
                    .join(separator),
            ),
            ("reverse", _) => Value::List(values.iter().rev().cloned().collect()),
            ("forEach" | "each" | "map", _) => Value::Unknown,
            _ => value.clone(),
        },
        // Reading and decoding does not change where it came from.
        Value::Remote(url) => {
            let runs = args.iter().any(|arg| matches!(arg, Value::Name(name) if matches!(name.as_str(), "eval" | "exec" | "Function")));
            if runs {
                eval.act(Action::RunDownloaded(url.clone()));
            }
            value.clone()
        }
        Value::Contents(_) => value.clone(),
        _ => Value::Unknown,
    }
}

fn text_method(text: &str, name: &str, args: &[Value]) -> Value {
    let kept = |text: String| Value::Text(text);
    match (name, args) {
        ("join", [Value::List(values)]) => kept(
            values
                .iter()
                .map(Value::text)
                .collect::<Vec<_>>()
                .join(text),
        ),
        ("split", _) => {
            let pieces: Vec<&str> = match args.first() {
                Some(Value::Text(separator)) if !separator.is_empty() => {
                    text.split(separator.as_str()).collect()
                }
                Some(Value::Text(_)) => {
                    return Value::List(text.chars().map(|c| Value::Text(c.to_string())).collect());
                }
                _ => text.split_whitespace().collect(),
            };
            if pieces.len() > MOST_PIECES {
                return Value::Unknown;
            }
            Value::List(
                pieces
                    .into_iter()
                    .map(|piece| Value::Text(piece.to_owned()))
                    .collect(),
            )
        }
        ("replace" | "replaceAll" | "gsub" | "sub", [Value::Text(from), Value::Text(to), ..])
            if !from.is_empty() && text.len() * (1 + to.len()) < 1 << 16 =>
        {
            kept(text.replace(from.as_str(), to))
        }
        ("reverse", _) => kept(text.chars().rev().collect()),
        ("strip" | "trim", _) => kept(text.trim().to_owned()),
        ("lower" | "toLowerCase" | "downcase", _) => kept(text.to_lowercase()),
        ("upper" | "toUpperCase" | "upcase", _) => kept(text.to_uppercase()),
        ("concat", [Value::Text(more)]) => kept(format!("{text}{more}")),
        ("format", values) => kept(format(text, values)),
        (
            "decode" | "encode" | "toString" | "to_s" | "expanduser" | "rstrip" | "lstrip"
            | "chomp" | "freeze" | "dup",
            args,
        ) if !args
            .iter()
            .any(|arg| matches!(arg, Value::Text(text) if text.starts_with("base64"))) =>
        {
            kept(text.to_owned())
        }
        ("unpack1" | "unpack", [Value::Text(format)]) if format.starts_with('m') => {
            unbase64(&Value::Text(text.to_owned()))
        }
        _ => Value::Unknown,
    }
}

/// `"{} {}".format(a, b)`
fn format(text: &str, values: &[Value]) -> String {
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
                .map_or_else(|| UNKNOWN.to_string(), Value::text),
        );
        rest = after;
    }
    out + rest
}

/// `"%s %s" % (a, b)`
pub(super) fn percent(format: &Value, values: &Value) -> Value {
    let Value::Text(text) = format else {
        return Value::Unknown;
    };
    let values = match values {
        Value::List(values) => values.clone(),
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
            Some(_) => out.push_str(&next.next().map_or_else(|| UNKNOWN.to_string(), Value::text)),
        }
    }
    Value::Text(out)
}

fn path_method(eval: &mut Eval<'_>, path: &str, name: &str, args: &[Value]) -> Value {
    let first = || {
        args.first()
            .map_or_else(|| UNKNOWN.to_string(), Value::text)
    };
    match name {
        "unlink" | "rmdir" | "delete" => eval.act(Action::Command(vec![
            "rm".to_owned(),
            "-f".to_owned(),
            path.to_owned(),
        ])),
        "rmtree" | "rm_rf" => eval.act(Action::Command(vec![
            "rm".to_owned(),
            "-rf".to_owned(),
            path.to_owned(),
        ])),
        "write_text" | "write_bytes" | "write" => eval.act(Action::Write {
            path: path.to_owned(),
            append: false,
        }),
        "read_text" | "read_bytes" | "read" => {
            eval.act(Action::Command(vec!["cat".to_owned(), path.to_owned()]));
            return Value::Contents(path.to_owned());
        }
        "open" => {
            let mode = args.first().map_or_else(|| "r".to_owned(), Value::text);
            if mode.starts_with(['w', 'a', 'x']) {
                eval.act(Action::Write {
                    path: path.to_owned(),
                    append: mode.starts_with('a'),
                });
            } else {
                eval.act(Action::Command(vec!["cat".to_owned(), path.to_owned()]));
                return Value::Contents(path.to_owned());
            }
        }
        "rename" | "replace" => eval.act(Action::Command(vec![
            "mv".to_owned(),
            path.to_owned(),
            first(),
        ])),
        "chmod" => eval.act(Action::Command(vec![
            "chmod".to_owned(),
            first().trim_start_matches("0o").to_owned(),
            path.to_owned(),
        ])),
        "joinpath" | "join" => return Value::Path(format!("{path}/{}", first())),
        "resolve" | "absolute" | "expanduser" | "to_s" => return Value::Path(path.to_owned()),
        "parent" | "dirname" => return Value::Path(format!("{path}/..")),
        "glob" | "rglob" if matches!(args.first(), Some(Value::Text(_))) => {
            return Value::List(vec![Value::Path(format!("{path}/{}", first()))]);
        }
        "glob" | "rglob" | "iterdir" => {
            return Value::List(vec![Value::Path(format!("{path}/{UNKNOWN}"))]);
        }
        _ => {}
    }
    Value::Unknown
}

pub(super) fn unbase64(value: &Value) -> Value {
    match value {
        Value::Text(text) if !text.contains(UNKNOWN) => {
            output::unbase64(text).map_or(Value::Unknown, Value::Text)
        }
        Value::Remote(_) | Value::Contents(_) => value.clone(),
        _ => Value::Unknown,
    }
}
