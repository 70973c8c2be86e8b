//! The table of commands that run other commands, with the words before the wrapped command.

use super::options::{LongOptions, NONE, OptionSpec};

/// Position of the wrapped command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WrappedCommand {
    /// The remaining words.
    Words,
    /// The remaining words, joined and parsed by a shell.
    Joined,
    /// Each remaining word, parsed by a separate shell.
    EachText,
    /// Only the words after `--`.
    AfterDashes,
    /// The words after `--`, or the remaining words if there is none.
    DashesOrWords,
    /// The value of an option, parsed by a shell; nothing without the option.
    Text(&'static [&'static str]),
    /// The value of an option, or the remaining words.
    TextOrWords(&'static [&'static str]),
    /// The words after an option that ends the options.
    FromOption(&'static [&'static str]),
}

/// The effect of running a command through the wrapper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WrapperKind {
    Plain,
    Root,
    Elsewhere,
}

/// A command that runs another one.
#[derive(Debug, Clone, Copy)]
pub(super) struct WrapperSpec {
    pub(super) name: &'static str,
    /// The subcommand that runs another command, in words; empty if there is none.
    pub(super) verbs: &'static [&'static str],
    /// Options before and between the subcommand's words.
    pub(super) globals: OptionSpec,
    /// Options before the wrapped command.
    pub(super) options: OptionSpec,
    /// Number of operands before the wrapped command.
    pub(super) operands: usize,
    /// Whether `NAME=value` may precede the wrapped command.
    pub(super) assignments: bool,
    pub(super) runs: WrappedCommand,
    pub(super) kind: WrapperKind,
    /// Whether the wrapped program is a package name with a version.
    pub(super) packages: bool,
}

const BASE: WrapperSpec = WrapperSpec {
    name: "",
    verbs: &[],
    globals: NONE,
    options: NONE,
    operands: 0,
    assignments: false,
    runs: WrappedCommand::Words,
    kind: WrapperKind::Plain,
    packages: false,
};

const fn valued(shorts: &'static str, longs: &'static [&'static str]) -> OptionSpec {
    OptionSpec {
        shorts,
        longs: LongOptions::Valued(longs),
    }
}

/// `name [options] command …`
const fn plain(
    name: &'static str,
    shorts: &'static str,
    longs: &'static [&'static str],
) -> WrapperSpec {
    WrapperSpec {
        name,
        options: valued(shorts, longs),
        ..BASE
    }
}

/// `name [options] operand … command …`
const fn after(
    name: &'static str,
    operands: usize,
    shorts: &'static str,
    longs: &'static [&'static str],
) -> WrapperSpec {
    WrapperSpec {
        operands,
        ..plain(name, shorts, longs)
    }
}

/// `name [options] verb [options] command …`
const fn verb(
    name: &'static str,
    verbs: &'static [&'static str],
    shorts: &'static str,
    longs: &'static [&'static str],
) -> WrapperSpec {
    WrapperSpec {
        verbs,
        globals: valued(shorts, longs),
        ..plain(name, shorts, longs)
    }
}

const CONTAINER_GLOBALS: OptionSpec = valued(
    "Hlcfp",
    &[
        "config",
        "context",
        "host",
        "log-level",
        "tlscacert",
        "tlscert",
        "tlskey",
        "connection",
        "url",
        "root",
        "runroot",
        "namespace",
        "address",
        "file",
        "project-name",
        "profile",
        "env-file",
        "project-directory",
        "ansi",
        "parallel",
        "progress",
    ],
);
const CONTAINER_EXEC: OptionSpec = valued(
    "euw",
    &["env", "env-file", "user", "workdir", "detach-keys", "index"],
);
const CONTAINER_RUN: OptionSpec = OptionSpec {
    shorts: "aceuvwplhm",
    longs: LongOptions::Plain(&[
        "detach",
        "interactive",
        "tty",
        "rm",
        "init",
        "privileged",
        "read-only",
        "no-healthcheck",
        "oom-kill-disable",
        "publish-all",
        "sig-proxy",
        "quiet",
        "no-deps",
        "service-ports",
        "use-aliases",
        "build",
        "remove-orphans",
        "quiet-pull",
        "no-TTY",
        "help",
        "rmi",
        "replace",
        "no-hosts",
        "env-host",
        "http-proxy",
    ]),
};
const KUBE: &[&str] = &[
    "namespace",
    "context",
    "cluster",
    "kubeconfig",
    "user",
    "token",
    "server",
    "as",
    "as-group",
    "container",
    "filename",
    "pod-running-timeout",
    "request-timeout",
    "image",
    "overrides",
    "restart",
    "labels",
    "env",
    "port",
    "target",
    "profile",
    "copy-to",
];

