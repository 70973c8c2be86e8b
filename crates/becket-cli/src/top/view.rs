//! Draws the screen at any size; what does not fit is truncated.

use becket_base::text::columns::ellipsize;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, List, ListItem, ListState, Paragraph, Wrap};
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use super::session::{LiveSession, compact_number, project_name, verdict};
use super::state::{Overlay, Pane, TopState};
use crate::report::{one_line, sanitize};
use crate::tail::{self, shows_event};
use crate::widgets::{bad, bold, dim, good, warn};

const KEYS: &str =
    "tab pane  enter open  / search  a agent  p project  space pause  ? help  q quit";
/// The most important keys, for narrow screens.
const SHORT_KEYS: &str = "? help  / search  space pause  q quit";
/// The keys while a text is open.
const OVERLAY_KEYS: &str = "up, down move  space page  home, end  esc back";
const SHORT_OVERLAY_KEYS: &str = "esc back  space page";
/// Below this height only the list with the cursor is shown.
const MIN_HEIGHT_FOR_BOTH: u16 = 14;

pub(super) fn draw(frame: &mut Frame<'_>, app: &mut TopState) {
    let area = frame.area();
    // The width inside the border of a text.
    app.width = usize::from(area.width).saturating_sub(4).max(1);
    let [head, body, message, foot] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(1),
        Constraint::Length(1),
        Constraint::Length(1),
    ])
    .areas(area);
    draw_head(frame, app, head);
    if app.open.is_some() {
        draw_overlay(frame, app, body);
    } else {
        draw_lists(frame, app, body);
    }
    draw_message(frame, app, message);
    let (all, few) = match app.open {
        Some(_) => (OVERLAY_KEYS, SHORT_OVERLAY_KEYS),
        None => (KEYS, SHORT_KEYS),
    };
    let keys = if usize::from(area.width) < all.width() {
        few
    } else {
        all
    };
    frame.render_widget(Line::styled(keys, dim()), foot);
}

