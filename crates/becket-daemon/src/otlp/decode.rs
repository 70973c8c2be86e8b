//! Decodes OTLP request bodies: JSON or protobuf, plain or gzipped, over HTTP or in a gRPC frame.

use std::io::Read;

use prost::Message;
use serde_json::{Map, Value};

use super::LogRecord;
use super::wire::{AnyValueWire, KeyValueWire, OneValueWire, RequestWire};

/// The most bytes of a decompressed body (protection against zip bombs).
const MAX_UNPACKED_BYTES: u64 = 32 * 1024 * 1024;
/// Deeper values are dropped.
const MAX_DEPTH: usize = 32;

/// Why a body cannot be decoded.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// Neither JSON nor protobuf.
    #[error("content type `{0}` is neither application/json nor application/x-protobuf")]
    ContentType(String),
    /// An unsupported content encoding.
    #[error("content encoding `{0}` is not gzip")]
    Encoding(String),
    /// The decompressed body is too large.
    #[error("the decompressed body is larger than {MAX_UNPACKED_BYTES} bytes")]
    TooLarge,
    /// Invalid gzip data.
    #[error("invalid gzip data: {0}")]
    Gzip(std::io::Error),
    /// Invalid OTLP JSON.
    #[error("invalid OTLP JSON: {0}")]
    Json(String),
    /// Invalid OTLP protobuf.
    #[error("invalid OTLP protobuf: {0}")]
    Protobuf(#[from] prost::DecodeError),
    /// An invalid gRPC frame.
    #[error("invalid gRPC message: {0}")]
    Frame(&'static str),
}

/// Decodes an HTTP body.
pub fn decode_http(
    content_type: &str,
    encoding: Option<&str>,
    body: &[u8],
) -> Result<Vec<LogRecord>, DecodeError> {
    let unpacked;
    let encoding = encoding.map(|encoding| encoding.trim().to_ascii_lowercase());
    let body = match encoding.as_deref() {
        None | Some("" | "identity") => body,
        Some("gzip") => {
            unpacked = gunzip(body)?;
            &unpacked
        }
        Some(other) => return Err(DecodeError::Encoding(other.to_owned())),
    };
    match media_type(content_type).as_str() {
        "application/json" => json(body),
        "application/x-protobuf" | "application/protobuf" => Ok(protobuf(body)?),
        other => Err(DecodeError::ContentType(other.to_owned())),
    }
}

/// The media type without parameters, in lower case.
pub fn media_type(content_type: &str) -> String {
    let bare = content_type.split(';').next().unwrap_or_default();
    bare.trim().to_ascii_lowercase()
}

/// Decodes a gRPC body: one length-prefixed message.
pub fn decode_grpc(encoding: Option<&str>, body: &[u8]) -> Result<Vec<LogRecord>, DecodeError> {
    let [compressed, a, b, c, d, rest @ ..] = body else {
        return Err(DecodeError::Frame("shorter than its header"));
    };
    let length = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
    let message = rest
        .get(..length)
        .ok_or(DecodeError::Frame("shorter than its declared length"))?;
    match compressed {
        0 => Ok(protobuf(message)?),
        1 if encoding == Some("gzip") => Ok(protobuf(&gunzip(message)?)?),
        1 => Err(DecodeError::Encoding(
            encoding.unwrap_or_default().to_owned(),
        )),
        _ => Err(DecodeError::Frame(
            "the compression flag is neither 0 nor 1",
        )),
    }
}

fn gunzip(body: &[u8]) -> Result<Vec<u8>, DecodeError> {
    let mut unpacked = Vec::new();
    flate2::read::MultiGzDecoder::new(body)
        .take(MAX_UNPACKED_BYTES + 1)
        .read_to_end(&mut unpacked)
        .map_err(DecodeError::Gzip)?;
    if unpacked.len() as u64 > MAX_UNPACKED_BYTES {
        return Err(DecodeError::TooLarge);
    }
    Ok(unpacked)
}

fn protobuf(body: &[u8]) -> Result<Vec<LogRecord>, prost::DecodeError> {
    let request = RequestWire::decode(body)?;
    let mut logs = Vec::new();
    for resource_logs in request.resource_logs {
        let attributes = resource_logs.resource.unwrap_or_default().attributes;
        let resource = fields(attributes, 0);
        let scopes = resource_logs.scope_logs.into_iter();
        logs.extend(
            scopes
                .flat_map(|scope| scope.log_records)
                .map(|record| LogRecord {
                    resource: resource.clone(),
                    attributes: fields(record.attributes, 0),
                    body: match record.body.and_then(|body| body.value) {
                        Some(OneValueWire::String(text)) => Some(text),
                        _ => None,
                    },
                    nanos: record.time_unix_nano,
                    observed: record.observed_time_unix_nano,
                }),
        );
    }
    Ok(logs)
}

fn fields(attributes: Vec<KeyValueWire>, depth: usize) -> Map<String, Value> {
    let values = attributes.into_iter();
    values
        .map(|field| {
            (
                field.key,
                field.value.map_or(Value::Null, |v| value(v, depth)),
            )
        })
        .collect()
}

fn value(any: AnyValueWire, depth: usize) -> Value {
    if depth >= MAX_DEPTH {
        return Value::Null;
    }
    match any.value {
        None => Value::Null,
        Some(OneValueWire::String(text)) => Value::String(text),
        Some(OneValueWire::Bool(flag)) => Value::Bool(flag),
        Some(OneValueWire::Int(number)) => number.into(),
        Some(OneValueWire::Double(number)) => number.into(),
        Some(OneValueWire::Array(array)) => {
            let items = array.values.into_iter();
            Value::Array(items.map(|item| value(item, depth + 1)).collect())
        }
        Some(OneValueWire::Map(map)) => Value::Object(fields(map.values, depth + 1)),
        Some(OneValueWire::Bytes(bytes)) => Value::String(format!("<{} bytes>", bytes.len())),
    }
}

fn json(body: &[u8]) -> Result<Vec<LogRecord>, DecodeError> {
    let request: Value =
        serde_json::from_slice(body).map_err(|error| DecodeError::Json(error.to_string()))?;
    if !request.is_object() {
        return Err(DecodeError::Json("not an object".into()));
    }
    let mut logs = Vec::new();
    for resource_logs in list(&request, "resourceLogs") {
        let resource = json_fields(list(&resource_logs["resource"], "attributes"), 0);
        for scope in list(resource_logs, "scopeLogs") {
            logs.extend(list(scope, "logRecords").iter().map(|record| LogRecord {
                resource: resource.clone(),
                attributes: json_fields(list(record, "attributes"), 0),
                body: record["body"]["stringValue"].as_str().map(str::to_owned),
                nanos: nanos(&record["timeUnixNano"]),
                observed: nanos(&record["observedTimeUnixNano"]),
            }));
        }
    }
    Ok(logs)
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

/// OTLP JSON encodes 64-bit numbers as strings, but some exporters do not.
fn nanos(value: &Value) -> u64 {
    match value {
        Value::String(text) => text.parse().unwrap_or_default(),
        other => other.as_u64().unwrap_or_default(),
    }
}

fn json_fields(attributes: &[Value], depth: usize) -> Map<String, Value> {
    let named = attributes
        .iter()
        .filter_map(|field| Some((field["key"].as_str()?.to_owned(), &field["value"])));
    named
        .map(|(key, value)| (key, json_value(value, depth)))
        .collect()
}

fn json_value(any: &Value, depth: usize) -> Value {
    let Some((kind, inner)) = any.as_object().and_then(|any| any.iter().next()) else {
        return Value::Null;
    };
    if depth >= MAX_DEPTH {
        return Value::Null;
    }
    match (kind.as_str(), inner) {
        ("intValue", Value::String(text)) => text
            .parse::<i64>()
            .map_or_else(|_| Value::String(text.clone()), Into::into),
        ("arrayValue", array) => {
            let items = list(array, "values").iter();
            Value::Array(items.map(|item| json_value(item, depth + 1)).collect())
        }
        ("kvlistValue", map) => Value::Object(json_fields(list(map, "values"), depth + 1)),
        ("bytesValue", Value::String(text)) => {
            Value::String(format!("<{} bytes>", text.len() / 4 * 3))
        }
        ("stringValue" | "boolValue" | "doubleValue" | "intValue", plain) => plain.clone(),
        _ => Value::Null,
    }
}
