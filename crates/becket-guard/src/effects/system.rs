//! Rules about the machine as a whole: power, processes, users, schedules.

use super::flags::part;
use super::report::FindingReport;
use crate::command::Invocation;
use crate::paths::{FollowLinks, PathArea, PathContext};
use crate::rules;

/// Checks the effect of a command on the machine.
pub(super) fn check(
    command: &Invocation,
    context: &PathContext<'_>,
    report: &mut FindingReport<'_>,
) {
    let has = |flags: &[&str]| command.words().any(|word| flags.contains(&word));
    let first = command.args.first().map_or("", |word| word.text.as_str());
    match command.program.as_str() {
        "shutdown" | "reboot" | "halt" | "poweroff"
            if !context.machine().is_container()
                && !has(&["-c", "--help", "--show", "-k", "-w", "--wtmp-only"]) =>
        {
            report.add_command(&rules::CORE_POWER);
        }
        "init" | "telinit" if matches!(first, "0" | "1" | "6" | "s" | "S") => {
            report.add_command(&rules::CORE_POWER);
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
            report.add_command(&rules::CORE_POWER);
        }
        "kill" if !context.machine().is_container() && kills_all(command) => {
            report.add_command(&rules::CORE_KILL_ALL);
        }
        "killall5" => report.add_command(&rules::CORE_KILL_ALL),
        "usermod" | "gpasswd" | "adduser" | "useradd" | "addgroup" | "groupmems"
        | "dseditgroup"
            if !context.machine().is_container() && grants_privileges(command) =>
        {
            report.add_command(&rules::CORE_PRIVILEGE);
        }
        "passwd" | "chpasswd" | "visudo" | "vipw" | "chsh"
            if !context.machine().is_container() && !has(&["-S", "--status", "-c", "--help"]) =>
        {
            report.add_command(&rules::CORE_PRIVILEGE);
        }
        "crontab" if !has(&["-l", "-r", "-e"]) => report.add_command(&rules::PERSISTENCE_SCHEDULE),
        "at" | "batch" if !has(&["-l", "-c", "-V"]) => {
            report.add_command(&rules::PERSISTENCE_SCHEDULE);
        }
        "systemctl" if has(&["--user"]) && has(&["enable", "link", "reenable"]) => {
            report.add_command(&rules::PERSISTENCE_SCHEDULE);
        }
        "ssh-copy-id" => report.add_command(&rules::PERSISTENCE_ACCESS),
        "dd" => raw_copy(command, context, report),
        _ => {}
    }
}

/// `kill -9 -1` signals every process; process `1` is the ancestor of all others.
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

fn grants_privileges(command: &Invocation) -> bool {
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

/// Disk images, which `dd` is meant to write.
fn is_image(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    !path.starts_with("/dev/") && matches!(ending, "img" | "iso" | "raw" | "bin" | "dat" | "qcow2")
}

/// `dd` to a file that is neither temporary nor build output.
fn raw_copy(command: &Invocation, context: &PathContext<'_>, report: &mut FindingReport<'_>) {
    let outputs = command
        .args
        .iter()
        .filter_map(|word| Some(part(word, word.text.strip_prefix("of=")?)));
    for output in outputs {
        let candidates = context.classify_word(&output, FollowLinks::Always);
        if !candidates.iter().all(|classified| {
            matches!(
                classified.area,
                PathArea::Temp | PathArea::Build | PathArea::Stream
            ) || is_image(&classified.path)
        }) {
            report.add_command(&rules::CORE_RAW_COPY);
        }
    }
}
