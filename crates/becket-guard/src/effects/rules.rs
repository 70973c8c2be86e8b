//! All rules of the packs `core`, `secrets`, `network`, `persistence` and `guard`.

use crate::rule::{Rule, Severity};

macro_rules! rules {
    ($($name:ident $id:literal $severity:ident $explanation:literal $safer:literal)*) => {
        $(
            #[doc = $explanation]
            pub static $name: Rule = Rule {
                id: $id,
                severity: Severity::$severity,
                explanation: $explanation,
                safer: $safer,
            };
        )*

        /// All rules, grouped by pack.
        pub static ALL: &[&Rule] = &[$(&$name,)*];
    };
}

rules! {
    DELETE_ROOT "core.delete-root" Catastrophic
        "deletes the whole file system"
        "name the one directory that should go"
    DELETE_SYSTEM "core.delete-system" Catastrophic
        "deletes a directory that the system is made of"
        "remove the package with the package manager, or name single files"
    DELETE_IN_SYSTEM "core.delete-in-system" Severe
        "deletes files of the system"
        "let the package manager remove what it installed"
    DELETE_HOME "core.delete-home" Catastrophic
        "deletes a home directory"
        "name the one directory that should go"
    DELETE_PROJECT "core.delete-project" Catastrophic
        "deletes the project, or a directory that holds it"
        "name the build output or the files that should go"
    DELETE_GIT "core.delete-git" Catastrophic
        "deletes the repository: all history and all unpushed work"
        "keep `.git`; to start afresh, clone into another directory"
    DELETE_OTHER_GIT "core.delete-other-git" Doubtful
        "deletes the history of another repository"
        "check that it is pushed; a submodule is removed with `git submodule deinit`"
    DELETE_IN_GIT "core.delete-in-git" Severe
        "deletes parts of a repository's data"
        "use git's own commands, such as `git gc` or `git branch -d`"
    DELETE_PERSONAL "core.delete-personal" Severe
        "deletes a directory of the person's files outside the project"
        "move it aside, or ask the person to delete it"
    DELETE_OUTSIDE "core.delete-outside" Severe
        "deletes a directory outside the project"
        "keep to the project and to temporary directories"
    DELETE_OUTSIDE_FILE "core.delete-outside-file" Doubtful
        "deletes a file outside the project"
        "keep to the project and to temporary directories"
    DELETE_REMOTE "core.delete-remote" Doubtful
        "deletes a directory on another machine"
        "move it aside there, or ask the person to delete it"
    DELETE_TREE "core.delete-tree" Doubtful
        "deletes a directory of the project that is not known as build output"
        "use `git rm -r`, or commit first, so that it can be brought back"
    DELETE_FILE "core.delete-file" Notice
        "deletes a file of the project"
        "use `git rm`, so that it can be brought back"
    DELETE_MANY "core.delete-many" Doubtful
        "deletes every file of the project that a pattern or a search matches"
        "list them first (`-print`), and delete them by name or with `git rm`"
    DELETE_UNKNOWN "core.delete-unknown" Doubtful
        "deletes a path that is only known at run time; an empty variable would delete more than intended"
        "write the path out"
    DELETE_UNKNOWN_FILE "core.delete-unknown-file" Notice
        "deletes files whose names are not known"
        "list them first"
    DELETE_TEMP "core.delete-temp" Doubtful
        "deletes the temporary files of all users"
        "delete only the directory that you made"
    DELETE_AS_ROOT "core.delete-as-root" Severe
        "deletes as root"
        "delete as yourself; if that is refused, ask the person"
    WIPE_DEVICE "core.wipe-device" Catastrophic
        "writes over a disk"
        "write to an image file"
    FORMAT "core.format" Severe
        "makes a new, empty file system"
        "ask the person to do it"
    FORMAT_IMAGE "core.format-image" Doubtful
        "makes a new, empty file system in a file"
        "check that the file is an image that may go"
    READ_DEVICE "core.read-device" Severe
        "reads a disk past all permissions"
        "read the files"
    RAW_COPY "core.raw-copy" Doubtful
        "copies bytes over a file"
        "use `cp`, or `truncate -s` for an empty file of some size"
    WRITE_SYSTEM "core.write-system" Severe
        "changes files of the system"
        "keep to the project; ask the person to change the system"
    WRITE_GIT "core.write-git" Severe
        "writes into a repository's data past git"
        "use git's own commands"
    WRITE_OUTSIDE "core.write-outside" Notice
        "writes outside the project"
        "keep to the project and to temporary directories"
    WORLD_WRITABLE "core.world-writable" Severe
        "lets every user of the machine change the files"
        "give the owner what is missing: `chmod u+rwX`, or 755 for programs and 644 for files"
    OTHERS_WRITE "core.others-write" Doubtful
        "lets others change the file"
        "use `chmod g+w` with the right group"
    PERMISSIONS_VITAL "core.permissions-vital" Catastrophic
        "changes owner or permissions of the system or of a home directory, all the way down"
        "name the one directory that needs it"
    PERMISSIONS_OUTSIDE "core.permissions-outside" Doubtful
        "changes owner or permissions outside the project"
        "keep to the project"
    SETUID "core.setuid" Severe
        "lets every user run a program with its owner's rights"
        "run it with `sudo` when it needs more rights"
    PRIVILEGE "core.privilege" Severe
        "changes who may do what on this machine"
        "ask the person to do it"
    TOO_MANY_PATHS "core.too-many-paths" Doubtful
        "names more paths than the guard can check"
        "name a directory, or fewer files at a time"
    TOO_NESTED "core.too-nested" Doubtful
        "starts a program through more wrappers than the guard can follow"
        "start the program itself"
    POWER "core.power" Severe
        "stops or restarts the machine"
        "ask the person to do it"
    KILL_ALL "core.kill-all" Severe
        "ends every process of the user"
        "name the process: `kill PID`"
    ENVIRONMENT "core.environment" Doubtful
        "makes a program load code that its environment names"
        "pass what is needed as an argument, or install it"
    SECRET_READ "secrets.read" Severe
        "puts a secret into the conversation"
        "use it without showing it; `cut -s -d= -f1 .env` shows names only"
    SECRET_READ_LIKELY "secrets.read-likely" Doubtful
        "may put a secret into the conversation"
        "look at a template or at single keys"
    SECRET_COPY "secrets.copy" Severe
        "copies a secret to where nothing protects it"
        "leave it where it is and refer to it"
    SECRET_COPY_LIKELY "secrets.copy-likely" Doubtful
        "may copy a secret to where nothing protects it"
        "leave it where it is and refer to it"
    SECRET_OVERWRITE "secrets.overwrite" Severe
        "writes over a file that holds secrets, which no version control brings back"
        "write `.env.example`, or ask the person to change the file"
    SECRET_CHANGE "secrets.change" Doubtful
        "creates or extends a file for secrets"
        "write `.env.example`, or let the person fill it in"
    SECRET_DELETE "secrets.delete" Severe
        "deletes a file that holds secrets, which no version control brings back"
        "ask the person to delete it"
    SECRET_COMMIT "secrets.commit" Doubtful
        "puts a file with secrets under version control, whose history keeps it"
        "add it to `.gitignore`, and add a template instead"
    SECRET_UPLOAD "secrets.upload" Severe
        "sends secrets off this machine"
        "send nothing that comes from there"
    SECRET_EXPOSE "secrets.expose" Doubtful
        "lets others on this machine read a secret"
        "keep it at 600"
    SECRET_ENVIRONMENT "secrets.environment" Doubtful
        "shows every environment variable, tokens included"
        "ask for one: `printenv PATH`, or names only: `env | cut -d= -f1`"
    SECRET_VARIABLE "secrets.variable" Severe
        "shows an environment variable that holds a secret"
        "test that it is set: `[ -n \"$NAME\" ] && echo set`"
    SECRET_IN_COMMAND "secrets.in-command" Doubtful
        "has a token written into the command, where history and process lists keep it"
        "take it from the environment or a file"
    SECRET_IN_CONTENT "secrets.in-content" Doubtful
        "writes a token into a file that may be committed"
        "read it from the environment"
    RUN_DOWNLOADED "network.run-downloaded" Severe
        "runs code from the network without review"
        "download it to a file, read it, then run it"
    RUN_DECODED "network.run-decoded" Severe
        "runs code that was hidden by an encoding"
        "decode it to a file, read it, then run it"
    RUN_MADE "core.run-made" Doubtful
        "runs commands that are generated at run time, without review"
        "print them first, then run them"
    RUN_DOWNLOADED_PROGRAM "network.run-downloaded-program" Doubtful
        "downloads a program and runs it at once"
        "download it, check its checksum, then run it"
    RUN_FROM_URL "network.package-from-url" Notice
        "installs a package from a URL instead of a registry"
        "use a released version, or pin a commit"
    UPLOAD "network.upload" Doubtful
        "sends files to another machine"
        "check that the receiver may have them"
    REVERSE_SHELL "network.reverse-shell" Severe
        "gives another machine a shell on this one"
        "there is no use for it in a project"
    DNS "network.dns" Doubtful
        "sends data away by looking up a name that is computed at run time"
        "look up a fixed name"
    AT_START "persistence.start" Doubtful
        "changes what runs when a shell or a program starts"
        "set it for one command, or ask the person to add it"
    SCHEDULED "persistence.schedule" Doubtful
        "schedules something to run automatically"
        "run it now, or ask the person to schedule it"
    ACCESS "persistence.access" Severe
        "changes who may log in or act as another user"
        "ask the person to do it"
    GIT_HOOK "persistence.git" Doubtful
        "changes what git runs automatically in this clone, or for this user"
        "use a hook file that is checked in and reviewed"
    TRACKED_HOOK "persistence.tracked-hook" Notice
        "changes what git runs for all contributors"
        "have it reviewed"
    CI "persistence.ci" Notice
        "changes what CI runs"
        "have it reviewed"
    OWN_CONFIG "guard.own" Severe
        "changes Becket's own configuration, state or program"
        "ask the person to change it"
    AGENT_CONFIG "guard.agent-settings" Doubtful
        "changes an agent's settings or hooks in this project"
        "ask the person to change them"
    AGENT_CONFIG_USER "guard.agent-settings-user" Severe
        "changes an agent's settings or hooks for all projects"
        "ask the person to change them"
    TURN_OFF "guard.turn-off" Severe
        "turns the guard off, or trusts what it should look at"
        "ask the person to run it"
    CHILD_AGENT "guard.child-agent" Severe
        "starts an agent without its safeguards"
        "start it with its permission prompts"
    SKIP_HOOKS "guard.delete-hooks" Doubtful
        "deletes git hooks or their configuration"
        "fix what the hook complains about"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_texts_are_fragments() {
        for (at, rule) in ALL.iter().enumerate() {
            assert!(
                ALL[..at].iter().all(|other| other.id != rule.id),
                "{}",
                rule.id
            );
            assert!(matches!(
                rule.pack(),
                "core" | "secrets" | "network" | "persistence" | "guard"
            ));
            for text in [rule.explanation, rule.safer] {
                assert!(!text.ends_with('.') && !text.is_empty(), "{}", rule.id);
                assert!(!text.starts_with(char::is_uppercase), "{}", rule.id);
            }
        }
    }
}
