//! The interactive hook manager in a real terminal.

use std::process::Command;

use super::{CONFIG, config, context};
use crate::context::Context;
use crate::tmux::{Terminal, has_tmux};

macro_rules! terminal {
    ($context:expr) => {
        terminal!($context, 80, 24, "")
    };
    ($context:expr, $width:expr, $height:expr, $env:expr) => {{
        if !has_tmux() {
            return;
        }
        Terminal::open($context, "hooks", $width, $height, $env)
    }};
}

#[test]
fn manager_lists_hooks_by_event_with_details_of_the_selected_one() {
    let context = context();
    context.write(
        "app/becket.toml",
        "[[hook]]\nname = \"p\"\nevent = \"PreToolUse\"\ncommand = \"./p.sh\"\n",
    );
    let terminal = terminal!(&context);
    let screen = terminal.sees("q quit");
    for expected in [
        "Hooks  Mode: enabled  4 hooks (3 enabled, 0 disabled, 1 untrusted)",
        "PreToolUse (1/2 enabled)",
        "[untrusted] p - ./p.sh",
        "[enabled]   no-force-push - Never force",
        "Stop (1/1 enabled)",
        "Built-in hooks that are not set up",
        "project, becket, not trusted",
        "/app/becket.toml:1",
    ] {
        assert!(screen.contains(expected), "{expected} in:\n{screen}");
    }
    terminal.keys(&["j"]);
    let screen = terminal.sees("user, becket, your own");
    assert!(screen.contains("config.toml:4"), "{screen}");
    terminal.keys(&["k"]);
    terminal.sees("project, becket, not trusted");
    terminal.keys(&["q"]);
    terminal.sees("ENDED 0");
}

#[test]
fn several_switches_are_saved_together() {
    let context = context();
    let terminal = terminal!(&context);
    terminal.sees("q quit");
    terminal.move_to("no-force-push").keys(&["Space"]);
    terminal.sees("*[disabled]  no-force-push");
    terminal.move_to("two").keys(&["Space"]);
    let screen = terminal.sees("2 changes not saved");
    assert_eq!(
        screen.matches("*[disabled]  two").count(),
        2,
        "both of its events:\n{screen}"
    );
    assert_eq!(
        config(&context),
        CONFIG,
        "nothing is written before it is saved"
    );
    terminal.move_to("log -").keys(&["Space"]);
    terminal.sees("3 changes not saved");
    terminal.keys(&["s"]);
    let screen = terminal.sees("Saved 3 changes.");
    assert!(screen.contains("every event (1/1 enabled)"), "{screen}");
    let text = config(&context);
    assert_eq!(text.matches("enabled = false").count(), 2, "{text}");
    assert!(
        text.contains("use = \"log\"") && text.contains("# said by the boss"),
        "{text}"
    );
    terminal.keys(&["q"]);
    terminal.sees("ENDED 0");
}

#[test]
fn quit_asks_if_changes_are_not_saved() {
    let context = context();
    let terminal = terminal!(&context);
    terminal.sees("q quit");
    terminal.move_to("no-force-push").keys(&["Space"]);
    terminal.sees("1 change not saved");
    terminal.keys(&["q"]);
    terminal.sees("quit without saving");
    terminal.keys(&["n"]);
    terminal.no_longer_sees("quit without saving");
    // Switching back is no change.
    terminal.keys(&["Space"]);
    terminal.no_longer_sees("not saved");
    terminal.keys(&["Space", "q"]);
    terminal.sees("quit without saving");
    terminal.keys(&["y"]);
    terminal.sees("ENDED 0");
    assert_eq!(config(&context), CONFIG);
}

#[test]
fn form_adds_a_hook_and_shows_errors() {
    let context = context();
    let terminal = terminal!(&context);
    terminal.sees("q quit");
    terminal.keys(&["a"]);
    terminal.sees("Add a hook");
    terminal.keys(&["Down"]).text("./check \"it\"");
    terminal.sees("./check \"it\"");
    terminal.keys(&["Down", "Down", "C-u"]).text("Sto");
    terminal.sees("Stop StopFailure");
    terminal.keys(&["Right"]);
    terminal.sees("Events      Stop");
    for _ in 0..8 {
        terminal.keys(&["Down"]);
    }
    terminal.sees("> Timeout");
    terminal.text("soon").keys(&["C-s"]);
    terminal.sees("`timeout`: is not a duration");
    assert_eq!(config(&context), CONFIG);
    terminal.keys(&["C-u"]).text("5s").keys(&["C-s"]);
    terminal.sees("Added `check` to");
    let text = config(&context);
    let new = text.strip_prefix(CONFIG).expect("what was there stays");
    assert_eq!(
        new,
        "\n[[hook]]\nname = \"check\"\nevent = \"Stop\"\ncommand = './check \"it\"'\ntimeout = \"5s\"\n"
    );
    terminal.sees("> ");
    terminal.keys(&["q"]);
    terminal.sees("ENDED 0");
}

