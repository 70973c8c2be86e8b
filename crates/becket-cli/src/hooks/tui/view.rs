//! Draws the hook manager. It works at any terminal size; what does not fit is truncated.

use becket_agents::config::to_becket_toml;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, List, ListItem, Paragraph, Wrap};

use super::form::Form;
use super::rows::{ListRow, identity};
use super::state::{ConfirmDialog, Focus, HooksApp, SwitchTarget};
use crate::hooks::builtins::{self, BUILTINS, default_events, description_of};
use crate::hooks::catalog::{HookDefinition, HookState};
use crate::hooks::list::total;
use crate::hooks::show::{facts, options};
use crate::report::{one_line, sanitize};
use crate::widgets::{bad, bold, centered_rect, dim, draw_popup, good, warn};

const KEYS: &str =
    "space switch  s save  a add  d remove  t test  g on/off  / find  ? help  q quit";

/// The most important keys, for narrow terminals.
const FEW_KEYS: &str = "? help  space switch  s save  q quit";

pub(super) fn draw(frame: &mut Frame<'_>, app: &mut HooksApp) {
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
        } => draw_popup(frame, title, text, scroll, area),
        Focus::Waiting(name) => {
            let text = format!("Running {}; esc stops it.", one_line(name, 40));
            draw_popup(frame, "Test", &text, &mut 0, area);
        }
        Focus::Confirm(question) => {
            let (title, text) = question_text(*question, &app.catalog.definitions, &app.pending);
            draw_popup(frame, title, &text, &mut 0, area);
        }
    }
}

fn question_text(
    question: ConfirmDialog,
    hooks: &[HookDefinition],
    pending: &[(SwitchTarget, bool)],
) -> (&'static str, String) {
    match question {
        ConfirmDialog::Quit => (
            "Quit",
            format!(
                "{} not saved.\n\ny  quit without saving\ns  save\nn  stay",
                changes(pending.len())
            ),
        ),
        ConfirmDialog::Remove(index) => {
            let what = hooks.get(index).map_or_else(String::new, |hook| {
                let summary = one_line(&hook.first().action.summary(), 60);
                format!(
                    "{}\n{summary}\n{}",
                    one_line(hook.name(), 60),
                    sanitize(&hook.place())
                )
            });
            (
                "Remove",
                format!("{what}\n\nRemove this hook from its file?\n\ny  remove\nn  keep"),
            )
        }
    }
}

