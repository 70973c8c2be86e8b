//! The environment in a program's text: which variables it shows.

use super::eval::{Eval, Value};
use super::token::Token;
use super::{Action, Language};
use crate::redact;

/// The names under which languages have it.
const ROOTS: [&str; 4] = ["os.environ", "process.env", "Deno.env", "ENV"];

/// The worth of a call that has to do with the environment; what prints a secret of it is noted.
pub(super) fn call(eval: &mut Eval<'_>, module: &str, name: &str, args: &[Value]) -> Option<Value> {
    let key = || match args.first() {
        Some(Value::Text(key)) => Some(key.clone()),
        _ => None,
    };
    let asks = ROOTS.contains(&module) && matches!(name, "get" | "fetch")
        || matches!((module, name), ("os" | "", "getenv"));
    if asks {
        let name = key().map_or_else(
            || "os.environ".to_owned(),
            |key| format!("os.environ.{key}"),
        );
        return Some(member(&name));
    }
    let prints = matches!(
        (module, name),
        (
            "",
            "print" | "pprint" | "puts" | "p" | "pp" | "print_r" | "var_dump" | "var_export"
        ) | ("console" | "sys.stdout" | "process.stdout" | "pprint", _)
    );
    if prints {
        for arg in args {
            shown(eval, arg);
        }
        return None;
    }
    let copies = matches!(
        name,
        "dict"
            | "list"
            | "sorted"
            | "str"
            | "repr"
            | "dumps"
            | "stringify"
            | "entries"
            | "values"
            | "items"
            | "to_h"
            | "to_a"
            | "inspect"
            | "toObject"
    );
    let whole = args.iter().find(|arg| is_part(arg)).cloned();
    let own = ROOTS
        .contains(&module)
        .then(|| Value::Name(module.to_owned()));
    whole.or(own).filter(|_| copies)
}

/// A member of something; a home directory that the environment tells is a home directory.
pub(super) fn member(path: &str) -> Value {
    let home = matches!(
        path,
        "process.env.HOME"
            | "os.environ.HOME"
            | "ENV.HOME"
            | "process.env.USERPROFILE"
            | "Dir.home"
    );
    if home {
        Value::Path("~".to_owned())
    } else {
        Value::Name(path.to_owned())
    }
}

/// Notes that a value is shown.
pub(super) fn shown(eval: &mut Eval<'_>, value: &Value) {
    let Value::Name(path) = value else {
        return;
    };
    let key = ROOTS
        .iter()
        .find_map(|root| path.strip_prefix(root)?.strip_prefix('.'));
    if is_whole(value) || path == "ENV.to_h" {
        eval.act(Action::Command(vec!["printenv".to_owned()]));
    } else if let Some(key) = key.filter(|key| redact::names_secret(key)) {
        eval.act(Action::Command(vec!["printenv".to_owned(), key.to_owned()]));
    }
}

fn is_part(value: &Value) -> bool {
    matches!(value, Value::Name(path) if ROOTS.iter().any(|root| path.starts_with(root)))
}

fn is_whole(value: &Value) -> bool {
    matches!(value, Value::Name(path) if ROOTS.contains(&path.as_str()))
}

/// Perl, PHP and awk write it in ways of their own.
pub(super) fn written(eval: &mut Eval<'_>, text: &str) {
    let (whole, named): (&[&str], &[&str]) = match eval.language {
        Language::Perl => (&["%ENV"], &["$ENV{"]),
        Language::Php => (&["$_ENV)", "getenv()"], &["$_ENV[", "getenv("]),
        Language::Awk => (&["in ENVIRON"], &["ENVIRON["]),
        _ => return,
    };
    let prints = ["print", "say", "echo", "var_dump"]
        .iter()
        .any(|word| text.contains(word));
    if !prints {
        return;
    }
    if whole.iter().any(|word| text.contains(word)) {
        eval.act(Action::Command(vec!["printenv".to_owned()]));
    }
    for start in named {
        for (at, _) in text.match_indices(start) {
            let rest = text[at + start.len()..].trim_start_matches(['"', '\'']);
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let key = &rest[..end.unwrap_or(rest.len())];
            if redact::names_secret(key) {
                eval.act(Action::Command(vec!["printenv".to_owned(), key.to_owned()]));
            }
        }
    }
}

impl Eval<'_> {
    /// Whether the databases of the text live in memory, or are made for a test.
    pub(super) fn in_memory(&self) -> bool {
        self.tokens.iter().any(|token| match token {
            Token::Text(pieces) => self.resolve(pieces).contains(":memory:"),
            _ => false,
        })
    }
}
