//! The OpenAPI document matches the server, and the server withstands undocumented requests.

use std::path::Path;

use serde_json::Value;

use super::world::{World, a_day};

fn document(world: &World) -> Value {
    world.get("/api/v1/openapi.json").json()
}

#[test]
fn committed_openapi_document_is_current() {
    let world = World::with(&[]);
    let made = serde_json::to_string_pretty(&document(&world)).expect("JSON") + "\n";
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/openapi.json");
    if std::env::var_os("BECKET_BLESS").is_some() {
        std::fs::write(&file, &made).expect("written");
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        kept == made,
        "docs/reference/openapi.json is out of date; BECKET_BLESS=1 updates it"
    );
}

#[test]
fn http_api_page_names_every_path() {
    let world = World::with(&[]);
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/http-api.md");
    let page = std::fs::read_to_string(page).expect("the page");
    for path in document(&world)["paths"].as_object().expect("paths").keys() {
        let path = path.trim_start_matches("/api/v1");
        assert!(page.contains(&format!("`{path}`")), "{path} is missing");
    }
}

#[test]
fn openapi_references_resolve() {
    fn references<'d>(value: &'d Value, found: &mut Vec<&'d str>) {
        match value {
            Value::Object(members) => {
                found.extend(members.get("$ref").and_then(Value::as_str));
                members.values().for_each(|one| references(one, found));
            }
            Value::Array(items) => items.iter().for_each(|one| references(one, found)),
            _ => {}
        }
    }
    let world = World::with(&[]);
    let document = document(&world);
    let mut found = Vec::new();
    references(&document, &mut found);
    assert!(!found.is_empty());
    for reference in found {
        let place = reference.strip_prefix('#').expect("in the document");
        assert!(document.pointer(place).is_some(), "{reference}");
    }
}

/// Values that are valid for some parameters and invalid for others.
const VALUES: [&str; 24] = [
    "",
    "1",
    "0",
    "-1",
    "50",
    "1001",
    "9223372036854775807",
    "-9223372036854775808",
    "99999999999999999999",
    "1e9",
    "NaN",
    "true",
    "active",
    "deny",
    "open",
    "PreToolUse",
    "7d",
    "2026-11-16T08:00:00Z",
    "1_%23x",
    "1_%232",
    "%00",
    "%ff%fe",
    "%27%3B%20DROP%20TABLE%20events%3B--",
    "%22%20OR%20%2A%20NEAR%28",
];

#[test]
fn generated_parameters_never_cause_a_server_error() {
    let world = World::with(&a_day());
    let document = document(&world);
    for (path, operations) in document["paths"].as_object().expect("paths") {
        for (method, operation) in operations.as_object().expect("operations") {
            for target in targets(path, operation) {
                let status = world.status_of(&method.to_uppercase(), &target);
                assert!(status < 500, "{method} {target}: {status}");
            }
        }
    }
    assert_eq!(world.get("/api/v1/sessions").json()["items"][1]["id"], "s1");
}

fn targets(path: &str, operation: &Value) -> Vec<String> {
    let parameters = operation["parameters"].as_array().expect("a list");
    let query = parameters.iter().filter(|one| one["in"] == "query");
    let names: Vec<&str> = query
        .map(|one| one["name"].as_str().expect("a name"))
        .collect();
    let mut targets = Vec::new();
    for value in VALUES.iter().copied().chain([LONG]) {
        // The id is a path segment: a question mark must not end it here.
        let known = path.replace("{id}", "s1");
        targets.push(path.replace("{id}", if value.is_empty() { "%20" } else { value }));
        targets.push(format!("{known}?{value}=1"));
        let all: Vec<String> = names.iter().map(|name| format!("{name}={value}")).collect();
        targets.push(format!("{known}?{}", all.join("&")));
        targets.extend(all.iter().map(|one| format!("{known}?{one}")));
    }
    targets
}

const LONG: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

#[test]
fn responses_match_their_schemas() {
    let world = World::with(&a_day());
    let document = document(&world);
    let note =
        r#"{"project":"/home/ana/shop","text":"The parser is slow","files":["src/parse.rs"]}"#;
    let kept = world.post("/api/v1/memories", "", note).json();
    let memory = kept["id"].as_str().expect("an id");
    let dir = tempfile::tempdir().expect("a directory");
    let root = dir.path().canonicalize().expect("it is there");
    std::fs::write(root.join("becket.toml"), "").expect("written");
    let of_project = format!("?project={}", root.display());
    for (path, operations) in document["paths"].as_object().expect("paths") {
        let content = &operations["get"]["responses"]["200"]["content"];
        let schema = &content["application/json"]["schema"];
        let Some(shape) = schema["$ref"].as_str() else {
            continue;
        };
        let id = match path.as_str() {
            "/api/v1/memories/{id}" => memory,
            "/api/v1/decisions/{id}" | "/api/v1/events/{id}" => "e04",
            _ => "s1",
        };
        let target = path.replace("{id}", id);
        let query = match path.as_str() {
            "/api/v1/search" => "?q=parser&project=/home/ana/shop",
            "/api/v1/index" => "?project=/home/ana/shop",
            "/api/v1/trust" => &of_project,
            _ => "",
        };
        let answer = world.get(&format!("{target}{query}")).json();
        check(&document, shape, &answer, path);
    }
}

/// Every returned member is described, and every required member is returned.
fn check(document: &Value, shape: &str, answer: &Value, place: &str) {
    let schema = document.pointer(&shape[1..]).expect("a schema");
    let (Some(members), Some(told)) = (schema["properties"].as_object(), answer.as_object()) else {
        return;
    };
    for (name, value) in told {
        let described = members.get(name);
        let described = described.unwrap_or_else(|| panic!("{place}: `{name}` is not described"));
        let inner = described["items"]["$ref"].as_str();
        for item in value.as_array().into_iter().flatten() {
            if let Some(inner) = inner {
                check(document, inner, item, &format!("{place}.{name}"));
            }
        }
        if let Some(inner) = described["$ref"].as_str() {
            check(document, inner, value, &format!("{place}.{name}"));
        }
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        let name = name.as_str().expect("a name");
        assert!(
            told.contains_key(name),
            "{place}: `{name}` is promised and missing"
        );
    }
}
