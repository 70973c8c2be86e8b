//! The definitions of a text, by its grammar.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{Node, ParseOptions, Parser};

use super::grammar::{Definitions, Role, definitions, is_preface, is_wrapper};
use super::language::Language;
use super::lines::Lines;
use super::outline::outline;

/// A container of more lines is taken apart.
pub(super) const SHORT_CONTAINER: usize = 60;

/// What has several lines has at least this many.
pub(super) const LENGTHY: usize = 4;

/// Longer names are cut.
pub(super) const MOST_NAME: usize = 120;

/// So deep in each other stand definitions of people; deeper is what programs write.
const DEEPEST: usize = 64;

/// A grammar that takes longer is lost in a text that was made for that.
const PATIENCE: Duration = Duration::from_secs(2);

/// Lines that a definition takes.
#[derive(Debug)]
pub(super) struct Span {
    /// Counted from 0.
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) name: Option<String>,
    pub(super) kind: &'static str,
}

thread_local! {
    /// A parser with its tables is dear to make.
    static PARSERS: RefCell<HashMap<Language, Option<(Parser, Definitions)>>> = RefCell::default();
}

/// The definitions of a text. `None` where there is no grammar, or it gave up.
pub(super) fn spans(language: Language, text: &str, lines: &Lines<'_>) -> Option<Vec<Span>> {
    if let Some(spans) = outline(language, lines) {
        return Some(spans);
    }
    PARSERS.with_borrow_mut(|parsers| {
        let (parser, definitions) = parsers
            .entry(language)
            .or_insert_with(|| prepared(language))
            .as_mut()?;
        let deadline = Instant::now() + PATIENCE;
        let mut look = |_: &tree_sitter::ParseState| {
            if Instant::now() < deadline {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        };
        let options = ParseOptions::new().progress_callback(&mut look);
        let bytes = text.as_bytes();
        let mut read = |at: usize, _| bytes.get(at..).unwrap_or_default();
        let Some(tree) = parser.parse_with_options(&mut read, None, Some(options)) else {
            parser.reset();
            return None;
        };
        let mut finder = Finder {
            definitions,
            text,
            lines,
            spans: Vec::new(),
        };
        finder.visit(tree.root_node(), &mut Vec::new(), 0);
        Some(finder.spans)
    })
}

fn prepared(language: Language) -> Option<(Parser, Definitions)> {
    let definitions = definitions(language)?;
    let mut parser = Parser::new();
    parser.set_language(&definitions.grammar).ok()?;
    Some((parser, definitions))
}

/// A node among its neighbours. Nodes do not know them without counting from the first.
#[derive(Clone, Copy)]
struct Place<'s, 't> {
    node: Node<'t>,
    parent: Node<'t>,
    before: &'s [Node<'t>],
}

impl Place<'_, '_> {
    /// The first line of the node and of the comments and attributes that stand right before it.
    fn first(&self) -> usize {
        let mut first = rows(self.node).0;
        for (at, one) in self.before.iter().enumerate().rev() {
            let (start, last) = rows(*one);
            if !is_preface(one.kind()) || last + 1 < first || self.trails(at, start) {
                break;
            }
            first = start;
        }
        first
    }

    /// Whether code stands before a comment on its line: it belongs to that.
    fn trails(&self, at: usize, line: usize) -> bool {
        match at.checked_sub(1) {
            Some(at) => rows(self.before[at]).1 == line,
            None => self.parent.parent().is_some() && self.parent.start_position().row == line,
        }
    }
}

struct Finder<'t> {
    definitions: &'t Definitions,
    text: &'t str,
    lines: &'t Lines<'t>,
    spans: Vec<Span>,
}

impl<'t> Finder<'t> {
    fn visit(&mut self, node: Node<'t>, inside: &mut Vec<String>, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        let children = children(node);
        for (at, child) in children.iter().enumerate() {
            let place = Place {
                node: *child,
                parent: node,
                before: &children[..at],
            };
            if !self.take(*child, place, inside, depth) {
                self.visit(*child, inside, depth + 1);
            }
        }
    }

    /// Whether the node is a definition, or stands around one. `place` is where what belongs to it stands.
    fn take(
        &mut self,
        node: Node<'t>,
        place: Place<'_, 't>,
        inside: &mut Vec<String>,
        depth: usize,
    ) -> bool {
        if is_wrapper(node.kind()) {
            let mut children = children(node).into_iter();
            return depth <= DEEPEST
                && children.any(|child| self.take(child, place, inside, depth + 1));
        }
        let (first, last) = rows(place.node);
        let count = last - first + 1;
        let (kind, apart) = match self.definitions.role(node.kind()) {
            Some(Role::Whole(kind)) => (kind, false),
            Some(Role::Lengthy(kind)) if count >= LENGTHY => (kind, false),
            Some(Role::Binding(kind)) if binds_function(node) => (kind, false),
            None | Some(Role::Lengthy(_) | Role::Binding(_)) => return false,
            Some(Role::Container(kind)) => (kind, count > SHORT_CONTAINER),
        };
        let own = self.name(node);
        if apart {
            self.take_apart(node, place, own, kind, inside, depth);
            return true;
        }
        self.spans.push(Span {
            first: place.first(),
            last,
            name: qualified(inside, own),
            kind,
        });
        true
    }

