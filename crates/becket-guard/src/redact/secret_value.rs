//! Decides whether a value looks like a secret, depending on how strongly its name says so.
//!
//! Generated secrets are random: letters and digits alternate, and letter pairs are unlike those of words. People
//! choose passwords, so there the name counts more than the value; the check has to reject everything else that
//! programmers write next to the word "password": types, variables, messages, rules.

use super::bytes::{ALNUM, ALPHA, DIGIT, HEX, LOWER, UPPER, has_at, is, is_at, run_end};
use super::placeholder;
use super::secret_name::NameClass;
use super::word_lists::ORDINARY;

/// How a value is written, from the strongest to the weakest evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueContext {
    /// A string in a field of a JSON document.
    Field,
    /// The argument of a command-line option.
    Flag,
    /// `NAME=value`, without blanks and in capitals.
    Env,
    /// A literal in quotes.
    Quoted,
    /// An unquoted word, which may also be source code.
    Bare,
    /// A name and a value that are only adjacent.
    Adjacent,
}

/// Longer values are judged by their start.
pub(super) const SAMPLE: usize = 128;

/// Whether `value`, written in `context` with a name of `class`, is a secret.
pub(super) fn is_secret(value: &[u8], class: NameClass, context: ValueContext) -> bool {
    let value = &value[..value.len().min(SAMPLE)];
    let shortest = match context {
        ValueContext::Adjacent => 14,
        _ => 4,
    };
    if value.len() < shortest || placeholder::within(value) {
        return false;
    }
    if is_reference(value) || is_stand_in(value) || is_ordinary(value) || is_location(value) {
        return false;
    }
    if context == ValueContext::Adjacent {
        return is_random(value);
    }
    match class {
        NameClass::Password => is_password(value, context),
        NameClass::Secret => is_machine_made(value, context) || is_long_word(value, context),
        NameClass::Token | NameClass::Authorization => is_machine_made(value, context),
        NameClass::Weak => is_unmistakable(value),
        NameClass::Phrase => is_phrase(value),
        NameClass::Cookie | NameClass::Signature => false,
    }
}

/// Whether letters and digits are mixed unlike in words, names, versions or dates.
pub(super) fn is_random(value: &[u8]) -> bool {
    let value = &value[..value.len().min(SAMPLE)];
    is_mixed(value) && !is_wordy(value) && entropy(value) >= least_entropy(value.len())
}

/// Whether the value has letters and digits, or letters that form no words.
pub(super) fn is_mixed(value: &[u8]) -> bool {
    let value = &value[..value.len().min(SAMPLE)];
    let shape = ValueShape::of(value);
    let scrambled = shape.letters() >= 20 && shape.distinct >= 8 && !is_wordy(value);
    (shape.digits > 0 && shape.letters() > 0) || scrambled || odd_capitals(value) >= 3
}

/// Whether the value is a placeholder in documentation: `your-token`, `xxxx`, `EXAMPLE`.
pub(super) fn is_stand_in(value: &[u8]) -> bool {
    const WORDS: &[&str] = &[
        "example",
        "placeholder",
        "changeme",
        "redacted",
        "replace",
        "insert",
        "foobar",
        "sample",
        "dummy",
    ];
    const SHORT: &[&str] = &["your", "fake", "todo"];
    let value = &value[..value.len().min(SAMPLE)];
    let has = |list: &[&str]| {
        ValueWords::of(value).any(|word| {
            list.iter()
                .any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
        })
    };
    value.ends_with(b"EXAMPLEKEY")
        || value.ends_with(b"EXAMPLE")
        || has_filler(value)
        || has(WORDS)
        // Random strings occasionally contain short words.
        || (has(SHORT) && !(value.len() >= 16 && is_random(value)))
}

