//! How well search works: words, meaning and both side by side, and what the bands are worth.
//!
//! `--fit` prints calibrations fitted on all sets, and what they are worth on questions that they were not fitted on.
#![allow(missing_docs, clippy::print_stdout, reason = "it talks")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use becket_recall::embed::{Builtin, Embedder};
use becket_recall::eval::{
    BandNumbers, Example, Measured, Set, bands, by_name, fit, hand_written, history, measure,
    rust_docs, strings_of_python,
};
use becket_recall::search::Calibration;
use becket_store::Shelf;

/// Prompts that are made from a name are easy, and all alike: they must not drown the others.
const NAMED: f32 = 0.1;

type Found = Vec<(bool, Vec<Example>)>;

fn main() {
    let fits = std::env::args().any(|word| word == "--fit");
    let sets = sets();
    let mut code: Found = Vec::new();
    let mut memories: Found = Vec::new();
    for set in &sets {
        let model: Arc<dyn Embedder> = Arc::new(Builtin);
        let measured = measure(set, Arc::clone(&model)).expect("measured");
        report(set, &measured, &Calibration::of(model.id(), set.shelf));
        let weight = if set.name.starts_with("prompt") {
            NAMED
        } else {
            1.0
        };
        let weighed = measured
            .found
            .into_iter()
            .map(|(answerable, mut examples)| {
                for example in &mut examples {
                    example.weight = weight;
                }
                (answerable, examples)
            });
        match set.shelf {
            Shelf::Memory => memories.extend(weighed),
            Shelf::Code => code.extend(weighed),
        }
    }
    if fits {
        refit("memories", &memories);
        refit("code", &code);
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn output(program: &str, args: &[&str]) -> Option<String> {
    let done = Command::new(program)
        .args(args)
        .current_dir(root())
        .output()
        .ok()?;
    done.status
        .success()
        .then(|| String::from_utf8_lossy(&done.stdout).into_owned())
}

fn sets() -> Vec<Set> {
    let mut sets = vec![hand_written()];
    let python = [
        "-c",
        "import sysconfig; print(sysconfig.get_path('stdlib'))",
    ];
    match output("python3", &python) {
        Some(dir) => {
            let set = strings_of_python(Path::new(dir.trim()), 2000);
            sets.push(by_name(&set).thinned(600).with_unanswerable(4));
            sets.push(set.thinned(1000).with_unanswerable(4));
        }
        None => println!("SKIPPED: doc strings of Python; python3 is not there"),
    }
    let rust = rust_docs(&root().join("crates"), 2000);
    sets.push(by_name(&rust).thinned(600).with_unanswerable(4));
    sets.push(rust.thinned(1000).with_unanswerable(4));
    let log = [
        "log",
        "--no-merges",
        "-n",
        "2000",
        "--name-only",
        "--format=%x01%s",
    ];
    match output("git", &log) {
        Some(log) => sets.push(history(&log, &root())),
        None => println!("SKIPPED: commits; git is not there"),
    }
    sets.retain(|set| !set.questions.is_empty());
    sets
}

fn report(set: &Set, measured: &Measured, calibration: &Calibration) {
    let numbers = bands(&measured.found, calibration);
    println!(
        "\n{}: {} texts, {} questions, {} of them without an answer",
        set.name,
        set.texts.len(),
        set.questions.len(),
        numbers.unanswerable
    );
    println!("             R@5    R@10   MRR    nDCG@10");
    for (name, one) in ["BM25", "vectors", "hybrid"].iter().zip(measured.rankings) {
        println!(
            "  {name:8}   {:.3}  {:.3}  {:.3}  {:.3}",
            one.recall_5, one.recall_10, one.mrr, one.ndcg
        );
    }
    worth(&numbers);
}

#[expect(clippy::cast_precision_loss, reason = "percentages")]
fn worth(numbers: &BandNumbers) {
    let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
    for (at, name) in ["weak", "low", "medium", "high"].iter().enumerate() {
        println!(
            "  {name:8} {:6} texts, {:.3} of them answers; this or better: {:.3} of the answerable answered, {:.3} false alarms",
            numbers.texts[at],
            share(numbers.answers[at], numbers.texts[at]),
            share(numbers.answered[at], numbers.answerable),
            share(numbers.false_alarms[at], numbers.unanswerable),
        );
    }
}

/// Fits on four fifths, says what it is worth on the others, five times; then on all.
fn refit(name: &str, found: &Found) {
    let mut held_out = BandNumbers::default();
    for fold in 0..5 {
        let part = |inside: bool| {
            let all = found.iter().enumerate();
            all.filter(move |(at, _)| (at % 5 == fold) == inside)
                .map(|(_, one)| one.clone())
        };
        let calibration = fit(&examples(&part(false).collect::<Found>()));
        held_out = sum(
            &held_out,
            &bands(&part(true).collect::<Found>(), &calibration),
        );
    }
    println!("\n{name}: held out");
    worth(&held_out);
    println!("{name}: {:?}", fit(&examples(found)).0);
}

fn examples(found: &Found) -> Vec<Example> {
    found
        .iter()
        .flat_map(|(_, examples)| examples.clone())
        .collect()
}

fn sum(a: &BandNumbers, b: &BandNumbers) -> BandNumbers {
    let add = |a: [usize; 4], b: [usize; 4]| std::array::from_fn(|at| a[at] + b[at]);
    BandNumbers {
        texts: add(a.texts, b.texts),
        answers: add(a.answers, b.answers),
        unanswerable: a.unanswerable + b.unanswerable,
        false_alarms: add(a.false_alarms, b.false_alarms),
        answerable: a.answerable + b.answerable,
        answered: add(a.answered, b.answered),
    }
}
