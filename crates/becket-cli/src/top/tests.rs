//! What keys and records do to the screen, without one.

use crossterm::event::{KeyCode, KeyEvent};
use serde_json::{Value, json};

use super::state::{App, Effect, Open};

fn record(session: &str, agent: &str, event: &str, command: &str, verdict: &str) -> Value {
    json!({
        "id": format!("{session}{event}{command}"), "ts": "2026-11-16T08:00:00.000Z", "agent": agent, "event": event,
        "session": session, "project": format!("/src/{agent}"), "decision": { "verdict": verdict },
        "payload": { "tool_name": "Bash", "tool_input": { "command": command } },
    })
}

fn app() -> App {
    let mut app = App {
        width: 80,
        ..App::default()
    };
    app.take(vec![
        record("s1", "claude", "PreToolUse", "ls", "none"),
        record("s1", "claude", "PostToolUse", "ls", "none"),
        record("s2", "codex", "PreToolUse", "rm -rf /", "deny"),
    ]);
    app
}

fn press(app: &mut App, keys: &str) -> Effect {
    let mut effect = Effect::None;
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

fn ids(app: &App) -> Vec<&str> {
    app.shown_sessions().map(|one| one.id.as_str()).collect()
}

#[test]
fn whoever_spoke_last_is_first_and_what_was_done_is_counted() {
    let app = app();
    assert_eq!(ids(&app), ["s2", "s1"]);
    assert_eq!(app.sessions[0].now, "denied: Bash: rm -rf /");
    assert_eq!(app.sessions[0].denied, 1);
    assert_eq!(app.sessions[1].now, "thinks, after Bash: ls");
    assert_eq!(app.sessions[1].calls, 1);
    assert_eq!((app.seen, app.verdicts.denied), (3, 1));
}

#[test]
fn the_cursor_stays_on_its_session_when_another_speaks() {
    let mut app = app();
    press(&mut app, "v");
    assert_eq!(app.session().map(|one| one.id.as_str()), Some("s1"));
    app.take(vec![record("s3", "qwen", "SessionStart", "", "none")]);
    assert_eq!(ids(&app), ["s3", "s2", "s1"]);
    assert_eq!(app.session().map(|one| one.id.as_str()), Some("s1"));
}

#[test]
fn a_paused_screen_stands_still_and_loses_nothing() {
    let mut app = app();
    press(&mut app, " ");
    app.take(vec![record("s3", "qwen", "SessionStart", "", "none")]);
    assert_eq!(ids(&app), ["s2", "s1"]);
    press(&mut app, " ");
    assert_eq!(ids(&app), ["s3", "s2", "s1"]);
    assert_eq!(app.seen, 4);
}

#[test]
fn agents_projects_and_a_search_narrow_both_lists() {
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
fn enter_opens_the_session_or_the_event_and_escape_goes_back() {
    let mut app = app();
    press(&mut app, "\n");
    let Some(Open::Session { id, text, fresh }) = &app.open else {
        panic!("no session is open");
    };
    assert_eq!((id.as_str(), *fresh), ("s2", false));
    assert!(text.contains("rm -rf /"), "{text}");
    press(&mut app, "\x1b\t\n");
    let Some(Open::Text { title, text }) = &app.open else {
        panic!("no event is open");
    };
    assert_eq!(title, "PreToolUse");
    assert!(
        text.contains("verdict   deny") && text.contains("\"payload\""),
        "{text}"
    );
    assert_eq!(press(&mut app, "q"), Effect::None, "leaves the text first");
    assert_eq!(press(&mut app, "q"), Effect::Quit);
}

#[test]
fn what_is_cut_in_the_list_is_found_all_the_same() {
    let mut app = app();
    let long = format!("echo {} needle", "hay ".repeat(50));
    app.take(vec![record("s4", "claude", "PreToolUse", &long, "none")]);
    press(&mut app, "/needle\n");
    assert_eq!((ids(&app), app.shown_events().count()), (vec!["s4"], 1));
}

#[test]
fn a_session_that_fell_silent_keeps_what_it_did_and_is_no_event() {
    let mut app = app();
    let idle = |session: &str, at: &str| json!({ "id": "i", "ts": at, "agent": "claude", "event": "BecketIdle", "session": session });
    app.take(vec![idle("s1", "2026-11-16T09:00:00.000Z")]);
    assert_eq!(app.seen, 3);
    assert_eq!(app.shown_events().count(), 3);
    assert_eq!(ids(&app), ["s2", "s1"]);
    assert_eq!(app.sessions[1].now, "thinks, after Bash: ls");
    assert!(app.sessions[1].is_silent());
    // One that was made before it spoke again comes too late.
    app.take(vec![idle("s2", "2026-11-16T07:00:00.000Z")]);
    assert!(!app.sessions[0].is_silent());
    app.take(vec![record("s1", "claude", "PreToolUse", "pwd", "none")]);
    assert!(!app.sessions[0].is_silent(), "it spoke");
}

fn screen(app: &mut App, width: u16, height: u16) -> String {
    let backend = ratatui::backend::TestBackend::new(width, height);
    let mut terminal = ratatui::Terminal::new(backend).expect("a terminal");
    terminal
        .draw(|frame| super::view::draw(frame, app))
        .expect("drawn");
    terminal.backend().to_string()
}

#[test]
fn the_header_of_a_narrow_screen_drops_whole_counters() {
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
            "{width}: a word without its number: {head}"
        );
    }
}

#[test]
fn a_filter_names_the_project_and_not_its_path() {
    let mut app = app();
    press(&mut app, "p");
    let screen = screen(&mut app, 40, 20);
    assert!(screen.contains("only project claude (esc"), "{screen}");
}

#[test]
fn while_a_text_is_read_the_footer_names_the_keys_that_work() {
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
