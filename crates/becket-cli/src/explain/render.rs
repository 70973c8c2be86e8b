//! Renders a guard's view of a tool call for the terminal.

use becket::model::Verdict;
use becket_base::text::ellipsize;
use becket_guard::command::{ExecutedCode, UNKNOWN};
use becket_guard::explain::{ClassifiedEffect, CommandExplanation};
use becket_guard::judge::Judgement;
use becket_guard::{Finding, Policy, Rule, Span, judge};

use super::guard::{GuardView, JudgedCall, executes, finding_verdict, pass_reason, via};
use crate::report::{Style, one_line, sanitize};

/// Approximate maximum line width.
const WIDTH: usize = 100;

pub(super) fn text(view: &GuardView<'_>, style: Style) -> String {
    let mut out = format!("\n{}\n", heading(view, style));
    let judged = match &view.judged {
        Ok(judged) => judged,
        Err(error) => return out + &format!("  {}\n", sanitize(error)),
    };
    let steps = view.steps(judged);
    for (at, step) in steps.iter().enumerate() {
        out += &render_step(at, step, judged, style);
    }
    if steps.is_empty() {
        for touch in view.touches(judged) {
            out += &format!("  {}\n", render_touch(&touch, style));
        }
    }
    let text = view.text();
    for finding in &judged.judgement.findings {
        out += &render_finding(finding, &outcome(finding, judged), text, judged, style);
    }
    for passed in &judged.judgement.suppressed {
        let outcome = format!("ignored: {}", sanitize(&pass_reason(passed)));
        out += &render_finding(&passed.finding, &style.dim(&outcome), text, judged, style);
    }
    out + &doubts(judged, text, style)
}

fn heading(view: &GuardView<'_>, style: Style) -> String {
    let name = match view.hook {
        Some(hook) => one_line(&hook.name, 40),
        None => {
            "No guard is enabled (`becket hooks enable security-guard`). It would decide".to_owned()
        }
    };
    let verdict = view.verdict();
    let word = match verdict {
        Verdict::NoOpinion => "no rule matches",
        Verdict::Allow => "allow: read-only",
        verdict => verdict.word(),
    };
    let preset = match &view.judged {
        Ok(judged) => format!(" ({})", judged.policy.preset.word()),
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

fn render_step(
    at: usize,
    step: &CommandExplanation<'_>,
    judged: &JudgedCall,
    style: Style,
) -> String {
    let command = step.command;
    let mut line = command.program.clone();
    for word in command.words() {
        line.push(' ');
        line += &quoted(word);
    }
    if command.more_operands {
        line += " …";
    }
    let mut out = format!("  [{}] {}\n", at + 1, one_line(&mask_unknown(&line), WIDTH));
    let mut notes = Vec::new();
    if !command.via.is_empty() {
        let vias: Vec<String> = command.via.iter().map(via).collect();
        notes.push(format!("via {}", vias.join(", then ")));
    }
    match &command.cwd {
        None => notes.push("in a directory that is known only at run time".to_owned()),
        Some(cwd) if *cwd != judged.cwd() => notes.push(format!("in {cwd}")),
        Some(_) => {}
    }
    if let Some(runs) = executes(&command.executes) {
        notes.push(format!("runs {runs}"));
    }
    // Commands that git gets on this line follow as separate steps.
    let hidden = step
        .git_runs
        .iter()
        .filter(|_| command.executes == ExecutedCode::Nothing);
    notes.extend(hidden.map(|line| format!("git runs `{line}`")));
    if !notes.is_empty() {
        let notes = one_line(&mask_unknown(&notes.join("; ")), WIDTH);
        out += &format!("      {}\n", style.dim(&notes));
    }
    for touch in &step.effects {
        out += &format!("      {}\n", render_touch(touch, style));
    }
    out
}

fn render_touch(touch: &ClassifiedEffect, style: Style) -> String {
    let path = one_line(&mask_unknown(&touch.target.path), WIDTH);
    let what = touch.target.describe();
    format!("{} {path}: {}", touch.verb.describe(), style.dim(&what))
}

fn outcome(finding: &Finding, judged: &JudgedCall) -> String {
    let policy = &judged.policy;
    let style = Style::stdout();
    match finding_verdict(finding, policy) {
        Verdict::NoOpinion => style.dim(&format!("ignored by preset `{}`", policy.preset.word())),
        Verdict::Ask => style.warn("asks"),
        verdict => style.bad(match verdict {
            Verdict::Deny if finding.rule == &judge::DENIED => "denied by your policy",
            _ => "denied",
        }),
    }
}

fn render_finding(
    finding: &Finding,
    outcome: &str,
    text: Option<&str>,
    judged: &JudgedCall,
    style: Style,
) -> String {
    let rule = finding.rule;
    let mut out = format!(
        "  {} ({}) {outcome}\n",
        style.bold(rule.id),
        severity_label(rule, &judged.policy)
    );
    match text {
        Some(text) => out += &underlined(text, finding.span, style),
        None => out += &format!("      {}\n", one_line(&finding.subject, WIDTH)),
    }
    out + &advice(finding, &judged.judgement)
}

/// Explains a finding and suggests an alternative. For a command that the user's policy denies, the policy's own message.
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

fn severity_label(rule: &Rule, policy: &Policy) -> String {
    let (own, taken) = (rule.severity, policy.severity(rule));
    if own == taken {
        own.word().to_owned()
    } else {
        format!("{}, treated as {}", own.word(), taken.word())
    }
}

fn doubts(judged: &JudgedCall, text: Option<&str>, style: Style) -> String {
    let mut out = String::new();
    for doubt in &judged.judgement.script.doubts {
        out += &format!(
            "  {} {}\n",
            style.bold("not understood:"),
            sanitize(&doubt.message)
        );
        if let Some(text) = text {
            out += &underlined(text, doubt.span, style);
        }
    }
    out
}

/// The source line in which the span begins, with carets below the span.
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
    let marked = ellipsize(&marked, WIDTH);
    let room = WIDTH.saturating_sub(lead.chars().count() + marked.chars().count());
    let rest = ellipsize(&rest, room.max(1));
    let gap = " ".repeat(lead.chars().count());
    let carets = "^".repeat(marked.chars().count().max(1));
    format!(
        "      {lead}{marked}{rest}\n      {gap}{}\n",
        style.warn(&carets)
    )
}

/// Replaces tabs and line breaks and escapes control characters, so that the carets line up with the text.
fn flat(text: &str) -> String {
    sanitize(&text.replace(['\t', '\n'], " "))
}

fn tail(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let kept = text.chars().skip(length - most + 1);
    std::iter::once('…').chain(kept).collect()
}

/// Replaces parts that are known only at run time with an ellipsis.
fn mask_unknown(text: &str) -> String {
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
    fn carets_align_with_the_span() {
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
    fn long_lines_are_truncated_around_the_span() {
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
    fn invalid_span_renders_nothing() {
        assert_eq!(carets("é", 1, 2), "");
        assert_eq!(carets("abc", 9, 12), "");
        assert_eq!(carets("", 0, 0), "      \n      ^\n");
    }
}
