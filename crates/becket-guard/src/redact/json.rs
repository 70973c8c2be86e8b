//! Redacts JSON: by the text of each string, and by the name of its field.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::bytes::RunCache;
use super::secret_name::{NameClass, classify};
use super::secret_value::{ValueContext, is_secret};
use super::{RedactionKind, Redactor, credential_files, header, scan};

/// Fields whose content belongs to the enclosing object's name.
const VALUE_FIELDS: &[&str] = &["value", "plaintext", "plain", "data", "current", "literal"];
/// Fields that name an adjacent `value`.
const NAME_FIELDS: &[&str] = &["name", "key", "header", "variable"];

/// Redacts `value` in place; returns whether anything changed. Iterative, because a document may be deeper than the
/// stack.
pub(super) fn redact(redactor: &Redactor, value: &mut Value) -> bool {
    let mut changed = false;
    let mut waiting = vec![(value, None)];
    while let Some((value, class)) = waiting.pop() {
        match value {
            Value::String(text) => changed |= redact_string(redactor, text, class),
            Value::Number(number) if class == Some(NameClass::Password) => {
                let digits = number.to_string();
                if digits.len() >= 6 {
                    *value = Value::String(placeholder(redactor, RedactionKind::Password, &digits));
                    changed = true;
                }
            }
            Value::Array(items) => waiting.extend(items.iter_mut().map(|item| (item, class))),
            Value::Object(fields) => {
                changed |= redact_names(redactor, fields);
                changed |= credential_files::redact_credential_file(redactor, fields);
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

/// The class of a field's value, from the field's name, the enclosing object and an adjacent `name`.
fn field_class(
    name: &str,
    outer: Option<NameClass>,
    named: Option<NameClass>,
) -> Option<NameClass> {
    if VALUE_FIELDS.contains(&name) {
        return named.or(outer);
    }
    classify(name.as_bytes())
}

fn named_class(fields: &Map<String, Value>) -> Option<NameClass> {
    NAME_FIELDS
        .iter()
        .find_map(|field| classify(fields.get(*field)?.as_str()?.as_bytes()))
}

fn redact_string(redactor: &Redactor, text: &mut String, class: Option<NameClass>) -> bool {
    if let Some(class) = class
        && is_named_secret(text, class)
    {
        *text = placeholder(redactor, whole_kind(text, class), text);
        return true;
    }
    let mut changed =
        class == Some(NameClass::Authorization) && redact_authorization(redactor, text);
    if let Cow::Owned(redacted) = redactor.text(text) {
        *text = redacted;
        changed = true;
        if class == Some(NameClass::Authorization) {
            redact_authorization(redactor, text);
        }
    }
    changed
}

/// Redacts the credential of an `Authorization` value. The scheme stays, so that the record shows the
/// authentication method.
fn redact_authorization(redactor: &Redactor, text: &mut String) -> bool {
    let found = header::authorization(text.as_bytes(), 0, text.len(), &mut RunCache::default());
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

fn is_named_secret(text: &str, class: NameClass) -> bool {
    let bytes = text.as_bytes();
    match class {
        NameClass::Cookie => header::cookie(bytes, 0, bytes.len()).is_some(),
        NameClass::Authorization | NameClass::Signature => false,
        _ => is_secret(bytes, class, ValueContext::Field) && !super::placeholder::within(bytes),
    }
}

/// A token of known shape determines the kind more precisely than the field's name.
fn whole_kind(text: &str, class: NameClass) -> RedactionKind {
    let by_name = match class {
        NameClass::Password => RedactionKind::Password,
        NameClass::Cookie => RedactionKind::Cookie,
        _ => RedactionKind::Secret,
    };
    scan::scan(text).first().map_or(by_name, |found| found.kind)
}

/// Redacts secrets in keys. Rebuilding the object keeps the order of its fields.
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

fn placeholder(redactor: &Redactor, kind: RedactionKind, secret: &str) -> String {
    let mut out = String::new();
    redactor.push_placeholder(&mut out, kind, secret);
    out
}
