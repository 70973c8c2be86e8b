//! Docker, Podman and similar engines: removing data, and opening the host to a container.

use super::args::{Args, FlagStyle};
use super::tool::{CommandContext, ProgramCall, report};
use crate::command::Word;
use crate::rule::{Finding, Rule};
use crate::rules;

const RUN_VALUES: &str = "-H --host -v --volume --mount --pid --ipc --userns --uts --cap-add --security-opt --device -e --env --env-file --name -p --publish -w --workdir -u --user --network --net -l --label --entrypoint -h --hostname -m --memory --cpus --platform --restart --add-host -c --context --tmpfs --ulimit --shm-size --gpus --pull --log-driver --link --dns -a --attach";

/// `docker run` and `create`: access to the host that the container receives.
pub(super) fn check(context: &CommandContext<'_>, call: ProgramCall<'_>, found: &mut Vec<Finding>) {
    if !matches!(call.program, "docker" | "podman" | "nerdctl" | "finch") {
        return;
    }
    let args = Args::read(flags_before_image(call), RUN_VALUES, FlagStyle::Gnu);
    let starts = args.matches_pattern("run|create") || args.matches_pattern("container run|create");
    if starts && let Some(rule) = host_access_rule(&args) {
        report(rule, context.command, call, found);
    } else if starts && mounts_home(&args, &context.location.home) {
        report(&rules::CONTAINERS_HOME_MOUNT, context.command, call, found);
    }
}

/// The words before the image; the words after it belong to the program in the container.
fn flags_before_image(call: ProgramCall<'_>) -> &[Word] {
    // `run IMAGE` or `container run IMAGE`.
    let mut before_image = 1;
    let mut takes_next = false;
    for (at, word) in call.args.iter().enumerate() {
        let text = word.text.as_str();
        if takes_next {
            takes_next = false;
        } else if text.starts_with('-') {
            takes_next = RUN_VALUES.split_ascii_whitespace().any(|flag| flag == text);
        } else if before_image == 0 {
            return &call.args[..at];
        } else if text != "container" {
            before_image -= 1;
        }
    }
    call.args
}

fn host_access_rule(args: &Args<'_>) -> Option<&'static Rule> {
    let mounts_host = args
        .values_of(&["v", "volume"])
        .map(|mount| mount.split(':').next().unwrap_or_default())
        .chain(args.values("mount").filter_map(mount_source))
        .any(is_host_source);
    let everything = args
        .values("cap-add")
        .any(|cap| matches!(cap, "ALL" | "all" | "SYS_ADMIN" | "CAP_SYS_ADMIN"));
    let devices = args.values("device").any(is_disk);
    if args.has("privileged") || mounts_host || everything || devices {
        return Some(&rules::CONTAINERS_PRIVILEGED);
    }
    let host = |name| args.values(name).any(|value| value == "host");
    let unconfined = args
        .values("security-opt")
        .any(|option| option.ends_with("unconfined"));
    (host("pid") || host("ipc") || host("userns") || unconfined)
        .then_some(&rules::CONTAINERS_HOST_NAMESPACE)
}

/// Whether the whole home directory is mounted writable.
fn mounts_home(args: &Args<'_>, home: &str) -> bool {
    args.values_of(&["v", "volume"]).any(|mount| {
        let mut parts = mount.split(':');
        let source = parts.next().unwrap_or_default().trim_end_matches('/');
        let read_only = parts.any(|part| part.split(',').any(|option| option == "ro"));
        !home.is_empty() && (source == home || source == "~") && !read_only
    })
}

fn mount_source(mount: &str) -> Option<&str> {
    mount.split(',').find_map(|part| {
        part.strip_prefix("source=")
            .or_else(|| part.strip_prefix("src="))
    })
}

/// A system directory of the host, or the socket of a container engine.
fn is_host_source(source: &str) -> bool {
    let system = [
        "/",
        "/etc",
        "/root",
        "/boot",
        "/var",
        "/usr",
        "/home",
        "/proc",
        "/sys",
        "/dev",
        "/run",
        "/var/run",
        "/var/lib/docker",
    ];
    let sockets = ["docker.sock", "containerd.sock", "podman.sock", "crio.sock"];
    let trimmed = source.trim_end_matches('/');
    let directory = if trimmed.is_empty() && !source.is_empty() {
        "/"
    } else {
        trimmed
    };
    system.contains(&directory) || sockets.iter().any(|socket| source.ends_with(socket))
}

fn is_disk(device: &str) -> bool {
    [
        "/dev/sd",
        "/dev/nvme",
        "/dev/vd",
        "/dev/mem",
        "/dev/kmem",
        "/dev/disk",
        "/dev/mapper",
    ]
    .iter()
    .any(|disk| device.starts_with(disk))
}
