//! Rules about deleting, wiping and formatting.

use becket_guard::{NoFacts, RunLocation};

use super::fake_machine::{FakeMachine, HOME, ids, location};
use super::{all_meet, none_meets};

#[test]
fn root_deletion_is_found_in_every_spelling() {
    all_meet(
        "core.delete-root",
        &[
            "rm -rf /",
            "rm -fr /",
            "rm -r -f /",
            "rm --recursive --force /",
            "rm --rec --f /",
            "rm / -rf",
            "rm -rf -- /",
            "rm -rf //",
            "rm -rf /.",
            "rm -rf /*",
            "rm -rf /etc/..",
            "rm -rf ../../../../../..",
            "rm -rf --no-preserve-root /",
            "/bin/rm -rf /",
            "sudo rm -rf /",
            "ssh host rm -rf /",
            "docker exec c rm -rf /",
            "find / -delete",
            "find / -type f -delete",
            "find / -exec rm -rf {} \\;",
            "mv / /dev/null",
            "rsync -a --delete empty/ /",
            "rm -rf C:\\",
        ],
    );
}

#[test]
fn system_directory_deletion_is_found() {
    all_meet(
        "core.delete-system",
        &[
            "rm -rf /etc",
            "rm -rf /usr",
            "rm -rf /usr/bin",
            "rm -rf /var/lib/",
            "rm -rf /boot/*",
            "rm -rf /System/Library",
            "rm -rf /Library",
            "rm -rf /lib64",
            "rm -rf /e*",
            "rm -rf C:\\Windows",
            "mv /usr /tmp/x",
            "ssh host rm -rf /etc",
            "find /etc -delete",
        ],
    );
    all_meet(
        "core.delete-in-system",
        &[
            "rm /etc/hosts",
            "rm -rf /etc/nginx",
            "rm -f /usr/bin/python3",
            "unlink /etc/fstab",
            "rm -rf /var/lib/docker/x",
        ],
    );
}

#[test]
fn home_deletion_is_found() {
    all_meet(
        "core.delete-home",
        &[
            "rm -rf ~",
            "rm -rf ~/",
            "rm -rf ~/*",
            "rm -rf ~/.",
            "rm -rf /home/me",
            "rm -rf /home/me/work/..",
            "rm -rf ../..",
            "rm -rf ~you",
            "rm -rf /home",
            "rm -rf /root",
            "rm -rf /Users/you",
            "mv ~ /dev/null",
            "find ~ -delete",
            "ssh host rm -rf ~",
        ],
    );
    all_meet(
        "core.delete-personal",
        &[
            "rm -rf ~/Documents",
            "rm -rf ~/Desktop/",
            "rm -rf ~/.config",
            "rm -rf ~/other",
            "rm -rf ~/work/other/src",
            "rm -rf ~/$X",
            "rm -rf ~/Pictures/*",
            "rm ~/*",
        ],
    );
}

#[test]
fn star_in_the_home_or_root_directory_deletes_it() {
    for (cwd, rule) in [
        (HOME, "core.delete-home"),
        ("/", "core.delete-root"),
        ("/etc", "core.delete-system"),
    ] {
        for text in [
            "rm -rf *",
            "rm -rf .",
            "rm -rf ./*",
            "rm -rf .*",
            "rm -rf {*,.*}",
        ] {
            let location = RunLocation {
                cwd: cwd.into(),
                project: Some(cwd.into()),
                ..location()
            };
            assert!(
                ids(text, &location, &NoFacts).contains(&rule),
                "{text} in {cwd}"
            );
        }
    }
}

#[test]
fn project_and_repository_deletion_is_found() {
    all_meet(
        "core.delete-project",
        &[
            "rm -rf .",
            "rm -rf ./",
            "rm -rf *",
            "rm -rf ./*",
            "rm -rf ..",
            "rm -rf ../app",
            "rm -rf ~/work",
            "rm -rf /home/me/work/app",
            "rm -rf /proc/self/cwd",
            "rm -rf $PWD/../app ../app",
            "find . -delete",
            "find . -type f -delete",
            "mv ../app /tmp/x",
        ],
    );
    all_meet(
        "core.delete-git",
        &[
            "rm -rf .git",
            "rm -rf .git/",
            "rm -rf ./.git",
            "rm -rf ../app/.git",
            "rm -rf .git/*",
            "rm -rf src .git",
            "mv .git /tmp/x",
            "find . -name .git -exec rm -rf {} +",
            "rm -r -f -- .git",
            "rm -rf .GIT",
        ],
    );
    all_meet(
        "core.delete-in-git",
        &[
            "rm -rf .git/objects",
            "rm .git/HEAD",
            "rm -rf .git/refs/heads",
        ],
    );
    all_meet("core.delete-other-git", &["rm -rf vendor/x/.git"]);
    all_meet(
        "core.delete-tree",
        &[
            "rm -rf src",
            "rm -r src",
            "rm -rf src/*",
            "rm -rf ./lib/core",
            "rm *",
            "find src -delete",
        ],
    );
    all_meet(
        "core.delete-file",
        &[
            "rm a.rs",
            "rm -f src/a.rs",
            "rm -rf *.log",
            "find . -name '*.orig' -delete",
        ],
    );
}

