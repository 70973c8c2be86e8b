//! Read-only git subcommands.

use super::table::allowed;
use crate::command::{Invocation, Word};
use crate::facts::RunLocation;
use crate::packs::args::{Args, FlagStyle};

const DIFF: &str = "-pusUMCBDSGRawbWzqcmlO --patch --no-patch --unified --raw --stat --numstat --shortstat --dirstat --summary --compact-summary --name-only --name-status --color --no-color --word-diff --color-words --check --full-index --binary --abbrev --no-abbrev --find-renames --find-copies --no-renames --diff-filter --pickaxe-regex --pickaxe-all --relative --text --ignore-all-space --ignore-space-change --ignore-space-at-eol --ignore-blank-lines --function-context --no-ext-diff --no-textconv --exit-code --quiet --cached --staged --merge-base --no-index --src-prefix --dst-prefix --no-prefix --minimal --patience --histogram --diff-algorithm --inter-hunk-context --cc --stat-width --stat-count --submodule --ignore-submodules";
const LOG: &str = "-ngiEFPLt --oneline --graph --all --branches --tags --remotes --decorate --no-decorate --decorate-refs --format --pretty --date --abbrev-commit --author --committer --grep --since --until --after --before --max-count --skip --reverse --first-parent --merges --no-merges --follow --walk-reflogs --left-right --cherry-pick --cherry-mark --cherry --ancestry-path --simplify-by-decoration --topo-order --date-order --author-date-order --source --notes --no-notes --all-match --invert-grep --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp --count --boundary --full-history --dense --sparse --no-walk --show-pulls --relative-date --parents --children --objects --not --exclude --glob --min-parents --max-parents --right-only --left-only --no-expand-tabs";
const HISTORY_VALUES: &str = "-n -U -S -G -L -O -l? -M? -C? -B? --max-count --skip --author --committer --grep --since --until --after --before --format? --unified --diff-filter --date --inter-hunk-context --diff-algorithm --exclude --glob";

/// A subcommand and the flags with which it only reads.
struct ReadOnlySubcommand {
    path: &'static str,
    flags: &'static [&'static str],
    values: &'static str,
    fits: fn(&Args<'_>) -> bool,
}

const ANY: &[&str] = &["*"];

const fn subcommand(
    path: &'static str,
    flags: &'static [&'static str],
    values: &'static str,
) -> ReadOnlySubcommand {
    ReadOnlySubcommand {
        path,
        flags,
        values,
        fits: |_| true,
    }
}

static SUBCOMMANDS: &[ReadOnlySubcommand] = &[
    subcommand(
        "status|rev-parse|ls-files|ls-tree|describe|merge-base|name-rev|for-each-ref|show-ref|count-objects|check-ignore|check-attr|rev-list|version|blame|annotate|cherry|show-branch|diff-tree|diff-index|diff-files",
        ANY,
        "",
    ),
    subcommand("log|show|whatchanged", &[DIFF, LOG], HISTORY_VALUES),
    subcommand("diff|range-diff", &[DIFF, LOG], HISTORY_VALUES),
    subcommand(
        "shortlog",
        &[
            "-snec --summary --numbered --email --all --no-merges --since --until --after --before --group",
        ],
        "--since --until --after --before --group",
    ),
    subcommand(
        "cat-file",
        &["-teps --batch --batch-check --batch-all-objects"],
        "",
    ),
    subcommand(
        "grep",
        &[
            "-niIlLcwvhHEFPGopeABCWqzr --line-number --ignore-case --files-with-matches --name-only --count --word-regexp --cached --untracked --heading --break --show-function --function-context --and --or --not --all-match --max-depth --color --no-color --context --after-context --before-context --fixed-strings --extended-regexp --perl-regexp --recursive",
        ],
        "-e -A -B -C --max-depth --context --after-context --before-context",
    ),
    ReadOnlySubcommand {
        path: "clean",
        flags: &["-ndxX --dry-run"],
        values: "",
        fits: |args| args.has("n") || args.has("dry-run"),
    },
    ReadOnlySubcommand {
        path: "branch",
        flags: &[
            "-arv --all --remotes --verbose --list --show-current --contains --no-contains --merged --no-merged --points-at --sort --format --color --no-color --column --no-column --ignore-case",
        ],
        values: "--contains --no-contains --merged --no-merged --points-at --sort --format",
        fits: lists_when_named,
    },
    ReadOnlySubcommand {
        path: "tag",
        flags: &[
            "-ln --list --contains --no-contains --merged --no-merged --points-at --sort --format --color --column",
        ],
        values: "--contains --no-contains --merged --no-merged --points-at --sort --format -n?",
        fits: lists_when_named,
    },
    ReadOnlySubcommand {
        path: "remote",
        flags: &["-v --verbose --all --push"],
        values: "",
        fits: |args| args.operands.len() == 1 || args.surely_matches("remote get-url _ $"),
    },
    ReadOnlySubcommand {
        path: "reflog",
        flags: &[DIFF, LOG],
        values: HISTORY_VALUES,
        fits: |args| !args.surely_matches("reflog expire|delete|drop|write"),
    },
    subcommand("stash list", &[DIFF, LOG], HISTORY_VALUES),
    subcommand(
        "stash show",
        &[DIFF, "-u --include-untracked --only-untracked"],
        HISTORY_VALUES,
    ),
    subcommand("worktree list", &["-vz --porcelain --verbose"], ""),
    subcommand(
        "submodule status|summary",
        &["--cached --recursive --quiet"],
        "",
    ),
    subcommand("bisect log", &[], ""),
    subcommand("notes list|show", &[], ""),
    subcommand(
        "lfs ls-files|status|env|version",
        &["-lns --long --name-only --size"],
        "",
    ),
    ReadOnlySubcommand {
        path: "symbolic-ref",
        flags: &["-q --short --quiet"],
        values: "",
        fits: |args| args.operands.len() == 2,
    },
    ReadOnlySubcommand {
        path: "config",
        flags: &[
            "--get --get-all --global --local --system --worktree --show-origin --show-scope --type --bool --int --path -z",
        ],
        values: "--type",
        fits: config_reads_one_setting,
    },
];

