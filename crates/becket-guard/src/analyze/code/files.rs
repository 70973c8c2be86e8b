//! Function calls that touch files and the network.

use super::calls::NamedArgs;
use super::eval::{CodeEvaluator, CodeValue};
use super::{CodeAction, ScriptLanguage};
use crate::analyze::programs;
use crate::command::UNKNOWN;

/// Calls that delete.
#[expect(
    clippy::match_same_arms,
    reason = "the table is read language by language"
)]
pub(super) fn removal(
    eval: &mut CodeEvaluator<'_>,
    module: &str,
    name: &str,
    args: &[CodeValue],
    named: &NamedArgs,
) -> bool {
    let files = matches!(
        module,
        "fs" | "fsp" | "fse" | "fs.promises" | "promises" | "fs-extra" | "Deno"
    );
    let flagged = args.iter().any(|arg| matches!(arg, CodeValue::Fields(fields) if fields.iter().any(|(key, _)| key == "recursive")))
        || named.iter().any(|(key, _)| key == "recursive");
    let recursive = match (eval.language, module, name) {
        (ScriptLanguage::Python, "os", "remove" | "unlink" | "rmdir" | "removedirs")
        | (ScriptLanguage::Python, "", "unlink" | "rmdir") => false,
        (ScriptLanguage::Python, _, "rmtree") => true,
        (ScriptLanguage::JavaScript, _, "rmSync" | "unlinkSync" | "rmdirSync") => flagged,
        (ScriptLanguage::JavaScript, "Deno", "remove" | "removeSync") => flagged,
        (ScriptLanguage::JavaScript, _, "removeSync" | "emptyDirSync") => true,
        (ScriptLanguage::JavaScript, _, "rm" | "unlink" | "rmdir") if files => flagged,
        (ScriptLanguage::JavaScript, _, "remove" | "emptyDir") if files => true,
        (ScriptLanguage::JavaScript, "" | "rimraf", "rimraf" | "sync" | "rimrafSync") => true,
        (ScriptLanguage::Perl | ScriptLanguage::Php, "", "unlink" | "rmdir") => false,
        (ScriptLanguage::Perl, _, "rmtree" | "remove_tree") => true,
        (ScriptLanguage::Ruby, "File", "delete" | "unlink")
        | (ScriptLanguage::Ruby, "Dir", "delete" | "rmdir" | "unlink")
        | (ScriptLanguage::Ruby, "FileUtils", "rm" | "rm_f" | "remove") => false,
        (
            ScriptLanguage::Ruby,
            "FileUtils",
            "rm_r" | "rm_rf" | "remove_dir" | "remove_entry" | "rmtree" | "remove_entry_secure",
        ) => true,
        (ScriptLanguage::Lua, "os", "remove") => false,
        _ => return false,
    };
    let flag = if recursive { "-rf" } else { "-f" };
    let mut words = vec!["rm".to_owned(), flag.to_owned()];
    for arg in args {
        match arg {
            CodeValue::List(values) => words.extend(values.iter().map(CodeValue::text)),
            CodeValue::Fields(_) | CodeValue::Name(_) => {}
            value => words.push(value.text()),
        }
    }
    if words.len() == 2 {
        words.push(UNKNOWN.to_string());
    }
    eval.act(CodeAction::Command(words));
    true
}

