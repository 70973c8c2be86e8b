//! Git subcommands that are judged by their flags.

use super::super::args::Args;
use super::super::pattern::one_of;
use super::super::tool::{PatternRule, fine, on};
use super::is_protected;
use super::rules::{
    BRANCH_DELETE, BRANCH_DELETE_MAIN, BRANCH_MOVE, CLEAN, CLEAN_IGNORED, CREDENTIAL, DISCARD,
    GC_NOW, LFS, MOVE_REF, NO_VERIFY, PRUNE, REBASE, REFLOG, REMOTE_URL, REMOVE, REMOVE_ALL,
    REMOVE_FORCED, RESET_HARD, REWRITE, STASH_DROP, SUBMODULE, SUBMODULE_FORCED, TAG_DELETE,
    UPDATE_REF, WORKTREE,
};
use crate::rule::Rule;

/// Flags that take the next word; `-u?` takes only an attached value.
pub(super) fn values_of(subcommand: &str) -> &'static str {
    match subcommand {
        "commit" => {
            "-m --message -F --file -C -c --author --date -t --template --trailer --cleanup --fixup --squash --reuse-message --reedit-message --pathspec-from-file -S? -u?"
        }
        "merge" | "pull" => {
            "-m --message -F --file -s --strategy -X --strategy-option --cleanup -S? --into-name"
        }
        "push" => "--repo -o --push-option --receive-pack --exec",
        "checkout" => "-b -B --orphan --conflict --pathspec-from-file -U --unified",
        "switch" => "-c -C --create --force-create --orphan --conflict",
        "restore" => "-s --source --conflict --pathspec-from-file",
        "clean" => "-e --exclude",
        "branch" => {
            "-u --set-upstream-to --contains --no-contains --merged --no-merged --points-at --sort --format --column"
        }
        "tag" => {
            "-m --message -F --file -u --local-user --contains --no-contains --merged --no-merged --points-at --sort --format --cleanup -n?"
        }
        "reset" | "rm" => "--pathspec-from-file",
        "stash" => "-m --message --pathspec-from-file",
        "rebase" => "--onto -s --strategy -X --strategy-option -x --exec -C --whitespace -S?",
        "clone" => {
            "-b --branch -o --origin -c --config --depth --reference --template -u --upload-pack --separate-git-dir -j --jobs --filter --shallow-since --shallow-exclude"
        }
        "fetch" | "ls-remote" | "fetch-pack" => {
            "--upload-pack --depth --deepen -j --jobs -o --server-option --refmap --negotiation-tip --sort"
        }
        "archive" => "--exec --remote -o --output --format --prefix --add-file",
        "config" => "-f --file --blob --type --default --value --comment --fixed-value",
        "reflog" => "--expire --expire-unreachable",
        "worktree" => "-b -B --reason",
        "submodule" => "-b --branch --name --reference --depth -j --jobs",
        "update-ref" => "-m",
        "am" | "cherry-pick" | "revert" => "-m --mainline -S? -s? -X --strategy --strategy-option",
        "filter-branch" => {
            "--env-filter --tree-filter --index-filter --parent-filter --msg-filter --commit-filter --tag-name-filter --subdirectory-filter -d --original --setup"
        }
        "remote" => "-t -m -f?",
        _ => "",
    }
}

