//! `becket session ID`: what happened in one, prompt by prompt.

use anyhow::bail;
use becket::model::Event;
use becket_store::{
    ActivityRow, BatchDetail, DecisionRow, Entry, HookRunRow, Reader, SessionFilter, SessionRow,
    SubagentDetail, Timeline, What, about_tool, event_in,
};
use clap::Args;
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::records::{self, day_and_time, in_words, of, time};
use crate::report::{SCHEMA_VERSION, Style, one_line, print, print_json, talk, tame};
use crate::table::{fit, width, wrap};

/// Prompts that are read at a time.
const AT_A_TIME: usize = 50;
/// Characters of a reason that are shown.
const MOST_REASON: usize = 2000;
/// Sessions that are named when a beginning fits several.
const MOST_NAMED: usize = 10;

#[derive(Args)]
pub(crate) struct SessionArgs {
    /// Its id, or the beginning of it; the latest session unless said
    id: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn main(args: &SessionArgs) -> anyhow::Result<Exit> {
    let home = records::home();
    let Some(reader) = records::open(&home)? else {
        talk("Nothing is recorded yet.");
        return Ok(Exit::Failure);
    };
    let id = match &args.id {
        Some(beginning) => whole_id(&reader, beginning)?,
        None => latest(&reader)?,
    };
    let mut from = Some(1);
    let mut whole: Option<Timeline> = None;
    let show = Show::new(&reader);
    while let Some(number) = from {
        let Some(part) = reader.timeline(&id, number, AT_A_TIME)? else {
            bail!("session `{id}` is gone");
        };
        from = part.next;
        match &mut whole {
            Some(whole) if args.json => whole.batches.extend(part.batches),
            None if args.json => whole = Some(part),
            _ => print(&show.part(&part, number == 1)?),
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

fn whole_id(reader: &Reader, beginning: &str) -> anyhow::Result<String> {
    if reader.session(beginning)?.is_some() {
        return Ok(beginning.to_owned());
    }
    let found = reader.session_ids(beginning, MOST_NAMED)?;
    match found.as_slice() {
        [] => bail!("no session begins with `{beginning}`\nhint: `becket sessions` lists them"),
        [one] => Ok(one.clone()),
        several => bail!(
            "several sessions begin with `{beginning}`: {}",
            several.join(", ")
        ),
    }
}

fn latest(reader: &Reader) -> anyhow::Result<String> {
    let filter = SessionFilter {
        limit: 1,
        ..SessionFilter::default()
    };
    match reader.sessions(&filter)?.items.into_iter().next() {
        Some(session) => Ok(session.id),
        None => bail!("no session is on record yet"),
    }
}

/// The whole story of a session as plain text of this width; `None` if it is not in the database.
pub(crate) fn story(reader: &Reader, id: &str, width: usize) -> anyhow::Result<Option<String>> {
    let show = Show {
        reader,
        style: Style::plain(),
        width,
    };
    let (mut from, mut text) = (Some(1), String::new());
    while let Some(number) = from {
        let Some(part) = reader.timeline(id, number, AT_A_TIME)? else {
            return Ok(None);
        };
        text += &show.part(&part, number == 1)?;
        from = part.next;
    }
    Ok(Some(text))
}

struct Show<'r> {
    reader: &'r Reader,
    style: Style,
    width: usize,
}

impl<'r> Show<'r> {
    fn new(reader: &'r Reader) -> Self {
        Self {
            reader,
            style: Style::stdout(),
            width: width(),
        }
    }

    fn part(&self, part: &Timeline, is_first: bool) -> anyhow::Result<String> {
        let mut out = String::new();
        if is_first {
            out += &self.head(&part.session);
            for entry in &part.before {
                out += &self.entry(entry, "", &[])?;
            }
        }
        for batch in &part.batches {
            out += &self.batch(batch)?;
        }
        Ok(out)
    }

    fn head(&self, session: &SessionRow) -> String {
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
                day_and_time(session.started_at),
                in_words(session.last_at.since(session.started_at))
            ),
            format!(
                "{}, {}, {} failed, {} denied",
                of(session.prompts, "prompt"),
                of(session.activities, "action"),
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
        let mut lines = lines.into_iter().map(|line| fit(&line, self.width));
        // It heads everything, so it is what stands out.
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
        let line = one_line(&format!("{from}{prompt}"), self.room(12));
        let mut out = format!("{}  > {}\n", time(batch.started_at), self.style.bold(&line));
        let mut response = batch.response.as_deref().map(|text| {
            let line = one_line(text, self.room(12));
            let at = batch.ended_at.unwrap_or(batch.last_at);
            format!("{}  < {}\n", time(at), self.style.dim(&line))
        });
        // Once a turn is over nothing runs in it, whether its end was told or not.
        let goes_on = batch.ended_at.is_none();
        let open = |entries| if goes_on { entries } else { &[][..] };
        let mut subagents = detail.subagents.iter().peekable();
        for entry in &detail.entries {
            // Where it began, among what the agent itself did.
            while let Some(sub) = subagents.next_if(|sub| began_before(sub, entry)) {
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

    fn subagent(&self, sub: &SubagentDetail, open: &[Entry]) -> anyhow::Result<String> {
        let began = sub.entries.first().map(|entry| time(entry.at));
        let mut out = format!(
            "{}    subagent {}\n",
            began.unwrap_or_default(),
            one_line(&sub.id, self.room(24))
        );
        for entry in &sub.entries {
            out += &self.entry(entry, "    ", open)?;
        }
        Ok(out)
    }

    /// What happened, and the hooks that had something to say. Events that only announce what is told
    /// anyway are left out; among those of a turn that goes on, calls that run are told.
    fn entry(&self, entry: &Entry, indent: &str, open: &[Entry]) -> anyhow::Result<String> {
        let running = self.running(entry, open)?;
        let (mark, text) = match &entry.what {
            _ if running.is_some() => (self.style.dim("…    "), running.unwrap_or_default()),
            What::Activity(activity) => self.activity(activity),
            What::Decision(decision) if !is_silent(decision) => self.decision(decision),
            What::Decision(_) => self.event(&entry.kind),
            What::Event { problem, .. } => match problem {
                Some(problem) => (
                    self.style.bad("error"),
                    format!("{}: {problem}", entry.kind),
                ),
                None => self.event(&entry.kind),
            },
        };
        let mut out = String::new();
        let is_decided = matches!(&entry.what, What::Decision(_));
        if is_decided && !text.is_empty() {
            // Why something was refused is read whole.
            let text = tame(&text.chars().take(MOST_REASON).collect::<String>());
            let room = self.room(17 + indent.len());
            let mut lines = text.lines().flat_map(|line| wrap(line, room));
            let first = lines.next().unwrap_or_default();
            out += &format!("{}  {indent}{mark}  {first}\n", time(entry.at));
            for line in lines {
                out += &format!("{:17}{indent}{line}\n", "");
            }
        } else if !text.is_empty() {
            let line = one_line(&text, self.room(17 + indent.len()));
            out += &format!("{}  {indent}{mark}  {line}\n", time(entry.at));
        }
        for run in entry.hooks.iter().filter(|run| speaks(run)) {
            out += &format!("{:8}  {indent}         {}\n", "", self.hook(run, indent));
        }
        let given = [
            ("hooks told", &entry.context),
            ("hooks gave instead", &entry.updated_input),
        ];
        for (word, text) in given {
            let Some(text) = text else { continue };
            let line = one_line(&format!("{word}: {text}"), self.room(20 + indent.len()));
            out += &format!("{:19}{indent}{}\n", "", self.style.dim(&line));
        }
        Ok(out)
    }

    /// An event of which there is no more to tell than that it was.
    fn event(&self, kind: &str) -> (String, String) {
        if is_told_anyway(kind) {
            return (String::new(), String::new());
        }
        (self.style.dim("·    "), kind.to_owned())
    }

    /// What a call is about of whose end nothing was heard, in a turn that goes on.
    fn running(&self, entry: &Entry, open: &[Entry]) -> anyhow::Result<Option<String>> {
        let is_undecided = match &entry.what {
            What::Event { problem, .. } => problem.is_none(),
            What::Decision(decision) => is_silent(decision) && decision.outcome == "open",
            What::Activity(_) => false,
        };
        if open.is_empty() || entry.kind != "PreToolUse" || !is_undecided {
            return Ok(None);
        }
        let record = self.reader.event(&entry.event_id)?;
        let record = record.and_then(|event| serde_json::from_str(&event.record).ok());
        let event = record.and_then(|record| event_in(&record));
        let Some(call) = event.as_ref().and_then(Event::call) else {
            return Ok(None);
        };
        let mut done = open.iter().filter_map(|entry| match &entry.what {
            What::Activity(activity) if activity.kind == "tool" => Some(activity),
            _ => None,
        });
        let is_over = match &call.id {
            Some(id) => done.any(|activity| activity.call_id.as_ref() == Some(id)),
            None => done.any(|activity| activity.at >= entry.at),
        };
        let what = one_line(entry.about.as_deref().unwrap_or_default(), self.piece(40));
        Ok((!is_over).then(|| format!("{} {what}", call.name)))
    }

    fn activity(&self, activity: &ActivityRow) -> (String, String) {
        let input = activity.input.as_deref().unwrap_or_default();
        let input: Value = serde_json::from_str(input).unwrap_or_default();
        let what = about_tool(&activity.tool, &input).or_else(|| activity.output.clone());
        let took = activity.duration_ms.map(|ms| format!(" ({ms} ms)"));
        let name = match activity.kind.as_str() {
            "tool" => &activity.tool,
            kind => kind,
        };
        let what = one_line(&what.unwrap_or_default(), self.piece(40));
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
        let what = what.map(|what| format!(" {}", one_line(what, self.piece(60))));
        let text = format!(
            "{tool}{}{rewritten}{outcome}{}",
            what.unwrap_or_default(),
            reason.unwrap_or_default()
        );
        (mark, text)
    }

    fn hook(&self, run: &HookRunRow, indent: &str) -> String {
        // What a program printed is its own business; what it said is told below.
        let is_program = run.ending.is_some() || run.error.is_some();
        let told = run.output.as_ref().filter(|_| !is_program);
        if let Some(told) = told {
            let text = format!("{} told: {}", run.hook, records::told(told));
            return self
                .style
                .dim(&one_line(&text, self.room(20 + indent.len())));
        }
        let rule = run.rule.as_deref().map(|rule| format!(" ({rule})"));
        let took = run.ms.map(|ms| format!(", {ms} ms"));
        let error = run.error.as_deref().map(|error| format!(": {error}"));
        let text = format!(
            "hook {}{} said {}{}{}",
            run.hook,
            rule.unwrap_or_default(),
            run.verdict,
            took.unwrap_or_default(),
            error.unwrap_or_default()
        );
        self.style
            .dim(&one_line(&text, self.room(20 + indent.len())))
    }

    /// What is left of a line.
    fn room(&self, taken: usize) -> usize {
        self.width.saturating_sub(taken)
    }

    /// How long a part of a line may be, so that others are seen; the line itself is cut, too.
    fn piece(&self, taken: usize) -> usize {
        self.room(taken).max(20)
    }
}

fn began_before(sub: &SubagentDetail, entry: &Entry) -> bool {
    sub.entries.first().is_some_and(|first| first.at < entry.at)
}

/// The prompt heads its batch, the answer ends it, and a call is told when it has run.
fn is_told_anyway(kind: &str) -> bool {
    matches!(
        kind,
        "UserPromptSubmit" | "Stop" | "PreToolUse" | "SubagentStop" | "AgentResponse"
    )
}

/// Hooks ran, and none minded.
fn is_silent(decision: &DecisionRow) -> bool {
    decision.verdict == "none" && !decision.rewritten && decision.reason.is_none()
}

fn speaks(run: &HookRunRow) -> bool {
    run.verdict != "none" || run.error.is_some() || run.output.is_some()
}
