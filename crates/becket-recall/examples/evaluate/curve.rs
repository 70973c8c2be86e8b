//! Draws the reliability curve.

use std::fmt::Write;

use becket_recall::eval::ReliabilityBin;
use becket_store::CorpusKind;

const SIDE: f64 = 320.0;
const EDGE: f64 = 48.0;

/// Predicted relevance (x) against observed relevance (y). Larger dots stand for more texts.
#[expect(clippy::cast_precision_loss, reason = "a picture")]
pub(crate) fn svg(curves: &[(CorpusKind, [ReliabilityBin; 10])]) -> String {
    let whole = SIDE + 2.0 * EDGE;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {whole} {whole}\" font-family=\"sans-serif\" font-size=\"12\">\n<title>Predicted and observed relevance</title>\n<rect width=\"{whole}\" height=\"{whole}\" fill=\"#fff\"/>\n"
    );
    let at = |x: f64, y: f64| (EDGE + SIDE * x, EDGE + SIDE * (1.0 - y));
    for step in 0..=5 {
        let part = f64::from(step) / 5.0;
        let (x, bottom) = at(part, 0.0);
        let (left, y) = at(0.0, part);
        let _ = writeln!(
            out,
            "<path d=\"M{x:.0} {EDGE}V{bottom:.0}M{left:.0} {y:.0}H{:.0}\" stroke=\"#ddd\"/><text x=\"{x:.0}\" y=\"{:.0}\" text-anchor=\"middle\">{part:.1}</text><text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{part:.1}</text>",
            EDGE + SIDE,
            bottom + 18.0,
            left - 8.0,
            y + 4.0
        );
    }
    let ((x0, y0), (x1, y1)) = (at(0.0, 0.0), at(1.0, 1.0));
    let _ = writeln!(
        out,
        "<path d=\"M{x0:.0} {y0:.0}L{x1:.0} {y1:.0}\" stroke=\"#999\" stroke-dasharray=\"4\"/>"
    );
    for ((corpus, bins), colour) in curves.iter().zip(["#b4541a", "#1a62b4"]) {
        let full = bins.iter().filter(|bin| bin.texts > 0);
        let dots: Vec<(f64, f64, f64)> = full
            .map(|bin| {
                let texts = bin.texts as f64;
                let (x, y) = at(bin.scores / texts, bin.answers as f64 / texts);
                (x, y, 2.0 + texts.ln() / 2.0)
            })
            .collect();
        let line: Vec<String> = dots
            .iter()
            .map(|(x, y, _)| format!("{x:.1},{y:.1}"))
            .collect();
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\"/>",
            line.join(" ")
        );
        for (x, y, size) in dots {
            let _ = writeln!(
                out,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{size:.1}\" fill=\"{colour}\"/>"
            );
        }
        let row = if *corpus == CorpusKind::Memory {
            16.0
        } else {
            34.0
        };
        let _ = writeln!(
            out,
            "<text x=\"{:.0}\" y=\"{:.0}\" fill=\"{colour}\">{}</text>",
            EDGE + 8.0,
            EDGE + row,
            corpus.word()
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">score</text><text x=\"14\" y=\"{:.0}\" text-anchor=\"middle\" transform=\"rotate(-90 14 {0:.0})\">share of answers</text>\n</svg>",
        whole / 2.0,
        whole - 8.0,
        whole / 2.0
    );
    out
}
