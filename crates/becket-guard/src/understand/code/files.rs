//! The calls that touch files and the network.

use super::calls::Named;
use super::eval::{Eval, Value};
use super::{Action, Language};
use crate::command::UNKNOWN;
use crate::understand::programs;

/// Calls that delete.
#[expect(
    clippy::match_same_arms,
    reason = "the table is read language by language"
)]
pub(super) fn removal(
    eval: &mut Eval<'_>,
    module: &str,
    name: &str,
    args: &[Value],
    named: &Named,
) -> bool {
    let files = matches!(
        module,
        "fs" | "fsp" | "fse" | "fs.promises" | "promises" | "fs-extra" | "Deno"
    );
    let flagged = args.iter().any(|arg| matches!(arg, Value::Fields(fields) if fields.iter().any(|(key, _)| key == "recursive")))
        || named.iter().any(|(key, _)| key == "recursive");
    let recursive = match (eval.language, module, name) {
        (Language::Python, "os", "remove" | "unlink" | "rmdir" | "removedirs")
        | (Language::Python, "", "unlink" | "rmdir") => false,
        (Language::Python, _, "rmtree") => true,
        (Language::JavaScript, _, "rmSync" | "unlinkSync" | "rmdirSync") => flagged,
        (Language::JavaScript, "Deno", "remove" | "removeSync") => flagged,
        (Language::JavaScript, _, "removeSync" | "emptyDirSync") => true,
        (Language::JavaScript, _, "rm" | "unlink" | "rmdir") if files => flagged,
        (Language::JavaScript, _, "remove" | "emptyDir") if files => true,
        (Language::JavaScript, "" | "rimraf", "rimraf" | "sync" | "rimrafSync") => true,
        (Language::Perl | Language::Php, "", "unlink" | "rmdir") => false,
        (Language::Perl, _, "rmtree" | "remove_tree") => true,
        (Language::Ruby, "File", "delete" | "unlink")
        | (Language::Ruby, "Dir", "delete" | "rmdir" | "unlink")
        | (Language::Ruby, "FileUtils", "rm" | "rm_f" | "remove") => false,
        (
            Language::Ruby,
            "FileUtils",
            "rm_r" | "rm_rf" | "remove_dir" | "remove_entry" | "rmtree" | "remove_entry_secure",
        ) => true,
        (Language::Lua, "os", "remove") => false,
        _ => return false,
    };
    let flag = if recursive { "-rf" } else { "-f" };
    let mut words = vec!["rm".to_owned(), flag.to_owned()];
    for arg in args {
        match arg {
            Value::List(values) => words.extend(values.iter().map(Value::text)),
            Value::Fields(_) | Value::Name(_) => {}
            value => words.push(value.text()),
        }
    }
    if words.len() == 2 {
        words.push(UNKNOWN.to_string());
    }
    eval.act(Action::Command(words));
    true
}

/// Calls that copy, move, link or change rights, as the commands that do the same.
pub(super) fn copying(eval: &mut Eval<'_>, module: &str, name: &str, args: &[Value]) -> bool {
    let program = match (module, name) {
        ("shutil", "copy" | "copy2" | "copyfile" | "copytree")
        | ("fs" | "fse" | "fs.promises", "copyFile" | "copyFileSync" | "cpSync" | "copySync")
        | ("FileUtils", "cp" | "cp_r" | "copy")
        | ("", "copy") => "cp",
        ("shutil", "move")
        | ("os", "rename" | "replace")
        | ("fs" | "fse" | "fs.promises", "rename" | "renameSync" | "moveSync")
        | ("File" | "", "rename")
        | ("FileUtils", "mv" | "move") => "mv",
        ("os" | "", "chmod") | ("fs" | "fs.promises", "chmod" | "chmodSync") => "chmod",
        ("os" | "File" | "", "symlink") | ("fs" | "fs.promises", "symlink" | "symlinkSync") => "ln",
        ("os", "truncate") | ("fs" | "fs.promises", "truncate" | "truncateSync") => {
            let path = args
                .first()
                .map_or_else(|| UNKNOWN.to_string(), Value::text);
            eval.act(Action::Write {
                path,
                append: false,
            });
            return true;
        }
        _ => return false,
    };
    if args.len() < 2 {
        return false;
    }
    let mut words = vec![program.to_owned()];
    let mut operands: Vec<String> = args.iter().take(2).map(Value::text).collect();
    match program {
        "ln" => words.push("-s".to_owned()),
        "chmod" => {
            if operands[1].starts_with("0o")
                || !operands[0].starts_with(|c: char| c.is_ascii_digit())
            {
                operands.reverse();
            }
            operands[0] = operands[0].replace("0o", "");
        }
        _ => {}
    }
    words.extend(operands);
    eval.act(Action::Command(words));
    true
}

