//! Generates the OpenAPI document from the routes.

use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::route::{ErrorBody, NOT_FOUND, Route};

const API_DESCRIPTION: &str = "Served on loopback by the daemon. `becket daemon status` prints the address, and the file `daemon/token` in the \
state directory contains the bearer token that every request needs; a browser that logged in with `becket ui` has a \
cookie instead. Times are milliseconds since 1970, UTC.";

/// The errors that every route can return.
const FAILURES: [(&str, &str, &str); 4] = [
    (
        "400",
        "Bad",
        "A parameter or a member of the body is unknown or invalid; the error names it",
    ),
    ("401", "NoToken", "The token is missing or invalid"),
    (
        "403",
        "Foreign",
        "The request is for another host, from a page of another origin, or reserved for the dashboard",
    ),
    ("503", "Unavailable", "The database is not available"),
];

/// The document in OpenAPI 3.1, whose schemas are JSON Schema.
pub(super) fn document(routes: &[Route]) -> Value {
    let mut response_schemas = generator(SchemaSettings::for_serialize);
    let mut request_schemas = generator(SchemaSettings::for_deserialize);
    let mut paths: Map<String, Value> = Map::new();
    for route in routes {
        let path = paths.entry(format!("/api/v1{}", route.path));
        let operations = path.or_insert_with(|| json!({}));
        operations[route.method] = operation(route, &mut request_schemas, &mut response_schemas);
    }
    response_schemas.subschema_for::<ErrorBody>();
    let mut schemas = response_schemas.take_definitions(true);
    // A type used in requests and responses has the same schema in both.
    for (name, schema) in request_schemas.take_definitions(true) {
        schemas.entry(name).or_insert(schema);
    }
    schemas.sort_keys();
    let failures: Map<String, Value> = FAILURES
        .iter()
        .map(|(_, name, why)| ((*name).to_owned(), failure(why)))
        .collect();
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Becket", "version": env!("CARGO_PKG_VERSION"), "description": API_DESCRIPTION },
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "responses": failures,
            "schemas": schemas,
        },
    })
}

fn generator(contract: fn(SchemaSettings) -> SchemaSettings) -> SchemaGenerator {
    let mut settings = contract(SchemaSettings::draft2020_12());
    settings.definitions_path = "/components/schemas".into();
    settings.meta_schema = None;
    settings.into_generator()
}

fn operation(
    route: &Route,
    request_schemas: &mut SchemaGenerator,
    response_schemas: &mut SchemaGenerator,
) -> Value {
    let has_id = route.path.contains("{id}");
    let mut parameters = query_parameters(&(route.params)(request_schemas));
    if has_id {
        let id =
            json!({ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } });
        parameters.insert(0, id);
    }
    let mut responses = json!({
        "200": {
            "description": "The response",
            "content": { route.media: { "schema": (route.response)(response_schemas) } },
        },
    });
    for (status, name, _) in FAILURES {
        responses[status] = json!({ "$ref": format!("#/components/responses/{name}") });
    }
    let not_found = Some(NOT_FOUND).filter(|_| has_id);
    for (status, why) in not_found.iter().chain(route.errors) {
        responses[*status] = failure(why);
    }
    let mut operation = json!({
        "operationId": operation_id(route),
        "summary": route.summary,
        "parameters": parameters,
        "responses": responses,
    });
    if let Some(body) = route.body {
        operation["requestBody"] = json!({
            "required": true,
            "content": { "application/json": { "schema": body(request_schemas) } },
        });
    }
    operation
}

fn failure(description: &str) -> Value {
    let schema = json!({ "$ref": "#/components/schemas/Error" });
    json!({ "description": description, "content": { "application/json": { "schema": schema } } })
}

/// `/sessions/{id}/timeline` becomes `get_sessions_id_timeline`.
fn operation_id(route: &Route) -> String {
    let segments = route.path.split(|c: char| !c.is_ascii_alphanumeric());
    let segments = segments.filter(|word| !word.is_empty());
    segments.fold(route.method.to_owned(), |id, word| format!("{id}_{word}"))
}

/// The members of the parameter struct, as query parameters.
fn query_parameters(params: &Schema) -> Vec<Value> {
    let is_required = |name: &str| {
        let required = params.get("required").and_then(Value::as_array);
        required.is_some_and(|list| list.iter().any(|one| one == name))
    };
    let members = params.get("properties").and_then(Value::as_object);
    let members = members.into_iter().flatten();
    members
        .map(|(name, schema)| {
            let mut schema = without_null(schema.clone());
            let described = schema.as_object_mut().and_then(|s| s.remove("description"));
            json!({
                "name": name, "in": "query", "required": is_required(name),
                "description": described, "schema": schema,
            })
        })
        .collect()
}

/// Removes null from a parameter's schema: a parameter is present or absent.
fn without_null(mut schema: Value) -> Value {
    let Some(members) = schema.as_object_mut() else {
        return schema;
    };
    if members.get("default") == Some(&Value::Null) {
        members.remove("default");
    }
    if let Some(Value::Array(kinds)) = members.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [one] = kinds.as_slice() {
            let one = one.clone();
            members.insert("type".into(), one);
        }
    }
    if let Some(Value::Array(either)) = members.get_mut("anyOf") {
        either.retain(|one| one["type"] != "null");
        if let [Value::Object(one)] = either.as_slice() {
            let one = one.clone();
            members.remove("anyOf");
            for (key, value) in one {
                members.entry(key).or_insert(value);
            }
        }
    }
    // A `oneOf` of documented constants becomes a plain enum.
    if let Some(Value::Array(either)) = members.get("oneOf") {
        let words: Option<Vec<Value>> =
            either.iter().map(|one| one.get("const").cloned()).collect();
        if let Some(words) = words {
            members.remove("oneOf");
            members.insert("type".into(), json!("string"));
            members.insert("enum".into(), words.into());
        }
    }
    if let Some(Value::Array(values)) = members.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    schema
}
