//! Function calls with external effects: processes, files, the network.

use super::environment;
use super::eval::{CodeEvaluator, CodeValue, module_name};
use super::files::{copying, network, opening, removal};
use super::methods::unbase64;
use super::{CodeAction, ScriptLanguage, nested};
use crate::command::UNKNOWN;

/// Maximum number of loop iterations.
const MAX_TURNS: usize = 16;

pub(super) type NamedArgs = [(String, CodeValue)];

/// Evaluates a call: records its effects and returns its value.
pub(super) fn call(
    eval: &mut CodeEvaluator<'_>,
    callee: &CodeValue,
    args: &[CodeValue],
    named: &NamedArgs,
) -> CodeValue {
    let each = args.iter().enumerate().find_map(|(at, arg)| match arg {
        CodeValue::Each(values) => Some((at, values)),
        _ => None,
    });
    if let Some((at, values)) = each {
        eval.incomplete |= values.len() > MAX_TURNS;
        for value in values.iter().take(MAX_TURNS) {
            let mut turn = args.to_vec();
            turn[at] = value.clone();
            call(eval, callee, &turn, named);
        }
        return CodeValue::Unknown;
    }
    let CodeValue::Name(path) = callee else {
        // `Dir.home()` is `Dir.home`.
        return match callee {
            CodeValue::Text(_) | CodeValue::Path(_) if args.is_empty() => callee.clone(),
            _ => CodeValue::Unknown,
        };
    };
    let path = path
        .trim_start_matches("window.")
        .trim_start_matches("globalThis.")
        .trim_start_matches("Kernel.");
    let (module, name) = match path.rsplit_once('.') {
        Some((module, name)) => (module, name),
        None => ("", path),
    };
    let first = || {
        args.first()
            .map_or_else(|| UNKNOWN.to_string(), CodeValue::text)
    };
    if let Some(value) = pure_call(eval, module, name, args) {
        return value;
    }
    if let Some(value) = environment::call(eval, module, name, args) {
        return value;
    }
    if is_query(name) && changes_data(args.first()) && !eval.in_memory() {
        eval.act(CodeAction::Command(vec![
            "psql".to_owned(),
            "-c".to_owned(),
            first(),
        ]));
        return CodeValue::Unknown;
    }
    if evaluates(eval.language, module, name) {
        run_code(eval, args.first());
        return CodeValue::Unknown;
    }
    if shell_text(eval, module, name) {
        match args.first() {
            Some(CodeValue::Remote(url)) => eval.act(CodeAction::RunDownloaded(url.clone())),
            Some(CodeValue::List(words)) => {
                eval.act(CodeAction::Command(
                    words.iter().map(CodeValue::text).collect(),
                ));
            }
            _ if args.len() > 1
                && matches!(eval.language, ScriptLanguage::Perl | ScriptLanguage::Ruby)
                && args.iter().all(|arg| matches!(arg, CodeValue::Text(_))) =>
            {
                eval.act(CodeAction::Command(
                    args.iter().map(CodeValue::text).collect(),
                ));
            }
            Some(CodeValue::Name(name)) if name.starts_with("?.") && module == "?" => {}
            _ => eval.act(CodeAction::Shell(first())),
        }
        return CodeValue::Unknown;
    }
    if program(eval, module, name, args, named)
        || removal(eval, module, name, args, named)
        || copying(eval, module, name, args)
    {
        return CodeValue::Unknown;
    }
    if let Some(value) = opening(eval, module, name, args, named) {
        return value;
    }
    network(eval, module, name, args, named)
}

