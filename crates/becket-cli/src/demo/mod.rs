//! `becket demo`: what Becket does, with no agent installed.
//!
//! A session of every agent is played through the real `becket hook`, each in the agent's own wire format, in a
//! [`World`] of its own below the directory for temporary files. [`script`] is what they say.

mod script;
mod world;

use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::bail;
use clap::Args;
use serde_json::{Value, json};

use self::script::{Line, SESSIONS, Session};
use self::world::World;
use crate::exit::Exit;
use crate::records::of;
use crate::report::{SCHEMA_VERSION, Style, confirm, one_line, print, print_json};
use crate::table::width;
use crate::up::{self, UpArgs};
use crate::{tail, twin, ui};

#[derive(Args)]
pub(crate) struct DemoArgs {
    /// Which agents, instead of all
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    agent: Vec<String>,
    /// Leave everything where it is at the end, and say where
    #[arg(long)]
    keep: bool,
    /// Print JSON, and nothing else
    #[arg(long)]
    json: bool,
}

pub(crate) fn main(args: &DemoArgs) -> anyhow::Result<Exit> {
    let sessions = choose(&args.agent)?;
    let mut show = Show::new(args.json, World::new()?);
    let played = show.play(&sessions);
    // What went wrong because the person had enough is no news.
    if show.world.is_interrupted() {
        return Ok(Exit::Failure);
    }
    played?;
    if args.json {
        print_json(&json!({
            "schema_version": SCHEMA_VERSION, "events": show.told, "kept": args.keep,
            "becket_home": show.world.home.state, "project": show.world.project,
        }))?;
        if args.keep {
            show.world.keep();
        }
        return Ok(Exit::Success);
    }
    show.summary();
    match End::of(args) {
        End::Stays => {
            show.how_to_look();
            let dir = show.world.keep();
            show.say(&format!(
                "It stays until you remove it: BECKET_HOME={}/home/.becket becket daemon stop; rm -r {}",
                dir.display(),
                dir.display()
            ));
        }
        End::Waits => {
            show.how_to_look();
            show.say("Enter ends the demo and removes it all.");
            wait(&show.world);
            let goes_on = !show.world.is_interrupted();
            // What was played is gone before anything real begins.
            drop(show);
            if goes_on {
                return go_on();
            }
        }
        End::Goes => show.say("All of it is removed; `becket demo --keep` leaves it to be looked at.\nYour own agents: `becket up`."),
    }
    Ok(Exit::Success)
}

/// From what was played to the person's own agents, if they like.
fn go_on() -> anyhow::Result<Exit> {
    if let Some(program) = unlisted() {
        print(&format!(
            "Agents that you set up now start {}, which then has to stay there.\n",
            program.display()
        ));
    }
    if confirm("Set up your own agents now?") {
        return up::main(&UpArgs::default());
    }
    print("Whenever you like: `becket up`.\n");
    Ok(Exit::Success)
}

/// What becomes of the scratch directory when everything was played.
enum End {
    /// A person says when it goes.
    Waits,
    Stays,
    /// Nobody is there to look at it.
    Goes,
}

impl End {
    fn of(args: &DemoArgs) -> Self {
        if args.keep {
            Self::Stays
        } else if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
            Self::Waits
        } else {
            Self::Goes
        }
    }
}

fn choose(agents: &[String]) -> anyhow::Result<Vec<Session>> {
    let known: Vec<&str> = SESSIONS.iter().map(|(agent, _)| *agent).collect();
    if let Some(odd) = agents.iter().find(|id| !known.contains(&id.as_str())) {
        bail!("unknown agent `{odd}` (one of: {})", known.join(", "));
    }
    let wanted = |agent: &str| agents.is_empty() || agents.iter().any(|id| id == agent);
    let chosen = SESSIONS.iter().filter(|(agent, _)| wanted(agent));
    chosen
        .map(|(agent, text)| script::read(agent, text))
        .collect()
}

