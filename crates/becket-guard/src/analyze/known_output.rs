//! Output of simple programs whose input is completely known.

use super::path::{absolute, base_name};
use crate::command::{UNKNOWN, Word};
use crate::facts::RunLocation;

/// The output of a program that only transforms text. `None` if it does more, or if the output is only known at run
/// time.
pub(super) fn known(
    name: &str,
    args: &[Word],
    input: Option<&str>,
    cwd: Option<&str>,
    location: &RunLocation,
) -> Option<String> {
    let operands: Vec<&str> = args
        .iter()
        .map(|word| word.text.as_str())
        .filter(|text| !text.starts_with('-') || *text == "-")
        .collect();
    let rearranges = !matches!(
        name,
        "echo"
            | "printf"
            | "mktemp"
            | "git"
            | "date"
            | "mkdir"
            | "touch"
            | "chmod"
            | "sleep"
            | "rm"
    );
    let gaps = operands.iter().any(|operand| operand.contains(UNKNOWN))
        || input.is_some_and(|input| input.contains(UNKNOWN));
    if rearranges && gaps {
        return None;
    }
    let line = |text: &str| Some(format!("{text}\n"));
    match name {
        "echo" => Some(echo(args)),
        "printf" => printf(args),
        "which" | "whereis" => line(operands.first()?),
        "base64" | "gbase64" => decode(args, input, &operands),
        "openssl"
            if args
                .iter()
                .any(|word| matches!(word.text.as_str(), "base64" | "-base64" | "-a")) =>
        {
            decode(args, input, &[])
        }
        "xxd" => {
            let reverse = args
                .iter()
                .any(|word| word.text.starts_with('-') && word.text.contains('r'));
            let plain = args
                .iter()
                .any(|word| word.text.starts_with('-') && word.text.contains('p'));
            (reverse && plain && operands.is_empty()).then(|| unhex(input?))?
        }
        "rev" if operands.is_empty() => Some(
            input?
                .lines()
                .map(|line| line.chars().rev().chain(['\n']).collect::<String>())
                .collect(),
        ),
        "tac" if operands.is_empty() => {
            Some(input?.lines().rev().flat_map(|line| [line, "\n"]).collect())
        }
        "tr" => tr(args, input?),
        "pwd" => line(cwd?),
        "basename" => line(base_name(operands.first()?)),
        "dirname" => line(dirname(operands.first()?)),
        "realpath" | "readlink" => line(&absolute(cwd, operands.last()?)?),
        "mktemp" => Some(mktemp(&operands)),
        "git"
            if args
                .iter()
                .map(|word| word.text.as_str())
                .eq(["rev-parse", "--show-toplevel"]) =>
        {
            line(location.project.as_deref()?)
        }
        "date" | "uname" | "hostname" | "id" | "nproc" | "arch" => Some(format!("{UNKNOWN}\n")),
        "whoami" | "logname" => line(base_name(&location.home)),
        "mkdir" | "touch" | "chmod" | "sleep" | "rm" => Some(String::new()),
        _ => None,
    }
}

fn echo(args: &[Word]) -> String {
    let mut rest = args;
    let (mut newline, mut escapes) = (true, false);
    while let Some((first, after)) = rest.split_first() {
        let flags = first
            .text
            .strip_prefix('-')
            .filter(|flags| !flags.is_empty());
        let Some(flags) = flags.filter(|flags| flags.chars().all(|flag| "neE".contains(flag)))
        else {
            break;
        };
        newline &= !flags.contains('n');
        escapes |= flags.contains('e');
        rest = after;
    }
    let words: Vec<&str> = rest.iter().map(|word| word.text.as_str()).collect();
    let mut text = words.join(" ");
    if escapes {
        text = unescape(&text);
    }
    if newline {
        text.push('\n');
    }
    text
}