/// A run of a filler character, or the dots of truncated text.
fn has_filler(value: &[u8]) -> bool {
    // Long random strings occasionally contain short runs.
    let run = if value.len() < 32 { 4 } else { 6 };
    let filled = value
        .windows(run)
        .any(|window| b"xX*._-#?".contains(&window[0]) && window.iter().all(|b| *b == window[0]));
    filled
        || value
            .windows(3)
            .any(|window| window == "…".as_bytes() || window == b"...")
}

/// Whether the value is a variable, a template or a lookup instead of the secret.
pub(super) fn is_reference(value: &[u8]) -> bool {
    const STARTS: &[&[u8]] = &[
        b"<",
        b"{",
        b"process.env",
        b"os.environ",
        b"os.getenv",
        b"secrets.",
        b"vault:",
        b"arn:",
        b"ref+",
        b"keyring:",
        b"file:",
        b"data:",
        b"ssm:",
        b"ENC[",
        b"!vault",
        b"env:",
        b"env.",
        b"self.",
        b"this.",
        b"&",
        b"http:",
        b"https:",
    ];
    const WITHIN: &[&[u8]] = &[
        b"${", b"{{", b"$(", b"#{", b"%(", b"%s", b"%d", b"%v", b"{}", b"://",
    ];
    let value = &value[..value.len().min(SAMPLE)];
    let variable = value.starts_with(b"$")
        && value
            .get(1)
            .is_some_and(|b| is(*b, ALPHA) || matches!(b, b'_' | b'{' | b'('));
    let windows_variable = value.len() > 2 && value.starts_with(b"%") && value.ends_with(b"%");
    variable
        || windows_variable
        || STARTS.iter().any(|start| value.starts_with(start))
        || WITHIN
            .iter()
            .any(|part| value.windows(part.len()).any(|window| window == *part))
}

/// Ordinary words that occur next to "password" or "token".
fn is_ordinary(value: &[u8]) -> bool {
    // `required|min:8`, `string,` and `text?` still start with such a word.
    let first = &value[..run_end(value, 0, ALNUM | super::bytes::UNDER)];
    let ends_there = first.len() == value.len() || matches!(value[first.len()], b'|' | b'?' | b',');
    ends_there
        && ORDINARY
            .iter()
            .any(|word| first.eq_ignore_ascii_case(word.as_bytes()))
}

/// A path, a date, or the digest of something public.
fn is_location(value: &[u8]) -> bool {
    const STARTS: &[&[u8]] = &[
        b"./", b"../", b"~/", b"sha1-", b"sha256-", b"sha384-", b"sha512-", b"sha256:", b"sha512:",
    ];
    STARTS.iter().any(|start| value.starts_with(start))
        || is_absolute_path(value)
        || is_date(value)
        || is_number(value)
}

/// `0x1f2e3d4c`, unless it is long enough for a key.
fn is_number(value: &[u8]) -> bool {
    has_at(value, 0, b"0x") && value.len() < 42 && run_end(value, 2, HEX) == value.len()
}

fn is_absolute_path(value: &[u8]) -> bool {
    let drive = value.len() > 2 && is(value[0], ALPHA) && value[1] == b':' && value[2] == b'\\';
    let Some(rest) = value.strip_prefix(b"/") else {
        return drive;
    };
    let first = rest.split(|b| *b == b'/').next().unwrap_or_default();
    first.iter().all(|b| !is(*b, DIGIT)) && is_wordy(first)
}

fn is_date(value: &[u8]) -> bool {
    let digit = |at: usize| is_at(value, at, DIGIT);
    (0..4).all(digit)
        && has_at(value, 4, b"-")
        && digit(5)
        && digit(6)
        && has_at(value, 7, b"-")
        && digit(8)
        && digit(9)
}

