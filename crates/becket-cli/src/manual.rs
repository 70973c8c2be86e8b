//! `becket completions` and `becket man`: shell completions and manual pages, generated from the command tree.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};

use crate::exit::Exit;
use crate::records::plural;
use crate::report::{print, print_message};

#[derive(Args)]
pub(crate) struct CompletionsArgs {
    /// Shell to generate the script for
    #[arg(value_enum)]
    shell: ShellArg,
}

#[derive(Clone, Copy, ValueEnum)]
enum ShellArg {
    Bash,
    Zsh,
    Fish,
}

impl From<ShellArg> for clap_complete::Shell {
    fn from(shell: ShellArg) -> Self {
        match shell {
            ShellArg::Bash => Self::Bash,
            ShellArg::Zsh => Self::Zsh,
            ShellArg::Fish => Self::Fish,
        }
    }
}

#[derive(Args)]
pub(crate) struct ManArgs {
    /// Write one page per command into this directory, instead of printing the page of `becket`
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub(crate) fn completions(args: &CompletionsArgs, mut command: clap::Command) -> Exit {
    let mut script = Vec::new();
    let shell = clap_complete::Shell::from(args.shell);
    clap_complete::generate(shell, &mut command, "becket", &mut script);
    print(&String::from_utf8_lossy(&script));
    Exit::Success
}

pub(crate) fn man(args: &ManArgs, mut command: clap::Command) -> anyhow::Result<Exit> {
    command.build();
    let Some(dir) = &args.dir else {
        print(&page(&command)?);
        return Ok(Exit::Success);
    };
    let failed = || format!("cannot write manual pages to `{}`", dir.display());
    std::fs::create_dir_all(dir).with_context(failed)?;
    let written = write_pages(&command, "becket", dir).with_context(failed)?;
    print_message(&format!(
        "Wrote {} to {}.",
        plural(written, "page"),
        dir.display()
    ));
    Ok(Exit::Success)
}

/// Writes the manual pages of a command and its subcommands; returns their number.
fn write_pages(command: &clap::Command, name: &str, dir: &Path) -> anyhow::Result<u64> {
    std::fs::write(dir.join(format!("{name}.1")), page(command)?)?;
    let mut written = 1;
    for below in command.get_subcommands() {
        // `help` has no page of its own.
        if below.is_hide_set() || below.get_name() == "help" {
            continue;
        }
        written += write_pages(below, &format!("{name}-{}", below.get_name()), dir)?;
    }
    Ok(written)
}

fn page(command: &clap::Command) -> anyhow::Result<String> {
    let mut command = command.clone();
    if command.find_subcommand("help").is_some() {
        command = command.mut_subcommand("help", |help| help.hide(true));
    }
    let mut text = Vec::new();
    clap_mangen::Man::new(command)
        .source(concat!("becket ", env!("CARGO_PKG_VERSION")))
        .render(&mut text)?;
    Ok(with_examples(&String::from_utf8(text)?))
}

/// Turns clap's EXTRA section into EXAMPLES or EXIT STATUS; the lines of examples are kept.
fn with_examples(page: &str) -> String {
    let Some((before, extra)) = page.split_once(".SH EXTRA\n") else {
        return page.to_owned();
    };
    let (extra, after) = match extra.find("\n.SH ") {
        Some(at) => extra.split_at(at + 1),
        None => (extra, ""),
    };
    match extra.strip_prefix("Examples:\n") {
        Some(lines) => {
            let lines = lines.trim_end();
            format!("{before}.SH EXAMPLES\n.nf\n{lines}\n.fi\n{after}")
        }
        None => format!("{before}.SH \"EXIT STATUS\"\n{extra}{after}"),
    }
}
