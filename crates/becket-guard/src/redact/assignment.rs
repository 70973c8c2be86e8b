//! Values assigned to a name that indicates a secret, in many notations.
//!
//! ```text
//! API_KEY=…   "password": "…"   --token …   <apiToken>…</apiToken>   setProperty("X_TOKEN", "…")
//! ```
//!
//! The separator triggers the check: the name is read backwards from it, and the value is examined only if
//! [`classify`] recognizes the name.

use std::ops::Range;

use super::bytes::{
    ALPHA, BARE, BLANK, HEADER, NAME, has_at, has_word_at, is, is_at, run_end, run_start,
};
use super::literal::{self, AssignedName, ValueLiteral, is_capital, is_quote, literal};
use super::scan::Scanner;
use super::secret_name::{NameClass, classify};
use super::secret_value::{ValueContext, is_random, is_secret};
use super::{RedactionKind, SecretMatch, credential_lines, header, placeholder, tokens, url};

/// Maximum distance between `name: "API_KEY"` and its `value:`.
const PAIR_REACH: usize = 200;
/// How far before an option its command is searched.
const COMMAND_REACH: usize = 256;

/// `name = value` and `name: value`, with the separator at `at`.
pub(super) fn at_separator(scan: &mut Scanner<'_>, at: usize) -> Option<SecretMatch> {
    let name = literal::name_before(scan, at)?;
    let class = class_of(scan, &name.range, at)?;
    let start = literal::value_start(scan.text, at);
    if scan.text.get(start) == Some(&b'{') {
        scan.named = Some((class, start));
        return None;
    }
    let found = match class {
        NameClass::Authorization => {
            let value = header_value(scan, start);
            header::authorization(scan.text, value.start, value.end, &mut scan.runs)
        }
        NameClass::Cookie if is_header_name(&scan.text[name.range.clone()]) => {
            let value = header_value(scan, past_bracket(scan.text, start));
            header::cookie(scan.text, value.start, value.end)
        }
        NameClass::Signature => signature(scan, &name.range, start),
        _ => assigned(scan, class, &name, at, start),
    }?;
    Some(refine(scan, found))
}

/// Whether the name is a header. Other names that end in `cookie` are variables; `value` refers to the adjacent
/// name.
fn is_header_name(name: &[u8]) -> bool {
    let names: [&[u8]; 3] = [b"cookie", b"set-cookie", b"value"];
    names.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Some notations write repeatable headers as a list.
fn past_bracket(text: &[u8], start: usize) -> usize {
    if text.get(start) == Some(&b'[') {
        past_blank_lines(text, start + 1)
    } else {
        start
    }
}

/// The class of a name, considering `name: X, value: Y` and names of two words.
fn class_of(scan: &mut Scanner<'_>, name: &Range<usize>, at: usize) -> Option<NameClass> {
    let bytes = &scan.text[name.clone()];
    if bytes.eq_ignore_ascii_case(b"value") {
        let (class, end) = scan.named?;
        // `at` is before `end` if the separator is inside the recorded name.
        return at
            .checked_sub(end)
            .filter(|gap| *gap < PAIR_REACH && !scan.text[end..at].contains(&b'}'))
            .map(|_| class);
    }
    if bytes.eq_ignore_ascii_case(b"signature") {
        let before = scan.text[..name.start].last();
        return matches!(before, Some(b'?' | b'&')).then_some(NameClass::Signature);
    }
    if bytes.eq_ignore_ascii_case(b"name") || bytes.eq_ignore_ascii_case(b"key") {
        let value = literal(
            scan.text,
            literal::value_start(scan.text, at),
            &mut scan.runs,
        );
        let named = value.filter(|value| value.range.len() <= super::secret_name::MAX_NAME);
        scan.named = named
            .and_then(|value| Some((classify(&scan.text[value.range.clone()])?, value.range.end)));
        return classify(with_word_before(scan, name));
    }
    if bytes.eq_ignore_ascii_case(b"token") {
        return classify(with_word_before(scan, name));
    }
    // `arn:aws:secretsmanager:…:secret:name` and `"AWS::IAM::Secret": …` are names, not assignments.
    let path = scan.text[at] == b':' && scan.text[..name.start].last() == Some(&b':');
    if path { None } else { classify(bytes) }
}

/// `API key` is a name of two words.
fn with_word_before<'t>(scan: &Scanner<'t>, name: &Range<usize>) -> &'t [u8] {
    let gap = name.start.saturating_sub(1);
    if gap < scan.floor || gap == name.start || scan.text[gap] != b' ' {
        return &scan.text[name.clone()];
    }
    let start = run_start(scan.text, gap, ALPHA, 24, scan.floor);
    &scan.text[start..name.end]
}

