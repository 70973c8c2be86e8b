//! System services, firewall, packages and users.

use super::args::FlagStyle;
use super::tool::{ToolRules, fine, on, rules};

rules! {
    STOP = Doubtful "services.stop": "stops or disables a service of this machine",
        "`status` first; let a person stop what others may use";
    STOP_VITAL = Severe "services.stop-vital": "stops what keeps this machine reachable or running",
        "let a person at the machine do this";
    POWER = Severe "services.power": "switches the machine off, restarts it or leaves its normal mode",
        "let a person do this";
    FIREWALL = Severe "services.firewall": "opens or wipes the machine's firewall",
        "list the rules first and change a single one; let a person do it";
    KERNEL = Doubtful "services.kernel": "changes the kernel's settings, modules or boot",
        "let a person change them";
    CRONTAB = Severe "services.crontab": "deletes every scheduled job",
        "`crontab -l` first, then edit single lines with `crontab -e`";
    USERS = Severe "services.users": "changes users, groups or passwords of the machine",
        "let a person manage users";
    PACKAGES_VITAL = Severe "services.packages-vital": "removes packages that the system needs",
        "leave them; simulate first (`apt-get -s`)";
    PACKAGES = Doubtful "services.packages": "removes software from the machine",
        "let a person remove it; `-s` or `--dry-run` shows what else would go";
    KILL_BROAD = Doubtful "services.kill-broad": "kills every process that matches, of other sessions too",
        "`pgrep -fl` first, then kill by process id";
    HTTP_DELETE = Doubtful "services.http-delete": "asks a server to delete something",
        "look at it with GET first, and let a person delete it";
    SEARCH_INDEX = Severe "services.search-index": "deletes a search index, or data of a local data service",
        "make a snapshot first, or delete single documents";
    METADATA = Severe "services.metadata": "queries the cloud's metadata service, which hands out the machine's credentials",
        "use the cloud's own command line, which fetches them by itself";
    ENGINE_SOCKET = Severe "services.engine-socket": "commands the container engine around its own command line",
        "use `docker` or `podman`";
    LOGS = Doubtful "services.logs": "deletes logs or switches off their writing",
        "leave them; they show what happened";
}

