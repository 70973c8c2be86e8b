//! Measures the latency of `becket hook` against the spawn of `/bin/true` in the same run.
//!
//! Runs of all candidates are interleaved, so that load on the machine affects all of them; medians and ratios are
//! printed. A small [`launcher`] process starts them. `BECKET_BENCH_BINARY` measures another build.
#![allow(missing_docs, clippy::print_stdout, reason = "a benchmark talks")]

mod knowledge;
mod launcher;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use launcher::{Launch, Launcher};

const ROUNDS: usize = 400;

const PAYLOAD: &str = r#"{"session_id":"020f002d-0448-45e0-a9c2-b5863ebb5f91","transcript_path":"/home/dev/.claude/projects/-home-dev-app/020f002d.jsonl","cwd":"CWD","prompt_id":"e668a139-bab1-4d40-b254-86740812ad9c","permission_mode":"default","effort":{"level":"medium"},"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"echo hello","description":"say hi"},"tool_use_id":"toolu_01"}
"#;

const PROMPT: &str = r#"{"session_id":"SESSION","transcript_path":"/home/dev/.claude/projects/-home-dev-app/020f002d.jsonl","cwd":"CWD","prompt_id":"e668a139-bab1-4d40-b254-86740812ad9c","permission_mode":"default","hook_event_name":"UserPromptSubmit","prompt":"why does the cart round prices to whole cents before tax"}
"#;

/// A benchmarked event.
#[derive(Clone, Copy)]
struct Event {
    args: &'static [&'static str],
    payload: &'static str,
}

const NOTHING: Event = Event {
    args: &[],
    payload: PAYLOAD,
};

const TOOL: Event = Event {
    args: &["hook", "PreToolUse", "--agent", "claude"],
    payload: PAYLOAD,
};

const PROMPT_SUBMITTED: Event = Event {
    args: &["hook", "UserPromptSubmit", "--agent", "claude"],
    payload: PROMPT,
};

/// The configured hooks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hooks {
    None,
    /// Five of the user and five of the project.
    Ten,
    Guard,
}

struct Candidate {
    name: &'static str,
    program: PathBuf,
    event: Event,
    home: PathBuf,
    project: PathBuf,
    times: Vec<Duration>,
}

fn main() {
    if launcher::serve() {
        return;
    }
    // First, while this process is small.
    let mut launcher = Launcher::start();
    let dir = tempfile::tempdir().expect("a directory");
    let becket = std::env::var_os("BECKET_BENCH_BINARY")
        .map_or_else(|| env!("CARGO_BIN_EXE_becket").into(), PathBuf::from);
    let becket = becket
        .canonicalize()
        .unwrap_or_else(|_| workspace().join(&becket));
    let candidate = |name, program: &Path, event, hooks: Hooks| {
        let (home, project) = place(dir.path(), name, hooks);
        if hooks == Hooks::Ten {
            trust(&home, &project);
        }
        Candidate {
            name,
            program: program.to_owned(),
            event,
            home,
            project,
            times: Vec::new(),
        }
    };
    let mut all = [
        candidate("/bin/true", Path::new("/bin/true"), NOTHING, Hooks::None),
        candidate(
            "becket hook, nothing configured",
            &becket,
            TOOL,
            Hooks::None,
        ),
        candidate(
            "becket hook, ten hooks, none matches",
            &becket,
            TOOL,
            Hooks::Ten,
        ),
        candidate("becket hook, the guard judges", &becket, TOOL, Hooks::Guard),
        candidate(
            "becket hook, the guard and a daemon",
            &becket,
            TOOL,
            Hooks::Guard,
        ),
        candidate(
            "becket hook, ten hooks and a daemon",
            &becket,
            TOOL,
            Hooks::Ten,
        ),
        candidate(
            "becket hook, a prompt with injected context",
            &becket,
            PROMPT_SUBMITTED,
            Hooks::Ten,
        ),
    ];
    let [.., guarded, notified, recalling] = &all;
    knowledge::fill(
        &recalling.home.join(".becket/becket.db"),
        &recalling.project,
    );
    let daemons = [&guarded.home, &notified.home, &recalling.home].map(|home| Daemon::start(home));
    recalling.wait_until_injected();
    for daemon in [guarded, notified] {
        daemon.wait_for_socket();
    }
    // The matcher cache ignores files that changed within the last two seconds.
    std::thread::sleep(Duration::from_millis(2500));
    for round in 0..ROUNDS + 20 {
        for one in &mut all {
            let payload = one.payload(&format!("session-{round}"));
            let took = launcher.run(&one.launch(&payload));
            if round >= 20 {
                one.times.push(took);
            }
        }
    }
    report(&becket, &mut all);
    drop(daemons);
}

/// The daemon of one home, notified of every event.
struct Daemon(Child);