/// Calls that only compute a value.
#[expect(
    clippy::match_same_arms,
    reason = "the table is read language by language"
)]
fn pure_call(
    eval: &mut CodeEvaluator<'_>,
    module: &str,
    name: &str,
    args: &[CodeValue],
) -> Option<CodeValue> {
    let first = args.first();
    Some(match (module, name) {
        ("" | "module", "require" | "__import__" | "import_module" | "import")
        | ("importlib", "import_module") => match first {
            Some(CodeValue::Text(module)) => CodeValue::Name(module_name(module)),
            _ => CodeValue::Unknown,
        },
        ("", "getattr") => match (first, args.get(1)) {
            (Some(CodeValue::Name(object)), Some(CodeValue::Text(member))) => {
                CodeValue::Name(format!("{object}.{member}"))
            }
            _ => CodeValue::Unknown,
        },
        ("", "Path" | "PurePath" | "PosixPath" | "Pathname")
        | ("pathlib", _)
        | ("Pathname", "new") => CodeValue::Path(
            args.iter()
                .map(CodeValue::text)
                .collect::<Vec<_>>()
                .join("/"),
        ),
        ("os.path" | "path" | "File", "join") => CodeValue::Text(
            args.iter()
                .map(CodeValue::text)
                .collect::<Vec<_>>()
                .join("/"),
        ),
        ("os.path", "expanduser" | "abspath" | "realpath")
        | ("path", "resolve" | "normalize")
        | ("File", "expand_path") => CodeValue::Text(first?.text()),
        ("os", "homedir") | ("Path" | "pathlib.Path" | "Dir", "home") => {
            CodeValue::Path("~".to_owned())
        }
        ("tempfile", "mkdtemp" | "mktemp" | "TemporaryDirectory" | "gettempdir")
        | ("os", "tmpdir")
        | ("fs", "mkdtempSync")
        | ("Dir", "mktmpdir" | "tmpdir") => CodeValue::Text(format!("/tmp/{UNKNOWN}")),
        ("base64", "b64decode" | "urlsafe_b64decode" | "standard_b64decode")
        | ("Base64", "decode64" | "strict_decode64")
        | ("", "atob" | "base64_decode" | "b64decode" | "decode_base64") => unbase64(first?),
        ("bytes" | "bytearray", "fromhex")
        | ("binascii", "unhexlify")
        | ("", "hex2bin" | "unhexlify") => match first? {
            CodeValue::Text(text) => crate::analyze::known_output::unhex(text)
                .map_or(CodeValue::Unknown, CodeValue::Text),
            _ => CodeValue::Unknown,
        },
        ("Buffer", "from") => match (first?, args.get(1)) {
            (value, Some(CodeValue::Text(encoding))) if encoding.starts_with("base64") => {
                unbase64(value)
            }
            (CodeValue::Text(text), Some(CodeValue::Text(encoding))) if encoding == "hex" => {
                crate::analyze::known_output::unhex(text)
                    .map_or(CodeValue::Unknown, CodeValue::Text)
            }
            (value, _) => value.clone(),
        },
        ("", "str" | "String" | "bytes" | "glob") | ("glob" | "Dir", "glob") => first?.clone(),
        ("", "chr") | ("String", "fromCharCode") | ("string", "char") => characters(args),
        ("", "strrev" | "reverse") => CodeValue::Text(first?.text().chars().rev().collect()),
        ("", "implode" | "join") => match (first?, args.get(1)) {
            (CodeValue::Text(separator), Some(CodeValue::List(parts))) => CodeValue::Text(
                parts
                    .iter()
                    .map(CodeValue::text)
                    .collect::<Vec<_>>()
                    .join(separator),
            ),
            _ => CodeValue::Unknown,
        },
        ("shlex", "split") => CodeValue::List(
            first?
                .text()
                .split_whitespace()
                .map(|word| CodeValue::Text(word.to_owned()))
                .collect(),
        ),
        ("shlex", "quote" | "join") => CodeValue::Text(first?.text()),
        ("codecs", "decode")
            if args.get(1) == Some(&CodeValue::Text("rot13".to_owned()))
                || args.get(1) == Some(&CodeValue::Text("rot_13".to_owned())) =>
        {
            CodeValue::Text(first?.text().chars().map(rot13).collect())
        }
        ("", "compile") if eval.language == ScriptLanguage::Python => first?.clone(),
        _ => return None,
    })
}

/// Methods that send text to a database.
fn is_query(name: &str) -> bool {
    matches!(
        name,
        "execute"
            | "executescript"
            | "executemany"
            | "query"
            | "raw"
            | "$executeRawUnsafe"
            | "exec"
            | "run"
    )
}

