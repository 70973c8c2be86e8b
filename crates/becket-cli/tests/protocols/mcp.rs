//! The protocol's own client against `becket mcp`, and against the daemon's handler.

use std::net::Ipv4Addr;
use std::sync::Arc;

use becket_daemon::mcp::http::{Endpoint, router};
use becket_daemon::mcp::{RecordOnly, Server};
use becket_daemon::rpc::Store;
use becket_lab::harness::{Case, TestResult};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::rig::{Rig, script};

fn check(answers: &Value) {
    let text = |name: &str| {
        answers[name]["content"][0]["text"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(answers["server"]["name"], "becket");
    assert_eq!(answers["tools"].as_array().map(Vec::len), Some(6));
    assert_eq!(
        (&answers["resources"], &answers["prompts"]),
        (&json!([]), &json!([]))
    );
    assert!(
        text("search").contains("Fix the parser"),
        "{}",
        text("search")
    );
    assert_eq!(
        answers["search"]["structuredContent"]["items"]
            .as_array()
            .map(Vec::len),
        Some(2)
    );
    assert!(
        text("sessions").contains("(session s1) Fix the parser"),
        "{}",
        text("sessions")
    );
    assert!(
        text("activity").contains("all green"),
        "{}",
        text("activity")
    );
    assert!(
        text("context").contains("Write (session s1)"),
        "{}",
        text("context")
    );
    for failed in ["memories", "wrong"] {
        assert_eq!(answers[failed]["isError"], true, "{failed}");
    }
    assert_eq!(answers["unknown"]["code"], -32602);
}

pub(crate) fn an_agent_asks_over_stdio(case: &Case) -> TestResult {
    let mut rig = Rig::new(case)?;
    rig.first_turn()?;
    let node = rig.node("mcp-sdk", &script("agent.mjs"), &[])?;
    check(&node.json()?);
    node.ends_well()
}

pub(crate) fn an_agent_asks_over_http(case: &Case) -> TestResult {
    let mut rig = Rig::new(case)?;
    rig.first_turn()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .worker_threads(1)
        .build()?;
    let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    let database = rig.database();
    let endpoint = Endpoint::new(Arc::new(move || {
        let memory = RecordOnly::new(Store::at(&database));
        Server::new(Box::new(Store::at(&database)), Box::new(memory), None)
    }));
    let stop = tokio_util::sync::CancellationToken::new();
    runtime.spawn(becket_daemon::http::serve::serve(
        listener,
        router(endpoint),
        stop,
    ));
    let node = rig.node("mcp-sdk", &script("agent.mjs"), &[&url])?;
    check(&node.json()?);
    node.ends_well()
}
