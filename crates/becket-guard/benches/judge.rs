//! What it costs to look through a command of the corpus. Every sample is one command, so the printed median is the
//! median command.
#![allow(missing_docs, reason = "a benchmark")]

use becket_guard::{NoFacts, Place, Policy, judge, shell, understand};

fn main() {
    divan::main();
}

/// The texts of the corpus.
fn texts() -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for line in include_str!("../tests/corpus/understood.txt").lines() {
        if let Some(text) = line.strip_prefix("$ ") {
            texts.push(text.to_owned());
        } else if let (Some(more), Some(text)) = (line.strip_prefix("> "), texts.last_mut()) {
            text.push('\n');
            text.push_str(more);
        }
    }
    texts
}

fn place() -> Place {
    Place {
        cwd: "/w/p".to_owned(),
        home: "/home/u".to_owned(),
        ..Place::default()
    }
}

/// One command after the other, so that the printed median is that of one command.
fn each(bencher: divan::Bencher<'_, '_>, look: impl Fn(&str) + Sync) {
    let texts = texts();
    let next = std::sync::atomic::AtomicUsize::new(0);
    bencher.bench(|| {
        let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        look(&texts[at % texts.len()]);
    });
}

#[divan::bench(sample_count = 2000, sample_size = 1)]
fn parse(bencher: divan::Bencher<'_, '_>) {
    each(bencher, |text| {
        divan::black_box(shell::parse(text));
    });
}

#[divan::bench(sample_count = 2000, sample_size = 1)]
fn understand_one(bencher: divan::Bencher<'_, '_>) {
    let place = place();
    each(bencher, |text| {
        divan::black_box(understand(text, &place, &NoFacts, &[]));
    });
}

#[divan::bench(sample_count = 2000, sample_size = 1)]
fn judge_one(bencher: divan::Bencher<'_, '_>) {
    let (place, policy) = (place(), Policy::default());
    each(bencher, |text| {
        divan::black_box(judge::command(text, &policy, &place, &NoFacts));
    });
}
