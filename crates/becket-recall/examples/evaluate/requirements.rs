//! Requirements for each set.

use std::fmt::Write;

use becket_recall::eval::{
    BandMetrics, DataSplit, QuestionSource, RankingMetrics, SetResult, bands,
};
use becket_recall::search::{Band, Calibration};
use becket_store::CorpusKind;

use crate::tables::parts;

/// With fewer samples, a violation may be a coincidence.
const MIN_SAMPLES: usize = 20;

/// A requirement for a set.
struct Requirement {
    set: String,
    half: &'static str,
    what: String,
    holds: bool,
    /// The number of questions or texts behind it.
    behind: usize,
}

/// All requirements as a table, and whether those with enough samples hold.
pub(crate) fn all(
    measured: &[SetResult],
    calibrated: impl Fn(CorpusKind) -> Calibration,
) -> (String, bool) {
    let mut out = "## Requirements\n\n| set | questions | requirement | samples | |\n| --- | --- | --- | --- | --- |\n".to_owned();
    let mut kept = true;
    let of_sets = measured
        .iter()
        .flat_map(|one| of(one, &calibrated(one.corpus)));
    let of_corpora = CorpusKind::ALL
        .iter()
        .map(|&corpus| of_unseen(measured, corpus, &calibrated(corpus)));
    for promise in of_sets.chain(of_corpora) {
        let Requirement {
            set,
            half,
            what,
            holds,
            behind,
        } = promise;
        let verdict = match (holds, behind >= MIN_SAMPLES) {
            (true, _) => "holds",
            (false, true) => "**does not hold**",
            (false, false) => "does not hold, too few samples",
        };
        kept &= holds || behind < MIN_SAMPLES;
        let _ = writeln!(out, "| {set} | {half} | {what} | {behind} | {verdict} |");
    }
    (out, kept)
}

fn of(measured: &SetResult, calibration: &Calibration) -> Vec<Requirement> {
    let mut promises = Vec::new();
    // Results on the training half alone prove nothing.
    let judged = |(_, half): &(&str, Option<DataSplit>)| *half != Some(DataSplit::Seen);
    for (half, only) in parts(measured).into_iter().filter(judged) {
        let numbers = bands(measured.of(only), calibration);
        let mut promise = |what: String, holds: bool, behind: usize| {
            if behind > 0 {
                promises.push(Requirement {
                    set: measured.name.clone(),
                    half,
                    what,
                    holds,
                    behind,
                });
            }
        };
        let not_above = not_above(measured.rankings(only));
        let ranked = if measured.source == QuestionSource::Bands {
            0
        } else {
            numbers.answerable
        };
        let what = if not_above.is_empty() {
            "hybrid search is better than either method".to_owned()
        } else {
            format!(
                "hybrid search is better than either method; not in {}",
                not_above.join(", ")
            )
        };
        promise(what, not_above.is_empty(), ranked);
        // In half a set, a single question is half a percent.
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

/// The same for all sets together, on questions not used for fitting.
fn of_unseen(measured: &[SetResult], corpus: CorpusKind, calibration: &Calibration) -> Requirement {
    let of_corpus = measured.iter().filter(|one| one.corpus == corpus);
    let asked = of_corpus.flat_map(|one| &one.questions);
    let unseen = asked.filter(|one| one.split != DataSplit::Seen);
    let numbers = bands(unseen, calibration);
    let (what, holds) = few_alarms(&numbers);
    Requirement {
        set: format!("all sets of {}", corpus.word()),
        half: "unseen and sealed",
        what,
        holds,
        behind: numbers.unanswerable,
    }
}

/// High-confidence results are injected with prompts.
fn few_alarms(numbers: &BandMetrics) -> (String, bool) {
    let alarms = numbers.false_alarms[Band::High as usize];
    let what = format!("false alarms for at most 3 % of questions without an answer: {alarms}");
    (what, alarms * 100 <= numbers.unanswerable * 3)
}

fn mostly_answers(numbers: &BandMetrics) -> (String, bool) {
    let high = Band::High as usize;
    let (answers, texts) = (numbers.answers[high], numbers.texts[high]);
    let what = format!("at least 80 % of high-confidence results are answers: {answers}");
    (what, answers * 10 >= texts * 8)
}

/// The metrics in which hybrid search is not better than one method alone. Recall may be equal, since either method finds
/// nearly everything in some sets; the order must be better.
fn not_above([words, meaning, both]: [RankingMetrics; 3]) -> Vec<String> {
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