fn draw_head(frame: &mut Frame<'_>, app: &TopState, area: Rect) {
    let active = app.sessions.iter().filter(|one| !one.is_over).count();
    let mut parts = vec![("title", Span::styled("becket top", bold()))];
    if app.buffered.is_some() {
        parts.push(("paused", Span::styled("PAUSED", warn())));
    }
    let sessions = format!("{active}/{} active", app.sessions.len());
    parts.push(("sessions", Span::raw(sessions)));
    let events = format!("{} events", compact_number(app.event_count));
    parts.push(("events", Span::raw(events)));
    let verdicts = &app.verdicts;
    for (count, word, style) in [
        (verdicts.denied, "deny", bad()),
        (verdicts.asked, "ask", warn()),
        (verdicts.allowed, "allow", good()),
    ] {
        let style = if count == 0 { dim() } else { style };
        parts.push((
            word,
            Span::styled(format!("{word} {}", compact_number(count)), style),
        ));
    }
    if !app.has_daemon {
        parts.push(("daemon", Span::styled("no daemon", warn())));
    }
    // A truncated number would be wrong, so whole counters are dropped, least important first.
    for least in ["title", "allow", "ask", "events", "daemon", "sessions"] {
        let taken: usize = parts.iter().map(|(_, span)| span.width() + 2).sum();
        if taken <= usize::from(area.width) + 2 {
            break;
        }
        parts.retain(|(name, _)| *name != least);
    }
    let spans = parts
        .into_iter()
        .flat_map(|(_, span)| [span, Span::raw("  ")]);
    frame.render_widget(spans.collect::<Line<'_>>(), area);
}

fn draw_message(frame: &mut Frame<'_>, app: &TopState, area: Rect) {
    let mut filters = Vec::new();
    filters.extend(app.agent.as_ref().map(|agent| format!("agent {agent}")));
    filters.extend(
        app.project
            .as_ref()
            .map(|project| format!("project {}", project_name(project))),
    );
    if !app.search.is_empty() {
        filters.push(format!("/{}", app.search));
    }
    let buffered = app.buffered.as_ref().map_or(0, Vec::len);
    let line = if app.is_searching {
        Line::raw(format!("/{}▏", sanitize(&app.search)))
    } else if let Some(error) = &app.error {
        Line::styled(one_line(error, 500), bad())
    } else if app.buffered.is_some() {
        Line::styled(format!("{buffered} new; space continues"), warn())
    } else if !filters.is_empty() {
        Line::raw(format!(
            "only {} (esc shows all)",
            sanitize(&filters.join(", "))
        ))
    } else {
        Line::raw("")
    };
    frame.render_widget(line, area);
}

fn draw_lists(frame: &mut Frame<'_>, app: &mut TopState, area: Rect) {
    if area.height < MIN_HEIGHT_FOR_BOTH {
        return match app.pane {
            Pane::Sessions => draw_sessions(frame, app, area),
            Pane::Events => draw_events(frame, app, area),
        };
    }
    let wanted = u16::try_from(app.shown_sessions().count()).unwrap_or(u16::MAX);
    let most = (area.height / 2).max(4);
    let [above, below] = Layout::vertical([
        Constraint::Length(wanted.saturating_add(2).clamp(4, most)),
        Constraint::Min(4),
    ])
    .areas(area);
    draw_sessions(frame, app, above);
    draw_events(frame, app, below);
}

fn draw_sessions(frame: &mut Frame<'_>, app: &mut TopState, area: Rect) {
    let layout = SessionColumns::new(area.width);
    let rows: Vec<ListItem<'_>> = app
        .shown_sessions()
        .map(|session| ListItem::new(layout.session(session)))
        .collect();
    let has_focus = app.pane == Pane::Sessions;
    let nothing = if app.sessions.is_empty() {
        "No sessions yet. Run `becket up` to connect your agents, or `becket demo`."
    } else {
        "No matching sessions."
    };
    let mut at = app.at_session;
    draw_list(
        frame,
        (layout.heading(), rows, nothing),
        &mut at,
        has_focus,
        area,
    );
    app.at_session = at;
}

fn draw_events(frame: &mut Frame<'_>, app: &mut TopState, area: Rect) {
    let width = usize::from(area.width).saturating_sub(2);
    let visible = usize::from(area.height) + app.at_event.selected().unwrap_or(0);
    let rows: Vec<ListItem<'_>> = app
        .shown_events()
        .take(visible)
        .map(|record| ListItem::new(event_line(record, width)))
        .collect();
    let has_focus = app.pane == Pane::Events;
    let mut at = app.at_event;
    let event = if shows_event(width) { "EVENT" } else { "" };
    let heading = Line::styled(format!("  TIME     AGENT    {event}"), dim());
    let nothing = if app.events.is_empty() {
        "No events yet."
    } else {
        "No matching events."
    };
    draw_list(frame, (heading, rows, nothing), &mut at, has_focus, area);
    app.at_event = at;
}

fn draw_list(
    frame: &mut Frame<'_>,
    (heading, rows, nothing): (Line<'_>, Vec<ListItem<'_>>, &str),
    at: &mut ListState,
    has_focus: bool,
    area: Rect,
) {
    let [head, body] = Layout::vertical([Constraint::Length(1), Constraint::Min(1)]).areas(area);
    frame.render_widget(heading, head);
    if rows.is_empty() {
        let text = Paragraph::new(nothing)
            .style(dim())
            .wrap(Wrap { trim: true });
        return frame.render_widget(text, body);
    }
    if at.selected().is_none_or(|at| at >= rows.len()) {
        at.select(Some(at.selected().unwrap_or(0).min(rows.len() - 1)));
    }
    let (mark, style) = if has_focus {
        ("> ", Style::new().add_modifier(Modifier::REVERSED))
    } else {
        ("  ", Style::new())
    };
    let list = List::new(rows)
        .highlight_symbol(mark)
        .highlight_style(style);
    frame.render_stateful_widget(list, body, at);
}

/// The width of the tool call and token counters, with their gaps.
const NUMBERS_WIDTH: usize = 18;

/// The column widths of the session list; zero hides a column.
struct SessionColumns {
    agent: usize,
    project: usize,
    now: usize,
    numbers: bool,
}

impl SessionColumns {
    fn new(width: u16) -> Self {
        let width = usize::from(width).saturating_sub(2);
        let numbers = width >= 70;
        let project = if width >= 50 { 14 } else { 0 };
        let agent = if width >= 24 { 8 } else { 0 };
        // The mark, the last column and the gaps.
        let taken = 2
            + 8
            + [agent, project]
                .iter()
                .map(|it| it + usize::from(*it > 0))
                .sum::<usize>();
        let taken = taken + if numbers { NUMBERS_WIDTH } else { 0 };
        Self {
            agent,
            project,
            now: width.saturating_sub(taken),
            numbers,
        }
    }

    fn heading<'l>(&self) -> Line<'l> {
        let cells = ["AGENT", "PROJECT", "NOW", "TOOL CALLS", "TOKENS", "BLOCKED"];
        let text = self.cells(cells.map(str::to_owned));
        Line::styled(format!("    {text}"), dim())
    }

    fn session<'l>(&self, session: &LiveSession) -> Line<'l> {
        let (mark, style) = match (session.is_over, session.is_idle()) {
            (true, _) => ("○ ", dim()),
            (false, true) => ("● ", dim()),
            (false, false) => ("● ", good()),
        };
        let tokens = session
            .tokens
            .map_or_else(|| "·".to_owned(), compact_number);
        let denied = match session.denied {
            0 => "·".to_owned(),
            some => compact_number(some),
        };
        let text = self.cells([
            sanitize(&session.agent),
            sanitize(&session.place()),
            one_line(&session.line(), 500),
            compact_number(session.calls),
            tokens,
            String::new(),
        ]);
        let denied_style = if session.denied > 0 { bad() } else { dim() };
        let text_style = if session.is_over { dim() } else { Style::new() };
        let text = text.trim_end_matches(' ').to_owned();
        let pad = " ".repeat(self.before_denied().saturating_sub(text.width()));
        Line::from(vec![
            Span::styled(mark, style),
            Span::styled(text + &pad, text_style),
            Span::styled(format!("{denied:>8}"), denied_style),
        ])
    }

    /// Where the last column begins.
    fn before_denied(&self) -> usize {
        let columns = [self.agent, self.project, self.now];
        let wide = columns.iter().map(|it| it + usize::from(*it > 0));
        wide.sum::<usize>().saturating_sub(1) + if self.numbers { NUMBERS_WIDTH } else { 0 }
    }

    fn cells(&self, [agent, project, now, tool_calls, tokens, denied]: [String; 6]) -> String {
        let mut parts = Vec::new();
        for (text, width) in [
            (agent, self.agent),
            (project, self.project),
            (now, self.now),
        ] {
            if width > 0 {
                parts.push(pad(&text, width));
            }
        }
        if self.numbers {
            parts.push(format!("{tool_calls:>10} {tokens:>6}"));
        }
        let text = parts.join(" ");
        if denied.is_empty() {
            text
        } else {
            format!("{text}{denied:>8}")
        }
    }
}

fn event_line<'l>(record: &Value, width: usize) -> Line<'l> {
    let text = |key: &str| record[key].as_str().unwrap_or_default();
    let time = text("ts").get(11..19).unwrap_or_default();
    let mut before = format!("{} {} ", pad(time, 8), pad(text("agent"), 8));
    if shows_event(width) {
        before += &format!("{} ", pad(text("event"), 18));
    }
    let word = verdict(record);
    let (mark, style) = match word {
        "deny" | "halt" => (word, bad()),
        "ask" => (word, warn()),
        "allow" => (word, good()),
        _ => ("·", dim()),
    };
    let room = width.saturating_sub(before.width() + 6);
    Line::from(vec![
        Span::styled(ellipsize(&before, width).into_owned(), dim()),
        Span::styled(format!("{mark:5} "), style),
        Span::raw(ellipsize(&tail::summary(record), room).into_owned()),
    ])
}

fn pad(text: &str, width: usize) -> String {
    let text = one_line(text, width);
    let pad = width.saturating_sub(text.width());
    format!("{text}{}", " ".repeat(pad))
}

fn draw_overlay(frame: &mut Frame<'_>, app: &mut TopState, area: Rect) {
    let (title, text) = match &app.open {
        Some(Overlay::Session { id, text, .. }) => (format!("Session {id}"), text),
        Some(Overlay::Text { title, text }) => (title.clone(), text),
        None => return,
    };
    let text = sanitize(text);
    let inner = app.width;
    let lines: usize = text
        .lines()
        .map(|line| line.width().max(1).div_ceil(inner))
        .sum();
    let lines = u16::try_from(lines).unwrap_or(u16::MAX);
    let most = lines.saturating_sub(area.height.saturating_sub(2));
    app.scroll = app.scroll.min(most);
    let block = Block::bordered()
        .title(format!(" {} ", one_line(&title, 60)))
        .title_bottom(" esc back ")
        .padding(ratatui::widgets::Padding::horizontal(1));
    let paragraph = Paragraph::new(text)
        .block(block)
        .wrap(Wrap { trim: false })
        .scroll((app.scroll, 0));
    frame.render_widget(paragraph, area);
}