const fn container(name: &'static str) -> [WrapperSpec; 2] {
    let exec = WrapperSpec {
        verbs: &["exec", "container exec", "compose exec"],
        globals: CONTAINER_GLOBALS,
        options: CONTAINER_EXEC,
        operands: 1,
        kind: WrapperKind::Elsewhere,
        ..plain(name, "", &[])
    };
    let run = WrapperSpec {
        verbs: &["run", "container run", "create", "compose run"],
        options: CONTAINER_RUN,
        ..exec
    };
    [exec, run]
}

const fn compose(name: &'static str) -> [WrapperSpec; 2] {
    let [exec, run] = container(name);
    [
        WrapperSpec {
            verbs: &["exec"],
            ..exec
        },
        WrapperSpec {
            verbs: &["run"],
            ..run
        },
    ]
}

const fn kube(name: &'static str) -> [WrapperSpec; 2] {
    let exec = WrapperSpec {
        operands: 1,
        kind: WrapperKind::Elsewhere,
        runs: WrappedCommand::DashesOrWords,
        ..verb(name, &["exec", "rsh"], "ncfs", KUBE)
    };
    let run = WrapperSpec {
        runs: WrappedCommand::AfterDashes,
        ..verb(name, &["run", "debug", "create job"], "ncfslp", KUBE)
    };
    [
        exec,
        WrapperSpec {
            kind: WrapperKind::Elsewhere,
            ..run
        },
    ]
}

const DOCKER: [WrapperSpec; 2] = container("docker");
const PODMAN: [WrapperSpec; 2] = container("podman");
const NERDCTL: [WrapperSpec; 2] = container("nerdctl");
const COMPOSE: [WrapperSpec; 2] = compose("docker-compose");
const PODMAN_COMPOSE: [WrapperSpec; 2] = compose("podman-compose");
const KUBECTL: [WrapperSpec; 2] = kube("kubectl");
const OC: [WrapperSpec; 2] = kube("oc");

const SUDO: WrapperSpec = WrapperSpec {
    assignments: true,
    kind: WrapperKind::Root,
    ..plain(
        "sudo",
        "ugChpDrtTRU",
        &[
            "user",
            "group",
            "close-from",
            "host",
            "prompt",
            "chdir",
            "role",
            "type",
            "command-timeout",
            "chroot",
            "other-user",
        ],
    )
};

const fn root(wrapper: WrapperSpec) -> WrapperSpec {
    WrapperSpec {
        kind: WrapperKind::Root,
        ..wrapper
    }
}

const fn elsewhere(wrapper: WrapperSpec) -> WrapperSpec {
    WrapperSpec {
        kind: WrapperKind::Elsewhere,
        ..wrapper
    }
}

const fn runs(wrapper: WrapperSpec, runs: WrappedCommand) -> WrapperSpec {
    WrapperSpec { runs, ..wrapper }
}

const fn assigning(wrapper: WrapperSpec) -> WrapperSpec {
    WrapperSpec {
        assignments: true,
        ..wrapper
    }
}

/// `npx [options] package …`: runs the program of a package.
const fn packages(wrapper: WrapperSpec) -> WrapperSpec {
    WrapperSpec {
        packages: true,
        ..wrapper
    }
}

const SSH_VALUES: &str = "BbcDEeFIiJLlmOopQRSWwP";

