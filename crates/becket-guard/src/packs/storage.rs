//! Storage: disks, volumes, virtual machines, backups and queues.

use super::args::FlagStyle;
use super::tool::{ToolRules, fine, on, rules};

rules! {
    MOUNT = Doubtful "services.mount": "changes what is mounted or swapped",
        "let a person do this";
    DISK = Catastrophic "services.disk": "destroys volumes, pools or encrypted disks with everything on them",
        "let a person do this, with a backup at hand";
    SNAPSHOT = Severe "services.snapshot": "deletes a snapshot or a subvolume, or goes back to an older state",
        "list them first; let a person delete them";
    BACKUPS = Severe "services.backups": "deletes backups",
        "`--dry-run` first; let a person prune backups";
    REMOTE_FILES = Severe "services.remote-files": "deletes files in remote storage",
        "`--dry-run` shows what would go";
    REMOTE_SYNC = Doubtful "services.remote-sync": "deletes at the target whatever the source lacks",
        "`--dry-run` first, or `copy` instead of `sync`";
    QUEUES = Severe "services.queues": "deletes topics, queues or messages, or resets a broker",
        "describe it first; let a person delete it";
}

pub(super) static TOOLS: &[ToolRules] = &[
    ToolRules {
        names: &["mount"],
        values: "-t --types -o --options",
        cases: &[
            fine("-l|--show-labels"),
            on("-a|--all", &MOUNT),
            on("_", &MOUNT),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["umount", "swapoff", "swapon"],
        values: "-t --types -O",
        cases: &[
            fine("-s|--summary|--show"),
            on("-a|--all", &MOUNT),
            on("_", &MOUNT),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["lvremove", "vgremove", "pvremove", "lvreduce", "vgreduce"],
        style: FlagStyle::Abbreviating,
        cases: &[fine("-t|--test"), on("_", &DISK)],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["zpool"],
        cases: &[
            on("destroy|labelclear", &DISK),
            on("remove|offline|export|detach|create -f", &SNAPSHOT),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["zfs"],
        cases: &[
            fine("destroy -n"),
            on("destroy +*@*", &SNAPSHOT),
            on("destroy", &DISK),
            on("rollback", &SNAPSHOT),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["btrfs", "snapper", "timeshift"],
        values: "-c --config",
        cases: &[
            on("subvolume|sub delete|del", &SNAPSHOT),
            on("device delete|remove", &DISK),
            on("delete|rollback|undochange", &SNAPSHOT),
            on("--delete|--delete-all|--restore", &SNAPSHOT),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["cryptsetup"],
        values: "--key-file -d",
        cases: &[on(
            "luksFormat|erase|luksErase|luksKillSlot|luksRemoveKey|reencrypt|luksHeaderRestore",
            &DISK,
        )],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["mdadm"],
        style: FlagStyle::Abbreviating,
        cases: &[
            on("--zero-superblock", &DISK),
            on("--stop|-S|--remove|--fail", &SNAPSHOT),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["diskutil"],
        cases: &[
            on(
                "eraseDisk|eraseVolume|zeroDisk|randomDisk|secureErase|partitionDisk|reformat|eraseOptical",
                &DISK,
            ),
            on(
                "erasedisk|erasevolume|zerodisk|randomdisk|secureerase|partitiondisk",
                &DISK,
            ),
            on("apfs deleteContainer|deleteVolume|eraseVolume", &DISK),
            on("apfs deleteSnapshot", &SNAPSHOT),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["hdparm", "nvme", "sg_format", "blkdiscard", "badblocks"],
        cases: &[
            on(
                "--security-erase|--security-erase-enhanced|--trim-sector-ranges|-w",
                &DISK,
            ),
            on("format|sanitize", &DISK),
            on("/dev/*", &DISK),
        ],
        unless: |context| {
            context.command.program == "hdparm"
                && context.command.words().all(|word| {
                    matches!(word, "-I" | "-i" | "-t" | "-T" | "-tT") || word.starts_with('/')
                })
        },
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["tmutil"],
        cases: &[on("delete|deletelocalsnapshots|disable", &BACKUPS)],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["restic"],
        values: "-r --repo -p --password-file --tag --host --path --keep-last --keep-daily --keep-weekly --keep-monthly",
        cases: &[
            fine("** -n|--dry-run"),
            on("forget|prune|rewrite", &BACKUPS),
            on("key remove", &BACKUPS),
            on("unlock --remove-all", &BACKUPS),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &[
            "borg",
            "borgmatic",
            "kopia",
            "duplicity",
            "rdiff-backup",
            "bup",
            "duplicati-cli",
            "tarsnap",
            "wal-g",
            "wal-e",
            "pgbackrest",
            "barman",
        ],
        values: "--archive -a --prefix -P",
        cases: &[
            fine("** -n|--dry-run"),
            on(
                "delete|prune|break-lock|remove-older-than|remove-all-but-n-full|expire|stanza-delete|retain|everything",
                &BACKUPS,
            ),
            on("snapshot|repository|policy delete|remove", &BACKUPS),
            on("-d|--nuke|--remove-older-than", &BACKUPS),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["rclone"],
        values: "--config --filter --include --exclude --max-age --min-age --transfers --bwlimit",
        cases: &[
            fine("** -n|--dry-run|-i|--interactive"),
            on("purge|delete|deletefile|rmdirs|cleanup", &REMOTE_FILES),
            on("sync|bisync|move", &REMOTE_SYNC),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["rabbitmqctl", "rabbitmqadmin"],
        values: "-n --node -p --vhost -u -H -P -t --timeout",
        cases: &[
            on(
                "reset|force_reset|purge_queue|delete_queue|delete_vhost|delete_user|clear_policy|forget_cluster_node|stop|stop_app|shutdown",
                &QUEUES,
            ),
            on("delete|purge", &QUEUES),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &[
            "kafka-topics",
            "kafka-topics.sh",
            "kafka-consumer-groups",
            "kafka-consumer-groups.sh",
            "kafka-delete-records",
            "kafka-delete-records.sh",
            "kafka-acls",
            "kafka-acls.sh",
            "kafka-configs",
            "kafka-configs.sh",
            "zookeeper-shell",
            "zkCli.sh",
        ],
        values: "--bootstrap-server --topic --group --command-config",
        cases: &[
            fine("** --dry-run"),
            on("--delete", &QUEUES),
            on("--remove", &QUEUES),
            on("--reset-offsets --execute", &QUEUES),
            on("--offset-json-file", &QUEUES),
            on("** deleteall|rmr|delete", &QUEUES),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &[
            "kcat",
            "rpk",
            "nats",
            "pulsar-admin",
            "mosquitto_ctrl",
            "celery",
            "rq",
            "bullmq",
            "sidekiqctl",
            "temporal",
            "tctl",
            "airflow",
            "prefect",
            "dagster",
            "beanstalkctl",
            "nsqadmin",
        ],
        values: "-A --app -c --context -s --server -n --namespace",
        cases: &[
            fine("** --dry-run"),
            on("purge", &QUEUES),
            on("empty", &QUEUES),
            on("db reset|clean", &QUEUES),
            on("amqp queue.purge|queue.delete|exchange.delete", &QUEUES),
            on(
                "** delete|purge|rm|del|terminate|delete-*|clear-backlog",
                &QUEUES,
            ),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &[
            "qm",
            "pct",
            "virsh",
            "VBoxManage",
            "vboxmanage",
            "prlctl",
            "vmrun",
            "govc",
            "xe",
            "esxcli",
        ],
        cases: &[
            on(
                "destroy|undefine|unregistervm|delete|deleteVM|vol-delete|pool-delete|snapshot-delete|vm-destroy|vm-uninstall|purge",
                &SNAPSHOT,
            ),
            on("** destroy|delete|remove", &SNAPSHOT),
        ],
        ..ToolRules::NEW
    },
];
