//! Telemetry of the clients, in every protocol they support, with and without hooks.

use becket_lab::Agent;
use becket_lab::harness::{Test, TestCase, TestResult};
use becket_lab::process;
use becket_lab::scenario::{Scenario, Step};
use serde_json::{Value, json};

use crate::rig::{Result, Rig, TIMEOUT};

/// Clients with the protocols of their exporters.
const EXPORTERS: [(Agent, &[&str]); 3] = [
    (Agent::Claude, &["grpc", "http/protobuf", "http/json"]),
    (Agent::Codex, &["grpc", "binary", "json"]),
    (Agent::Gemini, &["grpc", "http"]),
];

/// The tests, named after client and protocol.
pub(crate) fn tests() -> Vec<Test> {
    let mut tests = Vec::new();
    for (agent, protocols) in EXPORTERS {
        for protocol in protocols {
            let name = format!(
                "telemetry::{}::{}",
                agent.name(),
                protocol.replace('/', "_")
            );
            tests.push(Test::new(name, move |case| {
                events_from_hooks_and_telemetry_are_recorded_once(case, agent, protocol)
            }));
        }
    }
    tests.push(Test::new(
        "telemetry::claude::without_hooks".to_owned(),
        telemetry_without_hooks_is_recorded,
    ));
    tests
}

/// The address and token of a daemon that runs before the client.
struct DaemonAddress {
    address: String,
    token: String,
}

fn daemon(rig: &mut Rig) -> Result<DaemonAddress> {
    rig.workspace.set_env("BECKET_DAEMON", "on");
    rig.becket(&["daemon", "start"])?;
    let read = |name: &str| std::fs::read_to_string(rig.becket_home().join("daemon").join(name));
    Ok(DaemonAddress {
        address: read("address")?.trim().to_owned(),
        token: read("token")?.trim().to_owned(),
    })
}

/// Configures the client to export to the daemon, as the guide describes.
fn export(rig: &mut Rig, protocol: &str) -> Result<()> {
    let DaemonAddress { address, token } = daemon(rig)?;
    let bearer = format!("Bearer {token}");
    let endpoint = match protocol {
        "grpc" | "http" => format!("http://{address}"),
        _ => format!("http://{address}/v1/logs"),
    };
    match rig.agent() {
        Agent::Claude => {
            rig.workspace
                .unset_env("DISABLE_TELEMETRY")
                .unset_env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC")
                .set_env("CLAUDE_CODE_ENABLE_TELEMETRY", "1")
                .set_env("OTEL_LOGS_EXPORTER", "otlp")
                .set_env("OTEL_LOGS_EXPORT_INTERVAL", "200")
                .set_env("OTEL_EXPORTER_OTLP_LOGS_PROTOCOL", protocol)
                .set_env("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", endpoint)
                .set_env(
                    "OTEL_EXPORTER_OTLP_LOGS_HEADERS",
                    format!("Authorization={bearer}"),
                );
        }
        Agent::Codex => {
            let (kind, protocol) = match protocol {
                "grpc" => ("otlp-grpc", String::new()),
                other => ("otlp-http", format!("protocol = \"{other}\", ")),
            };
            let path = rig.workspace.home().join(".codex/config.toml");
            let known = std::fs::read_to_string(&path)?;
            let otel = format!(
                "\n[otel]\nlog_user_prompt = true\nexporter = {{ {kind} = {{ endpoint = \"{endpoint}\", {protocol}headers = {{ \"authorization\" = \"{bearer}\" }} }} }}\n"
            );
            std::fs::write(path, known + &otel)?;
        }
        _ => {
            let telemetry = json!({
                "enabled": true, "target": "local", "otlpEndpoint": endpoint, "otlpProtocol": protocol,
                "logPrompts": true,
            });
            rig.workspace
                .merge_home(".gemini/settings.json", json!({ "telemetry": telemetry }))?;
            rig.workspace.set_env(
                "OTEL_EXPORTER_OTLP_HEADERS",
                format!("Authorization={bearer}"),
            );
        }
    }
    Ok(())
}

fn one_command() -> Scenario {
    Scenario::new([
        Step::shell("echo ONCE_ONLY_7740 > out.txt"),
        Step::say("Done."),
    ])
}

/// The names of all events that arrived by telemetry.
fn exported(rig: &mut Rig) -> Result<String> {
    let trail = rig.recorded_events()?;
    let telemetry = trail.all().iter().filter(|one| {
        let id = one["id"].as_str().unwrap_or_default();
        id.starts_with("otlp-")
    });
    let kinds = telemetry.map(|one| one["event"].as_str().unwrap_or_default().to_owned());
    Ok(kinds.collect::<Vec<_>>().join(" "))
}

fn session(rig: &mut Rig) -> Result<Value> {
    let agent = rig.agent().name();
    let reported = rig.becket_json(&["sessions", "--agent", agent])?;
    let sessions = reported["sessions"].as_array().cloned().unwrap_or_default();
    assert_eq!(sessions.len(), 1, "{reported}");
    let id = sessions[0]["id"].as_str().ok_or("an id")?.to_owned();
    rig.becket_json(&["session", &id])
}

/// The number of tool calls in a session's timeline.
fn calls(story: &Value) -> usize {
    let batches = story["batches"].as_array().into_iter().flatten();
    let entries = batches.flat_map(|batch| batch["entries"].as_array().into_iter().flatten());
    let done = entries.filter(|entry| entry["what"]["activity"]["kind"] == "tool");
    done.count()
}

fn events_from_hooks_and_telemetry_are_recorded_once(
    case: &TestCase,
    agent: Agent,
    protocol: &str,
) -> TestResult {
    let mut rig = Rig::of(agent, case.dir(), &one_command())?;
    rig.connect()?;
    export(&mut rig, protocol)?;
    rig.turn("Please run the command.")?;

    // The client sends the rest when it exits.
    let reported = process::until(TIMEOUT, || {
        let reported = exported(&mut rig).ok()?;
        (reported.contains("UserPromptSubmit") && reported.contains("PostToolUse"))
            .then_some(reported)
    });
    assert!(
        reported.is_some(),
        "by telemetry: {:?}",
        exported(&mut rig)?
    );
    let story = session(&mut rig)?;
    assert_eq!(story["session"]["prompts"], 1, "{story}");
    assert_eq!(calls(&story), 1, "{story}");
    rig.becket(&["daemon", "stop"])?;
    rig.assert_nothing_left_running()?;
    Ok(())
}

fn telemetry_without_hooks_is_recorded(case: &TestCase) -> TestResult {
    let mut rig = Rig::of(Agent::Claude, case.dir(), &one_command())?;
    export(&mut rig, "grpc")?;
    rig.turn("Please run the command.")?;
    let seen = process::until(TIMEOUT, || {
        exported(&mut rig)
            .ok()?
            .contains("PostToolUse")
            .then_some(())
    });
    assert!(seen.is_some(), "by telemetry: {:?}", exported(&mut rig)?);
    let story = session(&mut rig)?;
    assert_eq!(calls(&story), 1, "{story}");
    rig.becket(&["daemon", "stop"])?;
    rig.assert_nothing_left_running()?;
    Ok(())
}