fn header_value(scan: &mut Scanner<'_>, start: usize) -> Range<usize> {
    match literal(scan.text, start, &mut scan.runs) {
        Some(ValueLiteral {
            range,
            quoted: true,
        }) => range,
        _ => start..scan.runs.end(scan.text, start, HEADER),
    }
}

/// `?sig=…` of a signed URL.
fn signature(scan: &mut Scanner<'_>, name: &Range<usize>, start: usize) -> Option<SecretMatch> {
    let before = scan.text[..name.start].last()?;
    let value = literal(scan.text, start, &mut scan.runs).filter(|value| !value.quoted)?;
    let in_query = matches!(before, b'?' | b'&' | b';' | b' ');
    let bytes = &scan.text[value.range.clone()];
    let fits = in_query && bytes.len() >= 20 && is_random(bytes);
    fits.then_some(SecretMatch {
        range: value.range,
        kind: RedactionKind::UrlSignature,
    })
}

fn assigned(
    scan: &mut Scanner<'_>,
    class: NameClass,
    name: &AssignedName,
    at: usize,
    start: usize,
) -> Option<SecretMatch> {
    let text = scan.text;
    let equals = text[at] == b'=';
    let adjoins = start == at + 1 || text[at + 1] == b'\\';
    let tight = equals && name.adjoins && adjoins;
    let context = if text[name.range.start] == b'-' {
        ValueContext::Flag
    } else if tight && is_capital(text, &name.range) {
        ValueContext::Env
    } else {
        ValueContext::Bare
    };
    let found = value_at(scan, class, context, start, tight)?;
    let azure = equals
        && ends_with_any(
            &text[name.range.clone()],
            &[b"AccountKey", b"SharedAccessKey"],
        );
    Some(if azure {
        SecretMatch {
            kind: RedactionKind::AzureKey,
            ..found
        }
    } else {
        found
    })
}

/// The value at `start`, if it is a secret. A quoted value is at least a literal.
fn value_at(
    scan: &mut Scanner<'_>,
    class: NameClass,
    context: ValueContext,
    start: usize,
    tight: bool,
) -> Option<SecretMatch> {
    let text = scan.text;
    let mut value = literal(text, start, &mut scan.runs)?;
    if !value.quoted && text.get(value.range.end) == Some(&b'(') {
        value = literal::wrapped(text, value.range, &mut scan.runs)?;
    }
    if value.quoted {
        let context = if context == ValueContext::Bare {
            ValueContext::Quoted
        } else {
            context
        };
        let clean = !placeholder::within(&text[value.range.clone()]);
        return (clean && is_secret(&text[value.range.clone()], class, context))
            .then(|| finding(class, value.range));
    }
    let sure = matches!(context, ValueContext::Flag | ValueContext::Env);
    let range = if sure && class == NameClass::Password {
        with_soft_ends(text, value.range)
    } else {
        value.range
    };
    let range = trimmed(text, range);
    let next = text.get(range.end);
    if next == Some(&b'[') {
        return None;
    }
    // `token: SomeType2 = …` is a declaration; the value follows later.
    let declared = !sure && has_at(text, run_end(text, range.end, BLANK), b"=");
    if declared {
        return None;
    }
    let code = !sure && !tight && matches!(next, Some(b';' | b')' | b',' | b'}'));
    let bytes = &text[range.clone()];
    if code && class == NameClass::Password && !is_random(bytes) {
        return None;
    }
    is_secret(bytes, class, context).then(|| finding(class, range))
}

fn finding(class: NameClass, range: Range<usize>) -> SecretMatch {
    let kind = if class == NameClass::Password {
        RedactionKind::Password
    } else {
        RedactionKind::Secret
    };
    SecretMatch { range, kind }
}

/// A password may contain characters that end other values, unless another assignment follows.
fn with_soft_ends(text: &[u8], value: Range<usize>) -> Range<usize> {
    const REACH: usize = 64;
    let soft = |b: &u8| is(*b, BARE) || b",;&|()<>{}".contains(b);
    let rest = &text[value.end..text.len().min(value.end + REACH)];
    let more = rest.iter().position(|b| !soft(b)).unwrap_or(0);
    let another = rest[..more].iter().any(|b| matches!(b, b'=' | b':'));
    let end = if another { value.end } else { value.end + more };
    let kept = text[value.start..end]
        .iter()
        .rposition(|b| !b",;&|()<>{}".contains(b));
    value.start..kept.map_or(value.end, |last| value.start + last + 1)
}

