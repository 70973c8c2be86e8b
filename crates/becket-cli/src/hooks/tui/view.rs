//! How it looks. Everything fits into any size; what does not fit is cut.

use becket_agents::config::to_becket_toml;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, List, ListItem, Paragraph, Wrap};

use super::form::Form;
use super::rows::{Row, identity};
use super::state::{App, Focus, Question, Target};
use crate::hooks::builtins::{self, BUILTINS, about, when};
use crate::hooks::catalog::{Definition, State};
use crate::hooks::list::total;
use crate::hooks::show::{facts, options};
use crate::look::{bad, bold, dim, draw_text, good, warn, window};
use crate::report::{one_line, tame};

const KEYS: &str =
    "space switch  s save  a add  d remove  t test  g on/off  / find  ? help  q quit";

/// What matters most of it, for narrow screens.
const FEW_KEYS: &str = "? help  space switch  s save  q quit";

pub(super) fn draw(frame: &mut Frame<'_>, app: &mut App) {
    let area = frame.area();
    let about = if area.height >= 16 { 7 } else { 0 };
    let [head, body, details, message, foot] = Layout::vertical([
        Constraint::Length(2),
        Constraint::Min(1),
        Constraint::Length(about),
        Constraint::Length(1),
        Constraint::Length(1),
    ])
    .areas(area);
    draw_head(frame, app, head);
    draw_list(frame, app, body);
    if about > 0 {
        draw_details(frame, app, details);
    }
    draw_message(frame, app, message);
    let keys = if usize::from(area.width) < KEYS.len() {
        FEW_KEYS
    } else {
        KEYS
    };
    frame.render_widget(Line::styled(keys, dim()), foot);
    match &mut app.focus {
        Focus::List | Focus::Filter => {}
        Focus::Form(form) => draw_form(frame, form, area),
        Focus::Text {
            title,
            text,
            scroll,
        } => draw_text(frame, title, text, scroll, area),
        Focus::Waiting(name) => {
            let text = format!("{} is running. esc stops it.", one_line(name, 40));
            draw_text(frame, "Test", &text, &mut 0, area);
        }
        Focus::Question(question) => {
            let (title, text) = question_text(*question, &app.catalog.definitions, &app.pending);
            draw_text(frame, title, &text, &mut 0, area);
        }
    }
}

fn question_text(
    question: Question,
    hooks: &[Definition],
    pending: &[(Target, bool)],
) -> (&'static str, String) {
    match question {
        Question::Quit => (
            "Quit",
            format!(
                "{} not saved.\n\ny  quit without saving\ns  save\nn  stay",
                changes(pending.len())
            ),
        ),
        Question::Remove(index) => {
            let what = hooks.get(index).map_or_else(String::new, |hook| {
                let summary = one_line(&hook.first().action.summary(), 60);
                format!(
                    "{}\n{summary}\n{}",
                    one_line(hook.name(), 60),
                    tame(&hook.place())
                )
            });
            (
                "Remove",
                format!("{what}\n\nRemove this hook from its file?\n\ny  remove\nn  keep"),
            )
        }
    }
}

fn draw_head(frame: &mut Frame<'_>, app: &App, area: Rect) {
    let mode = if app.is_on() {
        Span::styled("enabled", good())
    } else {
        Span::styled("disabled", warn())
    };
    let star = if app.is_pending(&Target::All) {
        "*"
    } else {
        ""
    };
    let mut parts = vec![
        Span::styled("Hooks", bold()),
        Span::raw("  Mode: "),
        mode,
        Span::raw(star),
    ];
    let taken: usize = parts.iter().map(Span::width).sum();
    let room = usize::from(area.width).saturating_sub(taken + 2);
    // The whole count, or at least how many there are.
    let all = total(&app.catalog.definitions);
    let few = all.split(" (").next().unwrap_or_default();
    let fitting = [all.as_str(), few]
        .into_iter()
        .find(|text| text.len() <= room);
    parts.extend(fitting.map(|text| Span::raw(format!("  {text}"))));
    let title = Line::from(parts);
    let rule = Line::styled("─".repeat(area.width.into()), dim());
    frame.render_widget(Paragraph::new(vec![title, rule]), area);
}

