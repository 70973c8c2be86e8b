//! A fake machine in memory, and a minimal shell that only splits plain words.

use std::collections::BTreeMap;

use becket_guard::command::{
    ExecutedCode, Launcher, Redirect, RedirectKind, Script, Stdin, UNKNOWN,
};
use becket_guard::{
    Facts, Finding, Invocation, PathKind, RunLocation, Severity, Span, Word, effects,
};

pub(super) const HOME: &str = "/home/me";
pub(super) const PROJECT: &str = "/home/me/work/app";

/// Files, directories and links.
#[derive(Default)]
pub(super) struct FakeMachine {
    files: BTreeMap<String, PathKind>,
    links: BTreeMap<String, String>,
}

impl FakeMachine {
    pub(super) fn with(entries: &[&str]) -> Self {
        let mut machine = Self::default();
        for entry in entries {
            if let Some((link, target)) = entry.split_once(" -> ") {
                machine.links.insert(link.into(), target.into());
            } else if let Some(directory) = entry.strip_suffix('/') {
                machine.files.insert(directory.into(), PathKind::Directory);
            } else {
                machine.files.insert((*entry).into(), PathKind::File);
            }
        }
        machine
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

impl Facts for FakeMachine {
    fn path_kind(&self, path: &str) -> Option<PathKind> {
        let path = self.resolve(path);
        Some(self.files.get(&path).copied().unwrap_or(PathKind::Missing))
    }
    fn real_path(&self, path: &str) -> Option<String> {
        Some(self.resolve(path))
    }
    fn script_text(&self, _: &str) -> Option<String> {
        None
    }
    fn git_alias(&self, _: &str, _: &str) -> Option<String> {
        None
    }
    fn list_names(&self, directory: &str) -> Vec<String> {
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

pub(super) fn location() -> RunLocation {
    RunLocation {
        cwd: PROJECT.into(),
        home: HOME.into(),
        project: Some(PROJECT.into()),
        becket_paths: vec![
            format!("{HOME}/.config/becket"),
            format!("{HOME}/.local/state/becket"),
        ],
    }
}

/// The ids of the rules that a text matches, sorted and deduplicated.
pub(super) fn ids(text: &str, location: &RunLocation, facts: &dyn Facts) -> Vec<&'static str> {
    let mut ids: Vec<&str> = findings(&parse(text, location), location, facts)
        .iter()
        .map(|finding| finding.rule.id)
        .collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

pub(super) fn worst(text: &str, location: &RunLocation, facts: &dyn Facts) -> Option<Severity> {
    let found = findings(&parse(text, location), location, facts);
    found.iter().map(|finding| finding.rule.severity).max()
}

pub(super) fn findings(script: &Script, location: &RunLocation, facts: &dyn Facts) -> Vec<Finding> {
    let mut found = Vec::new();
    for command in &script.commands {
        effects::check(command, script, location, facts, &mut found);
    }
    found
}

/// Splits words at blanks, commands at `|`, `&&` and `;`. `$NAME` is unknown. Wrappers: `sudo`, `ssh HOST`, `docker
/// exec C`, `xargs`, `find -exec … ;`.
pub(super) fn parse(text: &str, location: &RunLocation) -> Script {
    let mut script = Script::default();
    let mut words = Vec::new();
    let mut piped = false;
    for (word, separator) in tokens(text) {
        match separator {
            Some(separator) => {
                add(&mut script, std::mem::take(&mut words), piped, location);
                piped = separator == "|";
            }
            None => words.push(word),
        }
    }
    add(&mut script, words, piped, location);
    script
}

/// Each word, with the operator if it separates commands.
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

fn add(script: &mut Script, words: Vec<Word>, piped: bool, location: &RunLocation) {
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
                via.push(Launcher::Root("sudo".into()));
                1
            }
            "ssh" if words.len() > 2 => {
                let mut ssh = one(&words[..2], location);
                ssh.stdin = stdin.clone();
                ssh.sources.extend(match stdin {
                    Stdin::Pipe(at) => Some(at),
                    _ => None,
                });
                script.commands.push(ssh);
                via.push(Launcher::Remote("ssh".into()));
                2
            }
            "docker" if words.get(1).is_some_and(|word| word.text == "exec") => {
                via.push(Launcher::Remote("docker exec".into()));
                3
            }
            "xargs" => {
                let mut xargs = one(&words[..1], location);
                xargs.stdin = std::mem::take(&mut stdin);
                script.commands.push(xargs);
                via.push(Launcher::Wrapper("xargs".into()));
                more_operands = true;
                1
            }
            "find" => {
                let Some(at) = words.iter().position(|word| word.text == "-exec") else {
                    break;
                };
                script.commands.push(one(words, location));
                via.push(Launcher::Wrapper("find".into()));
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
    let mut command = one(words, location);
    if via.contains(&Launcher::Wrapper("find".into())) {
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

fn one(words: &[Word], location: &RunLocation) -> Invocation {
    let mut command = Invocation {
        cwd: Some(location.cwd.clone()),
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

/// An interpreter without arguments runs its input.
fn executes(command: &Invocation) -> ExecutedCode {
    let runs = matches!(
        command.program.as_str(),
        "sh" | "bash" | "python3" | "node" | "perl"
    );
    let is_bare = command.args.iter().all(|word| word.text.starts_with('-'));
    if runs && is_bare && !command.sources.is_empty() {
        let from = command.sources.clone();
        return ExecutedCode::Unknown { from };
    }
    ExecutedCode::Nothing
}

fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    })
}