fn changes_data(query: Option<&CodeValue>) -> bool {
    let Some(CodeValue::Text(text)) = query else {
        return false;
    };
    let text = text.trim_start();
    let mut words = text.split_whitespace().map(str::to_ascii_lowercase);
    let first = words.next().unwrap_or_default();
    let second = words.next().unwrap_or_default();
    match first.as_str() {
        "drop" | "alter" => matches!(second.as_str(), "table" | "database" | "schema"),
        "truncate" => true,
        "delete" => second == "from",
        "update" => text.to_ascii_lowercase().contains(" set "),
        _ => false,
    }
}

fn rot13(character: char) -> char {
    let turn =
        |base: u8| char::from(base + (u8::try_from(character).unwrap_or(base) - base + 13) % 26);
    match character {
        'a'..='z' => turn(b'a'),
        'A'..='Z' => turn(b'A'),
        other => other,
    }
}

fn characters(args: &[CodeValue]) -> CodeValue {
    let text: Option<String> = args
        .iter()
        .map(|arg| arg.text().parse::<u32>().ok().and_then(char::from_u32))
        .collect();
    text.map_or(CodeValue::Unknown, CodeValue::Text)
}

fn evaluates(language: ScriptLanguage, module: &str, name: &str) -> bool {
    match language {
        ScriptLanguage::Python => module.is_empty() && matches!(name, "exec" | "eval"),
        ScriptLanguage::JavaScript => {
            (module.is_empty() && matches!(name, "eval" | "Function")) || module == "vm"
        }
        ScriptLanguage::Perl | ScriptLanguage::Php => {
            module.is_empty() && matches!(name, "eval" | "assert" | "create_function")
        }
        ScriptLanguage::Ruby => matches!(name, "eval" | "instance_eval" | "class_eval"),
        ScriptLanguage::Lua => module.is_empty() && matches!(name, "load" | "loadstring"),
        _ => false,
    }
}

fn run_code(eval: &mut CodeEvaluator<'_>, code: Option<&CodeValue>) {
    match code {
        Some(CodeValue::Text(text)) if text.trim_matches(UNKNOWN).is_empty() => {
            eval.act(CodeAction::RunUnknown);
        }
        Some(CodeValue::Text(text)) => {
            let found = nested(eval.language, text, eval.nesting + 1);
            eval.incomplete |= found.incomplete;
            for action in found.actions {
                eval.act(action);
            }
        }
        Some(CodeValue::Remote(url)) => eval.act(CodeAction::RunDownloaded(url.clone())),
        Some(CodeValue::Unknown) => eval.act(CodeAction::RunUnknown),
        _ => {}
    }
}

/// Calls whose first argument is shell text.
fn shell_text(eval: &CodeEvaluator<'_>, module: &str, name: &str) -> bool {
    let process_module = matches!(
        module,
        "child_process" | "cp" | "childProcess" | "shell" | "shelljs"
    ) || module.ends_with("child_process");
    match eval.language {
        ScriptLanguage::Python => {
            matches!(
                (module, name),
                ("os" | "posix" | "nt" | "?" | "", "system" | "popen")
                    | ("subprocess" | "commands", "getoutput" | "getstatusoutput")
                    | ("asyncio", "create_subprocess_shell")
            ) || (module.is_empty() && name == "getoutput")
        }
        ScriptLanguage::JavaScript => {
            ((process_module || eval.starts_processes) && matches!(name, "exec" | "execSync"))
                || matches!(
                    (module, name),
                    ("", "execSync" | "execaCommand" | "$") | ("Bun" | "Deno" | "zx", "$")
                )
        }
        ScriptLanguage::Perl => module.is_empty() && matches!(name, "system" | "exec" | "qx"),
        ScriptLanguage::Ruby => {
            matches!(
                (module, name),
                ("", "system" | "exec" | "spawn") | ("IO", "popen") | ("Process", "spawn" | "exec")
            ) || module == "Open3"
        }
        ScriptLanguage::Php => {
            module.is_empty()
                && matches!(
                    name,
                    "system" | "exec" | "shell_exec" | "passthru" | "popen" | "proc_open"
                )
        }
        ScriptLanguage::Lua => matches!((module, name), ("os", "execute") | ("io", "popen")),
        ScriptLanguage::Awk => module.is_empty() && name == "system",
        ScriptLanguage::AppleScript | ScriptLanguage::Tcl => false,
    }
}

