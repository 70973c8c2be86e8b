//! JSON-RPC and MCP through the daemon's HTTP server.

use serde_json::{Value, json};

use super::world::{World, a_day, record};
use crate::rpc::sockets::Client;

async fn editor(world: &World) -> Client {
    let headers = format!("Authorization: Bearer {}\r\n", world.token());
    Client::connect(world.port(), &headers).await
}

#[test]
fn editor_queries_and_gets_notifications_over_the_websocket() {
    let world = World::with(&a_day());
    let mut client = world.block_on(editor(&world));
    let sessions = world.block_on(client.call("becket.sessions", json!({})));
    assert_eq!(sessions["items"][0]["id"], "c1");
    let subscribed = world.block_on(client.call("becket.subscribe", json!({ "events": ["stop"] })));
    assert_eq!(subscribed["cursor"], 11);
    world.record(&[record("e12", 20, "Stop", json!({}))]);
    let told = world.block_on(client.message());
    assert_eq!(told["method"], "autohand.hook.stop");
    assert_eq!(told["params"]["eventId"], "e12");
}

#[test]
fn daemon_without_setup_reports_that_hooks_are_unavailable() {
    let world = World::with(&[]);
    let mut client = world.block_on(editor(&world));
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "becket.hooks.enable", "params": { "name": "x" } });
    world.block_on(client.send(&call.to_string()));
    let answer = world.block_on(client.message());
    assert_eq!(answer["error"]["code"], -32001);
}

#[test]
fn editor_is_notified_when_the_daemon_stops() {
    let world = World::with(&[]);
    let mut client = world.block_on(editor(&world));
    world.stop();
    let last = world.block_on(async {
        loop {
            match client.frame().await {
                (9, _) => {}
                other => return other,
            }
        }
    });
    assert_eq!(last.0, 8, "{last:?}");
}

fn tool(name: &str, arguments: &Value) -> String {
    let params = json!({ "name": name, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params }).to_string()
}

#[test]
fn mcp_over_http_covers_all_projects() {
    let world = World::with(&a_day());
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    let begun = world.post("/mcp", "", &hello.to_string());
    assert_eq!(begun.json()["result"]["serverInfo"]["name"], "becket");
    let session = begun.header("mcp-session-id").expect("a session");
    let session = format!("Mcp-Session-Id: {session}\r\n");
    for (query, found) in [("parser", "Fix the parser"), ("site", "Build the site")] {
        let answer = world.post(
            "/mcp",
            &session,
            &tool("search", &json!({ "query": query })),
        );
        let text = answer.json()["result"]["content"][0]["text"].to_string();
        assert!(text.contains(found), "{text}");
    }
    assert_eq!(
        world.post("/mcp", "", &tool("sessions", &json!({}))).status,
        400
    );
    assert_eq!(world.get("/mcp").status, 405);
}

#[test]
fn protocol_endpoints_need_the_token_host_and_origin() {
    let world = World::with(&[]);
    let (port, token) = (world.port(), world.token());
    let own = format!("Host: 127.0.0.1:{port}\r\n");
    let bearer = format!("Authorization: Bearer {token}\r\n");
    for (head, expected) in [
        (own.clone(), 401),
        (
            format!("{own}Authorization: Bearer {}\r\n", &token[1..]),
            401,
        ),
        (format!("{own}{bearer}Origin: http://evil.example\r\n"), 403),
        (format!("{own}{bearer}Origin: null\r\n"), 403),
        (format!("Host: evil.example:{port}\r\n{bearer}"), 403),
    ] {
        let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
        let request = format!("GET /rpc HTTP/1.1\r\n{head}{upgrade}\r\n");
        assert_eq!(world.raw_status(&request), expected, "{request}");
        let json = "Connection: close\r\nContent-Type: application/json\r\nContent-Length: 2\r\n";
        let request = format!("POST /mcp HTTP/1.1\r\n{head}{json}\r\n{{}}");
        assert_eq!(world.raw_status(&request), expected, "{request}");
    }
}
