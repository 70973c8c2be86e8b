//! `becket session ID`: prints the timeline of a session, prompt by prompt.

use anyhow::bail;
use becket::model::Event;
use becket_base::text::columns::ellipsize;
use becket_base::time::format_span;
use becket_store::{
    ActivityRow, BatchDetail, DecisionRow, EntryContent, HookRunRow, SessionFilter, SessionRow,
    StoreReader, SubagentDetail, Timeline, TimelineEntry, describe_call, event_of_record,
};
use clap::Args;
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::records::{self, format_time, format_timestamp, plural};
use crate::report::{SCHEMA_VERSION, Style, one_line, print, print_json, print_message, sanitize};
use crate::table::{terminal_width, wrap};

/// Prompts per query.
const PAGE_SIZE: usize = 50;
/// How much of a reason is shown.
const MAX_REASON_CHARS: usize = 2000;
/// How many sessions an ambiguous prefix names.
const MAX_SUGGESTED: usize = 10;

#[derive(Args)]
pub(crate) struct SessionArgs {
    /// Session id or its prefix [default: the latest session]
    id: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn main(args: &SessionArgs) -> anyhow::Result<Exit> {
    let home = records::home();
    let Some(reader) = records::open(&home)? else {
        print_message("Nothing recorded yet.");
        return Ok(Exit::Failure);
    };
    let id = match &args.id {
        Some(prefix) => resolve_id(&reader, prefix)?,
        None => latest_session(&reader)?,
    };
    let mut from = Some(1);
    let mut whole: Option<Timeline> = None;
    let show = TimelineRenderer::new(&reader);
    while let Some(number) = from {
        let Some(part) = reader.timeline(&id, number, PAGE_SIZE)? else {
            bail!("session `{id}` no longer exists");
        };
        from = part.next;
        match &mut whole {
            Some(whole) if args.json => whole.batches.extend(part.batches),
            None if args.json => whole = Some(part),
            _ => print(&show.page(&part, number == 1)?),
        }
    }
    if let Some(whole) = whole {
        print_json(&json!({
            "schema_version": SCHEMA_VERSION, "session": whole.session, "stats": reader.session_stats(&id)?,
            "before": whole.before, "batches": whole.batches,
        }))?;
    }
    Ok(Exit::Success)
}

fn resolve_id(reader: &StoreReader, prefix: &str) -> anyhow::Result<String> {
    if reader.session(prefix)?.is_some() {
        return Ok(prefix.to_owned());
    }
    let found = reader.session_ids(prefix, MAX_SUGGESTED)?;
    match found.as_slice() {
        [] => bail!("no session with id `{prefix}`\nhint: list sessions with `becket sessions`"),
        [one] => Ok(one.clone()),
        several => bail!(
            "`{prefix}` matches several sessions: {}",
            several.join(", ")
        ),
    }
}

fn latest_session(reader: &StoreReader) -> anyhow::Result<String> {
    let filter = SessionFilter {
        limit: 1,
        ..SessionFilter::default()
    };
    match reader.sessions(&filter)?.items.into_iter().next() {
        Some(session) => Ok(session.id),
        None => bail!("no sessions recorded yet"),
    }
}

/// The timeline of a session as plain text; `None` if the database does not have it.
pub(crate) fn render_session(
    reader: &StoreReader,
    id: &str,
    width: usize,
) -> anyhow::Result<Option<String>> {
    let show = TimelineRenderer {
        reader,
        style: Style::plain(),
        width,
    };
    let (mut from, mut text) = (Some(1), String::new());
    while let Some(number) = from {
        let Some(part) = reader.timeline(id, number, PAGE_SIZE)? else {
            return Ok(None);
        };
        text += &show.page(&part, number == 1)?;
        from = part.next;
    }
    Ok(Some(text))
}

struct TimelineRenderer<'r> {
    reader: &'r StoreReader,
    style: Style,
    width: usize,
}

impl<'r> TimelineRenderer<'r> {
    fn new(reader: &'r StoreReader) -> Self {
        Self {
            reader,
            style: Style::stdout(),
            width: terminal_width(),
        }
    }