pub(super) fn judge(subcommand: &str, args: &Args<'_>) -> Option<&'static Rule> {
    if subcommand == "branch" {
        return branch(args);
    }
    CASES
        .iter()
        .filter(|(names, _)| one_of(names, subcommand))
        .flat_map(|(_, cases)| cases.iter())
        .find(|case| case.matches(args))
        .and_then(PatternRule::rule)
}

static CASES: &[(&str, &[PatternRule])] = &[
    ("reset", &[on("--hard|--merge", &RESET_HARD)]),
    (
        "clean",
        &[
            fine("-n|--dry-run"),
            on("-X -f|--force !-x", &CLEAN_IGNORED),
            on("-f|--force", &CLEAN),
        ],
    ),
    (
        "switch",
        &[
            on("-f|--force|--discard-changes", &DISCARD),
            on("-C|--force-create", &BRANCH_MOVE),
        ],
    ),
    (
        "restore",
        &[
            fine("-p|--patch"),
            fine("-S|--staged !-W|--worktree"),
            on("_", &DISCARD),
            on("--pathspec-from-file", &DISCARD),
        ],
    ),
    ("stash", &[on("drop|clear", &STASH_DROP)]),
    (
        "reflog",
        &[fine("** -n|--dry-run"), on("expire|delete", &REFLOG)],
    ),
    ("gc", &[on("--prune=now|--prune=all", &GC_NOW)]),
    ("prune", &[fine("-n|--dry-run"), on("", &PRUNE)]),
    ("filter-branch|fast-import", &[on("", &REWRITE)]),
    (
        "filter-repo",
        &[fine("--analyze|--dry-run"), on("", &REWRITE)],
    ),
    (
        "update-ref",
        &[on("-d|--delete", &UPDATE_REF), on("", &MOVE_REF)],
    ),
    (
        "symbolic-ref",
        &[on("-d|--delete", &UPDATE_REF), on("_ _", &MOVE_REF)],
    ),
    ("replace", &[fine("-l|--list"), on("_", &MOVE_REF)]),
    ("worktree", &[on("remove -f|--force", &WORKTREE)]),
    (
        "tag",
        &[on("-d|--delete", &TAG_DELETE), on("-f|--force", &REBASE)],
    ),
    (
        "rm",
        &[
            fine("--cached"),
            fine("-n|--dry-run"),
            on("-r +.|*|./|:/", &REMOVE_ALL),
            on("-f|--force", &REMOVE_FORCED),
            on("", &REMOVE),
        ],
    ),
    (
        "rebase",
        &[
            fine("--abort|--continue|--skip|--quit|--edit-todo|--show-current-patch"),
            on("", &REBASE),
        ],
    ),
    (
        "remote",
        &[
            on("set-url", &REMOTE_URL),
            on("add|remove|rm|rename", &REBASE),
        ],
    ),
    (
        "submodule",
        &[
            on("deinit -f|--force", &SUBMODULE),
            on("update -f|--force", &SUBMODULE_FORCED),
            on("set-url", &REMOTE_URL),
        ],
    ),
    (
        "lfs",
        &[
            fine("** --dry-run|-d"),
            fine("migrate info"),
            on("prune|migrate", &LFS),
        ],
    ),
    (
        "read-tree",
        &[fine("-n|--dry-run"), on("--reset -u", &DISCARD)],
    ),
    ("checkout-index", &[on("-f|--force", &DISCARD)]),
    ("credential", &[on("fill", &CREDENTIAL)]),
    (
        "credential-store|credential-cache|credential-osxkeychain|credential-manager|credential-libsecret",
        &[on("** get", &CREDENTIAL)],
    ),
    ("credential-manager-core", &[on("get", &CREDENTIAL)]),
];

/// `-d` refuses to delete unmerged commits; `-D`, or `-d` with `-f`, does not.
fn branch(args: &Args<'_>) -> Option<&'static Rule> {
    let force = args.has("f") || args.has("force");
    let deletes = args.has("d") || args.has("delete");
    // The next fetch restores a remote-tracking branch.
    if args.has("r") || args.has("remotes") {
        return None;
    }
    if args.has("D") || (deletes && force) {
        let main = args.texts().any(is_protected);
        return Some(if main {
            &BRANCH_DELETE_MAIN
        } else {
            &BRANCH_DELETE
        });
    }
    let renames = ["m", "move", "c", "copy", "M", "C"]
        .iter()
        .any(|flag| args.has(flag));
    (force && !deletes && !renames).then_some(&BRANCH_MOVE)
}

/// `-n` skips hooks for `commit` only.
pub(super) fn skips_hooks(subcommand: &str, args: &Args<'_>) -> Option<&'static Rule> {
    let known = matches!(
        subcommand,
        "commit" | "push" | "merge" | "rebase" | "am" | "pull" | "cherry-pick" | "revert"
    );
    let long = args
        .flags
        .iter()
        .any(|flag| flag.name.len() >= "no-v".len() && "no-verify".starts_with(flag.name));
    (known && (long || (subcommand == "commit" && args.has("n")))).then_some(&NO_VERIFY)
}