fn draw_list(frame: &mut Frame<'_>, app: &mut App, area: Rect) {
    if app.rows.is_empty() {
        let text = format!(
            "Nothing matches `{}`. esc shows everything.",
            tame(&app.filter)
        );
        return frame.render_widget(Paragraph::new(text), area);
    }
    let lines: Vec<ListItem<'_>> = app.rows.iter().map(|row| item(app, row)).collect();
    let list = List::new(lines)
        .highlight_style(Style::new().add_modifier(Modifier::REVERSED))
        .highlight_symbol("> ");
    frame.render_stateful_widget(list, area, &mut app.list);
}

fn item<'a>(app: &App, row: &Row) -> ListItem<'a> {
    let hooks = &app.catalog.definitions;
    match row {
        Row::Event { name, hooks: below } => {
            let on = below
                .iter()
                .filter(|at| app.state(&hooks[**at]) == State::Enabled);
            let counts = format!(" ({}/{} enabled)", on.count(), below.len());
            ListItem::new(Line::from(vec![
                Span::styled(tame(name), bold()),
                Span::raw(counts),
            ]))
        }
        Row::Hook(index) => hook_item(app, &hooks[*index]),
        Row::Builtins => ListItem::new(Line::styled("Built-in hooks that are not set up", bold())),
        Row::Builtin(index) => {
            let builtin = &BUILTINS[*index];
            let pending = app.is_pending(&Target::Builtin(builtin.name));
            let state = if pending {
                State::Enabled
            } else {
                State::Disabled
            };
            let text = format!("{} - {}", builtin.name, builtin.about);
            ListItem::new(Line::from(vec![mark(state, pending), Span::raw(text)]))
        }
    }
}

fn hook_item<'a>(app: &App, hook: &Definition) -> ListItem<'a> {
    let pending = app.is_pending(&Target::Hook(identity(hook)));
    let first = hook.first();
    let about = about(first).map_or_else(|| first.action.summary(), str::to_owned);
    let text = format!("{} - {}", one_line(hook.name(), 40), one_line(&about, 200));
    ListItem::new(Line::from(vec![
        mark(app.state(hook), pending),
        Span::raw(text),
    ]))
}

fn mark<'a>(state: State, pending: bool) -> Span<'a> {
    let star = if pending { '*' } else { ' ' };
    let text = format!("{star}{:12}", format!("[{}]", state.word()));
    let style = match state {
        State::Enabled => good(),
        State::Untrusted => warn(),
        State::Disabled => dim(),
    };
    Span::styled(text, style)
}

fn draw_details(frame: &mut Frame<'_>, app: &App, area: Rect) {
    let mut lines = vec![Line::styled("─".repeat(area.width.into()), dim())];
    match app.row() {
        Some(Row::Hook(index)) => {
            let hook = &app.catalog.definitions[*index];
            let first = hook.first();
            let matcher = if first.matcher.is_all() {
                String::new()
            } else {
                format!(" on {}", first.matcher.pattern())
            };
            let about = about(first).unwrap_or("no description");
            lines.push(Line::styled(
                one_line(&format!("{}{matcher}", hook.name()), 200),
                bold(),
            ));
            lines.push(Line::raw(one_line(about, 200)));
            lines.push(Line::raw(one_line(&first.action.summary(), 200)));
            lines.push(Line::raw(tame(&hook.place())));
            let trust = match hook.trusted {
                None => "your own, needs no trust",
                Some(true) => "trusted",
                Some(false) => "not trusted: `becket trust`",
            };
            let level = first.source.level.name();
            lines.push(Line::raw(format!(
                "{level}, {}, {trust}",
                first.dialect.name()
            )));
        }
        Some(Row::Builtin(index)) => {
            let builtin = &BUILTINS[*index];
            lines.push(Line::styled(builtin.name, bold()));
            lines.push(Line::raw(builtin.about));
            lines.push(Line::raw(format!("for {}", when(builtin))));
            lines.push(Line::raw(
                "space sets it up for you; a opens the form with its options",
            ));
        }
        _ => lines.push(Line::styled("space switches all of them", dim())),
    }
    frame.render_widget(Paragraph::new(lines), area);
}