#[test]
fn a_built_in_is_added_with_its_options() {
    let context = Context::new();
    let terminal = terminal!(&context);
    terminal.sees("q quit");
    terminal.move_to("security-guard").keys(&["a", "Down"]);
    terminal.sees("> Built-in    < security-guard >");
    terminal.sees("Blocks dangerous commands");
    terminal.keys(&["Down"]).text("preset=strict");
    terminal.sees("preset=strict");
    terminal.keys(&["C-s"]);
    terminal.sees("Added `security-guard`");
    let text = config(&context);
    assert!(
        text.contains("use = \"security-guard\"\noptions = { preset = \"strict\" }"),
        "{text}"
    );
}

#[test]
fn remove_asks_for_confirmation() {
    let context = context();
    let terminal = terminal!(&context);
    terminal.sees("q quit");
    terminal.move_to("two").keys(&["d"]);
    let screen = terminal.sees("Remove this hook from its file?");
    assert!(screen.contains("config.toml:11"), "{screen}");
    terminal.keys(&["n"]);
    terminal.no_longer_sees("Remove this hook");
    assert_eq!(config(&context), CONFIG);
    terminal.keys(&["d"]);
    terminal.sees("Remove this hook");
    terminal.keys(&["y"]);
    terminal.sees("Removed `two`");
    let text = config(&context);
    assert!(
        !text.contains("two") && text.contains("no-force-push"),
        "{text}"
    );
}

#[test]
fn test_shows_the_result_and_can_be_stopped() {
    let context = Context::new();
    context.config("[[hook]]\nname = \"no\"\nevent = \"PreToolUse\"\ncommand = \"echo never >&2; exit 2\"\n[[hook]]\nname = \"slow\"\nevent = \"PreToolUse\"\ncommand = \"sleep 1000\"\ntimeout = \"1h\"\n");
    context.write(
        "app/becket.toml",
        "[[hook]]\nname = \"p\"\nevent = \"PreToolUse\"\ncommand = \"touch ran\"\n",
    );
    let terminal = terminal!(&context);
    terminal.sees("q quit");
    terminal.keys(&["t"]);
    let screen = terminal.sees("Test of p");
    assert!(screen.contains("is not trusted"), "{screen}");
    terminal.keys(&["Escape"]);
    terminal.no_longer_sees("Test of");
    assert!(!context.path("app/ran").exists());
    terminal.move_to("no - echo").keys(&["t"]);
    let screen = terminal.sees("Test of no");
    for expected in [
        "verdict        deny",
        "reason         never",
        "exit           2",
        "took",
        "ms",
    ] {
        assert!(screen.contains(expected), "{expected} in:\n{screen}");
    }
    terminal.keys(&["Escape"]);
    terminal.no_longer_sees("Test of");
    terminal.move_to("slow").keys(&["t"]);
    terminal.sees("Running slow");
    terminal.keys(&["Escape"]);
    terminal.sees("cancelled");
}

#[test]
fn all_hooks_are_switched_off_and_on() {
    let context = context();
    let terminal = terminal!(&context);
    terminal.sees("Mode: enabled");
    terminal.keys(&["g"]);
    terminal.sees("Mode: disabled*");
    assert_eq!(config(&context), CONFIG);
    terminal.keys(&["s"]);
    terminal.sees("Saved 1 change.");
    assert_eq!(
        config(&context),
        format!("{CONFIG}\n[hooks]\nenabled = false\n")
    );
    terminal.keys(&["g", "s"]);
    terminal.sees("Mode: enabled ");
    terminal.sees("Saved 1 change.");
    assert_eq!(config(&context), CONFIG);
}

