//! Environment variables in a program's text: finds the ones that it prints.

use super::eval::{CodeEvaluator, CodeValue};
use super::token::CodeToken;
use super::{CodeAction, ScriptLanguage};
use crate::redact;

/// Names of the environment in each language.
const ROOTS: [&str; 4] = ["os.environ", "process.env", "Deno.env", "ENV"];

/// Evaluates a call that concerns the environment; records calls that print a secret.
pub(super) fn call(
    eval: &mut CodeEvaluator<'_>,
    module: &str,
    name: &str,
    args: &[CodeValue],
) -> Option<CodeValue> {
    let key = || match args.first() {
        Some(CodeValue::Text(key)) => Some(key.clone()),
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
        .then(|| CodeValue::Name(module.to_owned()));
    whole.or(own).filter(|_| copies)
}

/// A member of an object; a home directory from the environment stays a home directory.
pub(super) fn member(path: &str) -> CodeValue {
    let home = matches!(
        path,
        "process.env.HOME"
            | "os.environ.HOME"
            | "ENV.HOME"
            | "process.env.USERPROFILE"
            | "Dir.home"
    );
    if home {
        CodeValue::Path("~".to_owned())
    } else {
        CodeValue::Name(path.to_owned())
    }
}

/// Records that a value is printed.
pub(super) fn shown(eval: &mut CodeEvaluator<'_>, value: &CodeValue) {
    let CodeValue::Name(path) = value else {
        return;
    };
    let key = ROOTS
        .iter()
        .find_map(|root| path.strip_prefix(root)?.strip_prefix('.'));
    if is_whole(value) || path == "ENV.to_h" {
        eval.act(CodeAction::Command(vec!["printenv".to_owned()]));
    } else if let Some(key) = key.filter(|key| redact::names_secret(key)) {
        eval.act(CodeAction::Command(vec![
            "printenv".to_owned(),
            key.to_owned(),
        ]));
    }
}

fn is_part(value: &CodeValue) -> bool {
    matches!(value, CodeValue::Name(path) if ROOTS.iter().any(|root| path.starts_with(root)))
}

fn is_whole(value: &CodeValue) -> bool {
    matches!(value, CodeValue::Name(path) if ROOTS.contains(&path.as_str()))
}

/// Perl, PHP and awk have their own syntax for the environment.
pub(super) fn written(eval: &mut CodeEvaluator<'_>, text: &str) {
    let (whole, named): (&[&str], &[&str]) = match eval.language {
        ScriptLanguage::Perl => (&["%ENV"], &["$ENV{"]),
        ScriptLanguage::Php => (&["$_ENV)", "getenv()"], &["$_ENV[", "getenv("]),
        ScriptLanguage::Awk => (&["in ENVIRON"], &["ENVIRON["]),
        _ => return,
    };
    let prints = ["print", "say", "echo", "var_dump"]
        .iter()
        .any(|word| text.contains(word));
    if !prints {
        return;
    }
    if whole.iter().any(|word| text.contains(word)) {
        eval.act(CodeAction::Command(vec!["printenv".to_owned()]));
    }
    for start in named {
        for (at, _) in text.match_indices(start) {
            let rest = text[at + start.len()..].trim_start_matches(['"', '\'']);
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let key = &rest[..end.unwrap_or(rest.len())];
            if redact::names_secret(key) {
                eval.act(CodeAction::Command(vec![
                    "printenv".to_owned(),
                    key.to_owned(),
                ]));
            }
        }
    }
}

impl CodeEvaluator<'_> {
    /// Whether the program's databases are in memory or test databases.
    pub(super) fn in_memory(&self) -> bool {
        self.tokens.iter().any(|token| match token {
            CodeToken::Text(pieces) => self.resolve(pieces).contains(":memory:"),
            _ => false,
        })
    }
}