fn is_password(value: &[u8], context: ValueContext) -> bool {
    let shape = ValueShape::of(value);
    if shape.blanks > 0 || looks_like_a_pattern(value) {
        return false;
    }
    let named_after_itself = contains_ignoring_case(value, b"passw")
        || contains_ignoring_case(value, b"pwd")
        || contains_ignoring_case(value, b"secret");
    if shape.digits == 0 && named_after_itself {
        return false;
    }
    let bare = context == ValueContext::Bare;
    let has_joints = value
        .iter()
        .any(|b| matches!(b, b'_' | b'.' | b'-' | b'/' | b':'));
    if bare && has_joints && is_wordy(value) {
        return false;
    }
    match (shape.letters(), shape.digits, shape.symbols) {
        (0, _, 0) => value.len() >= 6 && !has_joints,
        (_, 0, 0) => shape.distinct >= 4 && is_chosen_word(value, context, has_joints),
        (_, 0, _) => value.len() >= 6 && !bare && !matches!(value[0], b'.' | b'#' | b'@' | b'*'),
        _ => value.len() >= 6,
    }
}

/// A password of letters only looks like any word; only a strong context makes it a secret.
fn is_chosen_word(value: &[u8], context: ValueContext, has_joints: bool) -> bool {
    match context {
        ValueContext::Field | ValueContext::Flag | ValueContext::Env => {
            value.len() >= 8 && !has_joints
        }
        ValueContext::Quoted => value.len() >= 8 && !is_wordy(value),
        ValueContext::Bare | ValueContext::Adjacent => {
            (value.len() >= 12 && !is_wordy(value))
                || (value.len() >= 8 && odd_capitals(value) >= 3)
        }
    }
}

/// A regular expression, a selector or a call, as found in validators and tests.
fn looks_like_a_pattern(value: &[u8]) -> bool {
    value.ends_with(b")")
        || value.ends_with(b"]")
        || [
            &b"[a-z"[..],
            b"[A-Z",
            b"[0-9",
            b"(?",
            b"\\d",
            b"\\w",
            b"\\s",
        ]
        .iter()
        .any(|part| value.windows(part.len()).any(|window| window == *part))
}

fn is_machine_made(value: &[u8], context: ValueContext) -> bool {
    if value.len() < 8 || !is_plain(value, context) {
        return false;
    }
    let code = context == ValueContext::Bare
        && (value.len() < 10 || has_path_separator(value) || is_curve(value));
    !code && is_random(value)
}

/// Whether the value consists of characters that occur in keys; a long quoted string may also contain those of
/// code.
fn is_plain(value: &[u8], context: ValueContext) -> bool {
    let sure = matches!(
        context,
        ValueContext::Field | ValueContext::Env | ValueContext::Quoted
    ) && value.len() >= 32
        && !value.ends_with(b")");
    let mut bytes = value.iter().peekable();
    while let Some(byte) = bytes.next() {
        let fits = match byte {
            // JSON may escape a slash.
            b'\\' => bytes.next_if_eq(&&b'/').is_some(),
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'<' | b'>' | b'|' => sure,
            b'"' | b'\'' | b'`' => false,
            _ => !byte.is_ascii_whitespace(),
        };
        if !fits {
            return false;
        }
    }
    true
}

/// `ed25519.Ed25519PrivateKey`, `x25519_generate_private_key`: words, except for the number.
fn is_curve(value: &[u8]) -> bool {
    const CURVE: &[u8] = b"25519";
    let has_curve = |window: &[u8]| window == CURVE;
    value.windows(CURVE.len()).any(has_curve)
        && value.iter().all(|b| is(*b, ALNUM) || b"_.:".contains(b))
        && is_wordy(
            &String::from_utf8_lossy(value)
                .replace("25519", "")
                .into_bytes(),
        )
}

/// `module::name`
fn has_path_separator(value: &[u8]) -> bool {
    value.windows(2).any(|pair| pair == b"::")
}

/// `mysupersecretvalue` under `client_secret` of a JSON document: not random, but not an identifier either.
fn is_long_word(value: &[u8], context: ValueContext) -> bool {
    context == ValueContext::Field && value.len() >= 16 && value.iter().all(|b| is(*b, ALNUM))
}