/// `git branch x` creates a branch, `git branch --list x` searches for one.
fn lists_when_named(args: &Args<'_>) -> bool {
    args.operands.len() == 1 || args.has("l") || args.has("list")
}

/// Other settings may contain headers and URLs with tokens.
fn config_reads_one_setting(args: &Args<'_>) -> bool {
    let key = match args.operands.as_slice() {
        [_, key] => key.text,
        [_, get, key] if get.text == "get" => key.text,
        _ => return false,
    };
    let key = key.to_ascii_lowercase();
    key.contains('.')
        && ![
            "extraheader",
            "token",
            "password",
            "secret",
            "credential",
            "insteadof",
        ]
        .iter()
        .any(|word| key.contains(word))
}

/// Whether a git command only reads.
pub(super) fn only_reads(command: &Invocation, location: &RunLocation) -> bool {
    let Some(words) = past_globals(&command.args, location) else {
        return false;
    };
    if words.is_empty() {
        return matches!(command.args.as_slice(), [only] if only.text == "--version");
    }
    SUBCOMMANDS
        .iter()
        .any(|subcommand| subcommand.allows(words))
}

impl ReadOnlySubcommand {
    fn allows(&self, words: &[Word]) -> bool {
        let args = Args::read(words, self.values, FlagStyle::Gnu);
        let known = |name: &str| {
            self.flags
                .iter()
                .any(|flags| allowed(flags, FlagStyle::Gnu, name))
        };
        args.surely_matches(self.path)
            && (self.flags == ANY || args.flags.iter().all(|flag| known(flag.name)))
            && !words.iter().any(is_dangerous)
            && (self.fits)(&args)
    }
}

/// Flags, possibly abbreviated, that write or execute something in any subcommand, and globs that may expand to
/// one.
fn is_dangerous(word: &Word) -> bool {
    let name = word
        .text
        .strip_prefix("--")
        .map(|name| name.split('=').next().unwrap_or(name));
    let flag = name.is_some_and(|name| {
        !name.is_empty()
            && [
                "output",
                "ext-diff",
                "open-files-in-pager",
                "textconv",
                "filters",
                "upload-pack",
                "exec",
                "show-signature",
            ]
            .iter()
            .any(|dangerous| dangerous.starts_with(name))
            && name != "text"
    });
    let may_be_flag = word.glob && word.text.starts_with(['*', '?', '[']);
    flag || may_be_flag
}

/// The words from the subcommand on, if the global flags are harmless.
fn past_globals<'a>(words: &'a [Word], location: &RunLocation) -> Option<&'a [Word]> {
    let mut rest = words;
    while let Some((first, after)) = rest.split_first() {
        rest = match first.text.as_str() {
            "--no-pager" | "-P" | "--no-optional-locks" | "--literal-pathspecs" | "--version" => {
                after
            }
            "-c" => {
                after
                    .split_first()
                    .filter(|(setting, _)| is_plain_setting(&setting.text))?
                    .1
            }
            "-C" => {
                after
                    .split_first()
                    .filter(|(directory, _)| is_within(&directory.text, location))?
                    .1
            }
            text if text.starts_with('-') => return None,
            _ => break,
        };
    }
    Some(rest)
}

fn is_plain_setting(setting: &str) -> bool {
    let (key, value) = setting.split_once('=').unwrap_or((setting, "true"));
    let key = key.to_ascii_lowercase();
    key.starts_with("color.")
        || matches!(
            key.as_str(),
            "core.quotepath" | "diff.noprefix" | "advice.detachedhead"
        )
        || (key == "core.pager" && matches!(value, "cat" | ""))
}

/// The settings of another repository may run programs; the project's repository is in use anyway.
fn is_within(directory: &str, location: &RunLocation) -> bool {
    let plain = !directory.split('/').any(|part| part == "..");
    let inside = match (&location.project, directory.starts_with('/')) {
        (Some(project), true) => {
            directory == project || directory.starts_with(&format!("{project}/"))
        }
        (None, true) => false,
        (_, false) => !directory.starts_with('~'),
    };
    plain && inside
}
