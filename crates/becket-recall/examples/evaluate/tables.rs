//! Tables, as they are in the documentation.

use std::fmt::Write;

use becket_recall::eval::{Asked, BandNumbers, Half, Measured, Sort, bands, reliability};
use becket_recall::search::Calibration;
use becket_store::Shelf;

/// What stands above the tables in the documentation.
pub(crate) const HEAD: &str = "# Recall in numbers

Printed by `cargo run --release -p becket-recall --example evaluate -- --write docs/concepts`; [how well recall finds](recall-quality.md) says
what they mean. Python's library and installed packages are those of one machine, so other machines have other numbers.

## How well each way of searching ranks

";

pub(crate) fn all(measured: &[Measured], calibrated: impl Fn(Shelf) -> Calibration) -> String {
    let mut out = String::new();
    for one in measured {
        ranking(&mut out, one);
    }
    let _ = writeln!(out, "## What the bands are worth\n");
    let _ = writeln!(
        out,
        "| set | questions | band | texts | of them answers | answerable answered | false alarms |\n| --- | --- | --- | --- | --- | --- | --- |"
    );
    for one in measured {
        let calibration = calibrated(one.shelf);
        for (name, half) in parts(one) {
            worth(
                &mut out,
                &one.name,
                name,
                &bands(one.of(half), &calibration),
            );
        }
    }
    for &shelf in Shelf::ALL {
        let of_shelf = || measured.iter().filter(|one| one.shelf == shelf);
        let asked = |half| {
            let asked = of_shelf().flat_map(|one| &one.asked);
            asked.filter(move |one: &&Asked| one.half == half)
        };
        let calibration = calibrated(shelf);
        let bins = [Half::Seen, Half::Unseen].map(|half| reliability(asked(half), &calibration));
        curve(&mut out, shelf, &bins);
    }
    out
}

/// The parts of a set's questions. What nothing was fitted on has none.
pub(crate) fn parts(one: &Measured) -> Vec<(&'static str, Option<Half>)> {
    if one.of(Some(Half::Sealed)).next().is_some() {
        return vec![("sealed", None)];
    }
    vec![
        ("all", None),
        ("seen", Some(Half::Seen)),
        ("unseen", Some(Half::Unseen)),
    ]
}

fn ranking(out: &mut String, measured: &Measured) {
    let unanswerable = measured.asked.iter().filter(|one| one.answers == 0);
    let _ = writeln!(
        out,
        "### {}\n\n{} texts, {} questions, {} of them without an answer.\n",
        measured.name,
        measured.texts,
        measured.asked.len(),
        unanswerable.count()
    );
    if measured.sort == Sort::Bands {
        return;
    }
    let _ = writeln!(
        out,
        "| questions | searched by | R@5 | R@10 | MRR | nDCG@10 |\n| --- | --- | --- | --- | --- | --- |"
    );
    for (half_name, half) in parts(measured) {
        let rankings = measured.rankings(half);
        for (name, one) in ["words", "meaning", "both"].iter().zip(rankings) {
            let _ = writeln!(
                out,
                "| {half_name} | {name} | {:.3} | {:.3} | {:.3} | {:.3} |",
                one.recall_5, one.recall_10, one.mrr, one.ndcg
            );
        }
    }
    out.push('\n');
}

#[expect(clippy::cast_precision_loss, reason = "percentages")]
fn share(part: usize, of: usize) -> String {
    if of == 0 {
        return "–".to_owned();
    }
    format!("{:.3}", part as f64 / of as f64)
}

fn worth(out: &mut String, set: &str, half: &str, numbers: &BandNumbers) {
    for (at, name) in ["weak", "low", "medium", "high"].iter().enumerate().skip(1) {
        let _ = writeln!(
            out,
            "| {set} | {half} | {name} | {} | {} | {} | {} |",
            numbers.texts[at],
            share(numbers.answers[at], numbers.texts[at]),
            share(numbers.answered[at], numbers.answerable),
            share(numbers.false_alarms[at], numbers.unanswerable),
        );
    }
}

#[expect(clippy::cast_precision_loss, reason = "percentages")]
fn curve(out: &mut String, shelf: Shelf, [seen, unseen]: &[[becket_recall::eval::Bin; 10]; 2]) {
    let _ = writeln!(
        out,
        "\n## Reliability, {}\n\n| score | seen: texts | predicted | observed | unseen: texts | predicted | observed |\n| --- | --- | --- | --- | --- | --- | --- |",
        shelf.word()
    );
    for (at, (seen, unseen)) in seen.iter().zip(unseen).enumerate() {
        let cells = [seen, unseen].map(|bin| {
            let predicted = bin.scores / bin.texts.max(1) as f64;
            let observed = share(bin.answers, bin.texts);
            format!("{} | {predicted:.3} | {observed}", bin.texts)
        });
        let _ = writeln!(
            out,
            "| 0.{at}–{:.1} | {} | {} |",
            (at + 1) as f64 / 10.0,
            cells[0],
            cells[1]
        );
    }
}