/// Calls that copy, move, link or change permissions, mapped to the equivalent commands.
pub(super) fn copying(
    eval: &mut CodeEvaluator<'_>,
    module: &str,
    name: &str,
    args: &[CodeValue],
) -> bool {
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
                .map_or_else(|| UNKNOWN.to_string(), CodeValue::text);
            eval.act(CodeAction::Write {
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
    let mut operands: Vec<String> = args.iter().take(2).map(CodeValue::text).collect();
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
    eval.act(CodeAction::Command(words));
    true
}

/// Calls that open, read and write files.
pub(super) fn opening(
    eval: &mut CodeEvaluator<'_>,
    module: &str,
    name: &str,
    args: &[CodeValue],
    named: &NamedArgs,
) -> Option<CodeValue> {
    let path = args.first().map(CodeValue::text)?;
    let mode = || {
        let given = named
            .iter()
            .find(|(key, _)| key == "mode")
            .map(|(_, value)| value)
            .or_else(|| args.get(1));
        match given {
            Some(CodeValue::Text(mode)) => mode.clone(),
            _ => "r".to_owned(),
        }
    };
    match (eval.language, module, name) {
        (ScriptLanguage::Perl, "", "open") => return perl_open(eval, args),
        (ScriptLanguage::Python, "" | "io" | "codecs" | "gzip" | "bz2", "open")
        | (ScriptLanguage::Php, "", "fopen")
        | (ScriptLanguage::Lua, "io", "open")
        | (ScriptLanguage::Ruby, "File" | "IO", "open" | "new")
        | (ScriptLanguage::Ruby, "", "open")
        | (ScriptLanguage::JavaScript, "fs" | "fs.promises", "open" | "openSync") => {
            if eval.language == ScriptLanguage::Ruby && path.starts_with('|') {
                eval.act(CodeAction::Shell(path[1..].to_owned()));
                return Some(CodeValue::Unknown);
            }
            let mode = mode();
            if mode.starts_with(['w', 'x', 'a']) || mode.contains('+') {
                eval.act(CodeAction::Write {
                    path,
                    append: mode.starts_with('a'),
                });
                return Some(CodeValue::Unknown);
            }
        }
        (
            ScriptLanguage::JavaScript,
            _,
            "writeFileSync" | "writeFile" | "createWriteStream" | "writeTextFile"
            | "writeTextFileSync" | "outputFileSync",
        )
        | (ScriptLanguage::JavaScript, "Bun", "write")
        | (ScriptLanguage::Php, "", "file_put_contents")
        | (ScriptLanguage::Ruby, "File" | "IO", "write" | "binwrite") => {
            eval.act(CodeAction::Write {
                path,
                append: false,
            });
            return Some(CodeValue::Unknown);
        }
        (ScriptLanguage::JavaScript, _, "appendFileSync" | "appendFile") => {
            eval.act(CodeAction::Write { path, append: true });
            return Some(CodeValue::Unknown);
        }
        (
            ScriptLanguage::JavaScript,
            _,
            "readFileSync" | "readFile" | "createReadStream" | "readTextFile" | "readTextFileSync",
        )
        | (ScriptLanguage::JavaScript, "Bun", "file")
        | (ScriptLanguage::Php, "", "file_get_contents" | "readfile" | "file")
        | (ScriptLanguage::Ruby, "File" | "IO", "read" | "readlines" | "binread" | "foreach")
        | (ScriptLanguage::Lua, "io", "lines") => {
            if path.contains("://") {
                return Some(CodeValue::Remote(path));
            }
        }
        _ => return None,
    }
    if path != "/dev/stdin" && path != "0" {
        eval.act(CodeAction::Command(vec!["cat".to_owned(), path.clone()]));
    }
    Some(CodeValue::Contents(path))
}

/// `open(F, "<", path)`, `open(F, ">path")`, `open(F, "cmd |")`.
fn perl_open(eval: &mut CodeEvaluator<'_>, args: &[CodeValue]) -> Option<CodeValue> {
    let mode = args.get(1).map(CodeValue::text)?;
    let mode = mode.trim();
    let target = args.get(2).map(CodeValue::text);
    if mode.starts_with('|') || mode.ends_with('|') || mode == "-|" || mode == "|-" {
        let text = target.unwrap_or_else(|| mode.trim_matches(['|', '-']).trim().to_owned());
        // A shell executes the text that is printed into it.
        if programs::is_shell(&text) {
            eval.act(CodeAction::RunUnknown);
        }
        eval.act(CodeAction::Shell(text));
    } else if let Some(rest) = mode.strip_prefix(">>") {
        let path = target.unwrap_or_else(|| rest.trim().to_owned());
        eval.act(CodeAction::Write { path, append: true });
    } else if let Some(rest) = mode.strip_prefix('>') {
        let path = target.unwrap_or_else(|| rest.trim().to_owned());
        eval.act(CodeAction::Write {
            path,
            append: false,
        });
    } else {
        let path = target.unwrap_or_else(|| mode.trim_start_matches('<').trim().to_owned());
        eval.act(CodeAction::Command(vec!["cat".to_owned(), path]));
    }
    Some(CodeValue::Unknown)
}

/// Calls that download, and calls that send the contents of a file.
pub(super) fn network(
    eval: &mut CodeEvaluator<'_>,
    module: &str,
    name: &str,
    args: &[CodeValue],
    named: &NamedArgs,
) -> CodeValue {
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
        return CodeValue::Unknown;
    }
    let url = args
        .first()
        .map_or_else(|| UNKNOWN.to_string(), CodeValue::text);
    let sent = args
        .iter()
        .chain(named.iter().map(|(_, value)| value))
        .find_map(contents);
    match sent {
        Some(path) => {
            eval.act(CodeAction::Command(vec![
                "curl".to_owned(),
                "--data-binary".to_owned(),
                format!("@{path}"),
                url,
            ]));
            CodeValue::Unknown
        }
        None => CodeValue::Remote(url),
    }
}

fn contents(value: &CodeValue) -> Option<&str> {
    match value {
        CodeValue::Contents(path) => Some(path),
        CodeValue::List(values) => values.iter().find_map(contents),
        CodeValue::Fields(fields) => fields.iter().find_map(|(_, value)| contents(value)),
        _ => None,
    }
}
