//! The OpenAPI document, made from the routes.

use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::route::{ABSENT, ErrorShape, Route};

const WHERE: &str = "Served on loopback by the daemon. `becket daemon status` says where, and the file `daemon/token` in the \
state directory holds the token that every request carries; a browser that `becket ui` let in has a cookie instead. Times are \
milliseconds since 1970, UTC.";

/// How every request can fail.
const FAILURES: [(&str, &str, &str); 4] = [
    (
        "400",
        "Bad",
        "A parameter or a member of the body is unknown or makes no sense; the error names it",
    ),
    ("401", "NoToken", "The token is missing or wrong"),
    (
        "403",
        "Foreign",
        "The request is for another host, from a page of another origin, or for a person to make",
    ),
    ("503", "Unavailable", "The database cannot be used now"),
];

/// The document, in OpenAPI 3.1, whose schemas are JSON Schema.
pub(super) fn document(routes: &[Route]) -> Value {
    let mut answers = generator(SchemaSettings::for_serialize);
    let mut questions = generator(SchemaSettings::for_deserialize);
    let mut paths: Map<String, Value> = Map::new();
    for route in routes {
        let path = paths.entry(format!("/api/v1{}", route.path));
        let operations = path.or_insert_with(|| json!({}));
        operations[route.method] = operation(route, &mut questions, &mut answers);
    }
    answers.subschema_for::<ErrorShape>();
    let mut schemas = answers.take_definitions(true);
    // What is both asked and answered looks the same in both.
    for (name, schema) in questions.take_definitions(true) {
        schemas.entry(name).or_insert(schema);
    }
    schemas.sort_keys();
    let failures: Map<String, Value> = FAILURES
        .iter()
        .map(|(_, name, why)| ((*name).to_owned(), failure(why)))
        .collect();
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Becket", "version": env!("CARGO_PKG_VERSION"), "description": WHERE },
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
    questions: &mut SchemaGenerator,
    answers: &mut SchemaGenerator,
) -> Value {
    let has_id = route.path.contains("{id}");
    let mut parameters = query_parameters(&(route.question)(questions));
    if has_id {
        let id =
            json!({ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } });
        parameters.insert(0, id);
    }
    let mut responses = json!({
        "200": {
            "description": "The answer",
            "content": { route.media: { "schema": (route.answer)(answers) } },
        },
    });
    for (status, name, _) in FAILURES {
        responses[status] = json!({ "$ref": format!("#/components/responses/{name}") });
    }
    let absent = Some(ABSENT).filter(|_| has_id);
    for (status, why) in absent.iter().chain(route.fails) {
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
            "content": { "application/json": { "schema": body(questions) } },
        });
    }
    operation
}

fn failure(description: &str) -> Value {
    let schema = json!({ "$ref": "#/components/schemas/Error" });
    json!({ "description": description, "content": { "application/json": { "schema": schema } } })
}

/// `/sessions/{id}/timeline` as `get_sessions_id_timeline`.
fn operation_id(route: &Route) -> String {
    let words = route.path.split(|c: char| !c.is_ascii_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.fold(route.method.to_owned(), |id, word| format!("{id}_{word}"))
}

/// The members of a question as parameters.
fn query_parameters(question: &Schema) -> Vec<Value> {
    let is_required = |name: &str| {
        let required = question.get("required").and_then(Value::as_array);
        required.is_some_and(|list| list.iter().any(|one| one == name))
    };
    let members = question.get("properties").and_then(Value::as_object);
    let members = members.into_iter().flatten();
    members
        .map(|(name, schema)| {
            let mut schema = present(schema.clone());
            let described = schema.as_object_mut().and_then(|s| s.remove("description"));
            json!({
                "name": name, "in": "query", "required": is_required(name),
                "description": described, "schema": schema,
            })
        })
        .collect()
}

/// A parameter is there or not: it is never null.
fn present(mut schema: Value) -> Value {
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
    // Words that are each described are still a list of words.
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