    fn page(&self, part: &Timeline, is_first: bool) -> anyhow::Result<String> {
        let mut out = String::new();
        if is_first {
            out += &self.header(&part.session);
            for entry in &part.before {
                out += &self.entry(entry, "", &[])?;
            }
        }
        for batch in &part.batches {
            out += &self.batch(batch)?;
        }
        Ok(out)
    }

    fn header(&self, session: &SessionRow) -> String {
        let title = session.title.as_deref().map(|title| one_line(title, 200));
        let end = match (&session.ended_at, &session.end_reason) {
            (None, _) => "active".to_owned(),
            (Some(_), Some(why)) => format!("ended: {}", one_line(why, 40)),
            (Some(_), None) => "ended".to_owned(),
        };
        let mut lines = vec![
            format!(
                "{}  {}  {}",
                one_line(&session.id, 200),
                session.agent,
                one_line(session.project.as_deref().unwrap_or_default(), 200)
            ),
            format!(
                "{} UTC, {}, {end}",
                format_timestamp(session.started_at),
                format_span(session.last_at.since(session.started_at))
            ),
            format!(
                "{}, {}, {} failed, {} blocked",
                plural(session.prompts, "prompt"),
                plural(session.tool_calls, "tool call"),
                session.failures,
                session.denied
            ),
        ];
        if let Some(parent) = &session.parent {
            let why = session.parent_reason.as_deref().unwrap_or("unknown");
            lines.push(format!("child of {} ({why})", one_line(parent, 200)));
        }
        lines.extend(title);
        lines.extend(session.summary.as_deref().map(|text| one_line(text, 500)));
        let mut lines = lines
            .into_iter()
            .map(|line| ellipsize(&line, self.width).into_owned());
        // The session id is the heading.
        let first = lines.next().map(|line| match line.split_once("  ") {
            Some((id, rest)) => format!("{}  {rest}", self.style.bold(id)),
            None => line,
        });
        let all: Vec<String> = first.into_iter().chain(lines).collect();
        all.join("\n") + "\n\n"
    }

    fn batch(&self, detail: &BatchDetail) -> anyhow::Result<String> {
        let batch = &detail.batch;
        let prompt = batch.prompt.as_deref().unwrap_or("(no prompt)");
        let from = match batch.source.as_str() {
            "user" => String::new(),
            other => format!("[{other}] "),
        };
        let line = one_line(&format!("{from}{prompt}"), self.remaining_width(12));
        let mut out = format!(
            "{}  > {}\n",
            format_time(batch.started_at),
            self.style.bold(&line)
        );
        let mut response = batch.response.as_deref().map(|text| {
            let line = one_line(text, self.remaining_width(12));
            let at = batch.ended_at.unwrap_or(batch.last_at);
            format!("{}  < {}\n", format_time(at), self.style.dim(&line))
        });
        // Once a turn has ended nothing runs in it, even if a call's end was not reported.
        let is_open = batch.ended_at.is_none();
        let open = |entries| if is_open { entries } else { &[][..] };
        let mut subagents = detail.subagents.iter().peekable();
        for entry in &detail.entries {
            // Show a subagent where it started, among the agent's own calls.
            while let Some(sub) = subagents.next_if(|sub| started_before(sub, entry)) {
                out += &self.subagent(sub, open(&sub.entries))?;
            }
            out += &self.entry(entry, "  ", open(&detail.entries))?;
            if entry.kind == "Stop" {
                out += &response.take().unwrap_or_default();
            }
        }
        for sub in subagents {
            out += &self.subagent(sub, open(&sub.entries))?;
        }
        Ok(out + &response.unwrap_or_default() + "\n")
    }

    fn subagent(&self, sub: &SubagentDetail, open: &[TimelineEntry]) -> anyhow::Result<String> {
        let began = sub.entries.first().map(|entry| format_time(entry.at));
        let mut out = format!(
            "{}    subagent {}\n",
            began.unwrap_or_default(),
            one_line(&sub.id, self.remaining_width(24))
        );
        for entry in &sub.entries {
            out += &self.entry(entry, "    ", open)?;
        }
        Ok(out)
    }

