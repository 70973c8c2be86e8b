//! A machine in memory, and a shell that splits plain words and knows nothing else.

use std::collections::BTreeMap;

use becket_guard::command::{Executes, Redirect, RedirectKind, Script, Stdin, UNKNOWN, Via};
use becket_guard::{Facts, Finding, Found, Invocation, Place, Severity, Span, Word, effects};

pub(super) const HOME: &str = "/home/me";
pub(super) const PROJECT: &str = "/home/me/work/app";

/// Files, directories and links.
#[derive(Default)]
pub(super) struct World {
    files: BTreeMap<String, Found>,
    links: BTreeMap<String, String>,
}

impl World {
    pub(super) fn with(entries: &[&str]) -> Self {
        let mut world = Self::default();
        for entry in entries {
            if let Some((link, target)) = entry.split_once(" -> ") {
                world.links.insert(link.into(), target.into());
            } else if let Some(directory) = entry.strip_suffix('/') {
                world.files.insert(directory.into(), Found::Directory);
            } else {
                world.files.insert((*entry).into(), Found::File);
            }
        }
        world
    }

    fn resolve(&self, path: &str) -> String {
        let mut path = path.to_owned();
        for _ in 0..16 {
            let link = self
                .links
                .iter()
                .find(|(link, _)| path == **link || path.starts_with(&format!("{link}/")));
            let Some((link, target)) = link else { break };
            path = format!("{target}{}", &path[link.len()..]);
        }
        path
    }
}

impl Facts for World {
    fn found(&self, path: &str) -> Option<Found> {
        let path = self.resolve(path);
        Some(self.files.get(&path).copied().unwrap_or(Found::Missing))
    }
    fn real(&self, path: &str) -> Option<String> {
        Some(self.resolve(path))
    }
    fn script(&self, _: &str) -> Option<String> {
        None
    }
    fn git_alias(&self, _: &str, _: &str) -> Option<String> {
        None
    }
    fn names(&self, directory: &str) -> Vec<String> {
        let prefix = format!("{}/", self.resolve(directory).trim_end_matches('/'));
        let all = self.files.keys().chain(self.links.keys());
        let inside = all.filter_map(|path| path.strip_prefix(&prefix));
        let mut names: Vec<String> = inside
            .map(|rest| rest.split('/').next().unwrap_or(rest).to_owned())
            .collect();
        names.dedup();
        names
    }
}

pub(super) fn place() -> Place {
    Place {
        cwd: PROJECT.into(),
        home: HOME.into(),
        project: Some(PROJECT.into()),
        own: vec![
            format!("{HOME}/.config/becket"),
            format!("{HOME}/.local/state/becket"),
        ],
    }
}

/// The rules that a text meets, sorted, each once.
pub(super) fn ids(text: &str, place: &Place, facts: &dyn Facts) -> Vec<&'static str> {
    let mut ids: Vec<&str> = findings(&parse(text, place), place, facts)
        .iter()
        .map(|finding| finding.rule.id)
        .collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

pub(super) fn worst(text: &str, place: &Place, facts: &dyn Facts) -> Option<Severity> {
    let found = findings(&parse(text, place), place, facts);
    found.iter().map(|finding| finding.rule.severity).max()
}

pub(super) fn findings(script: &Script, place: &Place, facts: &dyn Facts) -> Vec<Finding> {
    let mut found = Vec::new();
    for command in &script.commands {
        effects::check(command, script, place, facts, &mut found);
    }
    found
}

/// Words apart by blanks, commands by `|`, `&&` and `;`. `$NAME` is unknown. Wrappers: `sudo`, `ssh HOST`,
/// `docker exec C`, `xargs`, `find -exec … ;`.
pub(super) fn parse(text: &str, place: &Place) -> Script {
    let mut script = Script::default();
    let mut words = Vec::new();
    let mut piped = false;
    for (word, separator) in tokens(text) {
        match separator {
            Some(separator) => {
                add(&mut script, std::mem::take(&mut words), piped, place);
                piped = separator == "|";
            }
            None => words.push(word),
        }
    }
    add(&mut script, words, piped, place);
    script
}

