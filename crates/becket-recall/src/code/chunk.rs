//! A text in pieces.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{Node, ParseOptions, Parser};

use super::grammar::{Definitions, Role, definitions, is_preface, is_wrapper};
use super::language::Language;
use super::lines::Lines;

/// A container of more lines is taken apart.
const SHORT_CONTAINER: usize = 60;

/// What has several lines has at least this many.
const LENGTHY: usize = 4;

/// So deep in each other stand definitions of people; deeper is what programs write.
const DEEPEST: usize = 64;

/// A grammar that takes longer is lost in a text that was made for that.
const PATIENCE: Duration = Duration::from_secs(2);

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Its first line, counted from 1.
    pub start: u32,
    /// Its last line.
    pub end: u32,
    /// What it defines: `Class.method`, a heading, a key.
    pub name: Option<String>,
    /// `function`, `class`, …; `lines` for what is no definition.
    pub kind: &'static str,
    /// Its text.
    pub text: String,
}

/// Lines that a definition takes.
#[derive(Debug)]
struct Span {
    first: usize,
    last: usize,
    name: Option<String>,
    kind: &'static str,
}

/// Takes a text apart.
pub fn chunk(language: Language, text: &str) -> Vec<Chunk> {
    let lines = Lines::of(text);
    let spans = spans(language, text).unwrap_or_default();
    let mut chunks = Vec::new();
    let mut next = 0;
    for span in disjoint(spans) {
        if span.first > next {
            push(&mut chunks, &lines, next, span.first - 1, None, "lines");
        }
        push(
            &mut chunks,
            &lines,
            span.first,
            span.last,
            span.name.as_deref(),
            span.kind,
        );
        next = span.last + 1;
    }
    if next < lines.all.len() {
        push(
            &mut chunks,
            &lines,
            next,
            lines.all.len() - 1,
            None,
            "lines",
        );
    }
    chunks
}

fn push(
    chunks: &mut Vec<Chunk>,
    lines: &Lines<'_>,
    first: usize,
    last: usize,
    name: Option<&str>,
    kind: &'static str,
) {
    // Empty lines around it are nobody's.
    let is_empty = |at: &usize| lines.all.get(*at).is_none_or(|line| line.trim().is_empty());
    let Some(first) = (first..=last).find(|at| !is_empty(at)) else {
        return;
    };
    let last = (first..=last)
        .rev()
        .find(|at| !is_empty(at))
        .unwrap_or(first);
    for part in lines.parts(first, last) {
        chunks.push(Chunk {
            start: number(part.first),
            end: number(part.last),
            name: name.map(str::to_owned),
            kind,
            text: part.text.into_owned(),
        });
    }
}

fn number(line: usize) -> u32 {
    u32::try_from(line + 1).unwrap_or(u32::MAX)
}

/// In order and without a line in two of them: what begins where another ends belongs to that.
fn disjoint(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_by_key(|span| (span.first, span.last));
    let mut out: Vec<Span> = Vec::new();
    for span in spans {
        match out.last_mut() {
            Some(before) if span.first <= before.last => before.last = before.last.max(span.last),
            _ => out.push(span),
        }
    }
    out
}

thread_local! {
    /// A parser with its tables is dear to make.
    static PARSERS: RefCell<HashMap<Language, Option<(Parser, Definitions)>>> = RefCell::default();
}

/// `None` where there is no grammar, or it gave up.
fn spans(language: Language, text: &str) -> Option<Vec<Span>> {
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

struct Finder<'t> {
    definitions: &'t Definitions,
    text: &'t str,
    spans: Vec<Span>,
}

