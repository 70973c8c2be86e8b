//! Tests of records and keys against the state, without a terminal.

use crossterm::event::{KeyCode, KeyEvent};
use serde_json::{Value, json};

use super::state::{Overlay, TopAction, TopState};

fn record(session: &str, agent: &str, event: &str, command: &str, verdict: &str) -> Value {
    json!({
        "id": format!("{session}{event}{command}"), "ts": "2026-11-16T08:00:00.000Z", "agent": agent, "event": event,
        "session": session, "project": format!("/src/{agent}"), "decision": { "verdict": verdict },
        "payload": { "tool_name": "Bash", "tool_input": { "command": command } },
    })
}

fn app() -> TopState {
    let mut app = TopState {
        width: 80,
        ..TopState::default()
    };
    app.take(vec![
        record("s1", "claude", "PreToolUse", "ls", "none"),
        record("s1", "claude", "PostToolUse", "ls", "none"),
        record("s2", "codex", "PreToolUse", "rm -rf /", "deny"),
    ]);
    app
}

fn press(app: &mut TopState, keys: &str) -> TopAction {
    let mut effect = TopAction::None;
    for key in keys.chars() {
        let code = match key {
            '\n' => KeyCode::Enter,
            '\t' => KeyCode::Tab,
            '\x1b' => KeyCode::Esc,
            'v' => KeyCode::Down,
            other => KeyCode::Char(other),
        };
        effect = app.press(KeyEvent::from(code));
    }
    effect
}

fn ids(app: &TopState) -> Vec<&str> {
    app.shown_sessions().map(|one| one.id.as_str()).collect()
}

#[test]
fn session_with_the_latest_event_is_first_and_tool_calls_are_counted() {
    let app = app();
    assert_eq!(ids(&app), ["s2", "s1"]);
    assert_eq!(app.sessions[0].now, "blocked: Bash: rm -rf /");
    assert_eq!(app.sessions[0].denied, 1);
    assert_eq!(app.sessions[1].now, "thinking after Bash: ls");
    assert_eq!(app.sessions[1].calls, 1);
    assert_eq!((app.event_count, app.verdicts.denied), (3, 1));
}

#[test]
fn cursor_stays_on_its_session_when_another_has_an_event() {
    let mut app = app();
    press(&mut app, "v");
    assert_eq!(app.session().map(|one| one.id.as_str()), Some("s1"));
    app.take(vec![record("s3", "qwen", "SessionStart", "", "none")]);
    assert_eq!(ids(&app), ["s3", "s2", "s1"]);
    assert_eq!(app.session().map(|one| one.id.as_str()), Some("s1"));
}

#[test]
fn paused_screen_buffers_events() {
    let mut app = app();
    press(&mut app, " ");
    app.take(vec![record("s3", "qwen", "SessionStart", "", "none")]);
    assert_eq!(ids(&app), ["s2", "s1"]);
    press(&mut app, " ");
    assert_eq!(ids(&app), ["s3", "s2", "s1"]);
    assert_eq!(app.event_count, 4);
}

#[test]
fn agent_project_and_search_filter_both_lists() {
    let mut app = app();
    press(&mut app, "a");
    assert_eq!((ids(&app), app.shown_events().count()), (vec!["s1"], 2));
    press(&mut app, "a");
    assert_eq!(ids(&app), ["s2"]);
    press(&mut app, "a");
    assert_eq!(ids(&app), ["s2", "s1"]);
    press(&mut app, "p");
    assert_eq!(ids(&app), ["s1"]);
    press(&mut app, "\x1b/RM -\n");
    assert_eq!((ids(&app), app.shown_events().count()), (vec!["s2"], 1));
    press(&mut app, "\x1b");
    assert_eq!(ids(&app).len(), 2);
}

#[test]
fn enter_opens_session_or_event_and_escape_closes_it() {
    let mut app = app();
    press(&mut app, "\n");
    let Some(Overlay::Session { id, text, fresh }) = &app.open else {
        panic!("no session is open");
    };
    assert_eq!((id.as_str(), *fresh), ("s2", false));
    assert!(text.contains("rm -rf /"), "{text}");
    press(&mut app, "\x1b\t\n");
    let Some(Overlay::Text { title, text }) = &app.open else {
        panic!("no event is open");
    };
    assert_eq!(title, "PreToolUse");
    assert!(
        text.contains("verdict   deny") && text.contains("\"payload\""),
        "{text}"
    );
    assert_eq!(
        press(&mut app, "q"),
        TopAction::None,
        "closes the text first"
    );
    assert_eq!(press(&mut app, "q"), TopAction::Quit);
}

#[test]
fn search_covers_text_truncated_in_the_list() {
    let mut app = app();
    let long = format!("echo {} needle", "hay ".repeat(50));
    app.take(vec![record("s4", "claude", "PreToolUse", &long, "none")]);
    press(&mut app, "/needle\n");
    assert_eq!((ids(&app), app.shown_events().count()), (vec!["s4"], 1));
}

#[test]
fn idle_session_keeps_its_last_activity_and_adds_no_event() {
    let mut app = app();
    let idle = |session: &str, at: &str| json!({ "id": "i", "ts": at, "agent": "claude", "event": "BecketIdle", "session": session });
    app.take(vec![idle("s1", "2026-11-16T09:00:00.000Z")]);
    assert_eq!(app.event_count, 3);
    assert_eq!(app.shown_events().count(), 3);
    assert_eq!(ids(&app), ["s2", "s1"]);
    assert_eq!(app.sessions[1].now, "thinking after Bash: ls");
    assert!(app.sessions[1].is_idle());
    // An idle event from before its latest event has no effect.
    app.take(vec![idle("s2", "2026-11-16T07:00:00.000Z")]);
    assert!(!app.sessions[0].is_idle());
    app.take(vec![record("s1", "claude", "PreToolUse", "pwd", "none")]);
    assert!(!app.sessions[0].is_idle(), "it is active again");
}

fn screen(app: &mut TopState, width: u16, height: u16) -> String {
    let backend = ratatui::backend::TestBackend::new(width, height);
    let mut terminal = ratatui::Terminal::new(backend).expect("a terminal");
    terminal
        .draw(|frame| super::view::draw(frame, app))
        .expect("drawn");
    terminal.backend().to_string()
}

#[test]
fn narrow_header_drops_whole_counters() {
    let mut app = app();
    for width in [12, 20, 30, 40, 60, 80] {
        let screen = screen(&mut app, width, 20);
        let head = screen.lines().next().unwrap_or_default();
        let words: Vec<&str> = head.trim_matches('"').split_whitespace().collect();
        assert!(
            words.windows(2).any(|two| two == ["deny", "1"]),
            "{width}: {head}"
        );
        let is_whole = |word: &&str| ["ask", "allow"].contains(word);
        let last = words.last().expect("words");
        assert!(
            !is_whole(last),
            "{width}: a label without its number: {head}"
        );
    }
}

#[test]
fn filter_shows_the_project_name_not_its_path() {
    let mut app = app();
    press(&mut app, "p");
    let screen = screen(&mut app, 40, 20);
    assert!(screen.contains("only project claude (esc"), "{screen}");
}

#[test]
fn footer_lists_the_overlay_keys() {
    let mut app = app();
    press(&mut app, "\n");
    for width in [40, 80] {
        let screen = screen(&mut app, width, 20);
        let foot = screen.lines().last().unwrap_or_default();
        assert!(
            foot.contains("esc back") && !foot.contains("q quit"),
            "{foot}"
        );
    }
}
