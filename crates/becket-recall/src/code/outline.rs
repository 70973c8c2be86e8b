//! Finds definitions by keywords and indentation, for languages without a reliable grammar: Bash, Ruby and YAML.
//!
//! A definition starts with its keyword and ends with the first closing word at the same indentation. Unindented files
//! only get fewer chunks.

use super::definitions::{
    DefinitionSpan, MAX_NAME_BYTES, MULTI_LINE, SHORT_CONTAINER, fill, qualified,
};
use super::language::Language;
use super::lines::TextLines;
use becket_base::text::prefix_bytes;

/// Maximum length of a definition.
const MAX_DEFINITION_LINES: usize = 1000;

/// Maximum nesting depth.
const MAX_DEPTH: usize = 8;

/// The first line of a definition.
struct DefinitionHead<'t> {
    name: &'t str,
    kind: &'static str,
    /// Whether it is split if it is long.
    container: bool,
    /// Whether it ends on the same line.
    whole: bool,
}

/// The definitions of a text; `None` for languages with a grammar.
pub(super) fn outline(language: Language, lines: &TextLines<'_>) -> Option<Vec<DefinitionSpan>> {
    let (head, close): (fn(&str) -> Option<DefinitionHead<'_>>, _) = match language {
        Language::Bash => (bash, "}"),
        Language::Ruby => (ruby, "end"),
        Language::Yaml => return Some(yaml(&lines.all)),
        _ => return None,
    };
    let mut reader = OutlineReader {
        lines: &lines.all,
        head,
        close,
        spans: Vec::new(),
    };
    reader.read(0, lines.all.len(), &mut Vec::new());
    Some(reader.spans)
}

struct OutlineReader<'l, 't> {
    lines: &'l [&'t str],
    head: fn(&str) -> Option<DefinitionHead<'_>>,
    close: &'static str,
    spans: Vec<DefinitionSpan>,
}

impl OutlineReader<'_, '_> {
    /// Reads lines up to `until`.
    fn read(&mut self, from: usize, until: usize, inside: &mut Vec<String>) {
        let mut at = from;
        while at < until {
            let lines = self.lines;
            let head = (self.head)(lines[at].trim_start());
            let found = head.and_then(|head| Some((self.last(at, until, &head)?, head)));
            let Some((last, head)) = found else {
                at += 1;
                continue;
            };
            let first = self.with_comment(at, from);
            let own =
                (!head.name.is_empty()).then(|| prefix_bytes(head.name, MAX_NAME_BYTES).to_owned());
            let name = qualified(inside, own.clone());
            if head.container && last - at >= SHORT_CONTAINER && inside.len() < MAX_DEPTH {
                let before = self.spans.len();
                inside.push(own.unwrap_or_default());
                self.read(at + 1, last, inside);
                inside.pop();
                fill(
                    &mut self.spans,
                    before,
                    (first, last),
                    name.as_deref(),
                    head.kind,
                    lines,
                );
            } else {
                self.spans.push(DefinitionSpan {
                    first,
                    last,
                    name,
                    kind: head.kind,
                });
            }
            at = last + 1;
        }
    }

    /// The closing line of the definition at `at`.
    fn last(&self, at: usize, until: usize, head: &DefinitionHead<'_>) -> Option<usize> {
        if head.whole {
            return Some(at);
        }
        let depth = indentation(self.lines[at]);
        let end = until.min(at + MAX_DEFINITION_LINES);
        (at + 1..end).find(|&at| {
            let line = self.lines[at];
            let rest = line.trim_start().strip_prefix(self.close);
            let closes = rest.is_some_and(|rest| !rest.starts_with(is_inside));
            closes && indentation(line) == depth
        })
    }

