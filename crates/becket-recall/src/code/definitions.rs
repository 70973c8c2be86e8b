//! Finds definitions with tree-sitter grammars.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use becket_base::text::prefix_bytes;
use tree_sitter::{Node, ParseOptions, Parser};

use super::grammar::{LanguageGrammar, NodeRole, is_preface, is_wrapper, language_grammar};
use super::language::Language;
use super::lines::TextLines;
use super::outline::outline;

/// Containers with more lines are split.
pub(super) const SHORT_CONTAINER: usize = 60;

/// Minimum number of lines of a multi-line definition.
pub(super) const MULTI_LINE: usize = 4;

/// Longer names are truncated.
pub(super) const MAX_NAME_BYTES: usize = 120;

/// Maximum nesting depth; only generated code nests deeper.
const MAX_DEPTH: usize = 64;

/// Time limit against texts that are crafted to slow down a grammar.
const PARSE_TIMEOUT: Duration = Duration::from_secs(2);

/// The lines of a definition.
#[derive(Debug)]
pub(super) struct DefinitionSpan {
    /// Counted from 0.
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) name: Option<String>,
    pub(super) kind: &'static str,
}

thread_local! {
    /// Parsers are expensive to create.
    static PARSERS: RefCell<HashMap<Language, Option<(Parser, LanguageGrammar)>>> = RefCell::default();
}

/// The definitions of a text. `None` if there is no grammar or the parser timed out.
pub(super) fn spans(
    language: Language,
    text: &str,
    lines: &TextLines<'_>,
) -> Option<Vec<DefinitionSpan>> {
    if let Some(spans) = outline(language, lines) {
        return Some(spans);
    }
    PARSERS.with_borrow_mut(|parsers| {
        let (parser, definitions) = parsers
            .entry(language)
            .or_insert_with(|| new_parser(language))
            .as_mut()?;
        let deadline = Instant::now() + PARSE_TIMEOUT;
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
        let mut finder = DefinitionFinder {
            definitions,
            text,
            lines,
            spans: Vec::new(),
        };
        finder.visit(tree.root_node(), &mut Vec::new(), 0);
        Some(finder.spans)
    })
}

fn new_parser(language: Language) -> Option<(Parser, LanguageGrammar)> {
    let definitions = language_grammar(language)?;
    let mut parser = Parser::new();
    parser.set_language(&definitions.grammar).ok()?;
    Some((parser, definitions))
}

/// A node with its preceding siblings. Tree-sitter finds siblings only by counting from the first.
#[derive(Clone, Copy)]
struct NodeContext<'s, 't> {
    node: Node<'t>,
    parent: Node<'t>,
    before: &'s [Node<'t>],
}

impl NodeContext<'_, '_> {
    /// The first line, including comments and attributes directly before the node.
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

    /// Whether a comment follows code on the same line. It then belongs to that code.
    fn trails(&self, at: usize, line: usize) -> bool {
        match at.checked_sub(1) {
            Some(at) => rows(self.before[at]).1 == line,
            None => self.parent.parent().is_some() && self.parent.start_position().row == line,
        }
    }
}

struct DefinitionFinder<'t> {
    definitions: &'t LanguageGrammar,
    text: &'t str,
    lines: &'t TextLines<'t>,
    spans: Vec<DefinitionSpan>,
}

impl<'t> DefinitionFinder<'t> {
    fn visit(&mut self, node: Node<'t>, inside: &mut Vec<String>, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        let children = children(node);
        for (at, child) in children.iter().enumerate() {
            let place = NodeContext {
                node: *child,
                parent: node,
                before: &children[..at],
            };
            if !self.take(*child, place, inside, depth) {
                self.visit(*child, inside, depth + 1);
            }
        }
    }

    /// Records a definition; returns whether the node is one or wraps one. `place` is the outermost wrapping node.
    fn take(
        &mut self,
        node: Node<'t>,
        place: NodeContext<'_, 't>,
        inside: &mut Vec<String>,
        depth: usize,
    ) -> bool {
        if is_wrapper(node.kind()) {
            let mut children = children(node).into_iter();
            return depth <= MAX_DEPTH
                && children.any(|child| self.take(child, place, inside, depth + 1));
        }
        let (first, last) = rows(place.node);
        let count = last - first + 1;
        let (kind, apart) = match self.definitions.role(node.kind()) {
            Some(NodeRole::Whole(kind)) => (kind, false),
            Some(NodeRole::MultiLine(kind)) if count >= MULTI_LINE => (kind, false),
            Some(NodeRole::Binding(kind)) if binds_function(node) => (kind, false),
            None | Some(NodeRole::MultiLine(_) | NodeRole::Binding(_)) => return false,
            Some(NodeRole::Container(kind)) => (kind, count > SHORT_CONTAINER),
        };
        let own = self.name(node);
        if apart {
            self.take_apart(node, place, own, kind, inside, depth);
            return true;
        }
        self.spans.push(DefinitionSpan {
            first: place.first(),
            last,
            name: qualified(inside, own),
            kind,
        });
        true
    }

    /// Splits a long container: each member gets its own span, and the lines between members keep the container's name.
    fn take_apart(
        &mut self,
        node: Node<'t>,
        place: NodeContext<'_, 't>,
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
        (!text.is_empty()).then(|| prefix_bytes(text, MAX_NAME_BYTES).to_owned())
    }
}

/// Assigns the lines between the members of a container, the spans from `before` on, to the container.
pub(super) fn fill(
    spans: &mut Vec<DefinitionSpan>,
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
        if start > next && has_content(lines.get(next..start).unwrap_or_default()) {
            spans.push(DefinitionSpan {
                first: next,
                last: start - 1,
                name: name.map(str::to_owned),
                kind,
            });
        }
        next = next.max(end + 1);
    }
}

/// Whether the lines contain more than brackets.
fn has_content(lines: &[&str]) -> bool {
    let says = |line: &&str| line.chars().any(char::is_alphanumeric) && line.trim() != "end";
    lines.iter().any(says)
}

pub(super) fn qualified(inside: &[String], own: Option<String>) -> Option<String> {
    let own = own?;
    // Two parent names are enough; headings can nest deeply.
    let parents = inside.iter().rev().take(2).rev().map(String::as_str);
    let all: Vec<&str> = parents.chain([own.as_str()]).collect();
    Some(all.join("."))
}

/// First and last line. A node that ends at column 0 ends on the line before.
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

/// Whether a declaration binds a function or a class.
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

/// Removes the `exports` prefix of Node.js modules.
fn without_exports(name: &str) -> &str {
    let name = name.strip_prefix("module.").unwrap_or(name);
    name.strip_prefix("exports.").unwrap_or(name)
}

/// The name inside nested C declarators: `*(*name)(int)`.
fn declared(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node.child_by_field_name("declarator")?;
    for _ in 0..MAX_DEPTH {
        match at.child_by_field_name("declarator") {
            Some(inner) => at = inner,
            None => break,
        }
    }
    Some(at)
}

/// The first name among the first child nodes: a variable, a Go type, a table, a heading.
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