impl Daemon {
    fn start(home: &Path) -> Self {
        let daemon = Command::new(env!("CARGO_BIN_EXE_becketd"))
            .args(["daemon", "run"])
            .env("HOME", home)
            .env("BECKET_HOME", home.join(".becket"))
            .stderr(Stdio::null())
            .spawn();
        Self(daemon.expect("started"))
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A home and a project with hooks that do not match `Bash`, half of them in the project.
fn place(dir: &Path, name: &str, hooks: Hooks) -> (PathBuf, PathBuf) {
    let base = dir.join(name.replace([' ', '/', ','], "-"));
    let (home, project) = (base.join("home"), base.join("app"));
    std::fs::create_dir_all(home.join(".becket")).expect("created");
    std::fs::create_dir_all(project.join(".git")).expect("created");
    let entry = |number: usize| {
        let mut text = String::new();
        let matcher = ["Write|Edit", "Read", "mcp__.*", "^Task$", "WebFetch"][number % 5];
        let _ = write!(
            text,
            "[[hook]]\nname = \"hook-{number}\"\nevent = \"PreToolUse\"\nmatcher = \"{matcher}\"\ncommand = \"./scripts/check-{number}.sh\"\ntimeout = \"5s\"\n\n"
        );
        text
    };
    let own = match hooks {
        Hooks::None => return (home, project),
        Hooks::Ten => (0..5).map(entry).collect(),
        Hooks::Guard => "[[hook]]\nname = \"guard\"\nuse = \"security-guard\"\n".to_owned(),
    };
    std::fs::write(home.join(".becket/config.toml"), own).expect("written");
    if hooks == Hooks::Ten {
        let shared: String = (5..10).map(entry).collect();
        std::fs::write(project.join("becket.toml"), shared).expect("written");
    }
    (home, project)
}

fn trust(home: &Path, project: &Path) {
    let status = Command::new(env!("CARGO_BIN_EXE_becketd"))
        .args(["trust", "--yes"])
        .env("HOME", home)
        .env("BECKET_HOME", home.join(".becket"))
        .current_dir(project)
        .stdout(Stdio::null())
        .status();
    assert!(status.expect("becket trust ran").success());
}

impl Candidate {
    fn launch<'a>(&'a self, payload: &'a str) -> Launch<'a> {
        Launch {
            program: &self.program,
            args: self.event.args,
            home: &self.home,
            project: &self.project,
            payload,
        }
    }

    /// Each round is a new session: nothing is injected twice in one.
    fn payload(&self, session: &str) -> String {
        let text = self.event.payload.replace("SESSION", session);
        text.replace("CWD", &self.project.to_string_lossy())
    }

    /// Waits until the daemon of this home listens, so that every measured event notifies it.
    fn wait_for_socket(&self) {
        let started = Instant::now();
        let becketd = env!("CARGO_BIN_EXE_becketd");
        loop {
            let status = Command::new(becketd)
                .args(["daemon", "status"])
                .env("HOME", &self.home)
                .env("BECKET_HOME", self.home.join(".becket"))
                .stdout(Stdio::null())
                .status();
            if status.is_ok_and(|status| status.success()) {
                return;
            }
            let waited = started.elapsed();
            assert!(waited < Duration::from_secs(60), "no daemon listens");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until the reply contains injected context, which is what is measured.
    fn wait_until_injected(&self) {
        let started = Instant::now();
        for number in 0.. {
            let payload = self.payload(&format!("before-{number}"));
            let mut command = self.launch(&payload).command();
            command.env("BECKET_RECALL", "60000").stdout(Stdio::piped());
            let mut child = command.spawn().expect("started");
            let stdin = child.stdin.take().expect("a pipe");
            let _ = (&stdin).write_all(payload.as_bytes());
            drop(stdin);
            let answer = child.wait_with_output().expect("ended").stdout;
            if String::from_utf8_lossy(&answer).contains(knowledge::FACT) {
                return;
            }
            let waited = started.elapsed();
            assert!(waited < Duration::from_secs(60), "nothing is injected");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

fn report(becket: &Path, all: &mut [Candidate]) {
    let shown = becket
        .strip_prefix(workspace().canonicalize().unwrap_or_default())
        .unwrap_or(becket);
    println!("{} ({ROUNDS} rounds, interleaved)", shown.display());
    let mut base = Duration::ZERO;
    for one in all {
        one.times.sort_unstable();
        let at = |share: usize| one.times[(one.times.len() - 1) * share / 100];
        if base.is_zero() {
            base = at(50);
        }
        let ratio = |time: Duration| time.as_secs_f64() / base.as_secs_f64();
        println!(
            "  {:38} median {:7.0?} = {:.2} x /bin/true   p99 {:7.0?} = {:.2} x",
            one.name,
            at(50),
            ratio(at(50)),
            at(99),
            ratio(at(99))
        );
    }
}
