//! `becket completions` and `becket man`: what shells and `man` want to know of the commands.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};

use crate::exit::Exit;
use crate::records::of;
use crate::report::{print, talk};

#[derive(Args)]
pub(crate) struct CompletionsArgs {
    /// Which shell
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Clone, Copy, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

impl From<Shell> for clap_complete::Shell {
    fn from(shell: Shell) -> Self {
        match shell {
            Shell::Bash => Self::Bash,
            Shell::Zsh => Self::Zsh,
            Shell::Fish => Self::Fish,
        }
    }
}

#[derive(Args)]
pub(crate) struct ManArgs {
    /// Write a page for every command into this directory, instead of printing the first
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
    let failed = || format!("`{}` cannot be written", dir.display());
    std::fs::create_dir_all(dir).with_context(failed)?;
    let written = write_all(&command, "becket", dir).with_context(failed)?;
    talk(&format!(
        "{} written to {}.",
        of(written, "page"),
        dir.display()
    ));
    Ok(Exit::Success)
}

/// Writes the page of a command, and those of the commands below it; says how many.
fn write_all(command: &clap::Command, name: &str, dir: &Path) -> anyhow::Result<u64> {
    std::fs::write(dir.join(format!("{name}.1")), page(command)?)?;
    let mut written = 1;
    for below in command.get_subcommands() {
        // `help` repeats what every page says.
        if below.is_hide_set() || below.get_name() == "help" {
            continue;
        }
        written += write_all(below, &format!("{name}-{}", below.get_name()), dir)?;
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

/// What stands below the help of a command, as `man` calls it: commands keep their lines.
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
