//! A private home with recorded events, and a client process.

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use becket_lab::Unavailable;
use becket_lab::harness::TestCase;
use becket_lab::install;
use becket_store::{Options, RecordLine, StoreWriter};
use serde_json::{Value, json};

/// Timeout for one line of a client.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Rig {
    dir: PathBuf,
    writer: StoreWriter,
    /// How many spool records are already stored.
    stored: usize,
}

impl Rig {
    pub(crate) fn new(case: &TestCase) -> Result<Self, Box<dyn Error>> {
        let dir = case.dir().canonicalize()?;
        std::fs::create_dir_all(dir.join("app/.git"))?;
        std::fs::create_dir_all(dir.join("home/.becket"))?;
        let config = "[[hook]]\nname = \"no-force\"\nevent = \"PreToolUse\"\nif = \"Bash(git push*--force*)\"\ncommand = \"echo 'never with force' >&2; exit 2\"\n";
        std::fs::write(dir.join("home/.becket/config.toml"), config)?;
        let writer = StoreWriter::open(dir.join("home/.becket/becket.db"), Options::default())?;
        Ok(Self {
            dir,
            writer,
            stored: 0,
        })
    }

    pub(crate) fn app(&self) -> PathBuf {
        self.dir.join("app")
    }

    /// A daemon for this home.
    pub(crate) fn daemon(&self) -> Result<Daemon, Box<dyn Error>> {
        let child = self
            .command(env!("CARGO_BIN_EXE_becket"))
            .args(["daemon", "run"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let mut daemon = Daemon {
            child,
            address: String::new(),
            token: String::new(),
        };
        let place = self.dir.join("home/.becket/daemon");
        let started = Instant::now();
        // The address is complete when it ends with a newline.
        while !daemon.address.ends_with('\n') {
            assert!(started.elapsed() < PATIENCE, "the daemon did not start");
            std::thread::sleep(Duration::from_millis(10));
            daemon.address = std::fs::read_to_string(place.join("address")).unwrap_or_default();
        }
        daemon.address.truncate(daemon.address.trim_end().len());
        std::fs::read_to_string(place.join("token"))?
            .trim()
            .clone_into(&mut daemon.token);
        Ok(daemon)
    }

    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.dir.join("home"))
            .env("BECKET_HOME", self.dir.join("home/.becket"))
            .env("BECKET_DAEMON", "off")
            .env("BECKET", env!("CARGO_BIN_EXE_becket"))
            .current_dir(self.app());
        command
    }

    /// Fires an event through the real client and stores its record, as the daemon would.
    pub(crate) fn fire(&mut self, event: &str, more: Value) -> Result<(), Box<dyn Error>> {
        let mut payload =
            json!({ "session_id": "s1", "cwd": self.app(), "hook_event_name": event });
        let fields = payload.as_object_mut().expect("an object");
        fields.extend(more.as_object().expect("an object").clone());
        let mut child = self
            .command(env!("CARGO_BIN_EXE_becket"))
            .args(["hook", event, "--agent", "claude"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(payload.to_string().as_bytes())?;
        drop(stdin);
        child.wait()?;
        let listed = self
            .command(env!("CARGO_BIN_EXE_becket"))
            .args(["tail", "-n", "1000", "--json"])
            .output()?;
        let listed: Value = serde_json::from_slice(&listed.stdout)?;
        let records = listed["events"].as_array().cloned().unwrap_or_default();
        let lines: Vec<String> = records
            .iter()
            .skip(self.stored)
            .map(Value::to_string)
            .collect();
        let fresh: Vec<RecordLine<'_>> = lines.iter().map(|line| RecordLine { line }).collect();
        self.stored = records.len();
        self.writer.ingest(&fresh)?;
        Ok(())
    }

    /// A session with a blocked call, a call that runs, and a written file.
    pub(crate) fn first_turn(&mut self) -> Result<(), Box<dyn Error>> {
        let bash = |command: &str, id: &str| json!({ "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": id });
        self.fire("SessionStart", json!({ "source": "startup" }))?;
        self.fire("UserPromptSubmit", json!({ "prompt": "Fix the parser" }))?;
        self.fire("PreToolUse", bash("git push --force", "t1"))?;
        self.fire("PreToolUse", bash("cargo test", "t2"))?;
        let mut done = bash("cargo test", "t2");
        done["tool_response"] = json!({ "stdout": "all green" });
        self.fire("PostToolUse", done)?;
        let written = json!({ "file_path": self.app().join("a.rs"), "content": "" });
        let write = json!({ "tool_name": "Write", "tool_input": written, "tool_use_id": "t3", "tool_response": { "type": "create" } });
        self.fire("PostToolUse", write)?;
        self.fire(
            "Stop",
            json!({ "last_assistant_message": "The parser is fixed." }),
        )
    }

    /// Runs a program with these directories first on its `PATH`, and returns its output.
    pub(crate) fn run(
        &self,
        program: &Path,
        arguments: &[&str],
        path: &[PathBuf],
    ) -> Result<String, Box<dyn Error>> {
        let usual = ["/usr/local/bin", "/usr/bin", "/bin"].map(PathBuf::from);
        let path = std::env::join_paths(path.iter().cloned().chain(usual))?;
        let output = self
            .command("timeout")
            .arg("120")
            .arg(program)
            .args(arguments)
            .env("PATH", path)
            .stdin(Stdio::null())
            .output()?;
        let said = [output.stdout, output.stderr].concat();
        Ok(String::from_utf8_lossy(&said).into_owned())
    }

    /// Starts a script with the library that it imports.
    pub(crate) fn node(
        &self,
        library: &str,
        script: &Path,
        arguments: &[&str],
    ) -> Result<Node, Box<dyn Error>> {
        let installed = install::client(library)?;
        let node = install::client("node")?;
        let home = self.dir.join(library);
        std::fs::create_dir_all(&home)?;
        let modules = home.join("node_modules");
        if !modules.exists() {
            std::os::unix::fs::symlink(installed.prefix.join("node_modules"), &modules)?;
        }
        let copy = home.join(script.file_name().ok_or("a file")?);
        std::fs::copy(script, &copy)?;
        let mut child = self
            .command(node.program)
            .arg(copy)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .map_err(|error| Unavailable {
                client: library.to_owned(),
                why: error.to_string(),
            })?;
        let stdout = child.stdout.take().expect("a pipe");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Node { child, lines })
    }
}

/// A running daemon.
pub(crate) struct Daemon {
    child: Child,
    pub(crate) address: String,
    pub(crate) token: String,
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A running client.
pub(crate) struct Node {
    child: Child,
    lines: Receiver<String>,
}

impl Node {
    pub(crate) fn line(&self) -> Result<String, Box<dyn Error>> {
        Ok(self.lines.recv_timeout(PATIENCE)?)
    }

    pub(crate) fn json(&self) -> Result<Value, Box<dyn Error>> {
        Ok(serde_json::from_str(&self.line()?)?)
    }

    /// Waits until it exits successfully.
    pub(crate) fn ends_well(mut self) -> Result<(), Box<dyn Error>> {
        if let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            return Err(format!("one line too many: {line}").into());
        }
        let status = self.child.wait()?;
        assert!(status.success(), "{status}");
        Ok(())
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A script next to these tests.
pub(crate) fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/protocols")
        .join(name)
}