#[test]
fn deletion_of_an_unknown_path_is_doubtful() {
    all_meet(
        "core.delete-unknown",
        &[
            "rm -rf $X",
            "rm -rf $X/",
            "rm -rf $DIR/*",
            "rm -rf \"$DIR\"/*",
            "rm -rf $X/usr",
            "rm -rf ./$X",
            "ls | xargs rm -rf",
            "rm -rf $A$B",
            "cat list | xargs rm -r",
        ],
    );
    none_meets(
        "core.delete-unknown",
        &[
            "rm -rf /tmp/$X",
            "rm -rf build/$X",
            "rm -rf $X/node_modules",
            "rm $X",
        ],
    );
    all_meet(
        "core.delete-outside",
        &["rm -rf /$X", "rm -rf /data/x", "rm -rf /opt/thing"],
    );
    all_meet(
        "core.delete-outside-file",
        &["rm /data/x.csv", "rm ~/notes.txt"],
    );
    all_meet(
        "core.delete-temp",
        &["rm -rf /tmp", "rm -rf /tmp/*", "rm -rf /var/tmp/"],
    );
}

#[test]
fn operands_from_find_and_xargs_are_resolved() {
    let location = location();
    for (text, expected) in [
        ("find . -name node_modules -exec rm -rf {} +", &[][..]),
        ("find . -name '*.pyc' -delete", &[]),
        ("find . -name __pycache__ | xargs rm -rf", &[]),
        (
            "find src -name '*.bak' -exec rm {} \\;",
            &["core.delete-file"],
        ),
        ("find . -name .env -exec cat {} \\;", &["secrets.read"]),
        ("find . -name .env | xargs cat", &["secrets.read"]),
        (
            "find ~ -name id_rsa -exec cp {} /tmp \\;",
            &["secrets.copy"],
        ),
    ] {
        assert_eq!(ids(text, &location, &NoFacts), expected, "{text}");
    }
}

#[test]
fn mktemp_elsewhere_does_not_make_a_variable_temporary() {
    assert_eq!(
        ids("mktemp -d ; rm -rf $T", &location(), &NoFacts),
        ["core.delete-unknown"]
    );
}

#[test]
fn writing_to_disks_is_found() {
    all_meet(
        "core.wipe-device",
        &[
            "dd if=/dev/zero of=/dev/sda",
            "dd of=/dev/nvme0n1 if=x.iso",
            "mkfs.ext4 /dev/sdb1",
            "mkfs -t ext4 /dev/sdb1",
            "mke2fs /dev/sda1",
            "wipefs -a /dev/sda",
            "shred /dev/sda",
            "cat x > /dev/sda",
            "cp x.img /dev/mmcblk0",
            "tee /dev/sda",
            "fdisk /dev/sda",
            "parted /dev/sda mklabel gpt",
            "sgdisk -Z /dev/sda",
            "blkdiscard /dev/sda",
            "mkswap /dev/sda2",
            "truncate -s 0 /dev/disk2",
        ],
    );
    all_meet("core.format-image", &["mkfs.ext4 disk.img"]);
    all_meet(
        "core.read-device",
        &[
            "dd if=/dev/sda of=x.img",
            "cat /dev/sda",
            "strings /dev/sdb",
        ],
    );
    all_meet("core.raw-copy", &["dd if=a of=b"]);
    none_meets(
        "core.wipe-device",
        &[
            "fdisk -l",
            "fdisk -l /dev/sda",
            "parted /dev/sda print",
            "wipefs /dev/sda",
            "dd if=/dev/zero of=/tmp/x",
            "echo a > /dev/null",
        ],
    );
}

#[test]
fn deletion_as_root_asks() {
    all_meet(
        "core.delete-as-root",
        &[
            "sudo rm x",
            "sudo rm -rf node_modules",
            "sudo rm -rf /opt/x",
            "sudo find . -delete",
        ],
    );
    none_meets(
        "core.delete-as-root",
        &["sudo rm -rf /tmp/x", "sudo ls", "rm x"],
    );
}

#[test]
fn deletion_of_a_missing_path_is_harmless() {
    let machine = FakeMachine::with(&["/home/me/work/app/src/", "/home/me/work/app/notes"]);
    let location = location();
    assert_eq!(ids("rm -rf src", &location, &machine), ["core.delete-tree"]);
    assert_eq!(
        ids("rm -rf notes", &location, &machine),
        ["core.delete-file"]
    );
    assert_eq!(ids("rm -rf nothing", &location, &machine), [""; 0]);
}

#[test]
fn remote_paths_are_judged_without_facts() {
    let location = location();
    for (text, expected) in [
        (
            "ssh host rm -rf /home/me/work/app",
            &["core.delete-personal"][..],
        ),
        ("ssh host rm -rf /srv/app", &["core.delete-remote"]),
        ("ssh host rm -rf build", &[]),
        ("ssh host rm -rf src", &[]),
        ("docker exec c rm -rf /app/src", &["core.delete-remote"]),
        (
            "docker exec c rm -rf /var/lib/mysql/shop",
            &["core.delete-remote"],
        ),
        ("docker exec c rm -rf /app/dist /tmp/x", &[]),
        ("docker run --rm x rm -rf /app/src", &[]),
        ("docker exec c rm -rf /var/lib/apt/lists/x", &[]),
        ("docker exec c cat /app/.env", &["secrets.read"]),
        ("ssh host cat .env", &["secrets.read"]),
        ("ssh host chmod 777 /srv/x", &["core.world-writable"]),
    ] {
        assert_eq!(
            ids(text, &location, &FakeMachine::default()),
            expected,
            "{text}"
        );
    }
}