impl<'t> Finder<'t> {
    fn visit(&mut self, node: Node<'t>, inside: &mut Vec<String>, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            if !self.take(child, child, inside, depth) {
                self.visit(child, inside, depth + 1);
            }
        }
    }

    /// Whether the node is a definition, or stands around one. `outer` is what belongs to it.
    fn take(
        &mut self,
        node: Node<'t>,
        outer: Node<'t>,
        inside: &mut Vec<String>,
        depth: usize,
    ) -> bool {
        if is_wrapper(node.kind()) {
            let mut cursor = node.walk();
            let children: Vec<Node<'t>> = node.named_children(&mut cursor).collect();
            return children
                .into_iter()
                .any(|child| self.take(child, outer, inside, depth));
        }
        let (first, last) = rows(outer);
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
            self.take_apart(node, outer, own, kind, inside, depth);
            return true;
        }
        self.spans.push(Span {
            first: with_preface(outer, first),
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
        outer: Node<'t>,
        own: Option<String>,
        kind: &'static str,
        inside: &mut Vec<String>,
        depth: usize,
    ) {
        let (first, last) = rows(outer);
        let before = self.spans.len();
        let name = qualified(inside, own.clone());
        inside.extend(own);
        let named = inside.len();
        self.visit(node, inside, depth + 1);
        inside.truncate(named);
        if name.is_some() {
            inside.pop();
        }
        let mut members: Vec<(usize, usize)> = self.spans[before..]
            .iter()
            .map(|span| (span.first, span.last))
            .collect();
        members.sort_unstable();
        let mut next = with_preface(outer, first);
        for (start, end) in members.into_iter().chain([(last + 1, last + 1)]) {
            if start > next && self.says_something(next, start - 1) {
                self.spans.push(Span {
                    first: next,
                    last: start - 1,
                    name: name.clone(),
                    kind,
                });
            }
            next = next.max(end + 1);
        }
    }

    /// Whether these lines have more than brackets.
    fn says_something(&self, first: usize, last: usize) -> bool {
        let mut lines = self.text.lines().skip(first).take(last + 1 - first);
        lines.any(|line| line.chars().any(char::is_alphanumeric) && line.trim() != "end")
    }

    fn name(&self, node: Node<'t>) -> Option<String> {
        let named = node
            .child_by_field_name("name")
            .or_else(|| node.child_by_field_name("key"))
            .or_else(|| {
                node.child_by_field_name("type")
                    .filter(|_| node.kind() == "impl_item")
            })
            .or_else(|| declared(node))
            .or_else(|| inner_name(node))?;
        let text = self.text.get(named.byte_range())?.lines().next()?;
        let text = text.trim().trim_matches(['"', '\'', '#', ' ']);
        (!text.is_empty()).then(|| crate::text::cut(text, 120).to_owned())
    }
}