/// For names that only hint at a secret: requires a long string with lower case, upper case and digits.
fn is_unmistakable(value: &[u8]) -> bool {
    let shape = ValueShape::of(value);
    let all_kinds = shape.lower > 0 && shape.upper > 0 && shape.digits > 0;
    value.len() >= 16
        && all_kinds
        && shape.blanks == 0
        && !has_path_separator(value)
        && is_machine_made(value, ValueContext::Quoted)
        && entropy(value) >= 3.5
}

/// A wallet seed phrase or a passphrase.
fn is_phrase(value: &[u8]) -> bool {
    let words = value.split(|b| *b == b' ').filter(|word| !word.is_empty());
    let lower = value.iter().all(|b| is(*b, LOWER) || *b == b' ');
    (lower && words.count() >= 4) || is_machine_made(value, ValueContext::Quoted)
}

/// Whether every part of `value` reads like a word, a short number or a version.
///
/// Letter pairs distinguish words from random letters: the 280 most common pairs make up 95 % of the words in
/// programs and two fifths of random text. Capitals help as well: words have them only at the start.
pub(super) fn is_wordy(value: &[u8]) -> bool {
    let mut pairs = LetterPairs::default();
    for piece in value
        .split(|b| !is(*b, ALNUM))
        .filter(|piece| !piece.is_empty())
    {
        if is_scrambled(piece) {
            return false;
        }
        pairs.add(piece);
    }
    pairs.are_common() && odd_capitals(value) < 3
}

/// Whether digits and letters are mixed unlike in any identifier.
fn is_scrambled(piece: &[u8]) -> bool {
    let digits = piece.iter().filter(|b| is(**b, DIGIT)).count();
    let changes = piece
        .windows(2)
        .filter(|pair| is(pair[0], DIGIT) != is(pair[1], DIGIT))
        .count();
    match changes {
        0 => digits > 10,
        1 => digits > 4,
        _ if piece.len() <= 4 => false,
        2 => {
            digits > 4
                || !piece
                    .split(|b| is(*b, DIGIT))
                    .all(|part| part.len() <= 3 || is_word(part))
        }
        _ => true,
    }
}

fn is_word(letters: &[u8]) -> bool {
    let mut pairs = LetterPairs::default();
    pairs.add(letters);
    pairs.are_common()
}

/// Number of capitals in unusual positions: two or more next to a lower-case letter, or a single lower-case letter
/// between capitals. `HTTPServer` and `myURL` have one each.
fn odd_capitals(value: &[u8]) -> usize {
    let odd = |window: &[u8]| match window {
        [a, b, c] => {
            let pattern = [a, b, c].map(|byte| is(*byte, UPPER));
            is(*a, ALPHA)
                && is(*b, ALPHA)
                && is(*c, ALPHA)
                && matches!(
                    pattern,
                    [true, true, false] | [false, true, true] | [true, false, true]
                )
        }
        _ => false,
    };
    value.windows(3).filter(|window| odd(window)).count()
}

#[derive(Default)]
struct LetterPairs {
    all: usize,
    common: usize,
}

impl LetterPairs {
    fn are_common(&self) -> bool {
        self.common * 3 >= self.all * 2
    }

    fn add(&mut self, piece: &[u8]) {
        for pair in piece.windows(2) {
            let new_word = is(pair[0], LOWER) && is(pair[1], UPPER);
            if !is(pair[0], ALPHA) || !is(pair[1], ALPHA) || new_word {
                continue;
            }
            let row = pair[0].to_ascii_lowercase() - b'a';
            let column = pair[1].to_ascii_lowercase() - b'a';
            self.all += 1;
            self.common += usize::from(COMMON_PAIRS[usize::from(row)] >> column & 1 == 1);
        }
    }
}

