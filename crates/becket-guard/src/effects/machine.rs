//! What concerns the whole machine: power, processes, users, schedules.

use super::flags::part;
use super::report::Report;
use super::rules;
use crate::command::Invocation;
use crate::paths::{Area, Follow, Scene};

/// Adds what is wrong with a command for the machine it runs on.
pub(super) fn check(command: &Invocation, scene: &Scene<'_>, report: &mut Report<'_>) {
    let has = |flags: &[&str]| command.words().any(|word| flags.contains(&word));
    let first = command.args.first().map_or("", |word| word.text.as_str());
    match command.program.as_str() {
        "shutdown" | "reboot" | "halt" | "poweroff"
            if !scene.machine().is_container()
                && !has(&["-c", "--help", "--show", "-k", "-w", "--wtmp-only"]) =>
        {
            report.command(&rules::POWER);
        }
        "init" | "telinit" if matches!(first, "0" | "1" | "6" | "s" | "S") => {
            report.command(&rules::POWER);
        }
        "systemctl"
            if has(&[
                "poweroff",
                "reboot",
                "halt",
                "kexec",
                "rescue",
                "emergency",
                "suspend",
                "hibernate",
            ]) =>
        {
            report.command(&rules::POWER);
        }
        "kill" if !scene.machine().is_container() && kills_all(command) => {
            report.command(&rules::KILL_ALL);
        }
        "killall5" => report.command(&rules::KILL_ALL),
        "usermod" | "gpasswd" | "adduser" | "useradd" | "addgroup" | "groupmems"
        | "dseditgroup"
            if !scene.machine().is_container() && gives_rights(command) =>
        {
            report.command(&rules::PRIVILEGE);
        }
        "passwd" | "chpasswd" | "visudo" | "vipw" | "chsh"
            if !scene.machine().is_container() && !has(&["-S", "--status", "-c", "--help"]) =>
        {
            report.command(&rules::PRIVILEGE);
        }
        "crontab" if !has(&["-l", "-r", "-e"]) => report.command(&rules::SCHEDULED),
        "at" | "batch" if !has(&["-l", "-c", "-V"]) => report.command(&rules::SCHEDULED),
        "systemctl" if has(&["--user"]) && has(&["enable", "link", "reenable"]) => {
            report.command(&rules::SCHEDULED);
        }
        "ssh-copy-id" => report.command(&rules::ACCESS),
        "dd" => raw_copy(command, scene, report),
        _ => {}
    }
}

/// `kill -9 -1`: every process there is; `1` is what they all hang on.
fn kills_all(command: &Invocation) -> bool {
    let mut args = command.args.iter().map(|word| word.text.as_str());
    let mut operands = Vec::new();
    let mut had_signal = false;
    while let Some(arg) = args.next() {
        match arg {
            "-l" | "-L" | "--list" => return false,
            "-s" | "-n" | "--signal" => {
                args.next();
                had_signal = true;
            }
            "--" => had_signal = true,
            arg if arg.starts_with('-') && !had_signal => had_signal = true,
            arg => operands.push(arg),
        }
    }
    let signals = command
        .words()
        .any(|word| word.contains("USR") || word.contains("HUP") || word == "-0");
    operands.contains(&"-1") || operands.contains(&"1") && !signals
}

fn gives_rights(command: &Invocation) -> bool {
    const GROUPS: [&str; 9] = [
        "sudo", "wheel", "admin", "root", "docker", "adm", "disk", "shadow", "lxd",
    ];
    command
        .words()
        .flat_map(|word| word.split([',', '=']))
        .any(|group| GROUPS.contains(&group))
        || command
            .words()
            .any(|word| matches!(word, "-o" | "--non-unique"))
}

/// What disks are kept in, which `dd` is for.
fn is_image(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    !path.starts_with("/dev/") && matches!(ending, "img" | "iso" | "raw" | "bin" | "dat" | "qcow2")
}

/// `dd` to a file that is neither temporary nor output.
fn raw_copy(command: &Invocation, scene: &Scene<'_>, report: &mut Report<'_>) {
    let outputs = command
        .args
        .iter()
        .filter_map(|word| Some(part(word, word.text.strip_prefix("of=")?)));
    for output in outputs {
        let spots = scene.spots(&output, Follow::Links);
        if !spots.iter().all(|spot| {
            matches!(spot.area, Area::Temp | Area::Build | Area::Stream) || is_image(&spot.path)
        }) {
            report.command(&rules::RAW_COPY);
        }
    }
}
