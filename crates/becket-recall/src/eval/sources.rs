//! Sources of evaluation sets.

use std::collections::HashSet;
use std::path::Path;

use becket_base::text::prefix_bytes;
use becket_store::{CorpusKind, MemoryKind};

use super::set::{EvalQuestion, EvalSet, EvalText, QuestionSource};
use crate::code::{Chunk, Language, chunk};

/// The hand-written set: what coding agents learn, and what people ask them.
pub fn hand_written() -> EvalSet {
    let mut set = memories("memories, hand-written");
    for file in [
        include_str!("../../eval/memories-1.txt"),
        include_str!("../../eval/memories-2.txt"),
        include_str!("../../eval/memories-3.txt"),
        include_str!("../../eval/memories-4.txt"),
    ] {
        parse_memories(&mut set, file);
    }
    set.with(unanswerable())
}

/// The same for other domains, each in its own store: a banking app, a game, a hospital, a ground station.
pub fn other_domains() -> Vec<EvalSet> {
    let files = [
        include_str!("../../eval/memories-5.txt"),
        include_str!("../../eval/memories-6.txt"),
        include_str!("../../eval/memories-7.txt"),
        include_str!("../../eval/memories-8.txt"),
    ];
    let unanswerable = concat!(
        include_str!("../../eval/unanswerable-2.txt"),
        include_str!("../../eval/unanswerable-3.txt")
    );
    stores("memories, other domains", &files, unanswerable)
}

/// Two more domains, railway tickets and a compiler, written after fitting and model selection. They must never be used
/// for either; otherwise no independent measurement is left.
pub fn sealed() -> Vec<EvalSet> {
    let files = [
        include_str!("../../eval/sealed-1.txt"),
        include_str!("../../eval/sealed-2.txt"),
    ];
    let unanswerable = include_str!("../../eval/sealed-unanswerable.txt");
    let mut sets = stores("memories, sealed", &files, unanswerable);
    for set in &mut sets {
        set.is_sealed = true;
    }
    sets
}

/// One set per file. Each unanswerable question is asked in only one of them.
fn stores(name: &str, files: &[&str], unanswerable: &str) -> Vec<EvalSet> {
    let unanswerable_ones = parse_questions(unanswerable);
    let store = |(at, file): (usize, &&str)| {
        let mut set = memories(name);
        parse_memories(&mut set, file);
        set.with(
            unanswerable_ones
                .iter()
                .skip(at)
                .step_by(files.len())
                .cloned()
                .collect(),
        )
    };
    files.iter().enumerate().map(store).collect()
}

fn memories(name: &str) -> EvalSet {
    EvalSet {
        name: name.to_owned(),
        source: QuestionSource::Memories,
        corpus: CorpusKind::Memory,
        texts: Vec::new(),
        questions: Vec::new(),
        is_sealed: false,
    }
}

/// Hand-written questions, orders and nonsense without an answer in any set.
pub fn unanswerable() -> Vec<EvalQuestion> {
    parse_questions(include_str!("../../eval/unanswerable.txt"))
}

/// Lines that start with `?`, without answers.
fn parse_questions(file: &str) -> Vec<EvalQuestion> {
    let lines = file.lines();
    let question = |line: &str| Some(EvalQuestion::new(line.strip_prefix("? ")?, Vec::new()));
    lines.filter_map(question).collect()
}

/// `# id type context`, a line of text, and lines that start with `?`.
fn parse_memories(set: &mut EvalSet, file: &str) {
    for line in file.lines() {
        if let Some(head) = line.strip_prefix("# ") {
            let mut words = head.splitn(3, ' ');
            let mut word = || words.next().unwrap_or_default().to_owned();
            let (id, kind, context) = (word(), word(), word());
            set.texts.push(EvalText {
                id,
                context,
                name: None,
                kind: MemoryKind::parse(&kind),
                text: String::new(),
            });
            continue;
        }
        let Some(last) = set.texts.last_mut() else {
            continue;
        };
        match line.strip_prefix("? ") {
            Some(text) => {
                let question = EvalQuestion::new(text, vec![last.id.clone()]);
                set.questions.push(question);
            }
            None => last.text.push_str(line),
        }
    }
}

/// Python functions without their doc strings; the first sentences of the doc strings are the questions.
pub fn python_docs(what: &str, dir: &Path, most_files: usize) -> EvalSet {
    documented(
        &format!("doc string to function, {what}"),
        dir,
        "py",
        most_files,
        |one| {
            let body = one.text.find("\"\"\"")?;
            let rest = &one.text[body + 3..];
            let end = rest.find("\"\"\"")?;
            let code = format!("{}{}", &one.text[..body], &rest[end + 3..]);
            Some((rest[..end].to_owned(), code))
        },
    )
}