    /// A long container: its members by themselves, and what stands between them under its own name.
    fn take_apart(
        &mut self,
        node: Node<'t>,
        place: Place<'_, 't>,
        own: Option<String>,
        kind: &'static str,
        inside: &mut Vec<String>,
        depth: usize,
    ) {
        let whole = (place.first(), rows(place.node).1);
        let before = self.spans.len();
        let name = qualified(inside, own.clone());
        inside.extend(own);
        let named = inside.len();
        self.visit(node, inside, depth + 1);
        inside.truncate(named);
        if name.is_some() {
            inside.pop();
        }
        let lines = &self.lines.all;
        fill(&mut self.spans, before, whole, name.as_deref(), kind, lines);
    }

    fn name(&self, node: Node<'t>) -> Option<String> {
        let named = node
            .child_by_field_name("name")
            .or_else(|| node.child_by_field_name("key"))
            .or_else(|| {
                node.child_by_field_name("type")
                    .filter(|_| node.kind() == "impl_item")
            })
            .or_else(|| node.child_by_field_name("left"))
            .or_else(|| declared(node))
            .or_else(|| inner_name(node))?;
        let text = self.text.get(named.byte_range())?.lines().next()?;
        let text = without_exports(text);
        let text = text.trim().trim_matches(['"', '\'', '#', ' ']);
        (!text.is_empty()).then(|| crate::text::cut(text, MOST_NAME).to_owned())
    }
}

/// What stands between the members of a container, which are the spans from `before` on, gets its name.
pub(super) fn fill(
    spans: &mut Vec<Span>,
    before: usize,
    (first, last): (usize, usize),
    name: Option<&str>,
    kind: &'static str,
    lines: &[&str],
) {
    let members = spans[before..].iter().map(|span| (span.first, span.last));
    let mut members: Vec<(usize, usize)> = members.collect();
    members.sort_unstable();
    let mut next = first;
    for (start, end) in members.into_iter().chain([(last + 1, last + 1)]) {
        if start > next && says_something(lines.get(next..start).unwrap_or_default()) {
            spans.push(Span {
                first: next,
                last: start - 1,
                name: name.map(str::to_owned),
                kind,
            });
        }
        next = next.max(end + 1);
    }
}

/// Whether these lines have more than brackets.
fn says_something(lines: &[&str]) -> bool {
    let says = |line: &&str| line.chars().any(char::is_alphanumeric) && line.trim() != "end";
    lines.iter().any(says)
}

pub(super) fn qualified(inside: &[String], own: Option<String>) -> Option<String> {
    let own = own?;
    // Headings do not need those above them, and there are many.
    let parents = inside.iter().rev().take(2).rev().map(String::as_str);
    let all: Vec<&str> = parents.chain([own.as_str()]).collect();
    Some(all.join("."))
}

/// First and last line. A node that ends at the beginning of a line ends before it.
fn rows(node: Node<'_>) -> (usize, usize) {
    let (start, end) = (node.start_position(), node.end_position());
    let last = if end.column == 0 && end.row > start.row {
        end.row - 1
    } else {
        end.row
    };
    (start.row, last)
}

fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

/// Whether a declaration names a function or a class.
fn binds_function(node: Node<'_>) -> bool {
    let is_function = |node: Node<'_>| {
        matches!(
            node.kind(),
            "arrow_function" | "function_expression" | "function" | "generator_function" | "class"
        )
    };
    let given = |node: Node<'_>, field| node.child_by_field_name(field).is_some_and(is_function);
    let value = |node: Node<'_>| given(node, "value") || given(node, "right");
    let mut cursor = node.walk();
    value(node) || node.named_children(&mut cursor).any(value)
}

/// What a module of Node.js calls what it gives away.
fn without_exports(name: &str) -> &str {
    let name = name.strip_prefix("module.").unwrap_or(name);
    name.strip_prefix("exports.").unwrap_or(name)
}

/// The name inside C's declarators: `*(*name)(int)`.
fn declared(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node.child_by_field_name("declarator")?;
    for _ in 0..DEEPEST {
        match at.child_by_field_name("declarator") {
            Some(inner) => at = inner,
            None => break,
        }
    }
    Some(at)
}

/// The first name among the next few nodes: of a variable, a Go type, a table, a heading.
fn inner_name(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.named_children(&mut cursor).take(4).collect();
    let direct = children
        .iter()
        .find_map(|child| child.child_by_field_name("name"));
    let heading = || {
        let heading = children
            .iter()
            .find(|child| child.kind().ends_with("_heading"))?;
        heading
            .child_by_field_name("heading_content")
            .or_else(|| heading.named_child(0))
    };
    let object = || {
        let create = children.first()?;
        let mut cursor = create.walk();
        let mut inner = create.named_children(&mut cursor);
        inner.find(|child| child.kind() == "object_reference")
    };
    direct.or_else(heading).or_else(object)
}