    /// An entry with its notable hook runs. Events that another line covers are left out; in a turn that is still open,
    /// running calls are shown.
    fn entry(
        &self,
        entry: &TimelineEntry,
        indent: &str,
        open: &[TimelineEntry],
    ) -> anyhow::Result<String> {
        let running = self.running(entry, open)?;
        let (mark, text) = match &entry.what {
            _ if running.is_some() => (self.style.dim("…    "), running.unwrap_or_default()),
            EntryContent::Activity(activity) => self.activity(activity),
            EntryContent::Decision(decision) if !has_no_effect(decision) => self.decision(decision),
            EntryContent::Decision(_) => self.event(&entry.kind),
            EntryContent::Event { problem, .. } => match problem {
                Some(problem) => (
                    self.style.bad("error"),
                    format!("{}: {problem}", entry.kind),
                ),
                None => self.event(&entry.kind),
            },
        };
        let mut out = String::new();
        let is_decided = matches!(&entry.what, EntryContent::Decision(_));
        if is_decided && !text.is_empty() {
            // The reason of a decision is shown completely.
            let text = sanitize(&text.chars().take(MAX_REASON_CHARS).collect::<String>());
            let room = self.remaining_width(17 + indent.len());
            let mut lines = text.lines().flat_map(|line| wrap(line, room));
            let first = lines.next().unwrap_or_default();
            out += &format!("{}  {indent}{mark}  {first}\n", format_time(entry.at));
            for line in lines {
                out += &format!("{:17}{indent}{line}\n", "");
            }
        } else if !text.is_empty() {
            let line = one_line(&text, self.remaining_width(17 + indent.len()));
            out += &format!("{}  {indent}{mark}  {line}\n", format_time(entry.at));
        }
        for run in entry.hooks.iter().filter(|run| is_reported(run)) {
            out += &format!("{:8}  {indent}         {}\n", "", self.hook(run, indent));
        }
        let given = [
            ("hook context", &entry.context),
            ("rewritten input", &entry.updated_input),
        ];
        for (word, text) in given {
            let Some(text) = text else { continue };
            let line = one_line(
                &format!("{word}: {text}"),
                self.remaining_width(20 + indent.len()),
            );
            out += &format!("{:19}{indent}{}\n", "", self.style.dim(&line));
        }
        Ok(out)
    }

    /// The line for an event without further detail.
    fn event(&self, kind: &str) -> (String, String) {
        if is_redundant(kind) {
            return (String::new(), String::new());
        }
        (self.style.dim("·    "), kind.to_owned())
    }

    /// The description of a call that has not ended, in a turn that is still open.
    fn running(
        &self,
        entry: &TimelineEntry,
        open: &[TimelineEntry],
    ) -> anyhow::Result<Option<String>> {
        let is_undecided = match &entry.what {
            EntryContent::Event { problem, .. } => problem.is_none(),
            EntryContent::Decision(decision) => {
                has_no_effect(decision) && decision.outcome == "open"
            }
            EntryContent::Activity(_) => false,
        };
        if open.is_empty() || entry.kind != "PreToolUse" || !is_undecided {
            return Ok(None);
        }
        let record = self.reader.event(&entry.event_id)?;
        let record = record.and_then(|event| serde_json::from_str(&event.record).ok());
        let event = record.and_then(|record| event_of_record(&record));
        let Some(call) = event.as_ref().and_then(Event::call) else {
            return Ok(None);
        };
        let mut done = open.iter().filter_map(|entry| match &entry.what {
            EntryContent::Activity(activity) if activity.kind == "tool" => Some(activity),
            _ => None,
        });
        let is_over = match &call.id {
            Some(id) => done.any(|activity| activity.call_id.as_ref() == Some(id)),
            None => done.any(|activity| activity.at >= entry.at),
        };
        let what = one_line(
            entry.about.as_deref().unwrap_or_default(),
            self.part_width(40),
        );
        Ok((!is_over).then(|| format!("{} {what}", call.name)))
    }

