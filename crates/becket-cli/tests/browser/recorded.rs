//! The records that the walk starts with: one session of Claude Code and one of Codex, in a shared home.
//!
//! The user has the guard, one enabled and one disabled hook, and a memory. The project has an untrusted hook, and one
//! learning job failed. Start at [`Recorded::new`].

use std::error::Error;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use becket_lab::process::ProcessExit;
use becket_lab::scenario::{Scenario, Step, When};
use becket_lab::{Agent, ClientSession};
use becket_store::{Millis, Options, StoreWriter};
use serde_json::json;
use tempfile::TempDir;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The program under test.
pub(crate) const BECKET: &str = env!("CARGO_BIN_EXE_becket");

/// The user's hooks.
const HOOKS: &str = r#"
[[hook]]
name = "no-tabs"
event = "PreToolUse"
if = "Bash(unexpand*)"
command = "echo 'this house uses spaces' >&2; exit 2"

[[hook]]
name = "no-downloads"
event = "PreToolUse"
if = "Bash(fetch-it*)"
command = "echo 'nothing is fetched here' >&2; exit 2"
"#;

/// The project's hook and its script.
const PROJECT: &str = r#"[[hook]]
name = "protect"
event = "PreToolUse"
matcher = "Bash"
command = "./scripts/protect.sh"
"#;
const PROTECT: &str =
    "#!/bin/sh\ngrep -q 'deploy now' || exit 0\necho 'not on a Friday' >&2\nexit 2\n";

const PLAN: &str = "# How the parser is mended\n\n1. Read it\n2. Mend it\n";

/// A home with two recorded sessions, without a daemon.
pub(crate) struct Recorded {
    claude: ClientSession,
    home: PathBuf,
    /// The parent of all directories.
    _root: TempDir,
}

impl Recorded {
    pub(crate) fn new() -> Result<Self> {
        let root = tempfile::Builder::new().prefix("becket-lab-").tempdir()?;
        let home = root.path().canonicalize()?.join("becket");
        fs::create_dir_all(&home)?;
        fs::write(home.join("config.toml"), HOOKS)?;
        let claude = work(Agent::Claude, &root.path().join("claude"), &home)?;
        work(Agent::Codex, &root.path().join("codex"), &home)?;
        let mut recorded = Self {
            claude,
            home,
            _root: root,
        };
        becket(&mut recorded.claude, &["hooks", "disable", "no-downloads"])?;
        recorded.remember()?;
        recorded.bring_a_hook()?;
        recorded.give_up()?;
        // From here on the environment is that of a user.
        recorded.claude.workspace.unset_env("BECKET_DAEMON");
        Ok(recorded)
    }

    /// A command in the project, with this home.
    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Result<Command> {
        let mut command = self.claude.workspace.command(program)?;
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"] {
            command.env_remove(name);
        }
        command
            .env("BECKET", BECKET)
            .env("PROJECT", self.claude.workspace.work());
        Ok(command)
    }

    fn remember(&mut self) -> Result<()> {
        let text = "The parser keeps the byte order mark of WALRUS_FILES on purpose.";
        becket(&mut self.claude, &["remember", "--type", "gotcha", text])
    }

    /// Makes a learning job fail: it is started too often without finishing.
    fn give_up(&self) -> Result<()> {
        let mut writer = StoreWriter::open(self.home.join("becket.db"), Options::default())?;
        let mut group = writer.begin()?;
        group.enqueue_extraction("walk", "walk", Millis(0))?;
        for _ in 0..6 {
            let taken = group.claim_extraction(Millis::now(), Duration::ZERO)?;
            assert!(taken.is_some());
        }
        group.commit()?;
        Ok(())
    }

    fn bring_a_hook(&self) -> Result<()> {
        self.claude.workspace.write_work("becket.toml", PROJECT)?;
        let script = self
            .claude
            .workspace
            .write_work("scripts/protect.sh", PROTECT)?;
        fs::set_permissions(script, fs::Permissions::from_mode(0o755))?;
        Ok(())
    }
}

impl Drop for Recorded {
    fn drop(&mut self) {
        let stopped = self.claude.workspace.exec(BECKET, &["daemon", "stop"]);
        if !stopped.is_ok_and(|stopped| stopped.exit.is_success()) {
            let home = self.home.display();
            let _ = writeln!(std::io::stderr(), "the daemon of {home} may still run");
        }
    }
}

/// One command is blocked, one fails, one succeeds. Claude Code also plans and uses a subagent.
fn scenario(agent: Agent) -> Scenario {
    let mut steps = vec![
        Step::shell("git push --force origin main"),
        Step::shell("ls no-such-folder"),
        Step::shell("echo harmless > harmless.txt"),
    ];
    if agent == Agent::Claude {
        let delegate = json!({
            "description": "look around",
            "prompt": "SUBTASK_MARK look around",
            "subagent_type": "general-purpose",
            "run_in_background": false,
        });
        steps.push(Step::write(".cursor/plans/parser.md", PLAN));
        steps.push(Step::native("Agent", delegate));
    }
    steps.push(Step::say(
        "The parser is mended, and nothing was overwritten.",
    ));
    let subagent = [
        Step::shell("echo nested > nested.txt"),
        Step::say("Looked around."),
    ];
    Scenario::new(steps).conversation(When::contains("SUBTASK_MARK"), subagent)
}

/// A turn of this agent, with Becket connected.
fn work(agent: Agent, root: &Path, home: &Path) -> Result<ClientSession> {
    let mut session = agent.ready()?.session(root, &scenario(agent))?;
    session
        .workspace
        .set_env("BECKET_HOME", home)
        .set_env("BECKET_DAEMON", "off")
        .set_env("CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS", "60000");
    becket(&mut session, &["hooks", "enable", "security-guard"])?;
    becket(&mut session, &["init", "--agent", agent.name(), "--yes"])?;
    session.trust_hooks()?;
    let turn = session.run(&format!("Mend the parser of {agent}, please."))?;
    assert_eq!(turn.exit, ProcessExit::Code(0), "{}", turn.stderr);
    let left = session.workspace.read_work("harmless.txt");
    assert_eq!(left.as_deref(), Some("harmless\n"), "{}", turn.stdout);
    Ok(session)
}

/// Runs `becket` in the session's repository; it must succeed.
fn becket(session: &mut ClientSession, words: &[&str]) -> Result<()> {
    let done = session.workspace.exec(BECKET, words)?;
    let said = format!("becket {words:?}: {}{}", done.stdout, done.stderr);
    assert!(done.exit.is_success(), "{said}");
    Ok(())
}
