//! Drives full-screen interfaces in a real terminal (tmux).

use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::context::Context;

/// Long enough for a busy machine; passing tests do not wait this long.
const PATIENCE: Duration = Duration::from_secs(30);

/// A terminal that runs one of Becket's interfaces.
pub(crate) struct Terminal<'c> {
    context: &'c Context,
    /// A separate tmux server: one that is shutting down takes no new session.
    socket: String,
}

/// Whether tmux is available. If it is required, its absence is a failure.
#[expect(clippy::print_stderr, reason = "what was not tested must be seen")]
pub(crate) fn has_tmux() -> bool {
    let found = Command::new("tmux").arg("-V").output().is_ok();
    let required = std::env::var_os("BECKET_REQUIRE_TMUX").is_some();
    assert!(
        found || !required,
        "tmux is not installed: scripts/tools.sh installs it"
    );
    if !found {
        eprintln!("SKIPPED: tmux is not installed (scripts/tools.sh installs it)");
    }
    found
}

impl<'c> Terminal<'c> {
    /// Starts a command in a terminal of this size.
    pub(crate) fn open(
        context: &'c Context,
        command: &str,
        width: u16,
        height: u16,
        env: &str,
    ) -> Self {
        static OPENED: AtomicUsize = AtomicUsize::new(0);
        let socket = format!("tmux-{}", OPENED.fetch_add(1, Ordering::Relaxed));
        let terminal = Self { context, socket };
        let becket = format!(
            "env -i {env} PATH=/usr/bin:/bin TERM=screen-256color LANG=C.UTF-8 HOME='{}' BECKET_HOME='{}' '{}' {command}",
            context.path("home").display(),
            context.path("home/.becket").display(),
            env!("CARGO_BIN_EXE_becket"),
        );
        let pid = context.path("pid");
        let pid = pid.display();
        // Checks that echo and line mode are restored.
        let line = format!(
            "echo BEFORE; sh -c 'echo $$ > {pid}; exec \"$@\"' sh {becket}; echo ENDED $?; stty -a | tr ' ;' '\\n\\n' | grep -xE -- '-?(icanon|echo)' | xargs echo STTY; cat"
        );
        let (width, height) = (width.to_string(), height.to_string());
        let project = context.project();
        let project = project.to_str().expect("UTF-8");
        terminal.tmux(&[
            "new-session",
            "-d",
            "-s",
            "t",
            "-x",
            &width,
            "-y",
            &height,
            "-c",
            project,
            &line,
        ]);
        terminal
    }

    pub(crate) fn tmux(&self, args: &[&str]) -> String {
        let output = Command::new("tmux")
            .args(["-u", "-f", "/dev/null", "-S"])
            .arg(self.context.path(&self.socket))
            .args(args)
            .env("LANG", "C.UTF-8")
            .env_remove("TMUX")
            .output()
            .expect("tmux");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    pub(crate) fn keys(&self, keys: &[&str]) -> &Self {
        for key in keys {
            self.tmux(&["send-keys", "-t", "t", key]);
        }
        self
    }

    pub(crate) fn text(&self, text: &str) -> &Self {
        self.tmux(&["send-keys", "-t", "t", "-l", text]);
        self
    }

    pub(crate) fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-t", "t"])
    }

    pub(crate) fn wait(&self, what: &str, holds: impl Fn(&str) -> bool) -> String {
        let started = Instant::now();
        loop {
            let screen = self.screen();
            if holds(&screen) {
                return screen;
            }
            assert!(started.elapsed() < PATIENCE, "no {what} in:\n{screen}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub(crate) fn sees(&self, text: &str) -> String {
        self.wait(text, |screen| screen.contains(text))
    }

    pub(crate) fn no_longer_sees(&self, text: &str) -> String {
        self.wait(&format!("end of {text}"), |screen| !screen.contains(text))
    }

    /// Moves down to a line with this text.
    pub(crate) fn move_to(&self, text: &str) -> &Self {
        for _ in 0..40 {
            let screen = self.screen();
            if screen
                .lines()
                .any(|line| line.starts_with('>') && line.contains(text))
            {
                return self;
            }
            let before = screen;
            self.keys(&["Down"]);
            self.wait("movement", |screen| screen != before);
        }
        panic!("no line with {text} in:\n{}", self.screen());
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}