/// Removes trailing punctuation of a sentence.
fn trimmed(text: &[u8], value: Range<usize>) -> Range<usize> {
    let bytes = &text[value.clone()];
    let bytes = bytes.strip_suffix(b"**").unwrap_or(bytes);
    let bytes = bytes.strip_suffix(b".").unwrap_or(bytes);
    let bytes = bytes.strip_suffix(b":").unwrap_or(bytes);
    value.start..value.start + bytes.len()
}

/// `<apiToken>value</apiToken>`, with the `>` at `at`.
pub(super) fn at_tag(scan: &mut Scanner<'_>, at: usize) -> Option<SecretMatch> {
    let text = scan.text;
    let name = scan.name_before(at);
    if name.is_empty() || text[..name.start].last() != Some(&b'<') {
        return None;
    }
    let class = classify(&text[name])?;
    let start = past_blank_lines(text, at + 1);
    let end = scan.runs.end(text, start, HEADER);
    if end == start || !has_at(text, past_blank_lines(text, end), b"</") {
        return None;
    }
    let end = start + text[start..end].trim_ascii_end().len();
    let fits = is_secret(&text[start..end], class, ValueContext::Quoted);
    fits.then(|| refine(scan, finding(class, start..end)))
}

fn past_blank_lines(text: &[u8], at: usize) -> usize {
    const MAX_WHITESPACE: usize = 64;
    let rest = &text[at.min(text.len())..text.len().min(at + MAX_WHITESPACE)];
    at + rest.iter().take_while(|b| b.is_ascii_whitespace()).count()
}

/// `("API_KEY", "value")`, with the comma at `at`.
pub(super) fn at_comma(scan: &mut Scanner<'_>, at: usize) -> Option<SecretMatch> {
    let text = scan.text;
    let quote = at
        .checked_sub(1)
        .filter(|last| *last >= scan.floor && is_quote(text[*last]))?;
    let end = if quote > 0 && text[quote - 1] == b'\\' {
        quote - 1
    } else {
        quote
    };
    let name = scan.name_before(end.max(scan.floor));
    let opened = text[..name.start].last() == Some(&text[quote]);
    let is_login = opened && is_login(&text[..name.start - 1]);
    let class = classify(&text[name]).filter(|_| opened);
    if class.is_none() && !is_login {
        return None;
    }
    let value = literal(text, run_end(text, at + 1, BLANK), &mut scan.runs)?;
    if is_login && value.quoted {
        let fits = url::is_plausible(&text[value.range.clone()]);
        return fits.then(|| refine(scan, finding(NameClass::Password, value.range)));
    }
    let class = class?;
    adjacent_value(scan, class, value, ValueContext::Adjacent)
}

/// Whether the text before a user name is `auth=(` or `HTTPBasicAuth(`, as in `auth=("user", "password")`.
fn is_login(before: &[u8]) -> bool {
    let ends: [&[u8]; 2] = [b"auth=(", b"BasicAuth("];
    ends.iter().any(|end| before.ends_with(end))
}

/// `--token value`, `password 'value'`, `aws_secret_access_key value`, with the blank at `at`.
pub(super) fn at_blank(scan: &mut Scanner<'_>, at: usize) -> Option<SecretMatch> {
    let text = scan.text;
    // Few words end in these letters, and blanks are frequent.
    if at == 0
        || !matches!(
            text[at - 1] | 0x20,
            b'd' | b'e' | b'h' | b'l' | b'n' | b'r' | b's' | b't' | b'y'
        )
    {
        return None;
    }
    let tail = *text[scan.floor..at].last_chunk::<4>()?;
    match &tail.map(|b| b.to_ascii_lowercase()) {
        b"word" | b"sswd" | b"pass" | b"-pwd" | b"_pwd" | b"oken" | b"cret" | b" key" | b"-key"
        | b"_key" | b"ikey" | b"skey" | b"hkey" | b"code" | b"auth" | b"tial" | b"ials"
        | b"rase" => after_name(scan, at),
        b"user" => after_user_flag(scan, at),
        b"d by" if has_word_at(text, at.saturating_sub(13), b"identified by") => {
            let value = literal(text, run_end(text, at, BLANK), &mut scan.runs)?;
            adjacent_value(scan, NameClass::Password, value, ValueContext::Quoted)
        }
        _ => None,
    }
}

