//! Jujutsu, Mercurial, Subversion, Sapling and history-rewriting tools.

use super::super::args::FlagStyle;
use super::super::tool::{ToolRules, fine, on};
use super::rules::{OTHER_DISCARD, OTHER_REWRITE, REBASE, REWRITE};

pub(in crate::packs) static TOOLS: &[ToolRules] = &[
    ToolRules {
        names: &["hg", "chg", "sl"],
        values: "-R --repository --cwd --config -r --rev -m --message",
        style: FlagStyle::Abbreviating,
        cases: &[
            fine("purge|clean|push -p|--print|-n|--dry-run"),
            on("update|up|checkout|co|goto|go -C|--clean", &OTHER_DISCARD),
            on("purge|clean", &OTHER_DISCARD),
            on("strip|debugstrip", &OTHER_DISCARD),
            on("revert -a|--all", &OTHER_DISCARD),
            on("revert --no-backup|-C", &OTHER_DISCARD),
            on("push -f|--force", &OTHER_DISCARD),
            on("shelve -d|--delete|--cleanup", &OTHER_DISCARD),
            on("rollback|prune|hide|undo|histedit", &OTHER_REWRITE),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["svn"],
        values: "-m --message -r --revision --username --password",
        style: FlagStyle::Abbreviating,
        cases: &[
            on("revert -R|--recursive|--depth", &OTHER_DISCARD),
            on("revert", &OTHER_DISCARD),
            on(
                "cleanup --remove-unversioned|--remove-ignored",
                &OTHER_DISCARD,
            ),
            on("delete|del|remove|rm +*://*", &OTHER_REWRITE),
            on("delete|del|remove|rm --force", &OTHER_DISCARD),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["jj"],
        values: "-R --repository -r --revision -m --message",
        cases: &[
            fine("** --dry-run"),
            on("operation|op abandon", &OTHER_REWRITE),
            on("util gc --expire=now", &OTHER_REWRITE),
            on("git push --deleted|--all", &OTHER_REWRITE),
            on("bookmark|b delete|d", &REBASE),
        ],
        ..ToolRules::NEW
    },
    ToolRules {
        names: &["bfg"],
        cases: &[on("", &REWRITE)],
        ..ToolRules::NEW
    },
];
