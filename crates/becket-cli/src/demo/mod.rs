//! `becket demo`: shows what Becket does, without an installed agent.
//!
//! It plays a recorded session of every agent through the real `becket hook`, in the agent's wire format, inside a
//! [`DemoSandbox`] in the temporary directory. [`script`] contains the sessions.

mod sandbox;
mod script;

use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::bail;
use clap::Args;
use serde_json::{Value, json};

use self::sandbox::DemoSandbox;
use self::script::{DemoSession, DemoStep, SESSIONS};
use crate::exit::Exit;
use crate::records::plural;
use crate::report::{SCHEMA_VERSION, Style, confirm, one_line, print, print_json};
use crate::table::terminal_width;
use crate::up::{self, UpArgs};
use crate::{full_binary, tail, ui};

#[derive(Args)]
pub(crate) struct DemoArgs {
    /// Agents to play, comma-separated [default: all]
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    agent: Vec<String>,
    /// Keep the scratch directory and print its path
    #[arg(long)]
    keep: bool,
    /// Print JSON only
    #[arg(long)]
    json: bool,
}

pub(crate) fn main(args: &DemoArgs) -> anyhow::Result<Exit> {
    let sessions = choose(&args.agent)?;
    let mut player = DemoPlayer::new(args.json, DemoSandbox::new()?);
    let result = player.play(&sessions);
    // Errors caused by the user's interrupt are not reported.
    if player.sandbox.is_interrupted() {
        return Ok(Exit::Failure);
    }
    result?;
    if args.json {
        print_json(&json!({
            "schema_version": SCHEMA_VERSION, "events": player.events, "kept": args.keep,
            "becket_home": player.sandbox.home.state, "project": player.sandbox.project,
        }))?;
        if args.keep {
            player.sandbox.keep();
        }
        return Ok(Exit::Success);
    }
    player.summary();
    match DemoEnding::of(args) {
        DemoEnding::Keep => {
            player.print_next_steps();
            let dir = player.sandbox.keep();
            player.say(&format!(
                "To remove it: BECKET_HOME={}/home/.becket becket daemon stop; rm -r {}",
                dir.display(),
                dir.display()
            ));
        }
        DemoEnding::WaitForEnter => {
            player.print_next_steps();
            player.say("Press Enter to end the demo and remove the scratch directory.");
            wait(&player.sandbox);
            let continues = !player.sandbox.is_interrupted();
            // Remove the sandbox before touching the user's own setup.
            drop(player);
            if continues {
                return offer_setup();
            }
        }
        DemoEnding::Remove => player.say("Removed the scratch directory; `becket demo --keep` keeps it.\nTo set up your own agents, run `becket up`."),
    }
    Ok(Exit::Success)
}

/// Offers to set up the user's own agents.
fn offer_setup() -> anyhow::Result<Exit> {
    if let Some(program) = program_outside_path() {
        print(&format!(
            "Your agents will call {}; keep the program there.\n",
            program.display()
        ));
    }
    if confirm("Set up your own agents now?") {
        return up::main(&UpArgs::default());
    }
    print("To do it later, run `becket up`.\n");
    Ok(Exit::Success)
}

/// What happens to the scratch directory at the end.
enum DemoEnding {
    /// Remove it when the user presses Enter.
    WaitForEnter,
    Keep,
    /// Remove it immediately, because there is no terminal.
    Remove,
}

impl DemoEnding {
    fn of(args: &DemoArgs) -> Self {
        if args.keep {
            Self::Keep
        } else if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
            Self::WaitForEnter
        } else {
            Self::Remove
        }
    }
}

