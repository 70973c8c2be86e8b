//! Benchmark: time per verdict for every command of the corpora.
//!
//! Each command is judged several times and its fastest time counts, which reduces noise. Prints per corpus the
//! median next to the target, the 99th percentile and the maximum.
#![allow(missing_docs, reason = "a benchmark")]
#![allow(clippy::print_stdout, reason = "a benchmark")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use becket_guard::{NoFacts, Policy, RunLocation, analyze, judge, shell};

/// Target for the median time of a command.
const FIGURE: Duration = Duration::from_micros(50);
const ROUNDS: usize = 15;

fn main() {
    let location = RunLocation {
        cwd: "/home/dev/app".to_owned(),
        home: "/home/dev".to_owned(),
        project: Some("/home/dev/app".to_owned()),
        becket_paths: Vec::new(),
    };
    let policy = Policy::default();
    let approving = Policy {
        auto_approve: true,
        ..Policy::default()
    };
    println!(
        "{:<12} {:<22} {:>8} {:>10} {:>10} {:>10}   of {FIGURE:?}",
        "corpus", "step", "commands", "median", "p99", "slowest"
    );
    for (name, texts) in corpora() {
        let mut all = Vec::new();
        measure(name, "parse", &texts, |text| {
            black_box(shell::parse(text));
        });
        measure(name, "analyze", &texts, |text| {
            black_box(analyze(text, &location, &NoFacts, &[]));
        });
        all.extend(measure(name, "judge", &texts, |text| {
            black_box(judge::command(text, &policy, &location, &NoFacts));
        }));
        measure(name, "judge, auto_approve", &texts, |text| {
            black_box(judge::command(text, &approving, &location, &NoFacts));
        });
        all.sort_by_key(|(took, _)| std::cmp::Reverse(*took));
        for (took, text) in all.iter().take(3) {
            let text: String = text.chars().take(90).collect();
            println!("    {:>9} {}", micros(*took), text.replace('\n', "␤"));
        }
    }
}

/// Measures and prints; returns the time of each command.
fn measure<'t>(
    corpus: &str,
    step: &str,
    texts: &'t [String],
    look: impl Fn(&str),
) -> Vec<(Duration, &'t str)> {
    let times: Vec<(Duration, &str)> = texts
        .iter()
        .map(|text| {
            let once = || {
                let started = Instant::now();
                look(text);
                started.elapsed()
            };
            let quickest = (0..ROUNDS).map(|_| once()).min();
            (quickest.unwrap_or_default(), text.as_str())
        })
        .collect();
    let mut sorted: Vec<Duration> = times.iter().map(|(took, _)| *took).collect();
    sorted.sort();
    let at = |hundredths: usize| sorted[(sorted.len() - 1) * hundredths / 100];
    println!(
        "{corpus:<12} {step:<22} {:>8} {:>10} {:>10} {:>10}   {:>4.2} ×",
        sorted.len(),
        micros(at(50)),
        micros(at(99)),
        micros(at(100)),
        at(50).as_secs_f64() / FIGURE.as_secs_f64()
    );
    times
}

fn micros(took: Duration) -> String {
    format!("{:.1} µs", took.as_secs_f64() * 1e6)
}

fn corpora() -> Vec<(&'static str, Vec<String>)> {
    let lines = |corpus: &'static str| {
        let lines = corpus.lines();
        lines.filter(|line| !line.is_empty() && !line.starts_with("# "))
    };
    let plain = |line: &str| line.strip_prefix("? ").unwrap_or(line).replace('␤', "\n");
    let everyday = lines(include_str!("../tests/corpus/everyday.txt")).map(plain);
    let dangerous = lines(include_str!("../tests/corpus/dangerous.txt"))
        .filter_map(|line| Some(line.split_once(' ')?.1.replace('␤', "\n")));
    vec![
        ("everyday", everyday.collect()),
        ("dangerous", dangerous.collect()),
        ("analysis", analysis_texts()),
    ]
}

/// Hard cases for the shell parser.
fn analysis_texts() -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for line in include_str!("../tests/corpus/analysis.txt").lines() {
        if let Some(text) = line.strip_prefix("$ ") {
            texts.push(text.to_owned());
        } else if let (Some(more), Some(text)) = (line.strip_prefix("> "), texts.last_mut()) {
            text.push('\n');
            text.push_str(more);
        }
    }
    texts
}
