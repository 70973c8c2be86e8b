//! `desktop-notify`

use becket_model::{Event, EventData, HookOutcome, ToolCall};
use becket_testkit::read_when_there;
use serde_json::json;

use crate::world::{World, noting};

const EVIL: &str = "\" & (do shell script \"touch /tmp/owned\") & \"";

fn attention(world: &World, message: &str) -> Event {
    world.event(EventData::Notification {
        kind: None,
        message: message.to_owned(),
    })
}

fn shown(notifier: &str, message: &str) -> Vec<String> {
    let world = World::new();
    let seen = world.path("seen");
    world.program(notifier, &noting(&seen));
    let outcome = world.fire("use = 'desktop-notify'", attention(&world, message));
    assert_eq!(outcome, HookOutcome::none());
    let text = read_when_there(&seen);
    text.lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn missing_notifier_is_not_an_error() {
    let world = World::new();
    let outcome = world.fire("use = 'desktop-notify'", attention(&world, "x"));
    assert_eq!(outcome, HookOutcome::none());
}

#[test]
fn notify_send_text_is_escaped_and_follows_the_options() {
    assert_eq!(
        shown("notify-send", "<b>-x</b> & \u{1b}[31m"),
        [
            "--app-name=Becket",
            "--urgency=normal",
            "--",
            "app: Wants your attention",
            " &lt;b&gt;-x&lt;/b&gt; &amp; \u{fffd}[31m",
        ]
    );
}

#[test]
fn osascript_gets_text_as_arguments_and_never_as_part_of_its_script() {
    let args = shown("osascript", EVIL);
    let (script, data) = args.split_at(6);
    assert_eq!(
        script,
        [
            "-e",
            "on run argv",
            "-e",
            "display notification (item 2 of argv) with title (item 1 of argv)",
            "-e",
            "end run"
        ]
    );
    assert_eq!(
        data,
        ["app: Wants your attention".to_owned(), format!(" {EVIL}")]
    );
}

#[test]
fn powershell_gets_text_as_bytes() {
    let args = shown("powershell.exe", "'; Remove-Item C:\\ ;'");
    let script = args.last().expect("a script");
    assert!(!script.contains("Remove-Item"), "{script}");
    assert!(
        script.contains("(32,39,59,32,82,101,109,111,118,101"),
        "{script}"
    );
}

#[test]
fn text_cannot_become_a_notifier_option() {
    let args = shown("terminal-notifier", "-execute 'touch /tmp/owned'");
    assert_eq!(args[..2], ["-title", "app: Wants your attention"]);
    assert_eq!(args[2..4], ["-message", " -execute 'touch /tmp/owned'"]);
}

#[test]
fn command_is_redacted_or_hidden() {
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
    let command = format!("curl -H 'Authorization: Bearer {secret}' example.org");
    for (options, has) in [("", true), ("\noptions = { details = false }", false)] {
        let world = World::new();
        let seen = world.path("seen");
        world.program("notify-send", &noting(&seen));
        let call = ToolCall::new("Bash", json!({ "command": command }));
        let event = world.event(EventData::PermissionRequest { call });
        world.fire(&format!("use = 'desktop-notify'{options}"), event);
        let text = read_when_there(&seen);
        assert!(text.contains("app: Asks for permission: Bash"), "{text}");
        assert_eq!(text.contains("example.org"), has, "{text}");
        assert!(!text.contains("ghp_"), "{text}");
    }
}