/// Rust definitions without their doc comments; the first sentences of the comments are the questions.
pub fn rust_docs(dir: &Path, most_files: usize) -> EvalSet {
    documented(
        "doc comment to definition, Rust",
        dir,
        "rs",
        most_files,
        |one| {
            let is_doc = |line: &&str| line.trim_start().starts_with("///");
            let doc: Vec<&str> = one.text.lines().take_while(is_doc).collect();
            let words = |line: &&str| line.trim_start().trim_start_matches('/').trim().to_owned();
            let text: Vec<String> = doc.iter().map(words).collect();
            let code: Vec<&str> = one.text.lines().filter(|line| !is_doc(line)).collect();
            (!doc.is_empty()).then(|| (text.join("\n"), code.join("\n")))
        },
    )
}

fn documented(
    name: &str,
    dir: &Path,
    extension: &str,
    most_files: usize,
    split: impl Fn(&Chunk) -> Option<(String, String)>,
) -> EvalSet {
    let mut set = EvalSet {
        name: name.to_owned(),
        source: QuestionSource::Documentation,
        corpus: CorpusKind::Code,
        texts: Vec::new(),
        questions: Vec::new(),
        is_sealed: false,
    };
    let mut seen = HashSet::new();
    for (path, text) in files(dir, extension, most_files) {
        for one in chunk(Language::of(&path, &text), &text) {
            if one.name.is_none()
                || !matches!(
                    one.kind,
                    "function" | "method" | "struct" | "enum" | "trait"
                )
            {
                continue;
            }
            let id = answer_id(&path, &one);
            let parts = split(&one).filter(|(_, code)| code.len() > 60);
            let (doc, code) = parts.unwrap_or_else(|| (String::new(), one.text.clone()));
            let question = first_sentence(&doc);
            if question.split_whitespace().count() >= 4 && seen.insert(question.clone()) {
                set.questions
                    .push(EvalQuestion::new(&question, vec![id.clone()]));
            }
            set.texts.push(EvalText {
                id,
                context: path.clone(),
                name: one.name,
                kind: None,
                text: code,
            });
        }
    }
    let ids: HashSet<&str> = set.texts.iter().map(|text| text.id.as_str()).collect();
    // Drop a question that names another definition, because that definition would be an answer as well.
    set.questions.retain(|question| {
        let is_inside = |c: char| c.is_alphanumeric() || c == '_';
        let mut words = question.text.split(|c| !is_inside(c));
        words.all(|word| !ids.contains(word) || question.answers[0] == word)
    });
    set
}

/// Definitions with the same distinctive name are the same answer: a method is documented in every class that has it.
fn answer_id(path: &str, one: &Chunk) -> String {
    let name = one.name.as_deref().unwrap_or_default();
    let last = name.rsplit(['.', ':']).next().unwrap_or(name);
    if last.len() >= 8 || last.trim_matches('_').contains('_') {
        return last.to_owned();
    }
    format!("{path}:{}", one.start)
}

/// Prompts that name a definition, derived from a set of definitions.
pub fn by_name(set: &EvalSet) -> EvalSet {
    let ask = |(at, text): (usize, &EvalText)| {
        let name = text.name.as_deref()?.rsplit(['.', ':']).next()?;
        let stem = text.context.rsplit('/').next()?;
        // Only a distinctive name is also the id of its text; other names are too common for a prompt.
        (text.id == name).then(|| {
            let asked = match at % 5 {
                0 => format!("why does {name} fail when it is called twice"),
                1 => format!("add a parameter to {name} and update its callers"),
                2 => format!("write tests for {name} in {stem}"),
                3 => format!("{name} is slow, can you look at it"),
                _ => format!("what does {name} do"),
            };
            EvalQuestion::new(&asked, vec![text.id.clone()])
        })
    };
    let mut seen = HashSet::new();
    let questions = set.texts.iter().enumerate().filter_map(ask);
    EvalSet {
        name: format!("prompt that names a definition ({})", set.name),
        source: QuestionSource::Names,
        corpus: set.corpus,
        texts: set.texts.clone(),
        questions: questions
            .filter(|one| seen.insert(one.answers.clone()))
            .collect(),
        is_sealed: false,
    }
}

/// The files of a directory by relative path, sorted.
fn files(dir: &Path, extension: &str, most: usize) -> Vec<(String, String)> {
    let walker = ignore::WalkBuilder::new(dir)
        .sort_by_file_path(Ord::cmp)
        .filter_entry(|entry| {
            let name = entry.file_name().to_string_lossy();
            ![
                "test",
                "tests",
                "site-packages",
                "dist-packages",
                "target",
                "idlelib",
                "lib2to3",
            ]
            .contains(&&*name)
        })
        .build();
    let wanted = walker
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|one| one == extension));
    let read = wanted.filter_map(|entry| {
        let path = entry.path().strip_prefix(dir).ok()?.to_str()?.to_owned();
        Some((path, std::fs::read_to_string(entry.path()).ok()?))
    });
    read.take(most).collect()
}

