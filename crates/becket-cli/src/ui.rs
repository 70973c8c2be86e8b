//! `becket ui`: opens the dashboard in the browser.
//!
//! The daemon issues a one-time login code over its socket, which only this user can access. The code is in the fragment
//! of the URL (after `#`), which browsers do not send to a server.

use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use becket::Home;
use becket::env::{EnvVars, ProcessEnv, Vars};
use becket_daemon::runtime_dir::RuntimeDir;
use becket_daemon::socket::SocketRequest;
use clap::Args;
use serde_json::json;

use crate::caller;
use crate::daemon::{ensure_running, send_request};
use crate::exit::Exit;
use crate::report::{SCHEMA_VERSION, print, print_json, print_message};

#[derive(Args)]
#[command(
    long_about = "Open the dashboard in your browser. Starts the daemon if necessary. The login link works once, within two minutes. \
Without a display the link is printed; over SSH, forward the port first (ssh -L PORT:127.0.0.1:PORT)."
)]
pub(crate) struct UiArgs {
    /// Print the link instead of opening it
    #[arg(long)]
    print: bool,
    /// Print JSON instead of opening the link
    #[arg(long)]
    json: bool,
}

pub(crate) fn main(args: &UiArgs) -> anyhow::Result<Exit> {
    require_person()?;
    let home = Home::find(&ProcessEnv);
    ensure_running(&home)?;
    let link = login_link(&home)?;
    if args.json {
        print_json(&json!({ "schema_version": SCHEMA_VERSION, "url": link }))?;
        return Ok(Exit::Success);
    }
    if !args.print && open(&link) {
        print("Opened the dashboard in your browser.\n");
        return Ok(Exit::Success);
    }
    print(&format!("{link}\n"));
    print_message("This link works for one browser, once, within two minutes.");
    Ok(Exit::Success)
}

fn require_person() -> anyhow::Result<()> {
    caller::require_person("logging in to the dashboard")
}

/// Creates a one-time login link.
pub(crate) fn login_link(home: &Home) -> anyhow::Result<String> {
    require_person()?;
    let place = RuntimeDir::in_state_dir(&home.state);
    let answer = send_request(&place, &SocketRequest::Login).context(
        "the daemon issued no login code (version mismatch?); run `becket daemon restart`",
    )?;
    let code = answer
        .login_code
        .context("the daemon issued no login code")?;
    let address = std::fs::read_to_string(place.address());
    let address = address.context("cannot read the daemon's address")?;
    let address = address.trim();
    let Some(port) = address.strip_prefix("127.0.0.1:") else {
        bail!(
            "`{}` contains no valid address; run `becket daemon restart`",
            place.address().display()
        );
    };
    let port: u16 = port.parse().context("the daemon's port is not a number")?;
    Ok(format!("http://127.0.0.1:{port}/login#{code}"))
}

/// Opens a URL on the desktop; returns false if that fails. The URL is passed as an argument, not through a shell.
fn open(link: &str) -> bool {
    let Some(program) = opener() else {
        return false;
    };
    let ended = Command::new(program)
        .arg(link)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    ended.is_ok_and(|status| status.success())
}

/// The program that opens URLs, if there is a display.
fn opener() -> Option<&'static str> {
    if cfg!(target_os = "macos") {
        return Some("open");
    }
    let displays = [EnvVars::DISPLAY, EnvVars::WAYLAND_DISPLAY];
    let has_display = displays.iter().any(|name| ProcessEnv.get(name).is_some());
    has_display.then_some("xdg-open")
}