/// Each word, and whether it stands between commands.
fn tokens(text: &str) -> Vec<(Word, Option<&'static str>)> {
    let mut out = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some(&(start, c)) = chars.peek() {
        if c.is_whitespace() {
            chars.next();
            continue;
        }
        let mut word = Word::default();
        let mut quote = None;
        let mut raw = String::new();
        while let Some(&(_, c)) = chars.peek() {
            match (quote, c) {
                (None, c) if c.is_whitespace() => break,
                (None, '\'' | '"') => quote = Some(c),
                (Some(open), c) if open == c => quote = None,
                (None | Some('"'), '$') => {
                    word.text.push(UNKNOWN);
                    raw.push(c);
                    chars.next();
                    while chars
                        .next_if(|(_, c)| c.is_alphanumeric() || "_{}".contains(*c))
                        .is_some()
                    {}
                    continue;
                }
                (None, '*' | '?' | '[' | '{') => {
                    word.glob = true;
                    word.text.push(c);
                }
                (_, c) => word.text.push(c),
            }
            raw.push(c);
            chars.next();
        }
        let separator = ["|", "&&", ";"].into_iter().find(|sign| *sign == raw);
        let end = start + raw.len();
        word.span = Span { start, end };
        out.push((word, separator));
    }
    out
}

fn add(script: &mut Script, words: Vec<Word>, piped: bool, place: &Place) {
    let mut stdin = match script.commands.len() {
        0 => Stdin::Inherited,
        n if piped => Stdin::Pipe(n - 1),
        _ => Stdin::Inherited,
    };
    let mut via = Vec::new();
    let mut words = words.as_slice();
    let mut more_operands = false;
    while let Some(first) = words.first() {
        let skip = match first.text.as_str() {
            "sudo" => {
                via.push(Via::Root("sudo".into()));
                1
            }
            "ssh" if words.len() > 2 => {
                let mut ssh = one(&words[..2], place);
                ssh.stdin = stdin.clone();
                ssh.sources.extend(match stdin {
                    Stdin::Pipe(at) => Some(at),
                    _ => None,
                });
                script.commands.push(ssh);
                via.push(Via::Elsewhere("ssh".into()));
                2
            }
            "docker" if words.get(1).is_some_and(|word| word.text == "exec") => {
                via.push(Via::Elsewhere("docker exec".into()));
                3
            }
            "xargs" => {
                let mut xargs = one(&words[..1], place);
                xargs.stdin = std::mem::take(&mut stdin);
                script.commands.push(xargs);
                via.push(Via::Wrapper("xargs".into()));
                more_operands = true;
                1
            }
            "find" => {
                let Some(at) = words.iter().position(|word| word.text == "-exec") else {
                    break;
                };
                script.commands.push(one(words, place));
                via.push(Via::Wrapper("find".into()));
                more_operands = true;
                at + 1
            }
            _ => break,
        };
        words = &words[skip..];
    }
    if words.is_empty() {
        return;
    }
    let mut command = one(words, place);
    if via.contains(&Via::Wrapper("find".into())) {
        command
            .args
            .retain(|word| !matches!(word.text.as_str(), "+" | "\\;"));
        for word in command.args.iter_mut().filter(|word| word.text == "{}") {
            word.text = UNKNOWN.to_string();
        }
    }
    if let Stdin::Pipe(at) = stdin {
        command.sources = vec![at];
    }
    command.executes = executes(&command);
    command.stdin = stdin;
    command.via = via;
    command.more_operands = more_operands;
    script.commands.push(command);
}

fn one(words: &[Word], place: &Place) -> Invocation {
    let mut command = Invocation {
        cwd: Some(place.cwd.clone()),
        ..Invocation::default()
    };
    let mut words = words.iter().peekable();
    while let Some(word) = words.next_if(|word| is_assignment(&word.text)) {
        let (name, value) = word.text.split_once('=').unwrap_or((&word.text, ""));
        command.env.push((name.into(), Word::literal(value)));
    }
    if let Some(program) = words.next() {
        let name = program.text.rsplit('/').next().unwrap_or("");
        command.program = name.into();
        command.path = (name != program.text).then(|| program.text.clone());
        command.span = program.span;
    }
    while let Some(word) = words.next() {
        let kind = match word.text.as_str() {
            ">" => RedirectKind::Truncate,
            ">>" => RedirectKind::Append,
            "<" => RedirectKind::Read,
            _ => {
                command.args.push(word.clone());
                continue;
            }
        };
        let target = words.next().cloned().unwrap_or_default();
        command.redirects.push(Redirect { kind, target });
    }
    command
}

/// A bare interpreter runs what it reads.
fn executes(command: &Invocation) -> Executes {
    let runs = matches!(
        command.program.as_str(),
        "sh" | "bash" | "python3" | "node" | "perl"
    );
    let is_bare = command.args.iter().all(|word| word.text.starts_with('-'));
    if runs && is_bare && !command.sources.is_empty() {
        let from = command.sources.clone();
        return Executes::Unknown { from };
    }
    Executes::Nothing
}

fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    })
}