fn first_sentence(doc: &str) -> String {
    let paragraph = doc.trim().split("\n\n").next().unwrap_or_default();
    let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = line.match_indices(['.', '!', '?']).find_map(|(at, _)| {
        let ends = line[at + 1..]
            .chars()
            .next()
            .is_none_or(char::is_whitespace);
        (ends && at >= 25).then_some(at + 1)
    });
    prefix_bytes(&line[..end.unwrap_or(line.len())], 300).to_owned()
}

/// Commit subjects and the files they changed. `log` is the output of
/// `git log --no-merges --name-only --format=%x01%s`.
pub fn commit_history(log: &str, dir: &Path) -> EvalSet {
    let mut set = EvalSet {
        name: "commit subject to files, this repository".to_owned(),
        source: QuestionSource::History,
        corpus: CorpusKind::Code,
        texts: Vec::new(),
        questions: Vec::new(),
        is_sealed: false,
    };
    let files = files(dir, "rs", 5000);
    add_files(&mut set, &files);
    for commit in log.split('\u{1}').skip(1) {
        let (subject, changed) = commit.split_once('\n').unwrap_or((commit, ""));
        add_commit(&mut set, subject, changed);
    }
    set
}

/// The same for small hand-written repositories: files after `== path`, then commits, each a line that starts with `@`
/// and the paths of its files.
pub fn repositories() -> [EvalSet; 2] {
    [
        include_str!("../../eval/repository-1.txt"),
        include_str!("../../eval/repository-2.txt"),
    ]
    .map(repository)
}

fn repository(all: &str) -> EvalSet {
    let mut set = EvalSet {
        name: "commit subject to files, hand-written".to_owned(),
        source: QuestionSource::Commits,
        corpus: CorpusKind::Code,
        texts: Vec::new(),
        questions: Vec::new(),
        is_sealed: false,
    };
    let (files, commits) = all.split_once("\n@ ").unwrap_or((all, ""));
    let mut read = Vec::new();
    let files = files.strip_prefix("== ").unwrap_or(files);
    for file in files.split("\n== ") {
        let (path, text) = file.split_once('\n').unwrap_or((file, ""));
        read.push((path.to_owned(), text.to_owned()));
    }
    add_files(&mut set, &read);
    for commit in commits.split("\n@ ") {
        let (subject, changed) = commit.split_once('\n').unwrap_or((commit, ""));
        add_commit(&mut set, subject, changed);
    }
    set
}

fn add_files(set: &mut EvalSet, files: &[(String, String)]) {
    for (path, text) in files {
        for one in chunk(Language::of(path, text), text) {
            set.texts.push(EvalText {
                id: path.clone(),
                context: path.clone(),
                name: one.name,
                kind: None,
                text: one.text,
            });
        }
    }
}

fn add_commit(set: &mut EvalSet, subject: &str, changed: &str) {
    let known: HashSet<&str> = set.texts.iter().map(|text| text.id.as_str()).collect();
    let answers: Vec<String> = changed
        .lines()
        .filter(|line| known.contains(line))
        .map(str::to_owned)
        .collect();
    // A commit that changes everything has no topic.
    if subject.split_whitespace().count() >= 4 && (1..=12).contains(&answers.len()) {
        set.questions.push(EvalQuestion::new(subject, answers));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::DataSplit;

    #[test]
    fn hand_written_set_is_complete() {
        let set = hand_written();
        let unanswerable = set
            .questions
            .iter()
            .filter(|one| one.answers.is_empty())
            .count();
        assert!(set.texts.len() >= 200, "{}", set.texts.len());
        assert!(set.questions.len() >= 300 && unanswerable >= 60);
        let ids: HashSet<&str> = set.texts.iter().map(|text| text.id.as_str()).collect();
        assert_eq!(ids.len(), set.texts.len(), "each id once");
        for text in &set.texts {
            assert!(text.kind.is_some() && text.text.len() > 40, "{}", text.id);
        }
    }

    #[test]
    fn sealed_sets_are_never_fitted_on() {
        for set in sealed() {
            assert_eq!((set.texts.len(), set.questions.len()), (50, 130));
            for part in set.without_answers(4).iter().chain([&set]) {
                let mut questions = part.questions.iter();
                assert!(questions.all(|one| DataSplit::of(part, one) == DataSplit::Sealed));
            }
        }
    }

    #[test]
    fn first_sentence_is_extracted() {
        assert_eq!(
            first_sentence("Reads e.g. a file from the disk. Then more."),
            "Reads e.g. a file from the disk."
        );
        assert_eq!(first_sentence("One\nline\n\nAnother."), "One line");
    }
}
