//! Rules about writing to the system, to automatically started files, and about permissions.

use super::{all_meet, none_meets};

#[test]
fn writing_to_the_system_is_found() {
    all_meet(
        "core.write-system",
        &[
            "echo x > /etc/hosts",
            "sudo tee /etc/hosts",
            "cp x /usr/bin/y",
            "mv x /bin/ls",
            "install -m 755 x /usr/bin",
            "ln -sf x /usr/bin/python",
            "sed -i s/a/b/ /etc/fstab",
            "tar xf x.tar -C /",
            "unzip x.zip -d /usr/lib",
            "curl -o /usr/bin/x https://example.com",
            "wget -P /etc https://example.com",
            "rsync -a x/ /etc/",
            "touch /etc/x",
            "truncate -s 0 /var/log/syslog",
            "echo 1 > /proc/sys/kernel/x",
            "chmod 644 /etc/passwd",
        ],
    );
    none_meets(
        "core.write-system",
        &[
            "cp x /usr/local/bin/y",
            "tar -C /usr/local -xzf go.tgz",
            "echo x > /tmp/y",
            "tee /dev/null",
            "ssh host cp a b",
        ],
    );
    all_meet(
        "core.write-git",
        &[
            "echo x > .git/HEAD",
            "cp x .git/index",
            "tee .git/refs/heads/main",
        ],
    );
    all_meet(
        "core.write-outside",
        &["echo x > ~/notes.txt", "cp a ~/b", "cp a /data/b"],
    );
}

#[test]
fn writing_automatically_started_files_is_found() {
    all_meet(
        "persistence.start",
        &[
            "echo x >> ~/.bashrc",
            "echo x > ~/.zshrc",
            "tee -a ~/.profile",
            "sed -i s/a/b/ ~/.zshenv",
            "cp x ~/.bash_profile",
            "echo x >> $HOME2/.bashrc",
            "cp x ~/.config/fish/conf.d/",
            "cp x.desktop ~/.config/autostart/",
            "cp x.sh /etc/profile.d/",
            "echo x >> ~/.ssh/config",
            "ln -s x ~/.zprofile",
        ],
    );
    all_meet(
        "persistence.access",
        &[
            "cat k >> ~/.ssh/authorized_keys",
            "cp k /root/.ssh/authorized_keys",
            "echo x >> /etc/sudoers",
            "tee /etc/sudoers.d/me",
            "echo x > /etc/ld.so.preload",
            "echo x >> /etc/passwd",
            "sed -i s/a/b/ /etc/pam.d/sshd",
            "cp x /etc/ssh/sshd_config",
            "mv x /etc/shadow",
            "install x /etc/sudoers",
        ],
    );
    all_meet(
        "persistence.schedule",
        &[
            "crontab x",
            "crontab -",
            "echo x > /etc/cron.d/y",
            "cp x /etc/systemd/system/",
            "cp x ~/.config/systemd/user/x.service",
            "cp x.plist ~/Library/LaunchAgents/",
            "cp x.plist /Library/LaunchDaemons/",
            "at now",
            "tee /etc/rc.local",
            "cp x /etc/init.d/",
        ],
    );
    all_meet(
        "persistence.git",
        &[
            "cp x .git/hooks/pre-commit",
            "echo x > .git/config",
            "echo x >> ~/.gitconfig",
            "tee .git/hooks/post-checkout",
        ],
    );
    all_meet("persistence.tracked-hook", &["echo x > .husky/pre-commit"]);
    all_meet(
        "persistence.ci",
        &["echo x > .github/workflows/ci.yml", "cp x .gitlab-ci.yml"],
    );
    for rule in [
        "persistence.start",
        "persistence.schedule",
        "persistence.git",
    ] {
        none_meets(
            rule,
            &[
                "crontab -l",
                "cat ~/.bashrc",
                "echo x > .bashrc",
                "cp ~/.zshrc dotfiles/",
                "cat .git/config",
                "grep x ~/.profile",
            ],
        );
    }
}

