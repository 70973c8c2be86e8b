//! `find -exec` and similar: the commands that run for each match.

use super::expanded_command::ExpandedCommand;
use super::options::with_text;
use super::scope::ShellScope;
use super::{Analyzer, CommandOutput};
use crate::command::{Launcher, UNKNOWN, Word};

impl Analyzer<'_> {
    /// `find`, `fd`: the commands after `-exec`, `-x` and similar options.
    pub(super) fn find(
        &mut self,
        name: &str,
        index: usize,
        call: &ExpandedCommand,
        scope: &mut ShellScope,
    ) -> CommandOutput {
        let fd = matches!(name, "fd" | "fdfind");
        let args = call.args();
        let roots = if fd { fd_roots(args) } else { find_roots(args) };
        let mut at = 0;
        while let Some(word) = args.get(at) {
            at += 1;
            let executes = if fd {
                matches!(word.text.as_str(), "-x" | "-X" | "--exec" | "--exec-batch")
            } else {
                matches!(word.text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir")
            };
            if !executes {
                continue;
            }
            let end = args[at..]
                .iter()
                .position(|word| word.text == ";" || (word.text == "+" && !fd))
                .map_or(args.len(), |len| at + len);
            let words = found_words(&args[at..end], &roots, fd);
            at = end;
            let mut inner = call.wrapping(words, Launcher::Wrapper(name.to_owned()));
            inner.more_operands = true;
            self.invoke(inner, scope);
        }
        CommandOutput::unknown(vec![index])
    }
}

/// The command with `{}` replaced by a path below each root.
fn found_words(words: &[Word], roots: &[Word], fd: bool) -> Vec<Word> {
    let mut replaced = Vec::new();
    let mut any = false;
    for word in words {
        let marked = word.text.contains("{}") || (fd && word.text.contains("{/"));
        if !marked {
            replaced.push(word.clone());
            continue;
        }
        any = true;
        if word.text == "{}" {
            replaced.extend(roots.iter().map(below));
            continue;
        }
        let root = roots.first().map(below).unwrap_or_default();
        let text = word.text.replace("{}", &root.text);
        replaced.push(with_text(word, &text));
    }
    if fd && !any {
        replaced.extend(roots.iter().map(below));
    }
    replaced
}

fn below(root: &Word) -> Word {
    let base = root.text.trim_end_matches('/');
    with_text(root, &format!("{base}/{UNKNOWN}"))
}

/// The operands before the first expression.
fn find_roots(args: &[Word]) -> Vec<Word> {
    let mut roots: Vec<Word> = Vec::new();
    let mut skip = false;
    for word in args {
        if skip {
            skip = false;
            continue;
        }
        match word.text.as_str() {
            "-H" | "-L" | "-P" | "-E" | "-X" | "-d" | "-s" | "-x" => {}
            "-D" | "-f" => skip = true,
            text if text.starts_with("-O") => {}
            "(" | ")" | "!" | "," => break,
            text if text.starts_with('-') => break,
            _ => roots.push(word.clone()),
        }
    }
    if roots.is_empty() {
        roots.push(Word::literal("."));
    }
    roots
}

/// `fd [options] pattern [root …]`
fn fd_roots(args: &[Word]) -> Vec<Word> {
    let options = super::options::OptionSpec {
        shorts: "etdEcSojg",
        longs: super::options::LongOptions::Valued(&[
            "extension",
            "type",
            "max-depth",
            "exclude",
            "color",
            "size",
            "owner",
            "threads",
            "base-directory",
            "search-path",
        ]),
    };
    let start = options.read(args).rest;
    let roots: Vec<Word> = args[start..]
        .iter()
        .skip(1)
        .take_while(|word| !word.text.starts_with('-'))
        .cloned()
        .collect();
    if roots.is_empty() {
        vec![Word::literal(".")]
    } else {
        roots
    }
}