fn choose(agents: &[String]) -> anyhow::Result<Vec<DemoSession>> {
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

/// Waits for Enter or an interrupt.
fn wait(sandbox: &DemoSandbox) {
    let (pressed, enter) = channel();
    std::thread::spawn(move || {
        let _ = std::io::stdin().lock().read_line(&mut String::new());
        let _ = pressed.send(());
    });
    while !sandbox.is_interrupted() {
        match enter.recv_timeout(Duration::from_millis(100)) {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(()) | Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Plays the sessions and prints what happens.
struct DemoPlayer {
    prints: bool,
    style: Style,
    sandbox: DemoSandbox,
    events: Vec<Value>,
    number: usize,
}

impl DemoPlayer {
    fn new(as_json: bool, sandbox: DemoSandbox) -> Self {
        Self {
            prints: !as_json,
            style: Style::stdout(),
            sandbox,
            events: Vec::new(),
            number: 0,
        }
    }

    fn say(&self, text: &str) {
        if self.prints {
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

    /// Runs a Becket command and prints it with its output.
    fn run(&self, args: &[&str]) -> anyhow::Result<()> {
        let shown: Vec<String> = args.iter().map(|word| quoted(word)).collect();
        self.say(&self.style.dim(&format!("$ becket {}", shown.join(" "))));
        let output = self.sandbox.run(args)?;
        self.say(output.trim_end());
        Ok(())
    }

    fn play(&mut self, sessions: &[DemoSession]) -> anyhow::Result<()> {
        self.say(&format!(
            "Created a scratch project in {}. Nothing outside this directory is changed.",
            self.sandbox.dir().display()
        ));
        self.heading("Enable the built-in guard, for every agent:");
        self.run(&["hooks", "enable", "security-guard"])?;
        self.run(&["hooks", "list"])?;
        self.run(&["daemon", "start"])?;
        self.heading("Add a memory, and index the project's code:");
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
            self.show_records(claude)?;
        }
        Ok(())
    }

    fn session(&mut self, session: &DemoSession) -> anyhow::Result<()> {
        let title = becket_agents::adapter(session.agent).map(becket_agents::Adapter::title);
        let title = title.unwrap_or(session.agent);
        self.heading(&format!("{title}, in its wire format:"));
        for line in &session.lines {
            if self.sandbox.is_interrupted() {
                bail!("interrupted");
            }
            self.play_step(session.agent, line)?;
        }
        Ok(())
    }

    fn play_step(&mut self, agent: &str, line: &DemoStep) -> anyhow::Result<()> {
        if let Some(text) = &line.say {
            self.say(&self.style.bold(text));
        }
        if let Some(words) = &line.run {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            self.run(&words)?;
        }
        let reply = self.sandbox.fire(agent, &line.event, &line.payload)?;
        let records = self.sandbox.new_records()?;
        for record in &records {
            if self.prints {
                print(&tail::render_row(record, self.style, terminal_width()));
            }
        }
        // Show the reply in the agent's format if it is notable.
        let is_notable = records.iter().any(|record| is_notable(&record["decision"]));
        if is_notable && !reply.trim().is_empty() {
            let reply = one_line(&reply, terminal_width().saturating_sub(9));
            self.say(&self.style.dim(&format!("  reply: {reply}")));
        }
        // Records of injected context are not events.
        let events = records.iter().filter(|record| record["event"].is_string());
        let new_events = events.map(|record| {
            json!({
                "agent": agent, "event": record["event"], "about": tail::subject(record),
                "verdict": record["decision"]["verdict"], "reason": record["decision"]["reason"], "reply": reply,
            })
        });
        self.events.extend(new_events);
        Ok(())
    }

    fn show_records(&mut self, claude: &DemoSession) -> anyhow::Result<()> {
        self.heading("Why was the migration blocked?");
        self.run(&[
            "explain",
            "PreToolUse",
            "--tool",
            "Write",
            "--input",
            r#"{"file_path":"migrations/001.sql"}"#,
        ])?;
        self.heading("The timeline of the first session:");
        self.run(&["session", &claude.id()])?;
        self.heading("Search memories and code for coupons:");
        self.run(&["search", "coupon used twice"])?;
        self.heading("All sessions, and the daemon's status:");
        self.run(&["sessions"])?;
        self.run(&["daemon", "status"])
    }

    fn summary(&self) {
        let denied = self
            .events
            .iter()
            .filter(|event| event["verdict"] == "deny");
        let (events, denied) = (self.events.len() as u64, denied.count() as u64);
        let summary = format!(
            "Played {} of {}, {denied} blocked.",
            plural(events, "event"),
            plural(self.agents(), "agent"),
        );
        self.say(&format!("\n{}", self.style.bold(&summary)));
    }

    fn print_next_steps(&self) {
        if let Ok(link) = ui::login_link(&self.sandbox.home) {
            self.say(&format!(
                "Explore it in your browser; this link works once, within two minutes:\n\n  {link}\n"
            ));
        }
        // Only these commands use the scratch home; in the same terminal `becket up` would change the user's own setup.
        let becket = program_outside_path().map_or_else(
            || full_binary::HOOK_CLIENT.to_owned(),
            |path| quoted(&path.to_string_lossy()),
        );
        let becket = format!("BECKET_HOME={} {becket}", self.sandbox.home.state.display());
        self.say(&format!(
            "Explore it in another terminal:\n\n  cd {}\n  {becket} ui          # open the dashboard\n  {becket} top         # watch sessions in the terminal\n  {becket} sessions\n  {becket} search \"coupons\"\n",
            self.sandbox.project.display()
        ));
    }

    fn agents(&self) -> u64 {
        let mut agents: Vec<&str> = self
            .events
            .iter()
            .filter_map(|event| event["agent"].as_str())
            .collect();
        agents.dedup();
        agents.len() as u64
    }
}

fn is_notable(decision: &Value) -> bool {
    matches!(decision["verdict"].as_str(), Some("deny" | "halt" | "ask"))
        || decision.get("updated_input").is_some()
        || decision["context"].is_string()
}

/// The path of the program, if the shell does not find it by name.
fn program_outside_path() -> Option<PathBuf> {
    let own = full_binary::sibling_path(full_binary::HOOK_CLIENT).ok()?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut dirs = std::env::split_paths(&path);
    if dirs.any(|dir| dir.join(full_binary::HOOK_CLIENT).is_file()) {
        return None;
    }
    Some(own)
}

/// Quotes a word for the shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:".contains(c);
    if word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{word}'")
    }
}