/// Until somebody presses Enter or has had enough otherwise.
fn wait(world: &World) {
    let (pressed, enter) = channel();
    std::thread::spawn(move || {
        let _ = std::io::stdin().lock().read_line(&mut String::new());
        let _ = pressed.send(());
    });
    while !world.is_interrupted() {
        match enter.recv_timeout(Duration::from_millis(100)) {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(()) | Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Plays, and tells what happens as it does.
struct Show {
    aloud: bool,
    style: Style,
    world: World,
    told: Vec<Value>,
    number: usize,
}

impl Show {
    fn new(as_json: bool, world: World) -> Self {
        Self {
            aloud: !as_json,
            style: Style::stdout(),
            world,
            told: Vec::new(),
            number: 0,
        }
    }

    fn say(&self, text: &str) {
        if self.aloud {
            print(&format!("{text}\n"));
        }
    }

    fn heading(&mut self, text: &str) {
        self.number += 1;
        self.say(&format!(
            "\n{}",
            self.style.bold(&format!("{}. {text}", self.number))
        ));
    }

    /// Runs a command of Becket's own, and shows it with what it says.
    fn run(&self, args: &[&str]) -> anyhow::Result<()> {
        let shown: Vec<String> = args.iter().map(|word| quoted(word)).collect();
        self.say(&self.style.dim(&format!("$ becket {}", shown.join(" "))));
        let said = self.world.run(args)?;
        self.say(said.trim_end());
        Ok(())
    }

    fn play(&mut self, sessions: &[Session]) -> anyhow::Result<()> {
        self.say(&format!(
            "A scratch project in {}. Nothing outside that directory is touched.",
            self.world.dir().display()
        ));
        self.heading("The guard comes with Becket. One command switches it on, for every agent:");
        self.run(&["hooks", "enable", "security-guard"])?;
        self.run(&["hooks", "list"])?;
        self.run(&["daemon", "start"])?;
        self.heading("Something to remember, and the code of the project, to be found later:");
        self.run(&[
            "remember",
            "--type",
            "gotcha",
            "Coupons are case-insensitive, the database is not",
        ])?;
        self.run(&["index"])?;
        for session in sessions {
            self.session(session)?;
        }
        let claude = sessions.iter().find(|session| session.agent == "claude");
        if let Some(claude) = claude {
            self.look_back(claude)?;
        }
        Ok(())
    }

    fn session(&mut self, session: &Session) -> anyhow::Result<()> {
        let title = becket_agents::adapter(session.agent).map(becket_agents::Adapter::title);
        let title = title.unwrap_or(session.agent);
        self.heading(&format!("{title}, in its own words:"));
        for line in &session.lines {
            if self.world.is_interrupted() {
                bail!("interrupted");
            }
            self.line(session.agent, line)?;
        }
        Ok(())
    }

    fn line(&mut self, agent: &str, line: &Line) -> anyhow::Result<()> {
        if let Some(text) = &line.say {
            self.say(&self.style.bold(text));
        }
        if let Some(words) = &line.run {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            self.run(&words)?;
        }
        let reply = self.world.fire(agent, &line.event, &line.payload)?;
        let records = self.world.new_records()?;
        for record in &records {
            if self.aloud {
                print(&tail::row(record, self.style, width()));
            }
        }
        // What the agent is told in its own words, where that is news.
        let is_news = records.iter().any(|record| is_news(&record["decision"]));
        if is_news && !reply.trim().is_empty() {
            let reply = one_line(&reply, width().saturating_sub(11));
            self.say(&self.style.dim(&format!("  answered {reply}")));
        }
        // What was told at an event is no event of its own.
        let events = records.iter().filter(|record| record["event"].is_string());
        let told = events.map(|record| {
            json!({
                "agent": agent, "event": record["event"], "about": tail::what(record),
                "verdict": record["decision"]["verdict"], "reason": record["decision"]["reason"], "reply": reply,
            })
        });
        self.told.extend(told);
        Ok(())
    }

    fn look_back(&mut self, claude: &Session) -> anyhow::Result<()> {
        self.heading("Why was the migration refused?");
        self.run(&[
            "explain",
            "PreToolUse",
            "--tool",
            "Write",
            "--input",
            r#"{"file_path":"migrations/001.sql"}"#,
        ])?;
        self.heading("The first session as one story:");
        self.run(&["session", &claude.id()])?;
        self.heading("What is known about coupons?");
        self.run(&["search", "coupon used twice"])?;
        self.heading("In numbers, and who kept it:");
        self.run(&["sessions"])?;
        self.run(&["daemon", "status"])
    }

    fn summary(&self) {
        let denied = self.told.iter().filter(|told| told["verdict"] == "deny");
        let (events, denied) = (self.told.len() as u64, denied.count() as u64);
        let summary = format!(
            "{} of {} played, {denied} refused.",
            of(events, "event"),
            of(self.agents(), "agent"),
        );
        self.say(&format!("\n{}", self.style.bold(&summary)));
    }

    fn how_to_look(&self) {
        if let Ok(link) = ui::link(&self.world.home) {
            self.say(&format!(
                "Look around in your browser; this link is good once, and for two minutes:\n\n  {link}\n"
            ));
        }
        // Only these commands see the scratch home: in the same terminal `becket up` is about the person's own.
        let becket = unlisted().map_or_else(
            || twin::SMALL.to_owned(),
            |path| quoted(&path.to_string_lossy()),
        );
        let becket = format!("BECKET_HOME={} {becket}", self.world.home.state.display());
        self.say(&format!(
            "Look around in another terminal:\n\n  cd {}\n  {becket} ui          # the dashboard, in your browser\n  {becket} top         # the same on a terminal\n  {becket} sessions\n  {becket} search \"coupons\"\n",
            self.world.project.display()
        ));
    }

    fn agents(&self) -> u64 {
        let mut agents: Vec<&str> = self
            .told
            .iter()
            .filter_map(|told| told["agent"].as_str())
            .collect();
        agents.dedup();
        agents.len() as u64
    }
}

fn is_news(decision: &Value) -> bool {
    matches!(decision["verdict"].as_str(), Some("deny" | "halt" | "ask"))
        || decision.get("updated_input").is_some()
        || decision["context"].is_string()
}

/// The program, where a shell does not find it by its name: straight out of the directory it was built in.
fn unlisted() -> Option<PathBuf> {
    let own = twin::beside(twin::SMALL).ok()?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut dirs = std::env::split_paths(&path);
    if dirs.any(|dir| dir.join(twin::SMALL).is_file()) {
        return None;
    }
    Some(own)
}

/// A word as a shell would want it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:".contains(c);
    if word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{word}'")
    }
}
