//! A guard's view of a call, for people.

use becket::model::Verdict;
use becket_guard::command::{Executes, UNKNOWN};
use becket_guard::explain::{Step, Touch};
use becket_guard::judge::Judgement;
use becket_guard::{Finding, Policy, Rule, Span, judge};

use super::guard::{Account, View, executes, kept, via, why};
use crate::report::{Style, one_line, tame};

/// Lines are cut to about this width.
const WIDTH: usize = 100;

pub(super) fn text(view: &View<'_>, style: Style) -> String {
    let mut out = format!("\n{}\n", heading(view, style));
    let account = match &view.account {
        Ok(account) => account,
        Err(error) => return out + &format!("  {}\n", tame(error)),
    };
    let steps = view.steps(account);
    for (at, step) in steps.iter().enumerate() {
        out += &shown_step(at, step, account, style);
    }
    if steps.is_empty() {
        for touch in view.touches(account) {
            out += &format!("  {}\n", shown_touch(&touch, style));
        }
    }
    let text = view.text();
    for finding in &account.judgement.findings {
        out += &shown_finding(finding, &outcome(finding, account), text, account, style);
    }
    for passed in &account.judgement.passed {
        let outcome = format!("passes: {}", tame(&why(passed)));
        out += &shown_finding(&passed.finding, &style.dim(&outcome), text, account, style);
    }
    out + &doubts(account, text, style)
}

fn heading(view: &View<'_>, style: Style) -> String {
    let name = match view.hook {
        Some(hook) => one_line(&hook.name, 40),
        None => "No guard judges this call (`becket hooks enable security-guard`). One would say"
            .to_owned(),
    };
    let verdict = view.verdict();
    let word = match verdict {
        Verdict::NoOpinion => "nothing speaks against it",
        Verdict::Allow => "allow: it only reads",
        verdict => verdict.word(),
    };
    let preset = match &view.account {
        Ok(account) => format!(" ({})", account.policy.preset.word()),
        Err(_) => String::new(),
    };
    format!(
        "{name}: {}{}",
        painted(verdict, word, style),
        style.dim(&preset)
    )
}

fn painted(verdict: Verdict, word: &str, style: Style) -> String {
    match verdict {
        Verdict::NoOpinion | Verdict::Allow => style.good(word),
        Verdict::Ask => style.warn(word),
        Verdict::Deny | Verdict::Halt => style.bad(word),
    }
}

fn shown_step(at: usize, step: &Step<'_>, account: &Account, style: Style) -> String {
    let command = step.command;
    let mut line = command.program.clone();
    for word in command.words() {
        line.push(' ');
        line += &quoted(word);
    }
    if command.more_operands {
        line += " …";
    }
    let mut out = format!("  [{}] {}\n", at + 1, one_line(&open(&line), WIDTH));
    let mut notes = Vec::new();
    if !command.via.is_empty() {
        let vias: Vec<String> = command.via.iter().map(via).collect();
        notes.push(format!("through {}", vias.join(", then ")));
    }
    match &command.cwd {
        None => notes.push("in a directory that only running it would tell".to_owned()),
        Some(cwd) if *cwd != account.cwd() => notes.push(format!("in {cwd}")),
        Some(_) => {}
    }
    if let Some(runs) = executes(&command.executes) {
        notes.push(format!("runs {runs}"));
    }
    // What git is told on this very line follows as commands of its own.
    let hidden = step
        .git_runs
        .iter()
        .filter(|_| command.executes == Executes::Nothing);
    notes.extend(hidden.map(|line| format!("git runs `{line}`")));
    if !notes.is_empty() {
        let notes = one_line(&open(&notes.join("; ")), WIDTH);
        out += &format!("      {}\n", style.dim(&notes));
    }
    for touch in &step.touches {
        out += &format!("      {}\n", shown_touch(touch, style));
    }
    out
}

fn shown_touch(touch: &Touch, style: Style) -> String {
    let path = one_line(&open(&touch.spot.path), WIDTH);
    let what = touch.spot.what();
    format!("{} {path}: {}", touch.verb.words(), style.dim(&what))
}

fn outcome(finding: &Finding, account: &Account) -> String {
    let policy = &account.policy;
    let style = Style::stdout();
    match kept(finding, policy) {
        Verdict::NoOpinion => style.dim(&format!("`{}` does not mind", policy.preset.word())),
        Verdict::Ask => style.warn("asks"),
        verdict => style.bad(match verdict {
            Verdict::Deny if finding.rule == &judge::DENIED => "denied by your policy",
            _ => "denied",
        }),
    }
}

