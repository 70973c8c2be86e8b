//! How well search works: words, meaning and both side by side, and what the bands are worth.
//!
//! `--fit` prints the weights of orders and calibrations, fitted on the half of the questions that is for it, and what
//! they are worth; `search/rank.rs` and `search/calibrate.rs` have them.
//! `--write DIR` writes the tables and the curve there instead, as they are in `docs/concepts/`.
//! At the end stands what has to hold; it exits with 1 if something does not that enough questions or texts say.
#![allow(missing_docs, clippy::print_stdout, reason = "it talks")]

mod curve;
mod progress;
mod promises;
mod sets;
mod tables;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use becket_recall::embed::{Builtin, Embedder};
use becket_recall::eval::{Asked, Care, Half, Measured, fit, fit_order, measure_all, reliability};
use becket_recall::search::Calibration;
use becket_store::Shelf;
use progress::Progress;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let model: Arc<dyn Embedder> = Arc::new(Builtin);
    let progress = Progress::new();
    let mut measured = Vec::new();
    for alike in sets::all(&progress) {
        progress.tell(&format!("measuring: {}", alike[0].name));
        measured.push(measure_all(&alike, &model).expect("measured"));
    }
    let mut calibrations = Shelf::ALL
        .iter()
        .map(|&on| Calibration::of(model.id(), on))
        .collect::<Vec<_>>();
    if words == ["--fit"] {
        let fitted = Shelf::ALL.iter().map(|&shelf| refit(shelf, &mut measured));
        calibrations = fitted.collect();
    }
    let calibrated = |shelf| {
        let at = Shelf::ALL.iter().position(|one| *one == shelf);
        calibrations[at.unwrap_or_default()]
    };
    let (promises, kept) = promises::all(&measured, calibrated);
    let text = format!("{}\n{promises}", tables::all(&measured, calibrated));
    if let [write, dir] = &words[..]
        && write == "--write"
    {
        let curves = Shelf::ALL.iter().map(|&shelf| {
            let asked = of_shelf(&measured, shelf, Half::Unseen);
            (shelf, reliability(asked, &calibrated(shelf)))
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

fn of_shelf(measured: &[Measured], shelf: Shelf, half: Half) -> impl Iterator<Item = &Asked> {
    let of_shelf = measured.iter().filter(move |one| one.shelf == shelf);
    let asked = of_shelf.flat_map(|one| &one.asked);
    asked.filter(move |one| one.half == half)
}

/// Fits on one half of the questions, and puts everything into the order that was fitted. In an order a sort of question
/// weighs the same however many sets it has and however many questions they have.
fn refit(shelf: Shelf, measured: &mut [Measured]) -> Calibration {
    let mut questions = Vec::new();
    let of_shelf_alone = || measured.iter().filter(|one| one.shelf == shelf);
    for set in of_shelf_alone() {
        let alike = of_shelf_alone().filter(|other| other.sort == set.sort);
        let alike = alike.filter(|other| other.of(Some(Half::Seen)).next().is_some());
        let seen = set.of(Some(Half::Seen));
        let seen: Vec<&Asked> = seen.filter(|one| one.answers > 0).collect();
        #[expect(clippy::cast_precision_loss, reason = "a few hundred")]
        let weight = set.sort.weight() / (alike.count() * seen.len()).max(1) as f64;
        questions.extend(seen.iter().map(|one| (weight, one.found.as_slice())));
    }
    let ranker = fit_order(&questions);
    println!("{} order: {ranker:.3?}", shelf.word());
    for measured in measured.iter_mut().filter(|one| one.shelf == shelf) {
        for asked in &mut measured.asked {
            *asked = asked.reordered(&ranker);
        }
    }
    let examples: Vec<_> = of_shelf(measured, shelf, Half::Seen)
        .flat_map(|one| one.found.iter().take(10).copied())
        .collect();
    let calibration = fit(&examples, care(shelf));
    println!("{} calibration: {calibration:.3?}", shelf.word());
    calibration
}

/// There are few memories to fit on; and there is so much code that something in it looks like an answer to nearly
/// everything.
fn care(shelf: Shelf) -> Care {
    let (caution, unanswerable) = match shelf {
        Shelf::Memory => (6.0, 1.75),
        Shelf::Code => (2.0, 4.0),
    };
    Care {
        caution,
        unanswerable,
    }
}