fn draw_message(frame: &mut Frame<'_>, app: &App, area: Rect) {
    let problems = app.catalog.configuration.loaded.problems.len();
    let line = match (&app.focus, &app.message) {
        (Focus::Filter, _) => Line::raw(format!("/{}▏", tame(&app.filter))),
        (_, Some((text, true))) => Line::styled(tame(text), bad()),
        (_, Some((text, false))) => Line::styled(tame(text), bold()),
        (_, None) if !app.filter.is_empty() => {
            let filter = tame(&app.filter);
            Line::raw(format!("filter: {filter} (esc shows everything)"))
        }
        (_, None) if !app.pending.is_empty() => {
            let text = format!("{} not saved: s saves", changes(app.pending.len()));
            Line::styled(text, warn())
        }
        (_, None) if problems > 0 => {
            let text = format!("{problems} problems in configuration: `becket doctor`");
            Line::styled(text, warn())
        }
        _ => Line::raw(""),
    };
    frame.render_widget(line, area);
}

pub(super) fn changes(count: usize) -> String {
    let word = if count == 1 { "change" } else { "changes" };
    format!("{count} {word}")
}

/// Everything about a hook, as text.
pub(super) fn details(app: &App, hook: &Definition) -> String {
    let mut text = String::new();
    for (key, value) in facts(&app.catalog, hook) {
        text += &format!("{key:12} {value}\n");
    }
    text += &format!("\n{}", to_becket_toml(&hook.specs[..1]));
    match builtins::of(hook.first()) {
        Some((builtin, given)) => text + &options(builtin, given),
        None => text,
    }
}

fn draw_form(frame: &mut Frame<'_>, form: &Form, area: Rect) {
    let place = window(area, 100, area.height);
    let block = Block::bordered().title(" Add a hook ");
    let inner = block.inner(place);
    frame.render_widget(Clear, place);
    frame.render_widget(block, place);
    let [body, about, foot] = Layout::vertical([
        Constraint::Min(1),
        Constraint::Length(2),
        Constraint::Length(1),
    ])
    .areas(inner);
    let visible = form.visible();
    let height = usize::from(body.height).max(1);
    let first = (form.focus + 1).saturating_sub(height);
    let rows = visible.iter().enumerate().skip(first).take(height);
    let lines: Vec<Line<'_>> = rows
        .map(|(index, field)| {
            let focused = index == form.focus;
            let value = tame(&field.value);
            let value = match (focused, field.is_text()) {
                (true, true) => with_cursor(&value, field.cursor, body.width),
                (true, false) => format!("< {value} >"),
                (false, _) if value.is_empty() => "-".to_owned(),
                (false, _) => value,
            };
            let style = if focused {
                Style::new().add_modifier(Modifier::REVERSED)
            } else {
                Style::new()
            };
            let mark = if focused { '>' } else { ' ' };
            let label = format!("{mark} {:12}", field.label);
            Line::from(vec![
                Span::styled(label, bold()),
                Span::styled(value, style),
            ])
        })
        .collect();
    frame.render_widget(Paragraph::new(lines), body);
    let below = match &form.error {
        Some(error) => Paragraph::new(tame(error)).style(bad()),
        None => Paragraph::new(form.about()).style(dim()),
    };
    frame.render_widget(below.wrap(Wrap { trim: true }), about);
    let keys = "tab, arrows move  left, right choose  ctrl-s add it  esc leave";
    frame.render_widget(Line::styled(keys, dim()), foot);
}

/// The part of a text around the cursor that fits, with the cursor shown.
fn with_cursor(text: &str, cursor: usize, width: u16) -> String {
    let room = usize::from(width).saturating_sub(16).max(1);
    let from = (cursor + 1).saturating_sub(room);
    let mut shown: Vec<char> = text.chars().collect();
    shown.insert(cursor.min(shown.len()), '▏');
    shown.into_iter().skip(from).take(room).collect()
}
