//! Evaluates search: words, vectors and hybrid, and the confidence bands.
//!
//! `--fit` prints ranking and calibration weights, fitted on the training half of the questions, for `search/rank.rs` and
//! `search/calibrate.rs`.
//! `--write DIR` writes the tables and the curve to a directory, as in `docs/concepts/`.
//! The last table lists the requirements. The exit status is 1 if one with enough samples is violated.
#![allow(missing_docs, clippy::print_stdout, reason = "a command-line program")]

mod curve;
mod progress;
mod requirements;
mod sets;
mod tables;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use becket_recall::embed::{BuiltinModel, Embedder};
use becket_recall::eval::{
    DataSplit, FitOptions, QuestionResult, SetResult, fit, fit_order, measure_all, reliability,
};
use becket_recall::search::Calibration;
use becket_store::CorpusKind;
use progress::Progress;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let model: Arc<dyn Embedder> = Arc::new(BuiltinModel);
    let progress = Progress::new();
    let mut measured = Vec::new();
    for alike in sets::all(&progress) {
        progress.report(&format!("measuring: {}", alike[0].name));
        measured.push(measure_all(&alike, &model).expect("measured"));
    }
    let mut calibrations = CorpusKind::ALL
        .iter()
        .map(|&on| Calibration::of(model.id(), on))
        .collect::<Vec<_>>();
    if words == ["--fit"] {
        let fitted = CorpusKind::ALL
            .iter()
            .map(|&corpus| refit(corpus, &mut measured));
        calibrations = fitted.collect();
    }
    let calibrated = |corpus| {
        let at = CorpusKind::ALL.iter().position(|one| *one == corpus);
        calibrations[at.unwrap_or_default()]
    };
    let (promises, kept) = requirements::all(&measured, calibrated);
    let text = format!("{}\n{promises}", tables::all(&measured, calibrated));
    if let [write, dir] = &words[..]
        && write == "--write"
    {
        let curves = CorpusKind::ALL.iter().map(|&corpus| {
            let asked = of_corpus(&measured, corpus, DataSplit::Unseen);
            (corpus, reliability(asked, &calibrated(corpus)))
        });
        let picture = curve::svg(&curves.collect::<Vec<_>>());
        let dir = Path::new(dir);
        let text = format!("{}{text}", tables::HEAD);
        std::fs::write(dir.join("recall-numbers.md"), text).expect("written");
        std::fs::write(dir.join("recall-reliability.svg"), picture).expect("written");
    } else {
        println!("{text}");
    }
    if kept {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn of_corpus(
    measured: &[SetResult],
    corpus: CorpusKind,
    half: DataSplit,
) -> impl Iterator<Item = &QuestionResult> {
    let of_corpus = measured.iter().filter(move |one| one.corpus == corpus);
    let asked = of_corpus.flat_map(|one| &one.questions);
    asked.filter(move |one| one.split == half)
}

/// Fits on one half of the questions and reorders all results. For the ranking, each source of questions has the same
/// weight, however many sets and questions it has.
fn refit(corpus: CorpusKind, measured: &mut [SetResult]) -> Calibration {
    let mut questions = Vec::new();
    let of_corpus_alone = || measured.iter().filter(|one| one.corpus == corpus);
    for set in of_corpus_alone() {
        let alike = of_corpus_alone().filter(|other| other.source == set.source);
        let alike = alike.filter(|other| other.of(Some(DataSplit::Seen)).next().is_some());
        let seen = set.of(Some(DataSplit::Seen));
        let seen: Vec<&QuestionResult> = seen.filter(|one| one.answers > 0).collect();
        #[expect(clippy::cast_precision_loss, reason = "a few hundred")]
        let weight = set.source.weight() / (alike.count() * seen.len()).max(1) as f64;
        questions.extend(seen.iter().map(|one| (weight, one.found.as_slice())));
    }
    let ranker = fit_order(&questions);
    println!("{} order: {ranker:.3?}", corpus.word());
    for measured in measured.iter_mut().filter(|one| one.corpus == corpus) {
        for asked in &mut measured.questions {
            *asked = asked.reordered(&ranker);
        }
    }
    let examples: Vec<_> = of_corpus(measured, corpus, DataSplit::Seen)
        .flat_map(|one| one.found.iter().take(10).copied())
        .collect();
    let calibration = fit(&examples, care(corpus));
    println!("{} calibration: {calibration:.3?}", corpus.word());
    calibration
}

/// There are few memories to fit on, and in a large code base something resembles an answer to nearly everything.
fn care(corpus: CorpusKind) -> FitOptions {
    let (caution, unanswerable) = match corpus {
        CorpusKind::Memory => (6.0, 1.75),
        CorpusKind::Code => (2.0, 4.0),
    };
    FitOptions {
        regularisation: caution,
        unanswerable_weight: unanswerable,
    }
}