fn shown_finding(
    finding: &Finding,
    outcome: &str,
    text: Option<&str>,
    account: &Account,
    style: Style,
) -> String {
    let rule = finding.rule;
    let mut out = format!(
        "  {} ({}) {outcome}\n",
        style.bold(rule.id),
        weight(rule, &account.policy)
    );
    match text {
        Some(text) => out += &underlined(text, finding.span, style),
        None => out += &format!("      {}\n", one_line(&finding.subject, WIDTH)),
    }
    out + &advice(finding, &account.judgement)
}

/// What a finding is about and what to do instead; of what a person has forbidden, their own words.
pub(crate) fn advice(finding: &Finding, judgement: &Judgement) -> String {
    let rule = finding.rule;
    let own = judgement.reason.as_ref();
    match own.filter(|_| rule == &judge::DENIED && judgement.rule == Some(rule)) {
        Some(reason) => format!("      {}\n", one_line(reason, 4 * WIDTH)),
        None => format!(
            "      {}\n      instead: {}\n",
            rule.explanation, rule.safer
        ),
    }
}

fn weight(rule: &Rule, policy: &Policy) -> String {
    let (own, taken) = (rule.severity, policy.severity(rule));
    if own == taken {
        own.word().to_owned()
    } else {
        format!("{}, taken for {}", own.word(), taken.word())
    }
}

fn doubts(account: &Account, text: Option<&str>, style: Style) -> String {
    let mut out = String::new();
    for doubt in &account.judgement.script.doubts {
        out += &format!(
            "  {} {}\n",
            style.bold("not understood:"),
            tame(&doubt.what)
        );
        if let Some(text) = text {
            out += &underlined(text, doubt.span, style);
        }
    }
    out
}

/// The line of the text in which the span begins, and a line of carets below the span.
pub(crate) fn underlined(text: &str, span: Span, style: Style) -> String {
    let Some(before) = text.get(..span.start) else {
        return String::new();
    };
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let end = text[span.start..]
        .find('\n')
        .map_or(text.len(), |at| span.start + at);
    let last = span.end.clamp(span.start, end);
    let (Some(lead), Some(marked), Some(rest)) = (
        text.get(start..span.start),
        text.get(span.start..last),
        text.get(last..end),
    ) else {
        return String::new();
    };
    let (lead, marked, rest) = (flat(lead), flat(marked), flat(rest));
    let lead = tail(&lead, WIDTH / 3);
    let marked = head(&marked, WIDTH);
    let room = WIDTH.saturating_sub(lead.chars().count() + marked.chars().count());
    let rest = head(&rest, room.max(1));
    let gap = " ".repeat(lead.chars().count());
    let carets = "^".repeat(marked.chars().count().max(1));
    format!(
        "      {lead}{marked}{rest}\n      {gap}{}\n",
        style.warn(&carets)
    )
}

/// Every character takes one column.
fn flat(text: &str) -> String {
    tame(&text.replace(['\t', '\n'], " "))
}

fn head(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars()
        .take(most.saturating_sub(1))
        .chain(['…'])
        .collect()
}

fn tail(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let kept = text.chars().skip(length - most + 1);
    std::iter::once('…').chain(kept).collect()
}

/// What only running would tell is shown as an ellipsis.
fn open(text: &str) -> String {
    text.replace(UNKNOWN, "…").replace('\n', " ")
}

fn quoted(word: &str) -> String {
    if word.is_empty() || word.contains([' ', '\t', '\n', '\'', '"']) {
        return format!("{word:?}");
    }
    word.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn carets(text: &str, start: usize, end: usize) -> String {
        underlined(text, Span { start, end }, Style::plain())
    }

    #[test]
    fn carets_stand_below_what_they_are_about() {
        let text = "cd /tmp && rm -rf ~";
        assert_eq!(
            carets(text, 11, 19),
            "      cd /tmp && rm -rf ~\n                 ^^^^^^^^\n"
        );
        let lines = "echo é\nrm\t-rf ~ \\\n  x";
        assert_eq!(
            carets(lines, 8, 99),
            "      rm -rf ~ \\\n      ^^^^^^^^^^\n"
        );
    }

    #[test]
    fn long_lines_are_cut_around_what_is_meant() {
        let text = format!("{} rm -rf ~ {}", "a".repeat(500), "b".repeat(500));
        let shown = carets(&text, 501, 509);
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines[0].chars().count() <= WIDTH + 6, "{shown}");
        assert_eq!(
            lines[0]
                .find("rm -rf ~")
                .map(|at| lines[0][..at].chars().count()),
            lines[1].find('^')
        );
    }

    #[test]
    fn a_span_that_fits_nowhere_shows_nothing() {
        assert_eq!(carets("é", 1, 2), "");
        assert_eq!(carets("abc", 9, 12), "");
        assert_eq!(carets("", 0, 0), "      \n      ^\n");
    }
}