/// Calls that start a program from a list of words.
fn program(
    eval: &mut CodeEvaluator<'_>,
    module: &str,
    name: &str,
    args: &[CodeValue],
    named: &NamedArgs,
) -> bool {
    let with_shell = named.iter().any(|(key, value)| key == "shell" && *value != CodeValue::Name("False".to_owned()) && *value != CodeValue::Name("false".to_owned()))
        || args.iter().any(|arg| matches!(arg, CodeValue::Fields(fields) if fields.iter().any(|(key, value)| key == "shell" && *value != CodeValue::Name("false".to_owned()))));
    let words = |values: &[CodeValue]| -> Vec<String> {
        values
            .iter()
            .flat_map(|value| match value {
                CodeValue::List(values) => values.iter().map(CodeValue::text).collect(),
                CodeValue::Fields(_) | CodeValue::Name(_) => Vec::new(),
                value => vec![value.text()],
            })
            .collect()
    };
    let list = match eval.language {
        ScriptLanguage::Python => match (module, name) {
            ("subprocess" | "sp", "run" | "call" | "check_call" | "check_output" | "Popen")
            | ("", "check_output" | "check_call" | "Popen")
            | ("pty", "spawn") => {
                let given = args.first().or_else(|| {
                    named
                        .iter()
                        .find(|(key, _)| key == "args")
                        .map(|(_, value)| value)
                });
                match given {
                    Some(CodeValue::List(words)) if !with_shell => {
                        words.iter().map(CodeValue::text).collect()
                    }
                    Some(CodeValue::List(words)) => {
                        let text = words.first().map_or_else(String::new, CodeValue::text);
                        eval.act(CodeAction::Shell(text));
                        return true;
                    }
                    given => {
                        eval.act(CodeAction::Shell(
                            given.map_or_else(|| UNKNOWN.to_string(), CodeValue::text),
                        ));
                        return true;
                    }
                }
            }
            ("asyncio", "create_subprocess_exec") => words(args),
            ("os", name) if name.starts_with("exec") && name.len() > 4 => {
                without_second(words(args))
            }
            ("os", name) if name.starts_with("spawn") || name.starts_with("posix_spawn") => {
                without_second(words(
                    args.get(usize::from(name.starts_with("spawn"))..)
                        .unwrap_or_default(),
                ))
            }
            _ => return false,
        },
        ScriptLanguage::JavaScript => match (module, name) {
            (_, "spawn" | "spawnSync" | "execFile" | "execFileSync" | "execa" | "execaSync") => {
                words(args.get(..2.min(args.len())).unwrap_or_default())
            }
            ("Deno", "Command" | "run") => deno(args),
            _ => return false,
        },
        ScriptLanguage::Php if name == "pcntl_exec" => words(args),
        _ => return false,
    };
    if list.is_empty() {
        return true;
    }
    let action = if with_shell {
        CodeAction::Shell(list.join(" "))
    } else {
        CodeAction::Command(list)
    };
    eval.act(action);
    true
}

/// `execv(path, argv)`: the second word is the program's `argv[0]`.
fn without_second(mut words: Vec<String>) -> Vec<String> {
    if words.len() > 1 {
        words.remove(1);
    }
    words
}

fn deno(args: &[CodeValue]) -> Vec<String> {
    let mut words = Vec::new();
    for arg in args {
        match arg {
            CodeValue::Fields(fields) => {
                for (_, value) in fields
                    .iter()
                    .filter(|(key, _)| matches!(key.as_str(), "args" | "cmd"))
                {
                    if let CodeValue::List(values) = value {
                        words.extend(values.iter().map(CodeValue::text));
                    }
                }
            }
            value => words.push(value.text()),
        }
    }
    words
}