/// All wrappers that the table can describe.
pub(super) static WRAPPERS: &[WrapperSpec] = &[
    SUDO,
    root(plain("doas", "uC", &[])),
    root(plain("pkexec", "", &["user"])),
    root(after("gosu", 1, "", &[])),
    root(after("su-exec", 1, "", &[])),
    root(plain(
        "run0",
        "",
        &["user", "unit", "property", "description", "slice", "setenv"],
    )),
    assigning(plain("dzdo", "ugp", &["user", "group", "prompt"])),
    plain("nice", "n", &["adjustment"]),
    plain(
        "ionice",
        "cnpPu",
        &["class", "classdata", "pid", "pgid", "uid"],
    ),
    after("timeout", 1, "ks", &["kill-after", "signal"]),
    after("gtimeout", 1, "ks", &["kill-after", "signal"]),
    plain("nohup", "", &[]),
    plain("setsid", "", &[]),
    plain("stdbuf", "ioe", &["input", "output", "error"]),
    plain("unbuffer", "", &[]),
    plain("time", "fo", &["format", "output"]),
    plain("gtime", "fo", &["format", "output"]),
    after(
        "chrt",
        1,
        "TPDp",
        &["sched-runtime", "sched-period", "sched-deadline", "pid"],
    ),
    after("taskset", 1, "", &[]),
    plain(
        "numactl",
        "NCmip",
        &[
            "cpunodebind",
            "physcpubind",
            "membind",
            "interleave",
            "preferred",
        ],
    ),
    plain(
        "unshare",
        "SGRw",
        &[
            "setuid",
            "setgid",
            "root",
            "wd",
            "map-user",
            "map-group",
            "propagation",
        ],
    ),
    after("chroot", 1, "", &["userspec", "groups"]),
    plain("nsenter", "tSG", &["target", "setuid", "setgid"]),
    plain(
        "setpriv",
        "",
        &[
            "reuid",
            "regid",
            "groups",
            "inh-caps",
            "ambient-caps",
            "bounding-set",
            "securebits",
        ],
    ),
    plain("prlimit", "p", &["pid"]),
    plain("cgexec", "g", &[]),
    plain(
        "systemd-run",
        "EpuMHG",
        &[
            "unit",
            "property",
            "description",
            "slice",
            "setenv",
            "on-active",
            "on-calendar",
            "uid",
            "gid",
            "nice",
            "working-directory",
            "machine",
            "host",
            "service-type",
        ],
    ),
    plain("systemd-inhibit", "", &["what", "who", "why", "mode"]),
    plain("caffeinate", "tw", &[]),
    plain("arch", "de", &[]),
    plain("linux64", "", &[]),
    plain("setarch", "", &[]),
    plain("catchsegv", "", &[]),
    plain("chronic", "", &[]),
    plain("ifne", "", &[]),
    plain("proxychains", "f", &[]),
    plain("proxychains4", "f", &[]),
    plain("torsocks", "", &[]),
    plain("torify", "", &[]),
    plain("rlwrap", "abCcDfHlmMpPqsSt", &[]),
    plain("strace", "abEeIioOpPsSuX", &[]),
    plain("ltrace", "aeAbDFlnopsuwx", &["output", "config"]),
    plain("valgrind", "", &[]),
    plain("firejail", "", &[]),
    plain(
        "bwrap",
        "",
        &[
            "bind", "ro-bind", "dev", "proc", "tmpfs", "chdir", "uid", "gid",
        ],
    ),
    plain("fakeroot", "lsiu", &["lib", "faked"]),
    after("faketime", 1, "f", &[]),
    plain("dbus-run-session", "", &["config-file", "dbus-daemon"]),
    plain("dbus-launch", "", &[]),
    plain(
        "xvfb-run",
        "enfps",
        &[
            "error-file",
            "server-num",
            "auth-file",
            "xauth-protocol",
            "server-args",
        ],
    ),
    plain("ssh-agent", "aEt", &[]),
    plain("tini", "ep", &[]),
    plain("dumb-init", "r", &["rewrite"]),
    plain("entr", "", &[]),
    runs(
        plain(
            "watchexec",
            "wefdsiE",
            &[
                "watch", "exts", "filter", "debounce", "signal", "ignore", "env",
            ],
        ),
        WrappedCommand::Joined,
    ),
    plain("rtk", "", &[]),
    runs(
        plain("watch", "nq", &["interval", "equexit"]),
        WrappedCommand::Joined,
    ),
    runs(
        plain(
            "hyperfine",
            "wmMrsSnpPD",
            &[
                "warmup",
                "min-runs",
                "max-runs",
                "runs",
                "setup",
                "prepare",
                "conclude",
                "cleanup",
                "shell",
                "export-json",
                "export-markdown",
                "export-csv",
                "style",
                "command-name",
                "parameter-list",
            ],
        ),
        WrappedCommand::EachText,
    ),
    runs(
        after(
            "flock",
            1,
            "wEc",
            &["timeout", "wait", "conflict-exit-code", "command"],
        ),
        WrappedCommand::TextOrWords(&["c", "command"]),
    ),
    runs(
        plain(
            "script",
            "cEoITOBm",
            &[
                "command",
                "echo",
                "log-in",
                "log-out",
                "log-io",
                "log-timing",
                "output-limit",
            ],
        ),
        WrappedCommand::Text(&["c", "command"]),
    ),
    runs(plain("capsh", "c", &[]), WrappedCommand::Text(&["c"])),
    runs(
        plain("nodemon", "xwei", &["exec", "watch", "ext", "ignore"]),
        WrappedCommand::Text(&["x", "exec"]),
    ),
    elsewhere(runs(
        after("ssh", 1, SSH_VALUES, &[]),
        WrappedCommand::Joined,
    )),
    elsewhere(runs(
        after("autossh", 1, "MBbcDEeFIiJLlmOopQRSWw", &[]),
        WrappedCommand::Joined,
    )),
    elsewhere(after(
        "mosh",
        1,
        "p",
        &["ssh", "port", "predict", "server", "client"],
    )),
    DOCKER[0],
    DOCKER[1],
    PODMAN[0],
    PODMAN[1],
    NERDCTL[0],
    NERDCTL[1],
    COMPOSE[0],
    COMPOSE[1],
    PODMAN_COMPOSE[0],
    PODMAN_COMPOSE[1],
    KUBECTL[0],
    KUBECTL[1],
    OC[0],
    OC[1],
    elsewhere(WrapperSpec {
        operands: 1,
        ..verb(
            "lxc",
            &["exec"],
            "",
            &["cwd", "env", "user", "group", "mode"],
        )
    }),
    elsewhere(WrapperSpec {
        operands: 1,
        ..verb(
            "incus",
            &["exec"],
            "",
            &["cwd", "env", "user", "group", "mode"],
        )
    }),
    elsewhere(plain("lxc-attach", "neuRPL", &["name"])),
    elsewhere(WrapperSpec {
        operands: 1,
        ..verb("multipass", &["exec"], "d", &["working-directory"])
    }),
    elsewhere(runs(
        verb("vagrant", &["ssh"], "c", &["command"]),
        WrappedCommand::Text(&["c", "command"]),
    )),
    elsewhere(runs(
        verb(
            "gcloud",
            &["compute ssh"],
            "",
            &["command", "zone", "project"],
        ),
        WrappedCommand::Text(&["command"]),
    )),
    elsewhere(runs(
        verb(
            "fly",
            &["ssh console"],
            "aCsc",
            &["app", "command", "select", "config"],
        ),
        WrappedCommand::Text(&["C", "command"]),
    )),
    elsewhere(runs(
        verb(
            "flyctl",
            &["ssh console"],
            "aCsc",
            &["app", "command", "select", "config"],
        ),
        WrappedCommand::Text(&["C", "command"]),
    )),
    elsewhere(runs(
        verb(
            "heroku",
            &["run", "run:detached"],
            "asr",
            &["app", "size", "remote"],
        ),
        WrappedCommand::Joined,
    )),
    runs(
        plain("wsl", "dueE", &["distribution", "user", "exec", "cd"]),
        WrappedCommand::FromOption(&["e", "exec"]),
    ),
    WrapperSpec {
        operands: 1,
        ..verb("direnv", &["exec"], "", &[])
    },
    runs(
        verb(
            "mise",
            &["exec", "x", "watch"],
            "Cejc",
            &["cd", "env", "jobs", "command"],
        ),
        WrappedCommand::AfterDashes,
    ),
    runs(
        verb(
            "rtx",
            &["exec", "x"],
            "Cejc",
            &["cd", "env", "jobs", "command"],
        ),
        WrappedCommand::AfterDashes,
    ),
    verb("asdf", &["exec"], "", &[]),
    verb("pyenv", &["exec"], "", &[]),
    verb("rbenv", &["exec"], "", &[]),
    verb("nodenv", &["exec"], "", &[]),
    WrapperSpec {
        operands: 1,
        ..verb("rustup", &["run"], "", &[])
    },
    runs(
        plain(
            "nix-shell",
            "pIAj",
            &["run", "command", "attr", "arg", "argstr", "packages"],
        ),
        WrappedCommand::Text(&["run", "command"]),
    ),
    runs(
        verb(
            "nix",
            &["develop", "shell"],
            "fj",
            &["option", "override-input"],
        ),
        WrappedCommand::FromOption(&["c", "command"]),
    ),
    verb("poetry", &["run"], "CP", &["directory", "project"]),
    verb(
        "uv",
        &["run"],
        "pCw",
        &[
            "python",
            "with",
            "with-requirements",
            "with-editable",
            "extra",
            "group",
            "package",
            "env-file",
            "directory",
            "project",
            "index",
            "index-url",
            "cache-dir",
            "config-file",
            "color",
            "only-group",
            "no-group",
            "no-extra",
        ],
    ),
    verb("pipenv", &["run"], "", &["python"]),
    verb(
        "pdm",
        &["run"],
        "p",
        &["project", "env-file", "site-packages"],
    ),
    verb("rye", &["run"], "p", &["pyproject"]),
    verb("hatch", &["run"], "e", &["env"]),
    verb("pixi", &["run"], "e", &["environment", "manifest-path"]),
    verb("conda", &["run"], "np", &["name", "prefix", "cwd"]),
    verb("mamba", &["run"], "np", &["name", "prefix", "cwd"]),
    verb(
        "micromamba",
        &["run"],
        "npr",
        &["name", "prefix", "root-prefix", "cwd"],
    ),
    verb("bundle", &["exec"], "", &["gemfile"]),
    packages(runs(
        verb(
            "npm",
            &["exec", "x"],
            "wpc",
            &["workspace", "package", "prefix", "call"],
        ),
        WrappedCommand::TextOrWords(&["c", "call"]),
    )),
    packages(verb("pnpm", &["exec", "dlx"], "CF", &["dir", "filter"])),
    packages(verb(
        "yarn",
        &["exec", "run exec", "dlx"],
        "p",
        &["cwd", "package"],
    )),
    packages(runs(
        plain("npx", "pcw", &["package", "call", "workspace", "prefix"]),
        WrappedCommand::TextOrWords(&["c", "call"]),
    )),
    packages(plain("bunx", "p", &["package"])),
    packages(plain("pnpx", "p", &["package"])),
    packages(verb("bun", &["x"], "p", &["package"])),
    runs(
        verb("tox", &["exec"], "ec", &["conf"]),
        WrappedCommand::AfterDashes,
    ),
    runs(plain("gdb", "", &[]), WrappedCommand::FromOption(&["args"])),
    elsewhere(runs(
        verb("adb", &["shell"], "sHPLt", &[]),
        WrappedCommand::Joined,
    )),
    elsewhere(runs(
        plain("pssh", "hHlpotOx", &["hosts", "host", "user", "par"]),
        WrappedCommand::Joined,
    )),
    elsewhere(runs(
        plain(
            "parallel-ssh",
            "hHlpotOx",
            &["hosts", "host", "user", "par"],
        ),
        WrappedCommand::Joined,
    )),
    elsewhere(runs(plain("pdsh", "wxglftRu", &[]), WrappedCommand::Joined)),
    elsewhere(runs(plain("clush", "wgxlftu", &[]), WrappedCommand::Joined)),
    verb("opam", &["exec"], "", &["switch", "root"]),
    verb("cabal", &["exec"], "", &[]),
    verb("stack", &["exec"], "", &["resolver", "stack-yaml"]),
    verb("mix", &["cmd"], "", &[]),
    runs(
        verb(
            "git",
            &["submodule foreach"],
            "Cc",
            &["git-dir", "work-tree"],
        ),
        WrappedCommand::Joined,
    ),
    verb("git", &["bisect run"], "Cc", &["git-dir", "work-tree"]),
    runs(
        verb(
            "git",
            &["rebase"],
            "Ccxs",
            &["exec", "onto", "strategy", "git-dir", "work-tree"],
        ),
        WrappedCommand::Text(&["x", "exec"]),
    ),
    assigning(plain("dotenv", "efv", &["file", "env-file"])),
    assigning(plain("dotenvx", "f", &["env-file"])),
    assigning(plain("cross-env", "", &[])),
    runs(
        assigning(plain("cross-env-shell", "", &[])),
        WrappedCommand::Joined,
    ),
    runs(
        verb("op", &["run"], "", &["env-file", "account"]),
        WrappedCommand::AfterDashes,
    ),
    WrapperSpec {
        operands: 1,
        ..verb(
            "aws-vault",
            &["exec"],
            "dm",
            &["duration", "mfa-token", "backend", "region"],
        )
    },
    runs(
        verb(
            "doppler",
            &["run"],
            "pct",
            &["project", "config", "token", "command", "scope"],
        ),
        WrappedCommand::TextOrWords(&["command"]),
    ),
    runs(
        verb(
            "infisical",
            &["run"],
            "",
            &["env", "path", "command", "projectId", "token"],
        ),
        WrappedCommand::TextOrWords(&["command"]),
    ),
    runs(
        verb("chamber", &["exec"], "", &[]),
        WrappedCommand::AfterDashes,
    ),
    runs(
        WrapperSpec {
            operands: 1,
            ..verb("sops", &["exec-env", "exec-file"], "", &[])
        },
        WrappedCommand::Joined,
    ),
    plain("sshpass", "fdpP", &[]),
    elsewhere(runs(after("rsh", 1, "l", &[]), WrappedCommand::Joined)),
    runs(
        verb("guix", &["shell", "environment"], "", &[]),
        WrappedCommand::AfterDashes,
    ),
    verb("devbox", &["run"], "ce", &["config", "env"]),
    verb(
        "toolbox",
        &["run"],
        "cdr",
        &["container", "distro", "release"],
    ),
    runs(
        verb("distrobox", &["enter"], "n", &["name"]),
        WrappedCommand::AfterDashes,
    ),
    verb("turbo", &["exec"], "", &[]),
    verb("lerna", &["exec"], "", &["scope", "concurrency"]),
    verb("nx", &["exec"], "", &[]),
    verb("busybox", &[], "", &[]),
    verb("toybox", &[], "", &[]),
    runs(
        plain(
            "concurrently",
            "nckm",
            &["names", "prefix-colors", "max-processes"],
        ),
        WrappedCommand::EachText,
    ),
    runs(
        verb(
            "tmux",
            &[
                "new-session",
                "new",
                "new-window",
                "neww",
                "split-window",
                "splitw",
                "respawn-pane",
                "respawn-window",
                "run-shell",
                "run",
                "if-shell",
                "if",
                "popup",
                "display-popup",
            ],
            "LSfstncFexyXYTp",
            &[],
        ),
        WrappedCommand::Joined,
    ),
    plain("screen", "SethcpTX", &[]),
    plain("dtach", "rez", &[]),
];
