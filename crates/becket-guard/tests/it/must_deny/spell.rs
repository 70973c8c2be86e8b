//! Generates equivalent spellings.

use std::fmt::Write as _;

/// Spellings of a simple command, word by word.
pub(super) fn words(words: &[&str]) -> Vec<String> {
    let (program, rest) = words.split_first().expect("a program");
    let args = rest.join(" ");
    let with = |program: &str| format!("{program} {args}");
    let (first, others) = program.split_at(1);
    let mut all = vec![
        words.join("  "),
        words.join("\t"),
        words.join(" \\\n  "),
        with(&format!("\"{program}\"")),
        with(&format!("'{program}'")),
        with(&format!("\\{program}")),
        with(&format!("{first}''{others}")),
        with(&format!("{first}\"\"{others}")),
        with(&format!("{first}\\{others}")),
        with(&format!("$'{}'", escaped(program, 16))),
        with(&format!("$'{}'", escaped(program, 8))),
        with(&format!("$(echo {program})")),
        with(&format!("`printf %s {program}`")),
        with(&format!("$(printf '{}')", escaped(program, 8))),
        with(&format!("${{nothing:-{program}}}")),
        with(&format!("{first}${{nothing}}{others}")),
        format!("c={program}; $c {args}"),
        format!("a={first} b={others}; $a$b {args}"),
        format!("a={first}; \"${{a}}{others}\" {args}"),
        format!("set -- {args}; {program} \"$@\""),
        format!("all=({}); \"${{all[@]}}\"", words.join(" ")),
        format!("f() {{ {program} \"$@\"; }}; f {args}"),
        format!("alias x={program}\nx {args}"),
    ];
    if !program.starts_with('/') {
        all.push(with(&format!("/bin/{program}")));
        all.push(with(&format!("/usr/bin/{program}")));
        all.push(with(&format!("/usr/../usr/bin/{program}")));
    }
    all.extend(with_quoted_arguments(program, rest));
    all.extend(through_lists(words));
    if let Some((last, before)) = rest.split_last().filter(|(last, _)| !last.contains('~')) {
        let before = before.join(" ");
        all.push(format!("last={last}; {program} {before} $last"));
        all.push(format!("last={last}; {program} {before} \"${{last}}\""));
        all.push(format!("{program} {before} $(echo {last})"));
        all.push(format!("echo {last} | xargs {program} {before}"));
        all.push(format!("xargs {program} {before} <<< {last}"));
        all.push(format!("for x in {last}; do {program} {before} $x; done"));
    } else if let Some((_, before)) = rest.split_last() {
        let (before, last) = (before.join(" "), rest[rest.len() - 1]);
        let home = last.replacen('~', "$HOME", 1);
        all.push(format!("{program} {before} {home}"));
        all.push(format!("{program} {before} \"{home}\""));
        all.push(format!(
            "{program} {before} {}",
            last.replacen('~', "${HOME}", 1)
        ));
        all.push(format!(
            "{program} {before} {}",
            last.replacen('~', "~dev", 1)
        ));
    }
    all
}

fn with_quoted_arguments(program: &str, rest: &[&str]) -> Vec<String> {
    if rest.iter().any(|word| word.contains('~')) {
        return Vec::new();
    }
    let each = |quote: &dyn Fn(&str) -> String| {
        let words: Vec<String> = rest.iter().map(|word| quote(word)).collect();
        format!("{program} {}", words.join(" "))
    };
    vec![
        each(&|word| format!("'{word}'")),
        each(&|word| format!("\"{word}\"")),
        each(&|word| format!("$'{}'", escaped(word, 16))),
        each(&|word| {
            word.chars()
                .fold(String::new(), |all, c| all + "\\" + &c.to_string())
        }),
        each(&|word| format!("{word}\"\"")),
    ]
}

/// Programs that start others without a shell; `~` would be a literal name there.
fn through_lists(words: &[&str]) -> Vec<String> {
    if words.iter().any(|word| word.contains('~')) {
        return Vec::new();
    }
    let list: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    let (list, rest) = (list.join(", "), list[1..].join(", "));
    let first = words[0];
    vec![
        format!("python3 -c 'import subprocess; subprocess.run([{list}])'"),
        format!("python -c 'import subprocess as s; s.check_call([{list}])'"),
        format!("node -e 'require(\"child_process\").spawnSync(\"{first}\", [{rest}])'"),
        format!("ruby -e 'system({list})'"),
        format!("perl -e 'exec {list}'"),
    ]
}

/// Spellings of a whole line.
pub(super) fn line(line: &str) -> Vec<String> {
    let quoted = single(line);
    let mut all = vec![
        line.to_owned(),
        format!("  {line}  "),
        format!("{line} # just tidying up"),
        format!("true; {line}"),
        format!("true && {line}"),
        format!("false || {line}"),
        format!("ls\n{line}\n"),
        format!("({line})"),
        format!("{{ {line}\n}}"),
        format!("if true; then {line}\nfi"),
        format!("for i in 1; do {line}\ndone"),
        format!("while true; do {line}\nbreak; done"),
        format!("case x in *) {line}\n;; esac"),
        format!("go() {{ {line}\n}}; go"),
        format!("trap {quoted} EXIT"),
        format!("x=$({line})"),
        format!("echo \"$({line})\""),
        format!("cat <(\n{line}\n)"),
        format!("bash -c {quoted}"),
        format!("sh -lc {quoted}"),
        format!("/bin/bash --norc -ec {quoted}"),
        format!("bash -c {}", single(&format!("sh -c {quoted}"))),
        format!("eval {quoted}"),
        format!("x={quoted}; eval \"$x\""),
        format!("export X={quoted}; bash -c \"$X\""),
        format!("bash <<< {quoted}"),
        format!("bash <<'EOF'\n{line}\nEOF"),
        format!("cat <<'EOF' | sh\n{line}\nEOF"),
        format!("echo {quoted} | bash"),
        format!("printf '%s\\n' {quoted} | sh -s"),
        format!("source <(echo {quoted})"),
        format!("bash <(printf %s {quoted})"),
        format!("echo {quoted} > run.sh && sh run.sh"),
        format!("cat > run.sh <<'EOF'\n{line}\nEOF\nchmod +x run.sh && ./run.sh"),
    ];
    all.extend(wrapped(&quoted));
    all.extend(encoded(line));
    all.extend(through_interpreters(line));
    all
}

