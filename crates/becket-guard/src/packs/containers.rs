//! Docker, Podman and similar engines: removing data, and opening the host to a container.

use super::args::{Args, FlagStyle};
use super::tool::{CommandContext, PatternRule, ProgramCall, ToolRules, fine, on, report, rules};
use crate::command::Word;
use crate::rule::{Finding, Rule};

rules! {
    VOLUMES = Severe "containers.volumes": "deletes volumes, and with them the data of databases and services",
        "list them first (`docker volume ls`) and remove one by name after a backup; `compose down` without `-v` keeps them";
    PRUNE_ALL = Severe "containers.prune-all": "deletes everything that is not running at this moment, volumes included",
        "prune without `--volumes`, or remove what you mean by name";
    PRUNE = Doubtful "containers.prune": "deletes every stopped container, unused image, network or build cache of this machine, of other projects too",
        "remove what you mean by name, or narrow it with `--filter`";
    REMOVE_FORCED = Doubtful "containers.remove-forced": "kills and deletes containers or images without asking",
        "`stop` first, then `rm` without `-f`; what the container wrote outside volumes is lost either way";
    DOWN_IMAGES = Notice "containers.down-images": "removes the images of the project, which have to be built or pulled again",
        "`compose down` alone";
    SWARM = Severe "containers.swarm": "takes services, their secrets or the whole swarm away",
        "list what is there (`docker stack ps`, `docker service ls`) and let a person remove it";
    PRIVILEGED = Severe "containers.privileged": "gives the container power over the host: its devices, its disk or its container engine",
        "mount only the project's directory and drop `--privileged`, host namespaces and the engine's socket";
    HOST_NAMESPACE = Doubtful "containers.host-namespace": "lets the container see or change the host's processes or kernel settings",
        "run it without host namespaces and extra capabilities";
    HOME_MOUNT = Doubtful "containers.home-mount": "gives the container the whole home directory, keys and all, to read and to write",
        "mount only the project's directory, or add `:ro`";
    LOGIN = Notice "containers.login": "stores credentials for a registry",
        "let a person log in";
}

const VALUES: &str = "-H --host -c --context -l --log-level --config --tlscacert --tlscert --tlskey -f --file -p --project-name --profile --env-file --project-directory --filter --url --connection --root --namespace -n --address -t --timeout --rmi --scale --builder";

static CASES: &[PatternRule] = &[
    fine("** --dry-run"),
    on("system prune --volumes", &PRUNE_ALL),
    on("system prune", &PRUNE),
    on("system reset", &PRUNE_ALL),
    on("volume rm|remove|prune", &VOLUMES),
    on("image|container|network|builder|buildx|pod prune", &PRUNE),
    on("compose down -v|--volumes", &VOLUMES),
    on("compose rm -v", &VOLUMES),
    on("compose down --rmi=all", &DOWN_IMAGES),
    on("swarm leave -f|--force", &SWARM),
    on("stack|service|secret|config|node rm|remove|down", &SWARM),
    on("context rm|remove", &REMOVE_FORCED),
    on("machine rm|reset", &VOLUMES),
    on("buildx rm", &PRUNE),
    on("login", &LOGIN),
];

/// `-f` is `--force` here and `--file` in compose, so these subcommands have their own list.
const REMOVAL_VALUES: &str =
    "-H --host -c --context -l --log-level --config --url --connection --filter -t --time";
static REMOVALS: &[PatternRule] = &[
    on("rm -v|--volumes", &VOLUMES),
    on("container rm -v|--volumes", &VOLUMES),
    on("rm|rmi|kill -f|--force", &REMOVE_FORCED),
    on("container|image|pod rm|remove -f|--force", &REMOVE_FORCED),
    on("rm|rmi|kill -a|--all", &REMOVE_FORCED),
];

pub(super) static TOOLS: &[ToolRules] = &[
    ToolRules {
        names: &["docker", "podman", "nerdctl", "finch"],
        values: VALUES,
        cases: CASES,
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["docker", "podman", "nerdctl", "finch"],
        values: REMOVAL_VALUES,
        cases: REMOVALS,
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["docker-compose", "podman-compose"],
        values: VALUES,
        cases: &[
            fine("** --dry-run"),
            on("down -v|--volumes", &VOLUMES),
            on("down --rmi=all", &DOWN_IMAGES),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &[
            "docker-machine",
            "colima",
            "lima",
            "limactl",
            "multipass",
            "orb",
        ],
        cases: &[on("rm|delete|purge|reset", &VOLUMES)],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["lxc", "incus"],
        cases: &[
            on("delete|rm", &REMOVE_FORCED),
            on("** delete|rm", &REMOVE_FORCED),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["crictl", "ctr"],
        cases: &[
            on("rm|rmi|rmp -a|--all|-f|--force|--prune", &REMOVE_FORCED),
            on("** prune", &PRUNE),
        ],
        ..ToolRules::NEW
    },
];

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
        report(&HOME_MOUNT, context.command, call, found);
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
        return Some(&PRIVILEGED);
    }
    let host = |name| args.values(name).any(|value| value == "host");
    let unconfined = args
        .values("security-opt")
        .any(|option| option.ends_with("unconfined"));
    (host("pid") || host("ipc") || host("userns") || unconfined).then_some(&HOST_NAMESPACE)
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