fn after_name(scan: &mut Scanner<'_>, at: usize) -> Option<SecretMatch> {
    let text = scan.text;
    let name = scan.name_before(at);
    let class = match &text[name.clone()] {
        b"key" | b"token" => classify(with_word_before(scan, &name)),
        name => classify(name),
    }?;
    let start = run_end(text, at, BLANK);
    if has_at(text, start, b"is ") {
        return stated_value(scan, class, run_end(text, start + 3, BLANK));
    }
    if is_at(text, name.start, super::bytes::DASH) {
        if text.get(start) == Some(&b'-') {
            return None;
        }
        let found = value_at(scan, class, ValueContext::Flag, start, true)?;
        return Some(refine(scan, found));
    }
    let value = literal(text, start, &mut scan.runs)?;
    // "pass" is also a verb.
    let context = if class == NameClass::Password && name.len() > 4 {
        ValueContext::Quoted
    } else {
        ValueContext::Adjacent
    };
    if &text[name.clone()] == b"password"
        && !value.quoted
        && let Some(found) = credential_lines::netrc(scan, name.start, value.range.clone())
    {
        return Some(refine(scan, found));
    }
    adjacent_value(scan, class, value, context)
}

/// `the password is value`
fn stated_value(scan: &mut Scanner<'_>, class: NameClass, start: usize) -> Option<SecretMatch> {
    let value = literal(scan.text, start, &mut scan.runs)?;
    if value.quoted || class != NameClass::Password {
        return adjacent_value(scan, class, value, ValueContext::Quoted);
    }
    let range = with_soft_ends(scan.text, value.range);
    let range = trimmed(scan.text, range);
    let bytes = &scan.text[range.clone()];
    let fits = bytes.len() >= 8 && is_random(bytes) && is_secret(bytes, class, ValueContext::Flag);
    fits.then(|| refine(scan, finding(class, range)))
}

/// The secret in a quoted value, judged in `context`; an unquoted value has to look like a secret by itself.
fn adjacent_value(
    scan: &mut Scanner<'_>,
    class: NameClass,
    value: ValueLiteral,
    context: ValueContext,
) -> Option<SecretMatch> {
    let (range, context) = if value.quoted {
        (value.range, context)
    } else {
        (trimmed(scan.text, value.range), ValueContext::Adjacent)
    };
    let bytes = &scan.text[range.clone()];
    let open_end = matches!(scan.text.get(range.end), Some(b'(' | b'['));
    let fits = !open_end && !placeholder::within(bytes) && is_secret(bytes, class, context);
    fits.then(|| refine(scan, finding(class, range)))
}

/// `curl --user name:password`
fn after_user_flag(scan: &mut Scanner<'_>, at: usize) -> Option<SecretMatch> {
    let name = scan.name_before(at);
    let flag =
        &scan.text[name.clone()] == b"--user" && runs_command(scan.text, name.start, &[b"curl"]);
    if flag {
        user_and_password(scan, run_end(scan.text, at, BLANK))
    } else {
        None
    }
}

/// An option with its dash at `at`: `curl -u`, `sshpass -p`, `mysql -p`, `redis-cli -a`, `docker login -p`, and
/// options that read a secret from standard input.
pub(super) fn at_flag(scan: &mut Scanner<'_>, at: usize) -> Option<SecretMatch> {
    if at == 0 || !is(scan.text[at - 1], BLANK) {
        return None;
    }
    if scan.text.get(at + 1) == Some(&b'-') {
        at_long_flag(scan, at)
    } else {
        at_short_flag(scan, at)
    }
}

fn at_long_flag(scan: &mut Scanner<'_>, at: usize) -> Option<SecretMatch> {
    let text = scan.text;
    let is = |flag: &[u8]| has_at(text, at, flag);
    if is(b"--password-stdin") || is(b"--with-token") {
        return piped_in(scan, at);
    }
    if is(b"--user=") && runs_command(text, at, &[b"curl"]) {
        return user_and_password(scan, at + b"--user=".len());
    }
    let is_cookie = is(b"--cookie ") || is(b"--cookie=");
    if is_cookie && runs_command(text, at, &[b"curl"]) {
        return cookies(scan, run_end(text, at + b"--cookie ".len(), BLANK));
    }
    None
}