fn wrapped(quoted: &str) -> Vec<String> {
    let wrappers = [
        "env A=b",
        "env -i PATH=/bin",
        "nice -n 10",
        "nohup",
        "setsid",
        "stdbuf -oL",
        "timeout -k 5 60",
        "time",
        "command",
        "exec",
        "sudo",
        "sudo -u root",
        "doas",
        "busybox",
        "xargs -I{}",
        "watch -n 1",
        "script -qc",
        "flock /tmp/lock",
        "unshare -r",
        "chroot /mnt",
    ];
    wrappers
        .iter()
        .map(|wrapper| match *wrapper {
            // These take a line, not words.
            "watch -n 1" | "script -qc" => format!("{wrapper} {quoted}"),
            "xargs -I{}" => format!("echo x | xargs -I{{}} sh -c {quoted}"),
            wrapper => format!("{wrapper} sh -c {quoted}"),
        })
        .collect()
}

fn encoded(line: &str) -> Vec<String> {
    let base64 = base64(line);
    let hex: String = line.bytes().fold(String::new(), |mut all, byte| {
        let _ = write!(all, "{byte:02x}");
        all
    });
    let reversed: String = line.chars().rev().collect();
    let mut all = vec![
        format!("echo {base64} | base64 -d | sh"),
        format!("base64 --decode <<< {base64} | bash"),
        format!("eval \"$(echo '{base64}' | base64 -d)\""),
        format!("bash -c \"$(printf %s {base64} | base64 -d)\""),
        format!("x={base64}; echo $x | base64 -d | bash"),
        format!("echo {hex} | xxd -r -p | sh"),
        format!("printf '{}' | sh", escaped(line, 16)),
        format!("printf '{}' | bash", escaped(line, 8)),
        format!("bash -c $'{}'", escaped(line, 16)),
        format!("eval $'{}'", escaped(line, 8)),
        format!(
            "python3 -c 'import os,base64; os.system(base64.b64decode(\"{base64}\").decode())'"
        ),
    ];
    if !line.contains(['\'', '\\']) {
        all.push(format!("echo '{reversed}' | rev | sh"));
    }
    all
}

fn through_interpreters(line: &str) -> Vec<String> {
    let literal = double(line);
    let calls = [
        ("python3 -c", format!("import os; os.system({literal})")),
        (
            "python -c",
            format!("import subprocess; subprocess.run({literal}, shell=True)"),
        ),
        (
            "python3 -c",
            format!("c = {literal}\nimport os\nos.popen(c)"),
        ),
        (
            "node -e",
            format!("require(\"child_process\").execSync({literal})"),
        ),
        (
            "node --eval",
            format!("const {{ exec }} = require(\"child_process\"); exec({literal})"),
        ),
        ("perl -e", format!("system({literal})")),
        ("ruby -e", format!("system({literal})")),
        ("php -r", format!("system({literal});")),
        ("awk", format!("BEGIN {{ system({literal}) }}")),
    ];
    // These languages interpolate a dollar in double quotes.
    calls
        .iter()
        .filter(|(program, _)| !(line.contains('$') && matches!(*program, "perl -e" | "php -r")))
        .map(|(program, code)| format!("{program} {}", single(code)))
        .collect()
}

/// Spellings of a path.
pub(super) fn path(path: &str) -> Vec<String> {
    let absolute = format!("/home/dev/app/{path}");
    vec![
        path.to_owned(),
        format!("./{path}"),
        format!(".//{path}"),
        format!("src/../{path}"),
        format!("./src/./../{path}"),
        format!("../app/{path}"),
        absolute.clone(),
        absolute.replace('/', "//"),
        format!("/home/dev/app/src/../{path}"),
        format!("~/app/{path}"),
        format!("/home/dev/../dev/app/{path}"),
        path.to_ascii_uppercase(),
    ]
}

/// Single-quotes a text.
fn single(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Double-quotes a text, as in most languages.
fn double(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}

/// Every byte as an escape, in base 8 or 16.
fn escaped(text: &str, base: u32) -> String {
    text.bytes().fold(String::new(), |mut all, byte| {
        let _ = if base == 8 {
            write!(all, "\\{byte:03o}")
        } else {
            write!(all, "\\x{byte:02x}")
        };
        all
    })
}

fn base64(text: &str) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let mut bits = 0_u32;
        for at in 0..3 {
            bits = bits << 8 | u32::from(chunk.get(at).copied().unwrap_or(0));
        }
        for at in 0..4 {
            let six = (bits >> (18 - 6 * at)) & 63;
            out.push(if at > chunk.len() {
                '='
            } else {
                char::from(LETTERS[six as usize])
            });
        }
    }
    out
}