pub(super) static TOOLS: &[ToolRules] = &[
    ToolRules {
        names: &["systemctl"],
        values: "-H --host -M --machine -t --type -p --property -s --signal -n --lines -o --output --root",
        style: FlagStyle::Abbreviating,
        cases: &[
            fine("** --user"),
            fine("** --dry-run"),
            on(
                "stop|disable|mask|kill +ssh|sshd|ssh.service|sshd.service|network*|NetworkManager*|systemd-*|dbus*|firewalld*|ufw*|nftables*|iptables*|auditd*|apparmor*|fail2ban*|polkit*",
                &STOP_VITAL,
            ),
            on(
                "isolate|rescue|emergency|halt|poweroff|reboot|kexec|suspend|hibernate|soft-reboot",
                &POWER,
            ),
            on("set-default", &KERNEL),
            on("stop|disable|mask|kill|revert", &STOP),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["service", "rc-service", "invoke-rc.d"],
        cases: &[
            on(
                "ssh|sshd|networking|network|NetworkManager stop",
                &STOP_VITAL,
            ),
            on("_ stop", &STOP),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["nginx", "apachectl", "apache2ctl", "httpd"],
        values: "-c -p -s -k",
        cases: &[
            on("-s=stop|-s=quit|-k=stop|-k=graceful-stop", &STOP),
            on("stop|graceful-stop", &STOP),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["launchctl"],
        cases: &[
            on("unload|remove|bootout|disable|kill|stop", &STOP),
            on("load|bootstrap|submit|enable", &STOP),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["brew"],
        cases: &[
            fine("** -n|--dry-run"),
            on("uninstall|remove|rm|autoremove", &PACKAGES),
            on("services stop", &STOP),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["update-rc.d", "rc-update", "chkconfig"],
        cases: &[
            on("_ remove|disable|off", &STOP),
            on("del|delete", &STOP),
            on("--del", &STOP),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &[
            "iptables",
            "ip6tables",
            "iptables-legacy",
            "ebtables",
            "arptables",
        ],
        values: "-t --table -A -I -P --policy -s -d -p -j",
        cases: &[
            on("-F|--flush|-X|--delete-chain|-Z", &FIREWALL),
            on("-P=INPUT|-P=FORWARD|--policy=INPUT +ACCEPT|DROP", &FIREWALL),
            on("-D|--delete", &FIREWALL),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["nft"],
        cases: &[
            on("flush|delete|destroy|reset", &FIREWALL),
            on("flush*|delete*", &FIREWALL),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["ufw"],
        cases: &[
            fine("--dry-run"),
            on("disable|reset", &FIREWALL),
            on("default allow", &FIREWALL),
            on("--force disable|reset", &FIREWALL),
            on("delete", &FIREWALL),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["pfctl"],
        cases: &[on("-d", &FIREWALL), on("-F", &FIREWALL)],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["firewall-cmd"],
        cases: &[on(
            "--remove-service|--remove-port|--panic-on|--complete-reload|--set-default-zone=trusted",
            &FIREWALL,
        )],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["setenforce"],
        cases: &[on("0|Permissive|permissive", &FIREWALL)],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["aa-teardown", "aa-disable", "spctl", "csrutil"],
        cases: &[
            on("disable|--master-disable|--global-disable", &FIREWALL),
            on("--master-disable|--global-disable", &FIREWALL),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["sysctl"],
        values: "-p --load",
        style: FlagStyle::Abbreviating,
        cases: &[
            on("-w|--write|-p|--load|--system", &KERNEL),
            on("*=*", &KERNEL),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["modprobe", "rmmod", "insmod"],
        cases: &[
            fine("-n|--dry-run|--show-depends|-c|--showconfig"),
            on("_", &KERNEL),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &[
            "grub-install",
            "update-grub",
            "grub-mkconfig",
            "grub2-mkconfig",
            "grub2-install",
            "efibootmgr",
            "bootctl",
            "dracut",
            "mkinitcpio",
            "update-initramfs",
            "bless",
            "nvram",
            "kexec",
            "bcdedit",
        ],
        cases: &[
            fine("list|status|-p $"),
            fine("-v|--verbose $"),
            on("_", &KERNEL),
            on(
                "-c|-B|-b|-o|-n|-u|-k|-P|--create|--delete-bootnum|--output",
                &KERNEL,
            ),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["crontab"],
        values: "-u",
        cases: &[on("-r", &CRONTAB)],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &[
            "userdel",
            "groupdel",
            "deluser",
            "delgroup",
            "useradd",
            "adduser",
            "usermod",
            "groupmod",
            "groupadd",
            "gpasswd",
            "chpasswd",
            "visudo",
            "vipw",
            "vigr",
            "dscl",
            "pw",
            "chsh",
            "dseditgroup",
            "sysadminctl",
        ],
        values: "-s -g -G -d -u",
        cases: &[
            fine("-D|--defaults $"),
            fine("_ -read|-list"),
            fine("-c|--check $"),
            on("", &USERS),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["passwd"],
        cases: &[fine("-S|--status"), on("", &USERS)],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &[
            "apt", "apt-get", "aptitude", "dnf", "yum", "zypper", "apk", "microdnf", "tdnf", "nala",
        ],
        values: "-o -c -t --target-release --root",
        cases: &[
            fine("** -s|--simulate|--dry-run|--just-print|--assumeno"),
            on(
                "remove|purge|autoremove|erase|rm|del|autopurge +libc6|libc*|systemd|systemd-*|linux-image-*|kernel*|bash|coreutils|sudo|openssh-server|apt|dpkg|python3|glibc|dnf|yum|rpm|grub*|base-files|util-linux|passwd|login|networkmanager|network-manager|init*",
                &PACKAGES_VITAL,
            ),
            on("remove|purge|autoremove|erase|rm|del|autopurge", &PACKAGES),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["dpkg", "rpm"],
        style: FlagStyle::Gnu,
        cases: &[
            fine("--simulate|--dry-run|--no-act|--test"),
            on("-r|--remove|-P|--purge|--erase", &PACKAGES),
        ],
        unless: |context| {
            context.command.program == "rpm"
                && context.command.words().any(|word| word.starts_with("-q"))
        },
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["rpm"],
        cases: &[fine("--test|-q|--query"), on("-e", &PACKAGES)],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["pacman", "yay", "paru"],
        cases: &[
            fine("-p|--print|-Q|--query"),
            on(
                "-R|--remove +base|linux|glibc|bash|systemd|pacman|coreutils",
                &PACKAGES_VITAL,
            ),
            on("-R|--remove", &PACKAGES),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &[
            "snap",
            "flatpak",
            "port",
            "choco",
            "scoop",
            "winget",
            "nix-env",
            "nix-collect-garbage",
            "emerge",
            "pkg",
            "xbps-remove",
            "eopkg",
        ],
        cases: &[
            fine("** --dry-run|--pretend"),
            on("remove|uninstall|delete|purge|autoremove", &PACKAGES),
            on(
                "-d|--delete-old|--unmerge|--depclean|-e|--uninstall",
                &PACKAGES,
            ),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["killall"],
        values: "-s --signal -u --user -o -y -n",
        cases: &[
            fine("-l|--list"),
            on("-u|--user", &KILL_BROAD),
            on(
                "+systemd|sshd|init|Xorg|gnome-shell|Finder|WindowServer|loginwindow|dockerd|bash|zsh|sh",
                &KILL_BROAD,
            ),
            on("-r|--regexp", &KILL_BROAD),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["pkill"],
        values: "-s -u -U -g -G -P -t --signal --euid --uid --group --parent --terminal --session",
        cases: &[
            on("-u|-U|--euid|--uid", &KILL_BROAD),
            on("+.|.*|sshd|systemd|init|bash|zsh|sh", &KILL_BROAD),
            on("-v|--inverse", &KILL_BROAD),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["journalctl"],
        style: FlagStyle::Abbreviating,
        cases: &[on(
            "--vacuum-time|--vacuum-size|--vacuum-files|--rotate",
            &LOGS,
        )],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["auditctl", "wevtutil", "log"],
        cases: &[
            on("-D", &LOGS),
            on("-e=0", &LOGS),
            on("cl|clear-log|erase", &LOGS),
        ],
        values: "-e",
        ..ToolRules::NEW
    },
];
