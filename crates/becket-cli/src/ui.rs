//! `becket ui`: the dashboard, in the person's browser.
//!
//! The daemon gives a code over its socket, which only this user can reach; the browser shows it once. It stands behind
//! the `#` of the address, which browsers send to nobody.

use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use becket::Home;
use becket::env::{EnvVars, ProcessEnv, Vars};
use becket_daemon::place::Place;
use becket_daemon::socket::Request;
use clap::Args;
use serde_json::json;

use crate::daemon::{ask, ensure};
use crate::exit::Exit;
use crate::report::{SCHEMA_VERSION, print, print_json, talk};
use crate::typist;

#[derive(Args)]
#[command(
    long_about = "Open the dashboard in your browser. Starts the daemon if none runs, and lets this browser in: the link is good once, \
and for two minutes. Where there is no display, the link is printed; over SSH, forward the port first (ssh -L PORT:127.0.0.1:PORT)."
)]
pub(crate) struct UiArgs {
    /// Print the link instead of opening it
    #[arg(long)]
    print: bool,
    /// Print JSON, and open nothing
    #[arg(long)]
    json: bool,
}

pub(crate) fn main(args: &UiArgs) -> anyhow::Result<Exit> {
    has_to_be_a_person()?;
    let home = Home::find(&ProcessEnv);
    ensure(&home)?;
    let link = link(&home)?;
    if args.json {
        print_json(&json!({ "schema_version": SCHEMA_VERSION, "url": link }))?;
        return Ok(Exit::Success);
    }
    if !args.print && open(&link) {
        print("The dashboard opens in your browser.\n");
        return Ok(Exit::Success);
    }
    print(&format!("{link}\n"));
    talk("This link lets one browser in, once, within two minutes.");
    Ok(Exit::Success)
}

fn has_to_be_a_person() -> anyhow::Result<()> {
    typist::has_to_be_a_person("letting a browser in")
}

/// An address that lets a browser in, once.
pub(crate) fn link(home: &Home) -> anyhow::Result<String> {
    has_to_be_a_person()?;
    let place = Place::below(&home.state);
    let answer = ask(&place, &Request::Login).context(
        "the daemon gives no code; `becket daemon restart` makes it one of this version",
    )?;
    let code = answer.code.context("the daemon gives no code")?;
    let address = std::fs::read_to_string(place.address());
    let address = address.context("the daemon's address is unknown")?;
    let address = address.trim();
    let Some(port) = address.strip_prefix("127.0.0.1:") else {
        bail!("`{}` holds no address", place.address().display());
    };
    let port: u16 = port.parse().context("the daemon's port is no number")?;
    Ok(format!("http://127.0.0.1:{port}/login#{code}"))
}

/// Lets the desktop open an address; false where there is none. The address is an argument, and no shell reads it.
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

/// The program that opens things here, if there is a display to open them on.
fn opener() -> Option<&'static str> {
    if cfg!(target_os = "macos") {
        return Some("open");
    }
    let displays = [EnvVars::DISPLAY, EnvVars::WAYLAND_DISPLAY];
    let has_display = displays.iter().any(|name| ProcessEnv.get(name).is_some());
    has_display.then_some("xdg-open")
}
