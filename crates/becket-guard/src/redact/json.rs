//! Secrets in a JSON document: what the text of a string gives away, and what its field's name does.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::bytes::Runs;
use super::key::{Class, classify};
use super::value::{Context, is_secret};
use super::{Kind, Redactor, files, header, scan};

/// Fields whose content belongs to the name of the object around them.
const VALUE_FIELDS: &[&str] = &["value", "plaintext", "plain", "data", "current", "literal"];
/// Fields that name what a `value` beside them is.
const NAME_FIELDS: &[&str] = &["name", "key", "header", "variable"];

/// Redacts `value` in place, and says whether there was anything to redact. Walks without recursion: a
/// document may be deeper than the stack.
pub(super) fn redact(redactor: &Redactor, value: &mut Value) -> bool {
    let mut changed = false;
    let mut waiting = vec![(value, None)];
    while let Some((value, class)) = waiting.pop() {
        match value {
            Value::String(text) => changed |= redact_string(redactor, text, class),
            Value::Number(number) if class == Some(Class::Password) => {
                let digits = number.to_string();
                if digits.len() >= 6 {
                    *value = Value::String(placeholder(redactor, Kind::Password, &digits));
                    changed = true;
                }
            }
            Value::Array(items) => waiting.extend(items.iter_mut().map(|item| (item, class))),
            Value::Object(fields) => {
                changed |= redact_names(redactor, fields);
                changed |= files::hide(redactor, fields);
                let named = named_class(fields);
                waiting.extend(fields.iter_mut().map(|(name, value)| {
                    let class = field_class(name, class, named);
                    (value, class)
                }));
            }
            _ => {}
        }
    }
    changed
}

/// What the name of a field, the object it is in, and a `name` beside it say about its value.
fn field_class(name: &str, outer: Option<Class>, named: Option<Class>) -> Option<Class> {
    if VALUE_FIELDS.contains(&name) {
        return named.or(outer);
    }
    classify(name.as_bytes())
}

fn named_class(fields: &Map<String, Value>) -> Option<Class> {
    NAME_FIELDS
        .iter()
        .find_map(|field| classify(fields.get(*field)?.as_str()?.as_bytes()))
}

fn redact_string(redactor: &Redactor, text: &mut String, class: Option<Class>) -> bool {
    if let Some(class) = class
        && is_named_secret(text, class)
    {
        *text = placeholder(redactor, whole_kind(text, class), text);
        return true;
    }
    let mut changed = class == Some(Class::Authorization) && redact_authorization(redactor, text);
    if let Cow::Owned(redacted) = redactor.text(text) {
        *text = redacted;
        changed = true;
        if class == Some(Class::Authorization) {
            redact_authorization(redactor, text);
        }
    }
    changed
}

/// The scheme stays, so that the record says how somebody signed in.
fn redact_authorization(redactor: &Redactor, text: &mut String) -> bool {
    let found = header::authorization(text.as_bytes(), 0, text.len(), &mut Runs::default());
    let Some(found) = found else {
        return false;
    };
    let secret = &text[found.range.clone()];
    let kind = scan::scan(secret)
        .first()
        .map_or(found.kind, |inner| inner.kind);
    let credential = placeholder(redactor, kind, secret);
    text.replace_range(found.range, &credential);
    true
}

fn is_named_secret(text: &str, class: Class) -> bool {
    let bytes = text.as_bytes();
    match class {
        Class::Cookie => header::cookie(bytes, 0, bytes.len()).is_some(),
        Class::Authorization | Class::Signature => false,
        _ => is_secret(bytes, class, Context::Field) && !super::placeholder::within(bytes),
    }
}

/// A token of known shape says more than the name of its field.
fn whole_kind(text: &str, class: Class) -> Kind {
    let by_name = match class {
        Class::Password => Kind::Password,
        Class::Cookie => Kind::Cookie,
        _ => Kind::Secret,
    };
    scan::scan(text).first().map_or(by_name, |found| found.kind)
}

/// A secret can be a key, too. Rebuilding keeps the order of the fields.
fn redact_names(redactor: &Redactor, fields: &mut Map<String, Value>) -> bool {
    let is_harmless = |name: &String| matches!(redactor.text(name), Cow::Borrowed(_));
    if fields.keys().all(is_harmless) {
        return false;
    }
    *fields = std::mem::take(fields)
        .into_iter()
        .map(|(name, value)| (redactor.text(&name).into_owned(), value))
        .collect();
    true
}

fn placeholder(redactor: &Redactor, kind: Kind, secret: &str) -> String {
    let mut out = String::new();
    redactor.push_placeholder(&mut out, kind, secret);
    out
}