/// `printf format args…`: supports the directives that produce text.
fn printf(args: &[Word]) -> Option<String> {
    let args = match args.first()?.text.as_str() {
        "--" => &args[1..],
        "-v" => return None,
        _ => args,
    };
    let (format, mut values) = args.split_first()?;
    let format = unescape(&format.text);
    let mut out = String::new();
    loop {
        let before = values.len();
        let mut characters = format.chars();
        while let Some(character) = characters.next() {
            if character != '%' {
                out.push(character);
                continue;
            }
            let mut directive = characters.next()?;
            while "-+ #0123456789.".contains(directive) {
                directive = characters.next()?;
            }
            if directive == '%' {
                out.push('%');
                continue;
            }
            let value = match values.split_first() {
                Some((first, rest)) => {
                    values = rest;
                    first.text.as_str()
                }
                None => "",
            };
            match directive {
                's' | 'd' | 'i' | 'q' => out.push_str(value),
                'b' => out.push_str(&unescape(value)),
                'c' => out.extend(value.chars().next()),
                'x' => out.push_str(&format!("{:x}", value.parse::<i64>().ok()?)),
                'o' => out.push_str(&format!("{:o}", value.parse::<i64>().ok()?)),
                _ => return None,
            }
        }
        let used = before > values.len();
        if values.is_empty() || !used || out.len() > 1 << 16 {
            return Some(out);
        }
    }
}

/// Resolves `\n`, `\x41`, `\101`, `\u0041`.
pub(super) fn unescape(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'\\' {
            bytes.push(first);
            continue;
        }
        let Some((&escape, after)) = rest.split_first() else {
            bytes.push(b'\\');
            break;
        };
        rest = after;
        match escape {
            b'n' => bytes.push(b'\n'),
            b't' => bytes.push(b'\t'),
            b'r' => bytes.push(b'\r'),
            b'a' => bytes.push(7),
            b'b' => bytes.push(8),
            b'e' => bytes.push(27),
            b'f' => bytes.push(12),
            b'v' => bytes.push(11),
            b'\\' | b'\'' | b'"' => bytes.push(escape),
            b'x' => bytes.push(digits(&mut rest, 2, 16).to_le_bytes()[0]),
            b'u' | b'U' => {
                let value = digits(&mut rest, if escape == b'u' { 4 } else { 8 }, 16);
                let character = char::from_u32(value).unwrap_or('\u{FFFD}');
                bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
            b'0' => bytes.push(digits(&mut rest, 3, 8).to_le_bytes()[0]),
            b'1'..=b'7' => {
                let head = u32::from(escape - b'0');
                let before = rest.len();
                let tail = digits(&mut rest, 2, 8);
                let scale = 8_u32.pow(u32::try_from(before - rest.len()).unwrap_or(0));
                bytes.push((head * scale + tail).to_le_bytes()[0]);
            }
            other => bytes.extend([b'\\', other]),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn digits(rest: &mut &[u8], most: usize, radix: u32) -> u32 {
    let mut value = 0_u32;
    for _ in 0..most {
        let Some(digit) = rest
            .first()
            .and_then(|byte| char::from(*byte).to_digit(radix))
        else {
            break;
        };
        value = value.wrapping_mul(radix).wrapping_add(digit);
        *rest = &rest[1..];
    }
    value
}

fn decode(args: &[Word], input: Option<&str>, operands: &[&str]) -> Option<String> {
    let decodes = args.iter().any(|word| {
        matches!(
            word.text.as_str(),
            "-d" | "-D" | "--decode" | "-di" | "-id" | "-A" | "-a"
        )
    });
    let encodes = args.iter().any(|word| word.text == "-e");
    if !decodes || encodes || operands.iter().any(|operand| *operand != "-") {
        return None;
    }
    unbase64(input?)
}

/// Decodes base64, in either alphabet.
pub(super) fn unbase64(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut count) = (0_u32, 0_u32);
    for byte in text.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            b' ' | b'\n' | b'\r' | b'\t' => continue,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count).to_le_bytes()[0]);
            bits &= (1 << count) - 1;
        }
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Decodes hexadecimal digits.
pub(super) fn unhex(text: &str) -> Option<String> {
    let digits: Option<Vec<u8>> = text
        .chars()
        .filter(|character| !character.is_whitespace())
        .map(|character| character.to_digit(16).map(|digit| digit.to_le_bytes()[0]))
        .collect();
    let bytes: Vec<u8> = digits?
        .chunks(2)
        .map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit))
        .collect();
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn tr(args: &[Word], input: &str) -> Option<String> {
    let flags: String = args
        .iter()
        .filter(|word| word.text.starts_with('-') && word.text.len() > 1)
        .map(|word| word.text.as_str())
        .collect();
    let sets: Vec<Vec<char>> = args
        .iter()
        .filter(|word| !word.text.starts_with('-') || word.text.len() == 1)
        .map(|word| set(&unescape(&word.text)))
        .collect();
    if flags.contains(['c', 'C', 's', 't']) {
        return None;
    }
    if flags.contains('d') {
        let set = sets.first()?;
        return Some(
            input
                .chars()
                .filter(|character| !set.contains(character))
                .collect(),
        );
    }
    let [from, to] = sets.as_slice() else {
        return None;
    };
    let last = to.last()?;
    Some(
        input
            .chars()
            .map(
                |character| match from.iter().position(|other| *other == character) {
                    Some(at) => *to.get(at).unwrap_or(last),
                    None => character,
                },
            )
            .collect(),
    )
}