fn draw_head(frame: &mut Frame<'_>, app: &HooksApp, area: Rect) {
    let mode = if app.is_on() {
        Span::styled("enabled", good())
    } else {
        Span::styled("disabled", warn())
    };
    let star = if app.is_pending(&SwitchTarget::All) {
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
    // The full count, or only the number of hooks if space is short.
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

fn draw_list(frame: &mut Frame<'_>, app: &mut HooksApp, area: Rect) {
    if app.rows.is_empty() {
        let text = format!(
            "Nothing matches `{}`. Press esc to clear the filter.",
            sanitize(&app.filter)
        );
        return frame.render_widget(Paragraph::new(text), area);
    }
    let lines: Vec<ListItem<'_>> = app.rows.iter().map(|row| item(app, row)).collect();
    let list = List::new(lines)
        .highlight_style(Style::new().add_modifier(Modifier::REVERSED))
        .highlight_symbol("> ");
    frame.render_stateful_widget(list, area, &mut app.list);
}

fn item<'a>(app: &HooksApp, row: &ListRow) -> ListItem<'a> {
    let hooks = &app.catalog.definitions;
    match row {
        ListRow::Event { name, hooks: below } => {
            let on = below
                .iter()
                .filter(|at| app.state(&hooks[**at]) == HookState::Enabled);
            let counts = format!(" ({}/{} enabled)", on.count(), below.len());
            ListItem::new(Line::from(vec![
                Span::styled(sanitize(name), bold()),
                Span::raw(counts),
            ]))
        }
        ListRow::Hook(index) => hook_item(app, &hooks[*index]),
        ListRow::Builtins => {
            ListItem::new(Line::styled("Built-in hooks that are not set up", bold()))
        }
        ListRow::Builtin(index) => {
            let builtin = &BUILTINS[*index];
            let pending = app.is_pending(&SwitchTarget::Builtin(builtin.name));
            let state = if pending {
                HookState::Enabled
            } else {
                HookState::Disabled
            };
            let text = format!("{} - {}", builtin.name, builtin.about);
            ListItem::new(Line::from(vec![mark(state, pending), Span::raw(text)]))
        }
    }
}

fn hook_item<'a>(app: &HooksApp, hook: &HookDefinition) -> ListItem<'a> {
    let pending = app.is_pending(&SwitchTarget::Hook(identity(hook)));
    let first = hook.first();
    let about = description_of(first).map_or_else(|| first.action.summary(), str::to_owned);
    let text = format!("{} - {}", one_line(hook.name(), 40), one_line(&about, 200));
    ListItem::new(Line::from(vec![
        mark(app.state(hook), pending),
        Span::raw(text),
    ]))
}

fn mark<'a>(state: HookState, pending: bool) -> Span<'a> {
    let star = if pending { '*' } else { ' ' };
    let text = format!("{star}{:12}", format!("[{}]", state.word()));
    let style = match state {
        HookState::Enabled => good(),
        HookState::Untrusted => warn(),
        HookState::Disabled => dim(),
    };
    Span::styled(text, style)
}

fn draw_details(frame: &mut Frame<'_>, app: &HooksApp, area: Rect) {
    let mut lines = vec![Line::styled("─".repeat(area.width.into()), dim())];
    match app.row() {
        Some(ListRow::Hook(index)) => {
            let hook = &app.catalog.definitions[*index];
            let first = hook.first();
            let matcher = if first.matcher.is_all() {
                String::new()
            } else {
                format!(" on {}", first.matcher.pattern())
            };
            let about = description_of(first).unwrap_or("no description");
            lines.push(Line::styled(
                one_line(&format!("{}{matcher}", hook.name()), 200),
                bold(),
            ));
            lines.push(Line::raw(one_line(about, 200)));
            lines.push(Line::raw(one_line(&first.action.summary(), 200)));
            lines.push(Line::raw(sanitize(&hook.place())));
            let trust = match hook.trusted {
                None => "your own hook, needs no trust",
                Some(true) => "trusted",
                Some(false) => "not trusted; run `becket trust`",
            };
            let level = first.source.level.name();
            lines.push(Line::raw(format!(
                "{level}, {}, {trust}",
                first.dialect.name()
            )));
        }
        Some(ListRow::Builtin(index)) => {
            let builtin = &BUILTINS[*index];
            lines.push(Line::styled(builtin.name, bold()));
            lines.push(Line::raw(builtin.about));
            lines.push(Line::raw(format!("for {}", default_events(builtin))));
            lines.push(Line::raw(
                "press space to enable it, or a to set its options",
            ));
        }
        _ => lines.push(Line::styled("press space to switch all of them", dim())),
    }
    frame.render_widget(Paragraph::new(lines), area);
}

fn draw_message(frame: &mut Frame<'_>, app: &HooksApp, area: Rect) {
    let problems = app.catalog.configuration.loaded.problems.len();
    let line = match (&app.focus, &app.message) {
        (Focus::Filter, _) => Line::raw(format!("/{}▏", sanitize(&app.filter))),
        (_, Some((text, true))) => Line::styled(sanitize(text), bad()),
        (_, Some((text, false))) => Line::styled(sanitize(text), bold()),
        (_, None) if !app.filter.is_empty() => {
            let filter = sanitize(&app.filter);
            Line::raw(format!("filter: {filter} (esc clears it)"))
        }
        (_, None) if !app.pending.is_empty() => {
            let text = format!("{} not saved; press s to save", changes(app.pending.len()));
            Line::styled(text, warn())
        }
        (_, None) if problems > 0 => {
            let text = format!("{problems} problems in the configuration; run `becket doctor`");
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

/// All details of a hook as text.
pub(super) fn details(app: &HooksApp, hook: &HookDefinition) -> String {
    let mut text = String::new();
    for (key, value) in facts(&app.catalog, hook) {
        text += &format!("{key:12} {value}\n");
    }
    text += &format!("\n{}", to_becket_toml(&hook.specs[..1]));
    match builtins::builtin_of(hook.first()) {
        Some((builtin, given)) => text + &options(builtin, given),
        None => text,
    }
}

fn draw_form(frame: &mut Frame<'_>, form: &Form, area: Rect) {
    let place = centered_rect(area, 100, area.height);
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
            let value = sanitize(&field.value);
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
        Some(error) => Paragraph::new(sanitize(error)).style(bad()),
        None => Paragraph::new(form.about()).style(dim()),
    };
    frame.render_widget(below.wrap(Wrap { trim: true }), about);
    let keys = "tab, arrows: move   left, right: choose   ctrl-s: add   esc: cancel";
    frame.render_widget(Line::styled(keys, dim()), foot);
}

/// The part of the text around the cursor that fits, with a visible cursor.
fn with_cursor(text: &str, cursor: usize, width: u16) -> String {
    let room = usize::from(width).saturating_sub(16).max(1);
    let from = (cursor + 1).saturating_sub(room);
    let mut shown: Vec<char> = text.chars().collect();
    shown.insert(cursor.min(shown.len()), '▏');
    shown.into_iter().skip(from).take(room).collect()
}
