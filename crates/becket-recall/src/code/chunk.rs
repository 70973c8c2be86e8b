//! Splits a text into chunks.

use super::definitions::{DefinitionSpan, spans};
use super::language::Language;
use super::lines::TextLines;

/// A chunk of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// The first line, counted from 1.
    pub start: u32,
    /// The last line.
    pub end: u32,
    /// The name that it defines: `Class.method`, a heading, a key.
    pub name: Option<String>,
    /// `function`, `class`, …; `lines` if it is not a definition.
    pub kind: &'static str,
    /// Its text.
    pub text: String,
}

/// Splits a text into chunks.
pub fn chunk(language: Language, text: &str) -> Vec<Chunk> {
    let lines = TextLines::of(text);
    let spans = spans(language, text, &lines).unwrap_or_default();
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
    lines: &TextLines<'_>,
    first: usize,
    last: usize,
    name: Option<&str>,
    kind: &'static str,
) {
    // Trims empty lines at both ends.
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

/// Sorts spans and merges overlapping ones, so that no line is in two chunks.
fn disjoint(mut spans: Vec<DefinitionSpan>) -> Vec<DefinitionSpan> {
    spans.sort_by_key(|span| (span.first, span.last));
    let mut out: Vec<DefinitionSpan> = Vec::new();
    for span in spans {
        match out.last_mut() {
            Some(before) if span.first <= before.last => before.last = before.last.max(span.last),
            _ => out.push(span),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `kind name first-last` of each chunk.
    fn outline(language: Language, text: &str) -> Vec<String> {
        let line = |chunk: &Chunk| {
            let name = chunk.name.as_deref().unwrap_or("-");
            format!("{} {name} {}-{}", chunk.kind, chunk.start, chunk.end)
        };
        chunk(language, text).iter().map(line).collect()
    }

    #[test]
    fn definitions_include_comments_and_other_lines_are_kept() {
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
                "b.js",
                "/** Adds. */\nexports.add = function (a) {\n  return a;\n};\n",
                "function add 1-4",
            ),
            (
                "c.js",
                "module.exports.add = async (a) => {\n  return a;\n};\nmodule.exports = { a: 1 };\n",
                "function add 1-3",
            ),
            (
                "d.js",
                "var a = 1;\nShop.prototype.sell = function sell() {\n  return a;\n};\n",
                "function Shop.prototype.sell 2-4",
            ),
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
    fn long_class_is_split_without_overlap() {
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
    fn every_line_with_content_is_in_a_chunk() {
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
    fn hostile_texts_are_chunked() {
        let deep = "(".repeat(20_000);
        let minified = "function a(){return 1};".repeat(3000);
        let templates = "template <class T> ".repeat(20_000);
        let members = format!("class A {{\n{}}}", "// b\nb() {}\n".repeat(50_000));
        let comments = "// a\n".repeat(100_000);
        for (language, text) in [
            (Language::JavaScript, deep.as_str()),
            (Language::JavaScript, minified.as_str()),
            (Language::Cpp, templates.as_str()),
            (Language::JavaScript, members.as_str()),
            (Language::JavaScript, comments.as_str()),
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
