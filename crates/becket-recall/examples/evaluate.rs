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
    rust_docs, strings_of_python, unanswerable,
};
use becket_recall::search::Calibration;
use becket_store::Shelf;

type Found = Vec<(bool, Vec<Example>)>;

fn main() {
    let fits = std::env::args().any(|word| word == "--fit");
    let model: Arc<dyn Embedder> = Arc::new(Builtin);
    let mut found: Vec<(Set, Found)> = Vec::new();
    for set in sets() {
        let measured = measure(&set, Arc::clone(&model)).expect("measured");
        report(&set, &measured, &Calibration::of(model.id(), set.shelf));
        found.push((set, measured.found));
    }
    if fits {
        refit(Shelf::Memory, &found);
        refit(Shelf::Code, &found);
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
            sets.push(set.thinned(1000).with_unanswerable(4).with(unanswerable()));
        }
        None => println!("SKIPPED: doc strings of Python; python3 is not there"),
    }
    let rust = rust_docs(&root().join("crates"), 2000);
    sets.push(by_name(&rust).thinned(600).with_unanswerable(4));
    sets.push(rust.thinned(1000).with_unanswerable(4).with(unanswerable()));
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

/// Fits on four fifths of the questions, says what that is worth on the others, five times; then on all.
fn refit(shelf: Shelf, found: &[(Set, Found)]) {
    let sets = || found.iter().filter(|(set, _)| set.shelf == shelf);
    let folds: Vec<Calibration> = (0..5)
        .map(|fold| fit(&examples(sets(), |at| at % 5 != fold)))
        .collect();
    println!("\n{}, on questions that were held out", shelf.word());
    let mut all = BandNumbers::default();
    for (set, questions) in sets() {
        let mut of_set = BandNumbers::default();
        for (at, question) in questions.iter().enumerate() {
            of_set = sum(
                &of_set,
                &bands(std::slice::from_ref(question), &folds[at % 5]),
            );
        }
        println!(" {}", set.name);
        worth(&of_set);
        all = sum(&all, &of_set);
    }
    println!(" all of them");
    worth(&all);
    println!(
        "{}: {:.3?}",
        shelf.word(),
        fit(&examples(sets(), |_| true)).0
    );
}

fn examples<'f>(
    sets: impl Iterator<Item = &'f (Set, Found)>,
    wanted: impl Fn(usize) -> bool,
) -> Vec<Example> {
    let mut all = Vec::new();
    for (_, questions) in sets {
        let wanted = questions.iter().enumerate().filter(|(at, _)| wanted(*at));
        all.extend(wanted.flat_map(|(_, (_, examples))| examples.iter().copied()));
    }
    all
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