    fn activity(&self, activity: &ActivityRow) -> (String, String) {
        let input = activity.input.as_deref().unwrap_or_default();
        let input: Value = serde_json::from_str(input).unwrap_or_default();
        let what = describe_call(&activity.tool, &input).or_else(|| activity.output.clone());
        let took = activity.duration_ms.map(|ms| format!(" ({ms} ms)"));
        let name = match activity.kind.as_str() {
            "tool" => &activity.tool,
            kind => kind,
        };
        let what = one_line(&what.unwrap_or_default(), self.part_width(40));
        let mut text = format!("{name} {what}{}", took.unwrap_or_default());
        if activity.success {
            return (self.style.good("ok   "), text);
        }
        if let Some(error) = &activity.error {
            text += &format!(": {}", one_line(error, 200));
        }
        (self.style.bad("fail "), text)
    }

    fn decision(&self, decision: &DecisionRow) -> (String, String) {
        let word = format!("{:5}", decision.verdict);
        let mark = match decision.verdict.as_str() {
            "deny" | "halt" => self.style.bad(&word),
            "ask" => self.style.warn(&word),
            "allow" => self.style.good(&word),
            _ => self.style.dim("·    "),
        };
        let tool = decision.tool.as_deref().unwrap_or(&decision.kind);
        let reason = decision.reason.as_deref().map(|why| format!(": {why}"));
        let rewritten = if decision.rewritten {
            ", rewritten"
        } else {
            ""
        };
        let outcome = match decision.outcome.as_str() {
            "open" => "",
            "ran" if matches!(decision.verdict.as_str(), "deny" | "halt") => ", BUT IT RAN",
            "ran" => ", ran",
            "failed" => ", failed",
            _ => ", did not run",
        };
        let what = decision.subject.as_deref();
        let what = what.map(|what| format!(" {}", one_line(what, self.part_width(60))));
        let text = format!(
            "{tool}{}{rewritten}{outcome}{}",
            what.unwrap_or_default(),
            reason.unwrap_or_default()
        );
        (mark, text)
    }

    fn hook(&self, run: &HookRunRow, indent: &str) -> String {
        // What a program printed is not shown here; the context that it returned follows below.
        let is_program = run.ending.is_some() || run.error.is_some();
        let injected = run.output.as_ref().filter(|_| !is_program);
        if let Some(injected) = injected {
            let text = format!(
                "{} injected: {}",
                run.hook,
                records::injected_text(injected)
            );
            return self
                .style
                .dim(&one_line(&text, self.remaining_width(20 + indent.len())));
        }
        let rule = run.rule.as_deref().map(|rule| format!(" ({rule})"));
        let took = run.ms.map(|ms| format!(", {ms} ms"));
        let error = run.error.as_deref().map(|error| format!(": {error}"));
        let text = format!(
            "hook {}{}: {}{}{}",
            run.hook,
            rule.unwrap_or_default(),
            run.verdict,
            took.unwrap_or_default(),
            error.unwrap_or_default()
        );
        self.style
            .dim(&one_line(&text, self.remaining_width(20 + indent.len())))
    }

    /// The rest of the line's width.
    fn remaining_width(&self, taken: usize) -> usize {
        self.width.saturating_sub(taken)
    }

    /// The maximum width of one part of a line, so that the other parts stay visible.
    fn part_width(&self, taken: usize) -> usize {
        self.remaining_width(taken).max(20)
    }
}

fn started_before(sub: &SubagentDetail, entry: &TimelineEntry) -> bool {
    sub.entries.first().is_some_and(|first| first.at < entry.at)
}

/// The prompt and the response frame their turn, and a call is shown when it has run.
fn is_redundant(kind: &str) -> bool {
    matches!(
        kind,
        "UserPromptSubmit" | "Stop" | "PreToolUse" | "SubagentStop" | "AgentResponse"
    )
}

/// No hook returned a verdict, a reason or a rewrite.
fn has_no_effect(decision: &DecisionRow) -> bool {
    decision.verdict == "none" && !decision.rewritten && decision.reason.is_none()
}

fn is_reported(run: &HookRunRow) -> bool {
    run.verdict != "none" || run.error.is_some() || run.output.is_some()
}