fn qualified(inside: &[String], own: Option<String>) -> Option<String> {
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

/// The first line of the comments and attributes that stand right before a definition.
fn with_preface(node: Node<'_>, first: usize) -> usize {
    let mut first = first;
    let mut before = node.prev_named_sibling();
    while let Some(one) = before.filter(|one| is_preface(one.kind())) {
        let (start, last) = rows(one);
        // What stands behind code on the same line belongs to that code.
        let trails = one
            .prev_sibling()
            .is_some_and(|other| rows(other).1 == start);
        if last + 1 < first || trails {
            break;
        }
        first = start;
        before = one.prev_named_sibling();
    }
    first
}

/// Whether a declaration names a function or a class.
fn binds_function(node: Node<'_>) -> bool {
    let is_function = |node: Node<'_>| {
        matches!(
            node.kind(),
            "arrow_function" | "function_expression" | "function" | "generator_function" | "class"
        )
    };
    let value = |node: Node<'_>| node.child_by_field_name("value").is_some_and(is_function);
    let mut cursor = node.walk();
    value(node) || node.named_children(&mut cursor).any(value)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// `kind name first-last` of each piece.
    fn outline(language: Language, text: &str) -> Vec<String> {
        let line = |chunk: &Chunk| {
            let name = chunk.name.as_deref().unwrap_or("-");
            format!("{} {name} {}-{}", chunk.kind, chunk.start, chunk.end)
        };
        chunk(language, text).iter().map(line).collect()
    }

    #[test]
    fn definitions_come_with_their_comments_and_the_rest_is_kept() {
        let rust = "//! About.\nuse std::fs;\n\nconst MOST: usize = 3;\n\n/// Adds.\n#[inline]\npub fn add(a: u8) -> u8 {\n    a\n}\n\n// Why.\nstruct Point {\n    x: u8,\n}\n";
        let expected = ["lines - 1-4", "function add 6-10", "struct Point 12-15"];
        assert_eq!(outline(Language::Rust, rust), expected);
        let python = "import os\n\n\n@cache\ndef load(path):\n    '''Reads.'''\n    return path\n\n\nclass A:\n    def b(self):\n        pass\n";
        let expected = ["lines - 1-1", "function load 4-7", "class A 10-12"];
        assert_eq!(outline(Language::Python, python), expected);
    }

    #[test]
    fn every_language_with_a_grammar_finds_its_definitions() {
        let cases: &[(&str, &str, &str)] = &[
            (
                "a.ts",
                "export const add = (a: number) => {\n  return a;\n};\n",
                "function add 1-3",
            ),
            (
                "a.tsx",
                "export function App() {\n  return <div/>;\n}\n",
                "function App 1-3",
            ),
            (
                "a.js",
                "/** Adds. */\nasync function add(a) {\n  return a;\n}\n",
                "function add 1-4",
            ),
            ("a.jsx", "const App = () => <b>x</b>;\n", "function App 1-1"),
            (
                "a.go",
                "package a\n\n// Add adds.\nfunc (p *P) Add() int {\n\treturn 1\n}\n",
                "method Add 3-6",
            ),
            (
                "b.go",
                "package a\n\ntype Point struct {\n\tX int\n}\n",
                "type Point 3-5",
            ),
            (
                "a.rb",
                "class A\n  def b\n    1\n  end\nend\n",
                "class A 1-5",
            ),
            (
                "a.java",
                "/** Doc. */\nclass A {\n  int b() { return 1; }\n}\n",
                "class A 1-4",
            ),
            (
                "a.kt",
                "// Doc.\nfun add(a: Int): Int {\n  return a\n}\n",
                "function add 1-4",
            ),
            (
                "a.c",
                "/* Doc. */\nstatic int *add(int a)\n{\n  return 0;\n}\n",
                "function add 1-5",
            ),
            (
                "a.cpp",
                "template <class T>\nT add(T a) {\n  return a;\n}\n",
                "function add 1-4",
            ),
            (
                "a.sh",
                "# Doc.\nbuild() {\n  make\n}\n",
                "function build 1-4",
            ),
            (
                "a.yaml",
                "jobs:\n  a: 1\n  b: 2\n  c: 3\n",
                "entry jobs 1-4",
            ),
            (
                "a.json",
                "{\n\"scripts\": {\n\"a\": 1,\n\"b\": 2\n}\n}\n",
                "entry scripts 2-5",
            ),
            ("a.md", "# Install\n\nRun it.\n", "section Install 1-3"),
            (
                "a.sql",
                "CREATE TABLE users (\n  id INT,\n  name TEXT\n);\n",
                "statement users 1-4",
            ),
            (
                "a.cs",
                "class A {\n  int B() { return 1; }\n}\n",
                "class A 1-3",
            ),
            (
                "a.php",
                "<?php\n// Doc.\nfunction add($a) {\n  return $a;\n}\n",
                "function add 2-5",
            ),
            (
                "a.swift",
                "/// Doc.\nfunc add(a: Int) -> Int {\n  return a\n}\n",
                "function add 1-4",
            ),
            (
                "a.scala",
                "object A {\n  def b(x: Int): Int = x\n}\n",
                "object A 1-3",
            ),
        ];
        for (path, text, expected) in cases {
            let found = outline(Language::of(path, text), text);
            assert!(found.iter().any(|one| one == expected), "{path}: {found:?}");
        }
    }

    #[test]
    fn a_long_class_is_taken_apart_and_nothing_is_in_two_pieces() {
        let mut text = String::from("class Shop:\n    '''Sells.'''\n    limit = 3\n\n");
        for number in 0..30 {
            text.push_str(&format!(
                "    # Number {number}.\n    def sell_{number}(self):\n        return {number}\n\n"
            ));
        }
        let found = chunk(Language::Python, &text);
        assert_eq!(found[0].name.as_deref(), Some("Shop"));
        assert_eq!(found[1].name.as_deref(), Some("Shop.sell_0"));
        assert_eq!((found[1].start, found[1].end), (5, 7), "with its comment");
        for number in 0..30 {
            let having = found
                .iter()
                .filter(|one| one.text.contains(&format!("sell_{number}(")));
            assert_eq!(having.count(), 1);
        }
    }

    #[test]
    fn every_line_that_says_something_is_in_a_piece() {
        for (path, text) in [
            ("grammar.rs", include_str!("grammar.rs")),
            ("README.md", "intro\n\n# A\ntext\n## B\nmore\n### C\nend\n"),
            (
                "a.py",
                "x = 1\ndef f(): pass\ny = 2\nif x:\n    def g():\n        pass\n    z = 3\n",
            ),
        ] {
            let mut lines = vec![0; text.lines().count() + 1];
            for one in chunk(Language::of(path, text), text) {
                for line in one.start..=one.end {
                    lines[line as usize] += 1;
                }
            }
            for (at, line) in text.lines().enumerate() {
                if line.chars().any(char::is_alphanumeric) {
                    assert!(lines[at + 1] >= 1, "{path}:{} {line}", at + 1);
                }
            }
        }
    }

    #[test]
    fn hostile_texts_are_taken_apart_all_the_same() {
        let deep = "(".repeat(20_000);
        let minified = "function a(){return 1};".repeat(3000);
        for (language, text) in [
            (Language::JavaScript, deep.as_str()),
            (Language::JavaScript, minified.as_str()),
            (Language::Rust, "fn \u{0}(((}}}"),
            (Language::Python, "def f(:\n\t\n  x"),
            (Language::Json, "{\"a\": [[[[["),
            (Language::Text, ""),
        ] {
            for one in chunk(language, text) {
                assert!(one.text.len() <= 4096 && one.start <= one.end);
            }
        }
    }
}
