//! Names of programs with special handling.

/// Programs to recognize behind a glob (`/bin/r?`) or in capitals, most dangerous first.
pub(super) const CORE: &[&str] = &[
    "rm",
    "sudo",
    "dd",
    "su",
    "bash",
    "sh",
    "zsh",
    "curl",
    "wget",
    "shred",
    "chmod",
    "chown",
    "mv",
    "cp",
    "ln",
    "tee",
    "cat",
    "find",
    "xargs",
    "env",
    "python3",
    "python",
    "node",
    "perl",
    "ruby",
    "php",
    "git",
    "nc",
    "ncat",
    "ssh",
    "scp",
    "rsync",
    "tar",
    "truncate",
    "mkfs",
    "mkfs.ext4",
    "wipefs",
    "fdisk",
    "parted",
    "mount",
    "umount",
    "kill",
    "killall",
    "pkill",
    "shutdown",
    "reboot",
    "halt",
    "poweroff",
    "init",
    "systemctl",
    "crontab",
    "docker",
    "kubectl",
    "base64",
    "xxd",
    "openssl",
    "eval",
    "exec",
    "busybox",
    "doas",
    "dash",
    "ksh",
    "unlink",
    "rmdir",
    "head",
    "tail",
    "less",
    "more",
    "grep",
    "sed",
    "awk",
    "printenv",
    "id",
    "ls",
    "echo",
    "cd",
];

pub(super) fn is_core(name: &str) -> bool {
    CORE.contains(&name) || name.starts_with("mkfs.")
}

/// Shells that accept `-c`, a file, or standard input.
pub(super) fn is_shell(name: &str) -> bool {
    matches!(
        name,
        "bash"
            | "sh"
            | "zsh"
            | "dash"
            | "ksh"
            | "ash"
            | "mksh"
            | "ksh93"
            | "rbash"
            | "rzsh"
            | "fish"
            | "csh"
            | "tcsh"
            | "yash"
            | "osh"
    )
}

/// Interpreters of other languages.
pub(super) fn is_interpreter(name: &str) -> bool {
    super::interpreters::language(name).is_some()
}
