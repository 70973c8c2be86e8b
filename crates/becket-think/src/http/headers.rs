//! Headers of an `http` hook with environment variables filled in.

use crate::settings::EnvLookup;

/// Headers that only the client may set: they control framing, routing and the proxy.
const RESERVED: [&str; 9] = [
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "upgrade",
    "te",
    "trailer",
    "expect",
    "proxy-authorization",
];

/// Whether a hook may set this header.
pub(super) fn may_set(name: &str) -> bool {
    !RESERVED.iter().any(|own| own.eq_ignore_ascii_case(name))
}

/// Replaces `$NAME` and `${NAME}` in one pass. Only variables in `allowed` are read; all others, and unset ones, become
/// empty.
pub(super) fn interpolate(value: &str, allowed: &[String], env: &EnvLookup) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match variable(rest) {
            Some((name, after)) => {
                if allowed.iter().any(|one| one == name) {
                    out.push_str(env.get(name).unwrap_or_default().trim_end());
                }
                rest = after;
            }
            None => {
                out.push('$');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// The variable name after a `$`, and the rest of the text.
fn variable(text: &str) -> Option<(&str, &str)> {
    let is_name = |name: &str| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_')
    };
    if let Some((name, after)) = text.strip_prefix("${").and_then(|it| it.split_once('}')) {
        return is_name(name).then_some((name, after));
    }
    let end = text[1..]
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .map_or(text.len(), |end| end + 1);
    is_name(&text[1..end]).then_some((&text[1..end], &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_allowed_variables_are_interpolated_once() {
        let env = EnvLookup::from_pairs([("TOKEN", "t$HOME\n"), ("HOME", "/h"), ("KEY", "k")]);
        let allowed = ["TOKEN".to_owned(), "UNSET".to_owned()];
        for (value, expected) in [
            ("Bearer $TOKEN", "Bearer t$HOME"),
            ("Bearer ${TOKEN}x", "Bearer t$HOMEx"),
            ("$HOME ${KEY} $UNSET.", "  ."),
            ("costs $5 $ ${} ${a b}", "costs $5 $ ${} ${a b}"),
        ] {
            assert_eq!(interpolate(value, &allowed, &env), expected, "{value}");
        }
    }
}
