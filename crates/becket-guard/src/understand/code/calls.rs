//! The calls that reach outside a program: processes, files, the network.

use super::environment;
use super::eval::{Eval, Value, module_name};
use super::files::{copying, network, opening, removal};
use super::methods::unbase64;
use super::{Action, Language, nested};
use crate::command::UNKNOWN;

/// How many turns of a loop are followed.
const MAX_TURNS: usize = 16;

pub(super) type Named = [(String, Value)];

/// What a call gives, after what it does has been noted.
pub(super) fn call(eval: &mut Eval<'_>, callee: &Value, args: &[Value], named: &Named) -> Value {
    let each = args.iter().enumerate().find_map(|(at, arg)| match arg {
        Value::Each(values) => Some((at, values)),
        _ => None,
    });
    if let Some((at, values)) = each {
        eval.incomplete |= values.len() > MAX_TURNS;
        for value in values.iter().take(MAX_TURNS) {
            let mut turn = args.to_vec();
            turn[at] = value.clone();
            call(eval, callee, &turn, named);
        }
        return Value::Unknown;
    }
    let Value::Name(path) = callee else {
        // `Dir.home()` is `Dir.home`.
        return match callee {
            Value::Text(_) | Value::Path(_) if args.is_empty() => callee.clone(),
            _ => Value::Unknown,
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
            .map_or_else(|| UNKNOWN.to_string(), Value::text)
    };
    if let Some(value) = makes(eval, module, name, args) {
        return value;
    }
    if let Some(value) = environment::call(eval, module, name, args) {
        return value;
    }
    if is_query(name) && changes_data(args.first()) && !eval.in_memory() {
        eval.act(Action::Command(vec![
            "psql".to_owned(),
            "-c".to_owned(),
            first(),
        ]));
        return Value::Unknown;
    }
    if evaluates(eval.language, module, name) {
        run_code(eval, args.first());
        return Value::Unknown;
    }
    if shell_text(eval, module, name) {
        match args.first() {
            Some(Value::Remote(url)) => eval.act(Action::RunDownloaded(url.clone())),
            Some(Value::List(words)) => {
                eval.act(Action::Command(words.iter().map(Value::text).collect()));
            }
            _ if args.len() > 1
                && matches!(eval.language, Language::Perl | Language::Ruby)
                && args.iter().all(|arg| matches!(arg, Value::Text(_))) =>
            {
                eval.act(Action::Command(args.iter().map(Value::text).collect()));
            }
            Some(Value::Name(name)) if name.starts_with("?.") && module == "?" => {}
            _ => eval.act(Action::Shell(first())),
        }
        return Value::Unknown;
    }
    if program(eval, module, name, args, named)
        || removal(eval, module, name, args, named)
        || copying(eval, module, name, args)
    {
        return Value::Unknown;
    }
    if let Some(value) = opening(eval, module, name, args, named) {
        return value;
    }
    network(eval, module, name, args, named)
}

/// Calls that only make a value.
#[expect(
    clippy::match_same_arms,
    reason = "the table is read language by language"
)]
fn makes(eval: &mut Eval<'_>, module: &str, name: &str, args: &[Value]) -> Option<Value> {
    let first = args.first();
    Some(match (module, name) {
        ("" | "module", "require" | "__import__" | "import_module" | "import")
        | ("importlib", "import_module") => match first {
            Some(Value::Text(module)) => Value::Name(module_name(module)),
            _ => Value::Unknown,
        },
        ("", "getattr") => match (first, args.get(1)) {
            (Some(Value::Name(object)), Some(Value::Text(member))) => {
                Value::Name(format!("{object}.{member}"))
            }
            _ => Value::Unknown,
        },
        ("", "Path" | "PurePath" | "PosixPath" | "Pathname")
        | ("pathlib", _)
        | ("Pathname", "new") => {
            Value::Path(args.iter().map(Value::text).collect::<Vec<_>>().join("/"))
        }
        ("os.path" | "path" | "File", "join") => {
            Value::Text(args.iter().map(Value::text).collect::<Vec<_>>().join("/"))
        }
        ("os.path", "expanduser" | "abspath" | "realpath")
        | ("path", "resolve" | "normalize")
        | ("File", "expand_path") => Value::Text(first?.text()),
        ("os", "homedir") | ("Path" | "pathlib.Path" | "Dir", "home") => {
            Value::Path("~".to_owned())
        }
        ("tempfile", "mkdtemp" | "mktemp" | "TemporaryDirectory" | "gettempdir")
        | ("os", "tmpdir")
        | ("fs", "mkdtempSync")
        | ("Dir", "mktmpdir" | "tmpdir") => Value::Text(format!("/tmp/{UNKNOWN}")),
        ("base64", "b64decode" | "urlsafe_b64decode" | "standard_b64decode")
        | ("Base64", "decode64" | "strict_decode64")
        | ("", "atob" | "base64_decode" | "b64decode" | "decode_base64") => unbase64(first?),
        ("bytes" | "bytearray", "fromhex")
        | ("binascii", "unhexlify")
        | ("", "hex2bin" | "unhexlify") => match first? {
            Value::Text(text) => {
                crate::understand::output::unhex(text).map_or(Value::Unknown, Value::Text)
            }
            _ => Value::Unknown,
        },
        ("Buffer", "from") => match (first?, args.get(1)) {
            (value, Some(Value::Text(encoding))) if encoding.starts_with("base64") => {
                unbase64(value)
            }
            (Value::Text(text), Some(Value::Text(encoding))) if encoding == "hex" => {
                crate::understand::output::unhex(text).map_or(Value::Unknown, Value::Text)
            }
            (value, _) => value.clone(),
        },
        ("", "str" | "String" | "bytes" | "glob") | ("glob" | "Dir", "glob") => first?.clone(),
        ("", "chr") | ("String", "fromCharCode") | ("string", "char") => characters(args),
        ("", "strrev" | "reverse") => Value::Text(first?.text().chars().rev().collect()),
        ("", "implode" | "join") => match (first?, args.get(1)) {
            (Value::Text(separator), Some(Value::List(parts))) => Value::Text(
                parts
                    .iter()
                    .map(Value::text)
                    .collect::<Vec<_>>()
                    .join(separator),
            ),
            _ => Value::Unknown,
        },
        ("shlex", "split") => Value::List(
            first?
                .text()
                .split_whitespace()
                .map(|word| Value::Text(word.to_owned()))
                .collect(),
        ),
        ("shlex", "quote" | "join") => Value::Text(first?.text()),
        ("codecs", "decode")
            if args.get(1) == Some(&Value::Text("rot13".to_owned()))
                || args.get(1) == Some(&Value::Text("rot_13".to_owned())) =>
        {
            Value::Text(first?.text().chars().map(rot13).collect())
        }
        ("", "compile") if eval.language == Language::Python => first?.clone(),
        _ => return None,
    })
}

