//! The protocol reference pages match the served routes and methods.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{cell, is_fresh, read, root, text};
use crate::context::Context;

const HEAD: &str = "# Routes of the HTTP API

All routes, generated from [openapi.json](openapi.json), which describes every response field and is itself generated from the routes. See
[HTTP API](http-api.md) for authentication and parameters.
";

#[test]
fn http_routes_page_is_up_to_date() {
    let document = read(&root().join("docs/reference/openapi.json"));
    let document: Value = serde_json::from_str(&document).expect("JSON");
    let mut out = format!("{HEAD}\n| route | parameters | |\n| --- | --- | --- |\n");
    for (path, operations) in document["paths"].as_object().expect("paths") {
        for (method, operation) in operations.as_object().expect("operations") {
            out += &format!(
                "| `{} {path}` | {} | {} |\n",
                method.to_uppercase(),
                parameters(operation),
                cell(text(&operation["summary"]))
            );
        }
    }
    is_fresh("docs/reference/http-routes.md", &out);
}

fn parameters(operation: &Value) -> String {
    let listed = operation["parameters"].as_array();
    let query = listed
        .into_iter()
        .flatten()
        .filter(|it| it["in"] == "query");
    let mut names: Vec<String> = query
        .map(|it| {
            let star = if it["required"] == true { "\\*" } else { "" };
            format!("`{}`{star}", text(&it["name"]))
        })
        .collect();
    if operation["requestBody"].is_object() {
        names.push("a body".to_owned());
    }
    names.join(", ")
}

#[test]
fn json_rpc_page_names_exactly_the_methods() {
    let question = br#"{"jsonrpc":"2.0","id":1,"method":"becket.status"}"#;
    let answer = Context::new().run_with(&["rpc", "--framing", "lines"], question);
    let status = &answer.json()["result"];
    let page = read(&root().join("docs/reference/json-rpc.md"));
    let served: BTreeSet<&str> = ["methods", "notifications"]
        .iter()
        .flat_map(|list| status[list].as_array().expect("a list"))
        .map(text)
        .collect();
    assert!(served.len() > 20, "{served:?}");
    for method in &served {
        assert!(page.contains(&format!("`{method}`")), "{method} is missing");
    }
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let told = rows
        .filter_map(|line| line.split('|').nth(1))
        .flat_map(|names| names.split(','))
        .map(|name| name.trim().trim_matches('`'));
    for method in told.filter(|name| name.starts_with("becket.") || name.starts_with("autohand.")) {
        let known = served.contains(method) || OF_A_CONNECTION.contains(&method);
        assert!(known, "{method} is in the page and not served");
    }
}

/// Sent by the connection itself, independent of subscriptions.
const OF_A_CONNECTION: [&str; 4] = [
    "becket.event",
    "becket.permission.waiting",
    "becket.permission.settled",
    "becket.trouble",
];