fn at_short_flag(scan: &mut Scanner<'_>, at: usize) -> Option<SecretMatch> {
    let text = scan.text;
    let attached = at + 2;
    let start = run_end(text, attached, BLANK);
    let commands: &[&[u8]] = match text.get(at + 1)? {
        b'u' if runs_command(text, at, &[b"curl"]) => return user_and_password(scan, start),
        b'b' if runs_command(text, at, &[b"curl"]) => return cookies(scan, start),
        b'S' if runs_command(text, at, &[b"sudo"]) => return piped_in(scan, at),
        b'a' if start > attached => &[b"redis-cli"],
        b'p' if start > attached => &[b"sshpass", b"login", b"mongo", b"mongosh", b"mongodump"],
        b'p' => &[
            b"sshpass",
            b"mysql",
            b"mysqldump",
            b"mysqladmin",
            b"mariadb",
            b"7z",
            b"7za",
        ],
        b'P' if start > attached => &[b"unzip", b"zip"],
        b'w' if start > attached => &[b"ldapsearch", b"ldapmodify", b"ldapadd"],
        _ => return None,
    };
    if !runs_command(text, at, commands) {
        return None;
    }
    let value = literal(text, start, &mut scan.runs)?;
    let fits = url::is_plausible(&text[value.range.clone()]);
    fits.then(|| refine(scan, finding(NameClass::Password, value.range)))
}

/// The text that `echo` pipes into the command with the option at `at`.
fn piped_in(scan: &mut Scanner<'_>, at: usize) -> Option<SecretMatch> {
    const WRITERS: &[&[u8]] = &[b"echo", b"printf"];
    let text = scan.text;
    let from = scan.floor.max(at.saturating_sub(COMMAND_REACH));
    let pipe = from + text[from..at].iter().rposition(|b| *b == b'|')?;
    let end = from + text[from..pipe].trim_ascii_end().len();
    let value = word_before(text, end, from);
    let writes = text[from..value.start]
        .trim_ascii_end()
        .rsplit(|b| !is(*b, NAME))
        .filter(|word| !word.is_empty())
        .take(3)
        .any(|word| WRITERS.contains(&word));
    let bytes = &text[value.clone()];
    let fits = writes && !WRITERS.contains(&bytes) && url::is_plausible(bytes);
    fits.then(|| refine(scan, finding(NameClass::Password, value)))
}

/// The word that ends at `end`, without quotes.
fn word_before(text: &[u8], end: usize, from: usize) -> Range<usize> {
    let close = end.saturating_sub(1).max(from);
    if close < end && is_quote(text[close]) {
        let open = text[from..close].iter().rposition(|b| *b == text[close]);
        return open.map_or(close..close, |open| from + open + 1..close);
    }
    run_start(text, end, BARE, COMMAND_REACH, from)..end
}

fn cookies(scan: &mut Scanner<'_>, start: usize) -> Option<SecretMatch> {
    let value = literal(scan.text, start, &mut scan.runs)?.range;
    header::cookie(scan.text, value.start, value.end)
}

fn user_and_password(scan: &mut Scanner<'_>, start: usize) -> Option<SecretMatch> {
    let value = literal(scan.text, start, &mut scan.runs)?.range;
    let colon = scan.text[value.clone()]
        .iter()
        .take(COMMAND_REACH)
        .position(|b| *b == b':')?;
    let password = value.start + colon + 1..value.end;
    let fits = url::is_plausible(&scan.text[password.clone()]);
    fits.then(|| refine(scan, finding(NameClass::Password, password)))
}

/// Whether one of `commands` precedes `at` on its line.
fn runs_command(text: &[u8], at: usize, commands: &[&[u8]]) -> bool {
    let before = &text[at.saturating_sub(COMMAND_REACH)..at];
    let line = before
        .iter()
        .rposition(|b| *b == b'\n')
        .map_or(before, |newline| &before[newline + 1..]);
    line.split(|b| !is(*b, NAME))
        .any(|word| commands.contains(&word))
}

/// A token of known shape inside the value determines the kind more precisely than the name.
pub(super) fn refine(scan: &mut Scanner<'_>, found: SecretMatch) -> SecretMatch {
    let SecretMatch { range, kind } = found;
    match tokens::first_within(scan.text, range.start, range.end, &mut scan.runs) {
        Some(inner) => SecretMatch {
            range: range.start..range.end.max(inner.range.end),
            kind: inner.kind,
        },
        None => SecretMatch { range, kind },
    }
}

fn ends_with_any(name: &[u8], endings: &[&[u8]]) -> bool {
    endings.iter().any(|ending| name.ends_with(ending))
}
