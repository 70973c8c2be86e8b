//! Adds a child to an object or array and removes it again, as splices.
//!
//! The two operations are inverses. In a container with children, a new one goes after the last comment, and
//! its comma directly after the previous sibling; the white space before the closing bracket stays. Removing
//! the last child removes exactly those pieces.
//!
//! An empty container needs more care, because one that existed before must stay and one that we created must
//! go. Comments prove that it existed. Without comments, the first child is set off by a blank line (by a
//! space in a one-line document); containers that we create never start like that. If a formatter removes the
//! blank line, the user loses an empty container and nothing else.

use std::iter::once;
use std::ops::Range;

use super::layout::{LayoutStyle, indent_at, newline, own_line_indent};
use super::tree::{JsonNode, JsonShape};
use super::trivia::{TriviaKind, TriviaToken, is_line_break, tokens};

/// Replace these bytes by this text.
pub(super) type Splice = (Range<usize>, String);

/// An object or array: brackets around children.
pub(super) struct JsonContainer<'t> {
    text: &'t str,
    /// The bytes between the brackets.
    inside: Range<usize>,
    children: Vec<Range<usize>>,
    is_object: bool,
}

impl<'t> JsonContainer<'t> {
    pub(super) fn of(text: &'t str, node: &JsonNode) -> Option<Self> {
        let (children, is_object) = match &node.shape {
            JsonShape::Array(elements) => {
                let ranges = elements.iter().map(|element| element.range.clone());
                (ranges.collect(), false)
            }
            JsonShape::Object(members) => {
                let ranges = members.iter().map(|member| member.range.clone());
                (ranges.collect(), true)
            }
            _ => return None,
        };
        Some(Self {
            text,
            inside: node.range.start + 1..node.range.end - 1,
            children,
            is_object,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.children.len()
    }

    /// Appends a child. `render` gets its indentation.
    pub(super) fn append(
        &self,
        style: &LayoutStyle,
        render: impl Fn(&str) -> String,
    ) -> Vec<Splice> {
        match self.children.last() {
            Some(last) => self.append_behind(last, style, render),
            None => vec![self.append_first(style, render)],
        }
    }

    /// Removes one of several children.
    pub(super) fn remove(&self, index: usize) -> Vec<Splice> {
        if index + 1 == self.children.len() {
            self.remove_last(index)
        } else {
            self.remove_earlier(index)
        }
    }

    /// Removes the only child if there is proof that the container existed before the child.
    pub(super) fn remove_only(&self) -> Option<Vec<Splice>> {
        let child = self.children.first()?;
        let before = self.tokens(0);
        let after = self.tokens(1);
        if before.is_empty() && after.is_empty() {
            return Some(delete(once(self.set_off(child)?)));
        }
        if !before.iter().chain(&after).any(TriviaToken::is_comment) {
            return None;
        }
        Some(self.delete_with_lead(&before, child, &after))
    }

    fn append_behind(
        &self,
        last: &Range<usize>,
        style: &LayoutStyle,
        render: impl Fn(&str) -> String,
    ) -> Vec<Splice> {
        let count = self.children.len();
        let behind = self.tokens(count);
        let has_comma = behind.iter().any(|token| token.kind == TriviaKind::Comma);
        let at = behind.last().map_or(last.end, |token| token.range.end);
        let on_lines = ends_in_line_comment(&behind)
            || self.is_object && style.lines
            || self.text[self.gap(count - 1)].contains('\n')
            || self.text[self.gap(count)].contains('\n');
        let lead = self.lead(style, on_lines);
        let child = render(&self.child_indent(style));
        if has_comma {
            return vec![(at..at, format!("{lead}{child},"))];
        }
        vec![
            (last.end..last.end, ",".to_owned()),
            (at..at, format!("{lead}{child}")),
        ]
    }

    fn append_first(&self, style: &LayoutStyle, render: impl Fn(&str) -> String) -> Splice {
        let comments = self.tokens(0);
        let on_lines = style.lines || ends_in_line_comment(&comments);
        let child = render(&self.child_indent(style));
        if let Some(comment) = comments.last() {
            let at = comment.range.end;
            return (at..at, format!("{}{child}", self.lead(style, on_lines)));
        }
        let at = self.inside.end;
        if !on_lines {
            return (at..at, format!(" {child}"));
        }
        let LayoutStyle { newline, .. } = style;
        let lead = self.lead(style, on_lines);
        let close = indent_at(self.text, self.inside.start);
        (at..at, format!("{newline}{lead}{child}{newline}{close}"))
    }

    fn lead(&self, style: &LayoutStyle, on_lines: bool) -> String {
        if on_lines {
            format!("{}{}", style.newline, self.child_indent(style))
        } else if style.spaced {
            " ".to_owned()
        } else {
            String::new()
        }
    }

    fn child_indent(&self, style: &LayoutStyle) -> String {
        self.children
            .iter()
            .rev()
            .find_map(|child| own_line_indent(self.text, child.start))
            .map_or_else(
                || format!("{}{}", indent_at(self.text, self.inside.start), style.unit),
                str::to_owned,
            )
    }

    fn remove_last(&self, index: usize) -> Vec<Splice> {
        let child = &self.children[index];
        let before = self.tokens(index);
        let after = self.tokens(index + 1);
        let mut splices = Vec::new();
        // The user writes trailing commas, so one stays after the previous sibling.
        if !after.iter().any(|token| token.kind == TriviaKind::Comma) {
            splices.extend(delete(comma(&before)));
        }
        splices.extend(self.delete_with_lead(&before, child, &after));
        splices
    }

    fn remove_earlier(&self, index: usize) -> Vec<Splice> {
        let child = &self.children[index];
        let after = self.tokens(index + 1);
        let mut splices = delete_with_comma(child.start, child, &after);
        if !after.iter().any(TriviaToken::is_comment) {
            // The next sibling moves up to the start of this child.
            let end = end_with_comma(child, &after);
            splices.extend(delete(once(end..self.children[index + 1].start)));
        }
        splices
    }

    /// Deletes a child with the white space before it and the comma after it.
    fn delete_with_lead(
        &self,
        before: &[TriviaToken],
        child: &Range<usize>,
        after: &[TriviaToken],
    ) -> Vec<Splice> {
        let start = match before.last() {
            Some(token) => self.lead_start(token, child, after),
            None => child.start,
        };
        delete_with_comma(start, child, after)
    }

    /// The start of the white space before a child, given the last comment or comma before it. A line comment
    /// keeps its line break unless another comment follows the child.
    fn lead_start(
        &self,
        token: &TriviaToken,
        child: &Range<usize>,
        after: &[TriviaToken],
    ) -> usize {
        let bytes = self.text.as_bytes();
        let next = bytes.get(end_with_comma(child, after)).copied();
        if token.kind != TriviaKind::LineComment || next.is_some_and(is_line_break) {
            return token.range.end;
        }
        let line_break = bytes[token.range.end..child.start]
            .iter()
            .rposition(|byte| is_line_break(*byte));
        line_break.map_or(child.start, |at| token.range.end + at + 1)
    }

    /// The separator that [`Self::append_first`] put into a container without comments, if any.
    fn set_off(&self, child: &Range<usize>) -> Option<Range<usize>> {
        let before = &self.text[self.inside.start..child.start];
        let after = &self.text[child.end..self.inside.end];
        if after.is_empty() {
            let kept = before.strip_suffix(' ')?;
            return Some(self.inside.start + kept.len()..self.inside.end);
        }
        let newline = newline(after);
        after
            .strip_prefix(newline)?
            .trim_start_matches([' ', '\t'])
            .is_empty()
            .then_some(())?;
        let kept = before
            .trim_end_matches([' ', '\t'])
            .strip_suffix(newline)?
            .strip_suffix(newline)?;
        Some(self.inside.start + kept.len()..self.inside.end)
    }

    fn tokens(&self, index: usize) -> Vec<TriviaToken> {
        tokens(self.text, self.gap(index))
    }

    /// The gap before the child with this index, or before the closing bracket.
    fn gap(&self, index: usize) -> Range<usize> {
        let start = match index.checked_sub(1) {
            Some(elder) => self.children[elder].end,
            None => self.inside.start,
        };
        let end = self
            .children
            .get(index)
            .map_or(self.inside.end, |child| child.start);
        start..end
    }
}

/// Applies splices that do not overlap; those at the same position in the given order.
pub(super) fn apply(text: &str, mut splices: Vec<Splice>) -> String {
    splices.sort_by_key(|(range, _)| range.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, new) in splices {
        out.push_str(&text[at..range.start]);
        out.push_str(&new);
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
}

fn delete(ranges: impl IntoIterator<Item = Range<usize>>) -> Vec<Splice> {
    let splices = ranges.into_iter().map(|range| (range, String::new()));
    splices.collect()
}

/// Deletes from `start` to the end of `child`, and the comma after it. Comments in between stay.
fn delete_with_comma(start: usize, child: &Range<usize>, after: &[TriviaToken]) -> Vec<Splice> {
    let end = end_with_comma(child, after);
    let separate = comma(after).filter(|comma| comma.end > end);
    delete([Some(start..end), separate].into_iter().flatten())
}

/// The end of the comma directly after a child, else the end of the child.
fn end_with_comma(child: &Range<usize>, after: &[TriviaToken]) -> usize {
    match after.first() {
        Some(token) if token.kind == TriviaKind::Comma => token.range.end,
        _ => child.end,
    }
}

fn comma(tokens: &[TriviaToken]) -> Option<Range<usize>> {
    tokens
        .iter()
        .find(|token| token.kind == TriviaKind::Comma)
        .map(|token| token.range.clone())
}

fn ends_in_line_comment(tokens: &[TriviaToken]) -> bool {
    tokens
        .last()
        .is_some_and(|token| token.kind == TriviaKind::LineComment)
}