    /// The first line of the comment directly before a line.
    fn with_comment(&self, at: usize, from: usize) -> usize {
        let depth = indentation(self.lines[at]);
        let comment =
            |line: &&str| line.trim_start().starts_with('#') && indentation(line) == depth;
        let before = self.lines[from..at].iter().rev();
        at - before.take_while(|line| comment(line)).count()
    }
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn is_inside(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// `name() {`, `function name {`.
fn bash(line: &str) -> Option<DefinitionHead<'_>> {
    let (rest, keyword) = match line.strip_prefix("function ") {
        Some(rest) => (rest.trim_start(), true),
        None => (line, false),
    };
    let end = rest.find(|c: char| !is_inside(c) && !"-.:+@".contains(c))?;
    let (name, rest) = rest.split_at(end);
    let body = match rest.trim_start().strip_prefix("()") {
        Some(body) => body,
        None if keyword => rest,
        None => return None,
    };
    let body = body.trim();
    // The bracket may be on the next line.
    let opens = body.is_empty() || body.starts_with('{');
    (opens && !name.is_empty()).then_some(DefinitionHead {
        name,
        kind: "function",
        container: false,
        whole: body.len() > 1 && body.ends_with('}'),
    })
}

/// `def name`, `class Name < Other`, `module Name`.
fn ruby(line: &str) -> Option<DefinitionHead<'_>> {
    let (word, rest) = line.split_once(char::is_whitespace)?;
    let (word, rest) = match word {
        "private" | "protected" | "public" | "module_function" | "private_class_method" => {
            rest.trim_start().split_once(char::is_whitespace)?
        }
        _ => (word, rest),
    };
    let rest = rest.trim_start();
    let (kind, container) = match word {
        "def" => ("method", false),
        "class" => ("class", true),
        "module" => ("module", true),
        _ => return None,
    };
    let ends = |c: char| c.is_whitespace() || "(;<".contains(c);
    let length = rest.find(ends).unwrap_or(rest.len());
    let (name, after) = rest.split_at(length);
    let after = match after.strip_prefix('(') {
        Some(parameters) => parameters.rsplit_once(')').map_or("", |(_, after)| after),
        None => after,
    };
    let after = after.trim();
    let endless = kind == "method" && after.starts_with("= ");
    Some(DefinitionHead {
        name: name.trim_start_matches("self."),
        kind,
        container,
        whole: endless || after.ends_with("; end") || after == "end",
    })
}

/// Top-level keys with several lines.
fn yaml(lines: &[&str]) -> Vec<DefinitionSpan> {
    let is_key = |line: &&str| {
        let starts = !line.starts_with([' ', '\t', '#', '-', '%', '}', ']', '.']);
        starts && line.contains(':')
    };
    let is_comment = |line: &&str| line.starts_with('#');
    let ends = |line: &&str| is_key(line) || line.starts_with("---") || line.starts_with("...");
    let mut spans = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let next = (at + 1..lines.len()).find(|&at| ends(&lines[at]));
        let next = next.unwrap_or(lines.len());
        if is_key(&lines[at]) {
            let comment = lines[..at].iter().rev().take_while(|line| is_comment(line));
            let first = at - comment.count();
            // A comment before the next key belongs to that key.
            let after = lines[at + 1..next].iter().rev();
            let nothing = |line: &&&str| is_comment(line) || line.trim().is_empty();
            let last = next - 1 - after.take_while(nothing).count();
            if last - at + 1 >= MULTI_LINE {
                let name = lines[at].split(':').next().unwrap_or_default();
                let name = name.trim().trim_matches(['"', '\'']);
                spans.push(DefinitionSpan {
                    first,
                    last,
                    name: Some(prefix_bytes(name, MAX_NAME_BYTES).to_owned()),
                    kind: "entry",
                });
            }
        }
        at = next;
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(language: Language, text: &str) -> Vec<String> {
        let spans = outline(language, &TextLines::of(text)).unwrap();
        let line = |span: &DefinitionSpan| {
            let name = span.name.as_deref().unwrap_or("-");
            format!("{} {name} {}-{}", span.kind, span.first + 1, span.last + 1)
        };
        spans.iter().map(line).collect()
    }

    #[test]
    fn bash_functions_are_found_in_every_form() {
        let text = "set -e\n# Builds.\nbuild() {\n  if x; then\n    y() { z; }\n  fi\n}\nfunction my-test {\n  :\n}\none() { :; }\nnext()\n{\n  :\n}\necho (a) {\nopen() {\n";
        assert_eq!(
            found(Language::Bash, text),
            [
                "function build 2-7",
                "function my-test 8-10",
                "function one 11-11",
                "function next 12-15"
            ]
        );
    }

    #[test]
    fn yaml_keys_include_only_their_own_comments() {
        let text = "on: push\n# Builds.\n\"jobs\":\n- a\n- b: c\n- d\n\n# Next.\nenv:\n  X: 1\n  Y: 2\n  Z: |\n    text: more\n---\na:\n  b: 1\n";
        assert_eq!(
            found(Language::Yaml, text),
            ["entry jobs 2-6", "entry env 8-13"]
        );
    }

    #[test]
    fn ruby_methods_are_found_and_long_classes_split() {
        let text = "# Sells.\nclass Shop < Base\n  def self.open(a, b = (1))\n    if a\n      1\n    end\n  end\n  def price = 3\n  def x; end\nend\nmodule Empty; end\n";
        assert_eq!(
            found(Language::Ruby, text),
            ["class Shop 1-10", "module Empty 11-11"]
        );
        let mut long = String::from("class Shop\n  LIMIT = 3\n");
        for number in 0..30 {
            long.push_str(&format!(
                "  # Number {number}.\n  private def m{number}?(a)\n    a\n  end\n"
            ));
        }
        long.push_str("end\n");
        let found = found(Language::Ruby, &long);
        assert_eq!(found[0], "method Shop.m0? 3-6");
        assert_eq!(found.len(), 31);
        assert!(found.contains(&"class Shop 1-2".to_owned()), "{found:?}");
    }
}