/// `a-z`, `[:lower:]`, single characters.
fn set(text: &str) -> Vec<char> {
    match text {
        "[:lower:]" => return ('a'..='z').collect(),
        "[:upper:]" => return ('A'..='Z').collect(),
        "[:space:]" => return vec![' ', '\t', '\n', '\r'],
        "[:digit:]" => return ('0'..='9').collect(),
        _ => {}
    }
    let characters: Vec<char> = text.chars().take(512).collect();
    let mut all = Vec::new();
    let mut at = 0;
    while at < characters.len() {
        let range = characters.get(at + 1) == Some(&'-') && at + 2 < characters.len();
        if range {
            all.extend((characters[at]..=characters[at + 2]).take(256));
            at += 3;
        } else {
            all.push(characters[at]);
            at += 1;
        }
    }
    all
}

fn dirname(path: &str) -> &str {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) => "/",
        Some((directory, _)) => directory,
        None => ".",
    }
}

/// A new name in the directory for temporary files, or from the template.
fn mktemp(operands: &[&str]) -> String {
    match operands.first() {
        Some(template) if template.contains('/') => {
            format!("{}{UNKNOWN}\n", template.trim_end_matches('X'))
        }
        _ => format!("/tmp/tmp.{UNKNOWN}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str, input: Option<&str>) -> Option<String> {
        let words: Vec<Word> = text.split(' ').map(Word::literal).collect();
        known(
            &words[0].text,
            &words[1..],
            input,
            Some("/w"),
            &RunLocation::default(),
        )
    }

    #[test]
    fn known_output_equals_real_output() {
        assert_eq!(run("echo -n a b", None).as_deref(), Some("a b"));
        assert_eq!(run("echo -e a\\x62", None).as_deref(), Some("ab\n"));
        assert_eq!(run("printf %s-%s a b", None).as_deref(), Some("a-b"));
        assert_eq!(run("printf \\162\\x6d", None).as_deref(), Some("rm"));
        assert_eq!(
            run("base64 -d", Some("cm0gLXJmIC8=\n")).as_deref(),
            Some("rm -rf /")
        );
        assert_eq!(run("xxd -r -p", Some("726d")).as_deref(), Some("rm"));
        assert_eq!(run("rev", Some("mr\n")).as_deref(), Some("rm\n"));
        assert_eq!(run("tr a-y b-z", Some("ql")).as_deref(), Some("rm"));
        assert_eq!(run("tr -d x", Some("rxm")).as_deref(), Some("rm"));
        assert_eq!(run("dirname /a/b", None).as_deref(), Some("/a\n"));
        assert_eq!(run("curl http://x", None), None);
    }
}
