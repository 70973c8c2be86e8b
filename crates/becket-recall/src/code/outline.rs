//! Definitions by their first words and their indentation, for languages whose grammars cannot be trusted with any
//! text: Bash, Ruby and YAML.
//!
//! It reads as people do who leaf through a file: a definition begins with its keyword and ends with the first
//! closing word that stands as far to the right. Files that are not indented are in fewer pieces, and nothing else.

use super::define::{LENGTHY, MOST_NAME, SHORT_CONTAINER, Span, fill, qualified};
use super::language::Language;
use super::lines::Lines;
use crate::text::cut;

/// The end of a definition is not looked for farther than this.
const FARTHEST: usize = 1000;

/// So deep in each other stand classes of people.
const DEEPEST: usize = 8;

/// The first line of a definition.
struct Head<'t> {
    name: &'t str,
    kind: &'static str,
    /// A long one is taken apart.
    container: bool,
    /// It ends where it begins.
    whole: bool,
}

/// The definitions of a text; `None` if they are found in another way.
pub(super) fn outline(language: Language, lines: &Lines<'_>) -> Option<Vec<Span>> {
    let (head, close): (fn(&str) -> Option<Head<'_>>, _) = match language {
        Language::Bash => (bash, "}"),
        Language::Ruby => (ruby, "end"),
        Language::Yaml => return Some(yaml(&lines.all)),
        _ => return None,
    };
    let mut reader = Reader {
        lines: &lines.all,
        head,
        close,
        spans: Vec::new(),
    };
    reader.read(0, lines.all.len(), &mut Vec::new());
    Some(reader.spans)
}

struct Reader<'l, 't> {
    lines: &'l [&'t str],
    head: fn(&str) -> Option<Head<'_>>,
    close: &'static str,
    spans: Vec<Span>,
}

impl Reader<'_, '_> {
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
            let own = (!head.name.is_empty()).then(|| cut(head.name, MOST_NAME).to_owned());
            let name = qualified(inside, own.clone());
            if head.container && last - at >= SHORT_CONTAINER && inside.len() < DEEPEST {
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
                self.spans.push(Span {
                    first,
                    last,
                    name,
                    kind: head.kind,
                });
            }
            at = last + 1;
        }
    }

    /// The line that closes what begins at `at`.
    fn last(&self, at: usize, until: usize, head: &Head<'_>) -> Option<usize> {
        if head.whole {
            return Some(at);
        }
        let depth = indentation(self.lines[at]);
        let end = until.min(at + FARTHEST);
        (at + 1..end).find(|&at| {
            let line = self.lines[at];
            let rest = line.trim_start().strip_prefix(self.close);
            let closes = rest.is_some_and(|rest| !rest.starts_with(is_inside));
            closes && indentation(line) == depth
        })
    }

    /// The first line of the comment right before a line.
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
fn bash(line: &str) -> Option<Head<'_>> {
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
    // The bracket may stand on the next line.
    let opens = body.is_empty() || body.starts_with('{');
    (opens && !name.is_empty()).then_some(Head {
        name,
        kind: "function",
        container: false,
        whole: body.len() > 1 && body.ends_with('}'),
    })
}

/// `def name`, `class Name < Other`, `module Name`.
fn ruby(line: &str) -> Option<Head<'_>> {
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
    Some(Head {
        name: name.trim_start_matches("self."),
        kind,
        container,
        whole: endless || after.ends_with("; end") || after == "end",
    })
}

/// The keys of the outermost mappings that have several lines.
fn yaml(lines: &[&str]) -> Vec<Span> {
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
            // The comment before the next key is that one's.
            let after = lines[at + 1..next].iter().rev();
            let nothing = |line: &&&str| is_comment(line) || line.trim().is_empty();
            let last = next - 1 - after.take_while(nothing).count();
            if last - at + 1 >= LENGTHY {
                let name = lines[at].split(':').next().unwrap_or_default();
                let name = name.trim().trim_matches(['"', '\'']);
                spans.push(Span {
                    first,
                    last,
                    name: Some(cut(name, MOST_NAME).to_owned()),
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
        let spans = outline(language, &Lines::of(text)).unwrap();
        let line = |span: &Span| {
            let name = span.name.as_deref().unwrap_or("-");
            format!("{} {name} {}-{}", span.kind, span.first + 1, span.last + 1)
        };
        spans.iter().map(line).collect()
    }

    #[test]
    fn functions_of_bash_are_found_in_every_form() {
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
    fn keys_of_yaml_come_with_their_comments_and_not_with_those_of_the_next() {
        let text = "on: push\n# Builds.\n\"jobs\":\n- a\n- b: c\n- d\n\n# Next.\nenv:\n  X: 1\n  Y: 2\n  Z: |\n    text: more\n---\na:\n  b: 1\n";
        assert_eq!(
            found(Language::Yaml, text),
            ["entry jobs 2-6", "entry env 8-13"]
        );
    }

    #[test]
    fn methods_of_ruby_are_found_and_long_classes_taken_apart() {
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