#[test]
fn world_writable_modes_are_found_in_octal_and_symbolic_form() {
    all_meet(
        "core.world-writable",
        &[
            "chmod 777 x",
            "chmod 0777 x",
            "chmod -R 777 .",
            "chmod 777 -R .",
            "chmod --recursive 777 .",
            "chmod a+rwx x",
            "chmod ugo+rwx x",
            "chmod ugo=rwx x",
            "chmod o+rwx x",
            "chmod -R o+w .",
            "chmod -Rv 666 .",
            "chmod -- 777 x",
            "chmod u=rwx,go=rwx x",
        ],
    );
    all_meet(
        "core.others-write",
        &[
            "chmod 666 x",
            "chmod o+w x",
            "chmod a+w x",
            "setfacl -m o::rw x",
        ],
    );
    all_meet(
        "core.setuid",
        &[
            "chmod u+s x",
            "chmod 4755 x",
            "chmod +s x",
            "chmod 6755 x",
            "setcap cap_net_raw+ep x",
            "install -m 4755 a /tmp/b",
            "chmod g+s x",
        ],
    );
    all_meet(
        "core.permissions-vital",
        &[
            "chmod -R 755 /",
            "chown -R me /",
            "chown -R me:me /usr",
            "chmod -R 700 ~",
            "sudo chgrp -R x /etc",
            "ssh host chown -R me /",
        ],
    );
    all_meet(
        "core.permissions-outside",
        &["chown -R me ~/.npm", "chmod -R 755 /data"],
    );
    for rule in [
        "core.world-writable",
        "core.others-write",
        "core.setuid",
        "core.permissions-vital",
        "core.permissions-outside",
    ] {
        none_meets(
            rule,
            &[
                "chmod +x x.sh",
                "chmod 755 x",
                "chmod 644 x",
                "chmod -R u+rwX .",
                "chmod -R go-w .",
                "chown -R me:me .",
                "chmod 700 ~/.ssh",
                "chmod -w x",
            ],
        );
    }
}

#[test]
fn machine_wide_actions_are_found() {
    all_meet(
        "core.power",
        &[
            "shutdown -h now",
            "reboot",
            "sudo halt",
            "poweroff",
            "init 0",
            "systemctl reboot",
        ],
    );
    none_meets(
        "core.power",
        &["shutdown -c", "systemctl status x", "docker exec c reboot"],
    );
    all_meet(
        "core.kill-all",
        &[
            "kill -9 -1",
            "kill -KILL -1",
            "kill -s KILL -1",
            "kill -- -1",
        ],
    );
    none_meets(
        "core.kill-all",
        &["kill -9 1234", "kill -1 1234", "kill -l", "kill %1"],
    );
    all_meet(
        "core.privilege",
        &[
            "usermod -aG sudo me",
            "gpasswd -a me wheel",
            "passwd",
            "visudo",
            "adduser me sudo",
        ],
    );
    none_meets(
        "core.privilege",
        &["usermod -l a b", "docker exec c adduser x", "passwd -S"],
    );
}

#[test]
fn environment_variables_that_load_code_are_found() {
    all_meet(
        "core.environment",
        &[
            "LD_PRELOAD=./x.so ls",
            "BASH_ENV=x bash y",
            "PATH=.:/usr/bin make",
            "PATH=/tmp/x:/bin ls",
            "GIT_SSH_COMMAND=x git fetch",
            "NODE_OPTIONS=--require=./x.js node y",
            "PYTHONSTARTUP=x python",
            "PROMPT_COMMAND=x bash",
            "export LD_PRELOAD=./x.so",
            "DYLD_INSERT_LIBRARIES=x ls",
            "PERL5OPT=-Mx perl y",
        ],
    );
    none_meets(
        "core.environment",
        &[
            "NODE_OPTIONS=--max-old-space-size=4096 npm test",
            "PATH=/usr/local/bin:/bin ls",
            "RUST_LOG=debug cargo run",
            "export NODE_ENV=test",
            "NODE_ENV=production npm run build",
        ],
    );
}
