//! How it looks. Everything fits into any size; what does not fit is cut.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, List, ListItem, ListState, Paragraph, Wrap};
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use super::session::{Session, name_of, short, verdict};
use super::state::{App, Open, Pane};
use crate::look::{bad, bold, dim, good, warn};
use crate::report::{one_line, tame};
use crate::table::fit;
use crate::tail::{self, has_event};

const KEYS: &str = "tab pane  enter look  / find  a agent  p project  space pause  ? help  q quit";
/// What matters most of it, for narrow screens.
const FEW_KEYS: &str = "? help  / find  space pause  q quit";
/// While a text is read.
const READING: &str = "up, down move  space page  home, end  esc back";
const FEW_READING: &str = "esc back  space page";
/// Below this height only the list with the cursor is shown.
const BOTH: u16 = 14;

pub(super) fn draw(frame: &mut Frame<'_>, app: &mut App) {
    let area = frame.area();
    // Inside the frame around a text.
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
        draw_open(frame, app, body);
    } else {
        draw_lists(frame, app, body);
    }
    draw_message(frame, app, message);
    let (all, few) = match app.open {
        Some(_) => (READING, FEW_READING),
        None => (KEYS, FEW_KEYS),
    };
    let keys = if usize::from(area.width) < all.width() {
        few
    } else {
        all
    };
    frame.render_widget(Line::styled(keys, dim()), foot);
}

fn draw_head(frame: &mut Frame<'_>, app: &App, area: Rect) {
    let active = app.sessions.iter().filter(|one| !one.is_over).count();
    let mut parts = vec![("title", Span::styled("becket top", bold()))];
    if app.held.is_some() {
        parts.push(("paused", Span::styled("PAUSED", warn())));
    }
    let sessions = format!("{active}/{} active", app.sessions.len());
    parts.push(("sessions", Span::raw(sessions)));
    let events = format!("{} events", short(app.seen));
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
            Span::styled(format!("{word} {}", short(count)), style),
        ));
    }
    if !app.has_daemon {
        parts.push(("daemon", Span::styled("no daemon", warn())));
    }
    // A number that is cut would be another number: what matters least goes as a whole.
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

fn draw_message(frame: &mut Frame<'_>, app: &App, area: Rect) {
    let mut filters = Vec::new();
    filters.extend(app.agent.as_ref().map(|agent| format!("agent {agent}")));
    filters.extend(
        app.project
            .as_ref()
            .map(|project| format!("project {}", name_of(project))),
    );
    if !app.search.is_empty() {
        filters.push(format!("/{}", app.search));
    }
    let held = app.held.as_ref().map_or(0, Vec::len);
    let line = if app.is_searching {
        Line::raw(format!("/{}▏", tame(&app.search)))
    } else if let Some(trouble) = &app.trouble {
        Line::styled(one_line(trouble, 500), bad())
    } else if app.held.is_some() {
        Line::styled(format!("{held} waiting; space goes on"), warn())
    } else if !filters.is_empty() {
        Line::raw(format!(
            "only {} (esc shows everything)",
            tame(&filters.join(", "))
        ))
    } else {
        Line::raw("")
    };
    frame.render_widget(line, area);
}