/// Methods that hand a text to a database.
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

fn changes_data(query: Option<&Value>) -> bool {
    let Some(Value::Text(text)) = query else {
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

fn characters(args: &[Value]) -> Value {
    let text: Option<String> = args
        .iter()
        .map(|arg| arg.text().parse::<u32>().ok().and_then(char::from_u32))
        .collect();
    text.map_or(Value::Unknown, Value::Text)
}

fn evaluates(language: Language, module: &str, name: &str) -> bool {
    match language {
        Language::Python => module.is_empty() && matches!(name, "exec" | "eval"),
        Language::JavaScript => {
            (module.is_empty() && matches!(name, "eval" | "Function")) || module == "vm"
        }
        Language::Perl | Language::Php => {
            module.is_empty() && matches!(name, "eval" | "assert" | "create_function")
        }
        Language::Ruby => matches!(name, "eval" | "instance_eval" | "class_eval"),
        Language::Lua => module.is_empty() && matches!(name, "load" | "loadstring"),
        _ => false,
    }
}

fn run_code(eval: &mut Eval<'_>, code: Option<&Value>) {
    match code {
        Some(Value::Text(text)) if text.trim_matches(UNKNOWN).is_empty() => {
            eval.act(Action::RunUnknown);
        }
        Some(Value::Text(text)) => {
            let found = nested(eval.language, text, eval.nesting + 1);
            eval.incomplete |= found.incomplete;
            for action in found.actions {
                eval.act(action);
            }
        }
        Some(Value::Remote(url)) => eval.act(Action::RunDownloaded(url.clone())),
        Some(Value::Unknown) => eval.act(Action::RunUnknown),
        _ => {}
    }
}

/// Calls whose first argument is a text for the shell.
fn shell_text(eval: &Eval<'_>, module: &str, name: &str) -> bool {
    let process_module = matches!(
        module,
        "child_process" | "cp" | "childProcess" | "shell" | "shelljs"
    ) || module.ends_with("child_process");
    match eval.language {
        Language::Python => {
            matches!(
                (module, name),
                ("os" | "posix" | "nt" | "?" | "", "system" | "popen")
                    | ("subprocess" | "commands", "getoutput" | "getstatusoutput")
                    | ("asyncio", "create_subprocess_shell")
            ) || (module.is_empty() && name == "getoutput")
        }
        Language::JavaScript => {
            ((process_module || eval.starts_processes) && matches!(name, "exec" | "execSync"))
                || matches!(
                    (module, name),
                    ("", "execSync" | "execaCommand" | "$") | ("Bun" | "Deno" | "zx", "$")
                )
        }
        Language::Perl => module.is_empty() && matches!(name, "system" | "exec" | "qx"),
        Language::Ruby => {
            matches!(
                (module, name),
                ("", "system" | "exec" | "spawn") | ("IO", "popen") | ("Process", "spawn" | "exec")
            ) || module == "Open3"
        }
        Language::Php => {
            module.is_empty()
                && matches!(
                    name,
                    "system" | "exec" | "shell_exec" | "passthru" | "popen" | "proc_open"
                )
        }
        Language::Lua => matches!((module, name), ("os", "execute") | ("io", "popen")),
        Language::Awk => module.is_empty() && name == "system",
        Language::AppleScript | Language::Tcl => false,
    }
}

/// Calls that start a program from its words.
fn program(eval: &mut Eval<'_>, module: &str, name: &str, args: &[Value], named: &Named) -> bool {
    let with_shell = named.iter().any(|(key, value)| key == "shell" && *value != Value::Name("False".to_owned()) && *value != Value::Name("false".to_owned()))
        || args.iter().any(|arg| matches!(arg, Value::Fields(fields) if fields.iter().any(|(key, value)| key == "shell" && *value != Value::Name("false".to_owned()))));
    let words = |values: &[Value]| -> Vec<String> {
        values
            .iter()
            .flat_map(|value| match value {
                Value::List(values) => values.iter().map(Value::text).collect(),
                Value::Fields(_) | Value::Name(_) => Vec::new(),
                value => vec![value.text()],
            })
            .collect()
    };
    let list = match eval.language {
        Language::Python => match (module, name) {
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
                    Some(Value::List(words)) if !with_shell => {
                        words.iter().map(Value::text).collect()
                    }
                    Some(Value::List(words)) => {
                        let text = words.first().map_or_else(String::new, Value::text);
                        eval.act(Action::Shell(text));
                        return true;
                    }
                    given => {
                        eval.act(Action::Shell(
                            given.map_or_else(|| UNKNOWN.to_string(), Value::text),
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
        Language::JavaScript => match (module, name) {
            (_, "spawn" | "spawnSync" | "execFile" | "execFileSync" | "execa" | "execaSync") => {
                words(args.get(..2.min(args.len())).unwrap_or_default())
            }
            ("Deno", "Command" | "run") => deno(args),
            _ => return false,
        },
        Language::Php if name == "pcntl_exec" => words(args),
        _ => return false,
    };
    if list.is_empty() {
        return true;
    }
    let action = if with_shell {
        Action::Shell(list.join(" "))
    } else {
        Action::Command(list)
    };
    eval.act(action);
    true
}

/// `execv(path, argv)`: the second word is the program's name for itself.
fn without_second(mut words: Vec<String>) -> Vec<String> {
    if words.len() > 1 {
        words.remove(1);
    }
    words
}

fn deno(args: &[Value]) -> Vec<String> {
    let mut words = Vec::new();
    for arg in args {
        match arg {
            Value::Fields(fields) => {
                for (_, value) in fields
                    .iter()
                    .filter(|(key, _)| matches!(key.as_str(), "args" | "cmd"))
                {
                    if let Value::List(values) = value {
                        words.extend(values.iter().map(Value::text));
                    }
                }
            }
            value => words.push(value.text()),
        }
    }
    words
}