/// Row: first letter; bit: second letter.
const COMMON_PAIRS: [u32; 26] = [
    0x13e_bd6e, 0x116_4917, 0x11e_4d9d, 0x016_4919, 0x1ff_f97f, 0x01a_4939, 0x016_69d1, 0x01a_4111,
    0x2ae_f87f, 0x000_0000, 0x004_0111, 0x11c_c919, 0x014_d113, 0x03e_ed7d, 0x07e_fd6f, 0x01e_c995,
    0x010_0000, 0x13e_fd7d, 0x11c_dd95, 0x11e_d9bd, 0x00e_b97f, 0x000_4111, 0x006_6191, 0x008_8114,
    0x004_a100, 0x000_0111,
];

#[derive(Default)]
struct ValueShape {
    lower: usize,
    upper: usize,
    digits: usize,
    symbols: usize,
    blanks: usize,
    distinct: u32,
}

impl ValueShape {
    fn of(value: &[u8]) -> Self {
        let mut shape = Self::default();
        let mut seen = 0_u128;
        for byte in value {
            seen |= 1_u128 << (byte & 0x7f);
            match byte {
                b'a'..=b'z' | 0x80.. => shape.lower += 1,
                b'A'..=b'Z' => shape.upper += 1,
                b'0'..=b'9' => shape.digits += 1,
                b' ' | b'\t' | b'\n' | b'\r' => shape.blanks += 1,
                b'_' | b'-' | b'.' | b'/' | b':' | b',' => {}
                _ => shape.symbols += 1,
            }
        }
        shape.distinct = seen.count_ones();
        shape
    }

    fn letters(&self) -> usize {
        self.lower + self.upper
    }
}

/// Shannon entropy in bits per byte.
fn entropy(value: &[u8]) -> f32 {
    let mut counts = [0_u16; 256];
    for byte in value {
        counts[usize::from(*byte)] += 1;
    }
    #[expect(clippy::cast_precision_loss, reason = "a sample is short")]
    let len = value.len() as f32;
    let of = |count: u16| f32::from(count) / len * log2(len / f32::from(count));
    counts.into_iter().filter(|count| *count > 0).map(of).sum()
}

/// Binary logarithm to three digits, for numbers of at least one. The exact function would be the only reason to
/// load the math library into a process that is started for every event.
fn log2(x: f32) -> f32 {
    let bits = x.to_bits();
    let exponent = f32::from((bits >> 23) as u16 & 0xff) - 127.0;
    let m = f32::from_bits(bits & 0x007f_ffff | 0x3f80_0000);
    exponent - 2.153_620_7 + (3.047_884_2 + (-1.051_875 + 0.158_248_71 * m) * m) * m
}

/// Minimum entropy for a length: a short value cannot have much, and a long value with little is a pattern.
fn least_entropy(len: usize) -> f32 {
    match len {
        ..12 => 2.0,
        12..24 => 2.5,
        _ => 2.8,
    }
}

fn contains_ignoring_case(value: &[u8], part: &[u8]) -> bool {
    value
        .windows(part.len())
        .any(|window| window.eq_ignore_ascii_case(part))
}

/// The words of a name or value: runs of letters, split where a capital follows a lower-case letter.
struct ValueWords<'v> {
    rest: &'v [u8],
}

impl<'v> ValueWords<'v> {
    fn of(value: &'v [u8]) -> Self {
        Self { rest: value }
    }
}

impl<'v> Iterator for ValueWords<'v> {
    type Item = &'v [u8];

    fn next(&mut self) -> Option<&'v [u8]> {
        let start = self.rest.iter().position(|b| is(*b, ALPHA))?;
        let rest = &self.rest[start..];
        let letters = run_end(rest, 0, ALPHA);
        let cut = rest[..letters]
            .windows(2)
            .position(|pair| is(pair[0], LOWER) && is(pair[1], UPPER));
        let (word, rest) = rest.split_at(cut.map_or(letters, |at| at + 1));
        self.rest = rest;
        Some(word)
    }
}