fn draw_lists(frame: &mut Frame<'_>, app: &mut App, area: Rect) {
    if area.height < BOTH {
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

fn draw_sessions(frame: &mut Frame<'_>, app: &mut App, area: Rect) {
    let layout = Columns::new(area.width);
    let rows: Vec<ListItem<'_>> = app
        .shown_sessions()
        .map(|session| ListItem::new(layout.session(session)))
        .collect();
    let has_focus = app.pane == Pane::Sessions;
    let nothing = if app.sessions.is_empty() {
        "No session yet. `becket up` connects your agents; `becket demo` plays some."
    } else {
        "No session fits."
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

fn draw_events(frame: &mut Frame<'_>, app: &mut App, area: Rect) {
    let width = usize::from(area.width).saturating_sub(2);
    let visible = usize::from(area.height) + app.at_event.selected().unwrap_or(0);
    let rows: Vec<ListItem<'_>> = app
        .shown_events()
        .take(visible)
        .map(|record| ListItem::new(event_line(record, width)))
        .collect();
    let has_focus = app.pane == Pane::Events;
    let mut at = app.at_event;
    let event = if has_event(width) { "EVENT" } else { "" };
    let heading = Line::styled(format!("  TIME     AGENT    {event}"), dim());
    let nothing = if app.events.is_empty() {
        "Nothing yet."
    } else {
        "Nothing fits."
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

/// How wide the columns of the sessions are; zero leaves one out.
struct Columns {
    agent: usize,
    project: usize,
    now: usize,
    numbers: bool,
}

impl Columns {
    fn new(width: u16) -> Self {
        let width = usize::from(width).saturating_sub(2);
        let numbers = width >= 70;
        let project = if width >= 50 { 14 } else { 0 };
        let agent = if width >= 24 { 8 } else { 0 };
        // A mark, what was denied, and the gaps.
        let taken = 2
            + 5
            + [agent, project]
                .iter()
                .map(|it| it + usize::from(*it > 0))
                .sum::<usize>();
        let taken = taken + if numbers { 14 } else { 0 };
        Self {
            agent,
            project,
            now: width.saturating_sub(taken),
            numbers,
        }
    }

    fn heading<'l>(&self) -> Line<'l> {
        let cells = ["AGENT", "PROJECT", "NOW", "TOOLS", "TOKENS", "DENY"];
        let text = self.cells(cells.map(str::to_owned));
        Line::styled(format!("    {text}"), dim())
    }

    fn session<'l>(&self, session: &Session) -> Line<'l> {
        let (mark, style) = match (session.is_over, session.is_silent()) {
            (true, _) => ("○ ", dim()),
            (false, true) => ("● ", dim()),
            (false, false) => ("● ", good()),
        };
        let tokens = session.tokens.map_or_else(|| "·".to_owned(), short);
        let denied = match session.denied {
            0 => "·".to_owned(),
            some => short(some),
        };
        let text = self.cells([
            tame(&session.agent),
            tame(&session.place()),
            one_line(&session.line(), 500),
            short(session.calls),
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
            Span::styled(format!("{denied:>5}"), denied_style),
        ])
    }

    /// Where the last column begins.
    fn before_denied(&self) -> usize {
        let columns = [self.agent, self.project, self.now];
        let wide = columns.iter().map(|it| it + usize::from(*it > 0));
        wide.sum::<usize>().saturating_sub(1) + if self.numbers { 14 } else { 0 }
    }

    fn cells(&self, [agent, project, now, tools, tokens, denied]: [String; 6]) -> String {
        let mut parts = Vec::new();
        for (text, width) in [
            (agent, self.agent),
            (project, self.project),
            (now, self.now),
        ] {
            if width > 0 {
                parts.push(padded(&text, width));
            }
        }
        if self.numbers {
            parts.push(format!("{tools:>6} {tokens:>6}"));
        }
        let text = parts.join(" ");
        if denied.is_empty() {
            text
        } else {
            format!("{text}{denied:>5}")
        }
    }
}

fn event_line<'l>(record: &Value, width: usize) -> Line<'l> {
    let text = |key: &str| record[key].as_str().unwrap_or_default();
    let time = text("ts").get(11..19).unwrap_or_default();
    let mut before = format!("{} {} ", padded(time, 8), padded(text("agent"), 8));
    if has_event(width) {
        before += &format!("{} ", padded(text("event"), 18));
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
        Span::styled(fit(&before, width), dim()),
        Span::styled(format!("{mark:5} "), style),
        Span::raw(fit(&tail::about(record), room)),
    ])
}

fn padded(text: &str, width: usize) -> String {
    let text = fit(&one_line(text, width), width);
    let pad = width.saturating_sub(text.width());
    text + &" ".repeat(pad)
}

fn draw_open(frame: &mut Frame<'_>, app: &mut App, area: Rect) {
    let (title, text) = match &app.open {
        Some(Open::Session { id, text, .. }) => (format!("Session {id}"), text),
        Some(Open::Text { title, text }) => (title.clone(), text),
        None => return,
    };
    let text = tame(text);
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