#[test]
fn the_filter_hides_what_does_not_match() {
    let context = context();
    let terminal = terminal!(&context);
    terminal.sees("no-force-push");
    terminal.keys(&["/"]).text("TWO");
    let screen = terminal.no_longer_sees("no-force-push");
    assert!(
        screen.contains("two - true") && !screen.contains("security-guard"),
        "{screen}"
    );
    terminal.keys(&["Enter", "Space"]);
    terminal.sees("*[disabled]  two");
    terminal.keys(&["Escape"]);
    terminal.sees("no-force-push");
    terminal.keys(&["/"]).text("nothing like it");
    terminal.sees("Nothing matches");
    terminal.keys(&["Escape", "?"]);
    let screen = terminal.sees("this help");
    assert!(screen.contains("becket trust"), "{screen}");
}

#[test]
fn manager_works_at_every_terminal_size() {
    let context = context();
    let terminal = terminal!(&context, 20, 6, "");
    terminal.sees("PreToolUse");
    for (width, height) in [(1, 1), (2, 1), (10, 3), (200, 60), (3, 40), (80, 2)] {
        let (width, height) = (width.to_string(), height.to_string());
        for key in [
            "a", "Escape", "?", "Escape", "d", "n", "/", "Escape", "Enter", "Escape",
        ] {
            terminal.tmux(&["resize-window", "-t", "t", "-x", &width, "-y", &height]);
            terminal.keys(&[key]);
        }
    }
    terminal.tmux(&["resize-window", "-t", "t", "-x", "80", "-y", "24"]);
    terminal.keys(&["Escape"]);
    terminal.wait("the whole list", |screen| {
        screen.contains("no-force-push - Never force") && screen.contains("q quit")
    });
    // Close whatever is still open.
    terminal.wait("its end", |screen| {
        let ended = screen.contains("ENDED 0");
        if !ended {
            terminal.keys(&["Escape", "q"]);
        }
        ended
    });
}

#[test]
fn signal_restores_the_terminal() {
    let context = context();
    for signal in ["TERM", "HUP", "INT"] {
        let terminal = terminal!(&context);
        terminal.sees("q quit");
        let pid = context.read("pid");
        let sent = Command::new("kill")
            .arg(format!("-{signal}"))
            .arg(pid.trim())
            .status();
        assert!(sent.expect("kill").success());
        let screen = terminal.sees("STTY");
        assert!(
            screen.starts_with("BEFORE"),
            "{signal}: the old screen is back:\n{screen}"
        );
        assert!(screen.contains("STTY icanon echo"), "{signal}: {screen}");
        assert!(!screen.contains("ENDED 0"), "{signal}: {screen}");
    }
}

#[test]
fn signal_stops_the_running_test() {
    let context = Context::new();
    let alive = context.path("alive");
    context.config(&format!(
        "[[hook]]\nname = \"slow\"\nevent = \"Stop\"\ncommand = \"echo $$ > {}; sleep 1000\"\ntimeout = \"1h\"\n",
        alive.display()
    ));
    let terminal = terminal!(&context);
    terminal.sees("q quit");
    terminal.move_to("slow").keys(&["t"]);
    terminal.sees("Running slow");
    terminal.wait("child", |_| !context.read("alive").is_empty());
    let status = Command::new("kill")
        .arg(context.read("pid").trim())
        .status();
    assert!(status.expect("kill").success());
    terminal.sees("STTY icanon echo");
    let child = context.read("alive");
    let gone = Command::new("kill")
        .args(["-0", child.trim()])
        .output()
        .expect("kill");
    assert!(!gone.status.success(), "the hook outlived its test");
}

#[test]
fn no_color_disables_colors() {
    let context = context();
    let coloured = |env: &str| {
        let terminal = Terminal::open(&context, "hooks", 80, 24, env);
        terminal.sees("q quit");
        let screen = terminal.tmux(&["capture-pane", "-p", "-e", "-t", "t"]);
        screen.contains("38;5;2m")
    };
    if has_tmux() {
        assert!(coloured(""));
        assert!(!coloured("NO_COLOR=1"));
    }
}

#[test]
fn forty_columns_show_the_help_and_quit_keys() {
    let context = context();
    let terminal = terminal!(&context, 40, 20, "");
    let screen = terminal.sees("q quit");
    assert!(screen.contains("? help"), "{screen}");
    let head = screen.lines().next().unwrap_or_default();
    assert!(
        head.trim_end().ends_with("3 hooks"),
        "the count is whole: {screen}"
    );
}
