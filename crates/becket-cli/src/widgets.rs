//! Styles and popups shared by the terminal user interfaces.

use becket::EnvVars;
use becket::env::{ProcessEnv, Vars};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::widgets::{Block, Clear, Paragraph, Wrap};

use crate::report::{one_line, sanitize};

/// A centered rectangle, clipped to the area.
pub(crate) fn centered_rect(area: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    }
}

/// Draws a popup with wrapped text; `scroll` is limited to the end of the text.
pub(crate) fn draw_popup(
    frame: &mut Frame<'_>,
    title: &str,
    text: &str,
    scroll: &mut u16,
    area: Rect,
) {
    let width = 76.min(area.width);
    let inner = usize::from(width.saturating_sub(4)).max(1);
    let text = sanitize(text);
    let wrapped = |line: &str| line.chars().count().max(1).div_ceil(inner);
    let lines: usize = text.lines().map(wrapped).sum();
    let lines = u16::try_from(lines).unwrap_or(u16::MAX);
    let place = centered_rect(area, width, lines.saturating_add(2));
    let most = lines.saturating_sub(place.height.saturating_sub(2));
    *scroll = (*scroll).min(most);
    let block = Block::bordered()
        .title(format!(" {} ", one_line(title, 60)))
        .padding(ratatui::widgets::Padding::horizontal(1));
    let paragraph = Paragraph::new(text)
        .block(block)
        .wrap(Wrap { trim: false })
        .scroll((*scroll, 0));
    frame.render_widget(Clear, place);
    frame.render_widget(paragraph, place);
}

fn color_unless_disabled(color: Color) -> Style {
    if ProcessEnv.get(EnvVars::NO_COLOR).is_some() {
        Style::new()
    } else {
        Style::new().fg(color)
    }
}

pub(crate) fn good() -> Style {
    color_unless_disabled(Color::Green)
}

pub(crate) fn warn() -> Style {
    color_unless_disabled(Color::Yellow)
}

pub(crate) fn bad() -> Style {
    color_unless_disabled(Color::Red)
}

pub(crate) fn bold() -> Style {
    Style::new().add_modifier(Modifier::BOLD)
}

pub(crate) fn dim() -> Style {
    Style::new().add_modifier(Modifier::DIM)
}
