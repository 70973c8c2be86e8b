//! What has to hold, set by set.

use std::fmt::Write;

use becket_recall::eval::{BandNumbers, Half, Measured, Ranking, Sort, bands};
use becket_recall::search::{Band, Calibration};
use becket_store::Shelf;

use crate::tables::parts;

/// With fewer behind it, a promise that is not kept may be chance.
const ENOUGH: usize = 20;

/// Something that has to hold for a set.
struct Promise {
    set: String,
    half: &'static str,
    what: String,
    holds: bool,
    /// How many questions or texts say so.
    behind: usize,
}

/// All of them as a list, and whether those hold that enough stands behind.
pub(crate) fn all(
    measured: &[Measured],
    calibrated: impl Fn(Shelf) -> Calibration,
) -> (String, bool) {
    let mut out = "## What has to hold\n\n| set | questions | promise | behind it | |\n| --- | --- | --- | --- | --- |\n".to_owned();
    let mut kept = true;
    let of_sets = measured
        .iter()
        .flat_map(|one| of(one, &calibrated(one.shelf)));
    let of_shelves = Shelf::ALL
        .iter()
        .map(|&shelf| of_unseen(measured, shelf, &calibrated(shelf)));
    for promise in of_sets.chain(of_shelves) {
        let Promise {
            set,
            half,
            what,
            holds,
            behind,
        } = promise;
        let verdict = match (holds, behind >= ENOUGH) {
            (true, _) => "holds",
            (false, true) => "**does not hold**",
            (false, false) => "does not hold, of too few",
        };
        kept &= holds || behind < ENOUGH;
        let _ = writeln!(out, "| {set} | {half} | {what} | {behind} | {verdict} |");
    }
    (out, kept)
}

fn of(measured: &Measured, calibration: &Calibration) -> Vec<Promise> {
    let mut promises = Vec::new();
    // What holds on what was fitted on alone says nothing.
    let judged = |(_, half): &(&str, Option<Half>)| *half != Some(Half::Seen);
    for (half, only) in parts(measured).into_iter().filter(judged) {
        let numbers = bands(measured.of(only), calibration);
        let mut promise = |what: String, holds: bool, behind: usize| {
            if behind > 0 {
                promises.push(Promise {
                    set: measured.name.clone(),
                    half,
                    what,
                    holds,
                    behind,
                });
            }
        };
        let not_above = not_above(measured.rankings(only));
        let ranked = if measured.sort == Sort::Bands {
            0
        } else {
            numbers.answerable
        };
        let what = if not_above.is_empty() {
            "both ways together are better than each".to_owned()
        } else {
            format!(
                "both ways together are better than each; not in {}",
                not_above.join(", ")
            )
        };
        promise(what, not_above.is_empty(), ranked);
        // Of half a set, one question more or less is half a percent.
        if only.is_none() {
            let (what, holds) = few_alarms(&numbers);
            promise(what, holds, numbers.unanswerable);
        }
        if numbers.answerable > 0 {
            let (what, holds) = mostly_answers(&numbers);
            promise(what, holds, numbers.texts[Band::High as usize]);
        }
    }
    promises
}

/// The same of all sets together, of the questions that nothing was fitted on.
fn of_unseen(measured: &[Measured], shelf: Shelf, calibration: &Calibration) -> Promise {
    let of_shelf = measured.iter().filter(|one| one.shelf == shelf);
    let asked = of_shelf.flat_map(|one| &one.asked);
    let unseen = asked.filter(|one| one.half != Half::Seen);
    let numbers = bands(unseen, calibration);
    let (what, holds) = few_alarms(&numbers);
    Promise {
        set: format!("all sets of {}", shelf.word()),
        half: "unseen and sealed",
        what,
        holds,
        behind: numbers.unanswerable,
    }
}

/// What is told beside a prompt is what is high.
fn few_alarms(numbers: &BandNumbers) -> (String, bool) {
    let alarms = numbers.false_alarms[Band::High as usize];
    let what = format!("at most 3 % of questions without an answer are told something: {alarms}");
    (what, alarms * 100 <= numbers.unanswerable * 3)
}

fn mostly_answers(numbers: &BandNumbers) -> (String, bool) {
    let high = Band::High as usize;
    let (answers, texts) = (numbers.answers[high], numbers.texts[high]);
    let what = format!("at least 80 % of what is high are answers: {answers}");
    (what, answers * 10 >= texts * 8)
}

/// In what both ways together are not better than one alone. Of five and of ten they may find just as much, as there
/// are sets of which either finds nearly everything; what they find has to come earlier.
fn not_above([words, meaning, both]: [Ranking; 3]) -> Vec<String> {
    let mut found = Vec::new();
    for (name, part) in [("words", words), ("meaning", meaning)] {
        for (what, holds) in [
            ("R@5", both.recall_5 >= part.recall_5),
            ("R@10", both.recall_10 >= part.recall_10),
            ("MRR", both.mrr > part.mrr),
            ("nDCG@10", both.ndcg > part.ndcg),
        ] {
            if !holds {
                found.push(format!("{what} ({name})"));
            }
        }
    }
    found
}
