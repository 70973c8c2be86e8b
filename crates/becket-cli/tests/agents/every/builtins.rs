//! Hooks that only the full binary runs, in every client.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};

use becket_lab::harness::{TestCase, TestResult};
use becket_lab::scenario::{Scenario, Step};
use serde_json::Value;

use super::AgentUnderTest;
use crate::rig::{Result, Rig, TIMEOUT};

pub(super) fn builtins_log_stage_and_report_turn_statistics(
    case: &TestCase,
    subject: &AgentUnderTest,
) -> TestResult {
    let scenario = Scenario::new([
        Step::write("${WORK}/new.txt", "text"),
        Step::shell("echo ran > out.txt"),
        Step::say("Done."),
    ]);
    let mut rig = Rig::of(subject.agent, case.dir(), &scenario)?;
    let (address, shown) = receive()?;
    rig.workspace.set_env("BECKET_WEBHOOK_URL", address);
    for name in ["log", "git-auto-stage", "webhook"] {
        rig.becket(&["hooks", "enable", name])?;
    }
    rig.connect()?;
    rig.turn("Please write the file.")?;

    let staged = ["diff", "--cached", "--name-only"];
    assert_eq!(rig.workspace.exec("git", &staged)?.stdout, "new.txt\n");
    // Copilot also fires PermissionRequest if it has permission.
    let note = loop {
        let note = shown.recv_timeout(TIMEOUT)?;
        if note["event"] == "Stop" {
            break note;
        }
    };
    assert_eq!(note["agent"], subject.agent.name());
    assert_eq!(note["outcome"], "finished", "{note}");
    assert_eq!(note["tool_calls"], 2, "{note}");
    assert!(note["duration_ms"].is_u64(), "{note}");
    rig.assert_nothing_left_running()?;
    let log = fs::read_to_string(rig.becket_home().join("logs/events.jsonl"))?;
    let logged = |event: &str| {
        let events = log.lines().filter_map(|line| {
            let line: Value = serde_json::from_str(line).ok()?;
            line["event"].as_str().map(str::to_owned)
        });
        events.filter(|it| it == event).count()
    };
    assert_eq!((logged("PreToolUse"), logged("Stop")), (2, 1), "{log}");
    Ok(())
}

/// A loopback address, and the requests posted to it.
fn receive() -> Result<(String, Receiver<Value>)> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = format!("http://{}/", listener.local_addr()?);
    let (posted, received) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(std::result::Result::ok) {
            let mut reader = BufReader::new(&stream);
            let mut length = 0;
            let mut line = String::new();
            while reader.read_line(&mut line).is_ok_and(|count| count > 2) {
                let lower = line.to_ascii_lowercase();
                if let Some(text) = lower.strip_prefix("content-length:") {
                    length = text.trim().parse().unwrap_or(0);
                }
                line.clear();
            }
            let mut body = vec![0; length];
            let _ = reader.read_exact(&mut body);
            let _ = (&stream).write_all(b"HTTP/1.1 204 x\r\nconnection: close\r\n\r\n");
            let _ = posted.send(serde_json::from_slice(&body).unwrap_or_default());
        }
    });
    Ok((address, received))
}