/// Calls that open, read and write files.
pub(super) fn opening(
    eval: &mut Eval<'_>,
    module: &str,
    name: &str,
    args: &[Value],
    named: &Named,
) -> Option<Value> {
    let path = args.first().map(Value::text)?;
    let mode = || {
        let given = named
            .iter()
            .find(|(key, _)| key == "mode")
            .map(|(_, value)| value)
            .or_else(|| args.get(1));
        match given {
            Some(Value::Text(mode)) => mode.clone(),
            _ => "r".to_owned(),
        }
    };
    match (eval.language, module, name) {
        (Language::Perl, "", "open") => return perl_open(eval, args),
        (Language::Python, "" | "io" | "codecs" | "gzip" | "bz2", "open")
        | (Language::Php, "", "fopen")
        | (Language::Lua, "io", "open")
        | (Language::Ruby, "File" | "IO", "open" | "new")
        | (Language::Ruby, "", "open")
        | (Language::JavaScript, "fs" | "fs.promises", "open" | "openSync") => {
            if eval.language == Language::Ruby && path.starts_with('|') {
                eval.act(Action::Shell(path[1..].to_owned()));
                return Some(Value::Unknown);
            }
            let mode = mode();
            if mode.starts_with(['w', 'x', 'a']) || mode.contains('+') {
                eval.act(Action::Write {
                    path,
                    append: mode.starts_with('a'),
                });
                return Some(Value::Unknown);
            }
        }
        (
            Language::JavaScript,
            _,
            "writeFileSync" | "writeFile" | "createWriteStream" | "writeTextFile"
            | "writeTextFileSync" | "outputFileSync",
        )
        | (Language::JavaScript, "Bun", "write")
        | (Language::Php, "", "file_put_contents")
        | (Language::Ruby, "File" | "IO", "write" | "binwrite") => {
            eval.act(Action::Write {
                path,
                append: false,
            });
            return Some(Value::Unknown);
        }
        (Language::JavaScript, _, "appendFileSync" | "appendFile") => {
            eval.act(Action::Write { path, append: true });
            return Some(Value::Unknown);
        }
        (
            Language::JavaScript,
            _,
            "readFileSync" | "readFile" | "createReadStream" | "readTextFile" | "readTextFileSync",
        )
        | (Language::JavaScript, "Bun", "file")
        | (Language::Php, "", "file_get_contents" | "readfile" | "file")
        | (Language::Ruby, "File" | "IO", "read" | "readlines" | "binread" | "foreach")
        | (Language::Lua, "io", "lines") => {
            if path.contains("://") {
                return Some(Value::Remote(path));
            }
        }
        _ => return None,
    }
    if path != "/dev/stdin" && path != "0" {
        eval.act(Action::Command(vec!["cat".to_owned(), path.clone()]));
    }
    Some(Value::Contents(path))
}

/// `open(F, "<", path)`, `open(F, ">path")`, `open(F, "cmd |")`.
fn perl_open(eval: &mut Eval<'_>, args: &[Value]) -> Option<Value> {
    let mode = args.get(1).map(Value::text)?;
    let mode = mode.trim();
    let target = args.get(2).map(Value::text);
    if mode.starts_with('|') || mode.ends_with('|') || mode == "-|" || mode == "|-" {
        let text = target.unwrap_or_else(|| mode.trim_matches(['|', '-']).trim().to_owned());
        // What is printed into a shell, it runs.
        if programs::is_shell(&text) {
            eval.act(Action::RunUnknown);
        }
        eval.act(Action::Shell(text));
    } else if let Some(rest) = mode.strip_prefix(">>") {
        let path = target.unwrap_or_else(|| rest.trim().to_owned());
        eval.act(Action::Write { path, append: true });
    } else if let Some(rest) = mode.strip_prefix('>') {
        let path = target.unwrap_or_else(|| rest.trim().to_owned());
        eval.act(Action::Write {
            path,
            append: false,
        });
    } else {
        let path = target.unwrap_or_else(|| mode.trim_start_matches('<').trim().to_owned());
        eval.act(Action::Command(vec!["cat".to_owned(), path]));
    }
    Some(Value::Unknown)
}

/// Calls that fetch, and those that send the contents of a file.
pub(super) fn network(
    eval: &mut Eval<'_>,
    module: &str,
    name: &str,
    args: &[Value],
    named: &Named,
) -> Value {
    let fetches = matches!(
        (module, name),
        (
            "requests" | "httpx" | "axios" | "session",
            "get" | "post" | "put" | "patch" | "request"
        ) | (_, "urlopen" | "urlretrieve")
            | ("", "fetch")
            | ("URI", "open")
            | ("http" | "https", "get" | "request")
            | ("Net.HTTP", "get" | "post")
    );
    if !fetches {
        return Value::Unknown;
    }
    let url = args
        .first()
        .map_or_else(|| UNKNOWN.to_string(), Value::text);
    let sent = args
        .iter()
        .chain(named.iter().map(|(_, value)| value))
        .find_map(contents);
    match sent {
        Some(path) => {
            eval.act(Action::Command(vec![
                "curl".to_owned(),
                "--data-binary".to_owned(),
                format!("@{path}"),
                url,
            ]));
            Value::Unknown
        }
        None => Value::Remote(url),
    }
}

fn contents(value: &Value) -> Option<&str> {
    match value {
        Value::Contents(path) => Some(path),
        Value::List(values) => values.iter().find_map(contents),
        Value::Fields(fields) => fields.iter().find_map(|(_, value)| contents(value)),
        _ => None,
    }
}
