//! Programs with the flags under which they only read.

use super::scripts;
use crate::packs::args::{Args, FlagStyle};

/// A read-only way to call a program.
pub(super) struct ReadOnlyCommand {
    pub(super) names: &'static [&'static str],
    /// Pattern for its subcommands.
    pub(super) path: &'static str,
    /// Flags that keep it read-only; `-abc` lists three. `*` allows all flags.
    pub(super) flags: &'static str,
    /// The flags among them that take the next word.
    pub(super) values: &'static str,
    pub(super) style: FlagStyle,
    /// Additional condition.
    pub(super) fits: fn(&Args<'_>) -> bool,
}

const PLAIN: ReadOnlyCommand = ReadOnlyCommand {
    names: &[],
    path: "",
    flags: "",
    values: "",
    style: FlagStyle::Gnu,
    fits: |_| true,
};

/// No flag of these programs writes or executes anything.
const ANY: ReadOnlyCommand = ReadOnlyCommand {
    flags: "*",
    ..PLAIN
};

fn no_operands(args: &Args<'_>) -> bool {
    args.operands.is_empty()
}

fn one_operand(args: &Args<'_>) -> bool {
    args.operands.len() <= 1
}

fn names_no_secrets(args: &Args<'_>) -> bool {
    !args
        .texts()
        .any(|text| text.to_ascii_lowercase().contains("secret"))
}

pub(super) static READERS: &[ReadOnlyCommand] = &[
    ReadOnlyCommand {
        names: &[
            "ls",
            "cat",
            "head",
            "tail",
            "wc",
            "nl",
            "cut",
            "tr",
            "comm",
            "paste",
            "join",
            "fold",
            "fmt",
            "expand",
            "unexpand",
            "column",
            "tac",
            "rev",
            "stat",
            "du",
            "df",
            "uname",
            "whoami",
            "id",
            "groups",
            "uptime",
            "pwd",
            "which",
            "whereis",
            "type",
            "echo",
            "printf",
            "test",
            "[",
            "true",
            "false",
            ":",
            "basename",
            "dirname",
            "realpath",
            "readlink",
            "seq",
            "sleep",
            "cal",
            "nproc",
            "free",
            "arch",
            "tty",
            "locale",
            "getconf",
            "md5sum",
            "sha1sum",
            "sha256sum",
            "sha512sum",
            "shasum",
            "cksum",
            "b2sum",
            "cmp",
            "diff",
            "grep",
            "egrep",
            "fgrep",
            "od",
            "hexdump",
            "strings",
            "lscpu",
            "lsblk",
            "cd",
            "pushd",
            "popd",
            "dirs",
            "numfmt",
            "tsort",
            "vmstat",
            "w",
            "who",
            "users",
            "sw_vers",
            "lsb_release",
            "pgrep",
            "pidof",
            "zcat",
            "zgrep",
        ],
        ..ANY
    },
    ReadOnlyCommand {
        names: &["uniq", "xxd"],
        fits: one_operand,
        flags: "-cdDuizfswpblgoesn",
        values: "-f -s -w -c -l -g -o",
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["file"],
        flags: "-bikLhNpsz0 --brief --mime --mime-type --mime-encoding --dereference",
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["base64"],
        flags: "-dDw --decode --wrap",
        values: "-w --wrap",
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["hostname"],
        flags: "-sfdiI",
        fits: no_operands,
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["date"],
        flags: "-uIRd -jvf --utc --iso-8601 --rfc-3339 --date -r --reference",
        values: "-d --date -r --reference -v -I?",
        fits: |args| args.texts().all(|text| text.starts_with('+')),
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["ps"],
        flags: "-eAafulLTHwpoCdjx --sort --no-headers --forest --pid --format",
        values: "-p -o -C -u --sort --pid --format",
        fits: |args| {
            args.texts()
                .all(|text| text.chars().all(|c| "auxwflj".contains(c)))
        },
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["top"],
        flags: "-bnl",
        values: "-n -l",
        fits: no_operands,
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["lsof"],
        flags: "-inPptalU",
        values: "-p -i?",
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["ss", "netstat"],
        flags: "-tulnpaxsrei46",
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["command"],
        flags: "-vV",
        fits: |args| args.has("v") || args.has("V"),
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["set"],
        flags: "-euxo",
        values: "-o",
        fits: |args| !args.flags.is_empty() && no_operands(args),
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["tree"],
        flags: "-adfLIPhDtrsugpnCJX --dirsfirst --gitignore --prune --noreport --filelimit",
        values: "-L -I -P --filelimit",
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["sort"],
        flags: "-bdfghiMnrRVuscCzkt --numeric-sort --reverse --unique --key --field-separator --human-numeric-sort --version-sort --ignore-case --stable --check",
        values: "-k -t --key --field-separator",
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["rg"],
        flags: "-nlLciSswvxoFPUuHhIgtTeABCmMjNz0qpa. --files --hidden --no-ignore --glob --iglob --type --type-not --type-list --line-number --no-line-number --count --count-matches --files-with-matches --files-without-match --ignore-case --smart-case --case-sensitive --fixed-strings --word-regexp --multiline --multiline-dotall --pcre2 --only-matching --context --before-context --after-context --max-count --max-depth --max-columns --heading --no-heading --color --colors --json --stats --sort --sortr --with-filename --no-filename --invert-match --null --vimgrep --column --replace --trim --passthru --quiet --no-messages --follow --version --regexp --no-config --max-filesize --threads -r -d --pretty --debug",
        values: "-g -t -T -e -A -B -C -m -M -j -r -d --glob --iglob --type --type-not --context --before-context --after-context --max-count --max-depth --max-columns --color --colors --sort --sortr --replace --regexp --max-filesize --threads",
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["fd", "fdfind"],
        flags: "-HIutedgisapL0lEc1 --hidden --no-ignore --type --extension --max-depth --min-depth --glob --exclude --absolute-path --full-path --follow --size --changed-within --changed-before --color --max-results --ignore-case --case-sensitive --fixed-strings -F -S",
        values: "-t -e -d -E -c -S --type --extension --max-depth --min-depth --exclude --size --changed-within --changed-before --color --max-results",
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["find"],
        style: FlagStyle::SingleDash,
        flags: "-name -iname -path -ipath -wholename -type -maxdepth -mindepth -size -mtime -mmin -atime -amin -ctime -cmin -newer -not -and -or -o -a -print -print0 -prune -empty -perm -user -group -regex -iregex -regextype -ls -printf -L -H -P -depth -xdev -mount -executable -readable -writable -quit -daystart -follow -samefile -inum -true -false -lname -links",
        values: "-name -iname -path -ipath -wholename -type -maxdepth -mindepth -size -mtime -mmin -atime -amin -ctime -cmin -newer -perm -user -group -regex -iregex -regextype -printf -samefile -inum -lname -links",
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["jq", "gojq", "jaq"],
        flags: "-rcnsSaeRjCM --raw-output --compact-output --null-input --slurp --sort-keys --exit-status --raw-input --join-output --arg --argjson --slurpfile --rawfile --args --jsonargs --tab --indent --color-output --monochrome-output --stream",
        values: "--indent",
        fits: scripts::jq_reads_no_environment,
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["sed", "gsed"],
        flags: "-nErsuz -e --quiet --silent --regexp-extended --expression --null-data",
        values: "-e --expression",
        fits: scripts::sed_only_reads,
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["awk", "gawk", "mawk", "nawk"],
        flags: "-Fv --field-separator --assign",
        values: "-F -v --field-separator --assign",
        fits: scripts::awk_only_reads,
        ..PLAIN
    },
    // Language tools.
    ReadOnlyCommand {
        names: &[
            "python",
            "python3",
            "node",
            "npm",
            "npx",
            "pnpm",
            "yarn",
            "bun",
            "deno",
            "ruby",
            "java",
            "php",
            "perl",
            "rustc",
            "rustup",
            "cargo",
            "gcc",
            "clang",
            "make",
            "cmake",
            "docker",
            "terraform",
            "tofu",
            "gh",
            "jq",
            "rg",
            "uv",
            "pip",
            "pip3",
            "poetry",
            "tsc",
            "eslint",
            "prettier",
            "pytest",
            "ruff",
            "mypy",
            "psql",
            "sqlite3",
            "aws",
            "gcloud",
            "dotnet",
            "mvn",
            "gradle",
            "bash",
            "zsh",
            "curl",
            "wget",
        ],
        flags: "--version -V",
        fits: |args| {
            no_operands(args) && args.flags.len() == 1 && (args.has("version") || args.has("V"))
        },
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["node", "ruby", "php", "python", "python3"],
        flags: "-v",
        fits: |args| no_operands(args) && args.flags.len() == 1,
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["cargo"],
        path: "check|build|clippy|test|doc|c|b|t|d|nextest",
        flags: CARGO_FLAGS,
        values: CARGO_VALUES,
        fits: scripts::cargo_passes_no_flags_on,
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["cargo"],
        path: "fmt",
        flags: "--check --all -p --package",
        values: "-p --package",
        fits: |args| args.has("check") && args.separator.is_none(),
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["cargo"],
        path: "tree|metadata|search|pkgid|locate-project|verify-project|read-manifest",
        flags: "-ipeFdqv --invert --package --depth --duplicates --features --all-features --no-default-features --format-version --no-deps --workspace --target --edges --locked --offline --prefix --all-targets --limit --color",
        values: "-i? -p -e -F --invert --package --depth --features --format-version --target --edges --prefix --limit --color",
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["rustup"],
        path: "show|toolchain|target|component",
        flags: "-v --installed",
        fits: |args| args.surely_matches("show") || args.surely_matches("_ list"),
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["npm", "pnpm", "yarn"],
        path: "ls|list|view|info|outdated|why|explain|ll|la",
        flags: "-aglr --all --depth --json --long --parseable --prod --dev --global --recursive --workspace --workspaces",
        values: "--depth --workspace",
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["npm", "pnpm"],
        path: "root|prefix|bin|ping",
        flags: "-g --global",
        fits: one_operand,
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["go"],
        path: "vet|list|version|doc",
        style: FlagStyle::SingleDash,
        flags: "-m -f -json -deps -test -v -u -e -all -src -short -tags -find",
        values: "-f -tags",
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["go"],
        path: "test|build",
        style: FlagStyle::SingleDash,
        flags: "-v -race -run -skip -count -short -tags -timeout -cover -json -bench -benchtime -benchmem -failfast -parallel -shuffle",
        values: "-run -skip -count -tags -timeout -bench -benchtime -parallel -shuffle",
        // For a single package, `build` writes a program into the working directory.
        fits: |args| args.surely_matches("test") || args.surely_matches("build ./... $"),
    },
    ReadOnlyCommand {
        names: &["go"],
        path: "env",
        style: FlagStyle::SingleDash,
        flags: "-json",
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["gofmt"],
        flags: "-lds",
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["pip", "pip3"],
        path: "list|show|freeze|check",
        flags: "-fvo --outdated --format --verbose --files --not-required --user --local",
        values: "--format",
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["uv"],
        path: "version",
        flags: "--depth --outdated --short",
        values: "--depth",
        fits: |args| args.operands.len() == 1,
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["uv"],
        path: "pip list|show|freeze|check|tree",
        flags: "--outdated --format",
        values: "--format",
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["poetry"],
        path: "show|check|env",
        flags: "--tree --latest --outdated -tlo",
        fits: |args| !args.surely_matches("env") || args.surely_matches("env info|list"),
        ..PLAIN
    },
    // Containers, clusters, infrastructure.
    ReadOnlyCommand {
        names: &["docker", "podman", "nerdctl"],
        path: "ps|images|logs|inspect|version|info|stats|top|port|diff|history",
        flags: "-aqnlstf --all --quiet --filter --format --no-trunc --last --latest --size --tail --since --until --timestamps --follow --no-stream --type --digests --human",
        values: "-n -f? --filter --format --last --tail --since --until --type",
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["docker", "podman", "nerdctl"],
        path: "container|image|volume|network|context|system|compose ls|list|inspect|ps|logs|images|df|top|version",
        flags: "-aqfn --all --quiet --filter --format --no-trunc --tail --since --follow --services --status --no-color --timestamps",
        values: "-n --filter --format --tail --since --status",
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["kubectl", "oc", "k"],
        path: "get|describe|logs|top|explain|api-resources|api-versions|version|cluster-info",
        flags: "-nolAwcfpL --namespace --output --selector --all-namespaces --context --watch --container --follow --previous --tail --since --all-containers --timestamps --show-labels --sort-by --no-headers --field-selector --label-columns --ignore-not-found --show-kind --client --recursive --prefix",
        values: "-n -o -l -c -L --namespace --output --selector --context --container --tail --since --sort-by --field-selector --label-columns",
        fits: |args| names_no_secrets(args) && !args.surely_matches("cluster-info dump"),
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["kubectl", "oc", "k"],
        path: "auth can-i|whoami",
        flags: "-nAq --namespace --all-namespaces --list",
        values: "-n --namespace",
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["kubectl", "oc", "k"],
        path: "config current-context|get-contexts|get-clusters",
        flags: "-o --output --no-headers",
        values: "-o --output",
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["kubectl", "oc", "k"],
        path: "rollout status|history",
        flags: "-nw --namespace --watch --timeout --revision",
        values: "-n --namespace --timeout --revision",
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["helm"],
        path: "list|ls|status|history|version|lint",
        flags: "-nAaoq --namespace --all-namespaces --all --output --short --max",
        values: "-n -o --namespace --output --max",
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["terraform", "tofu"],
        style: FlagStyle::SingleDash,
        path: "plan|validate|show|version|providers|graph",
        flags: "-chdir -no-color -json -input -lock -refresh -refresh-only -destroy -target -var -var-file -detailed-exitcode -compact-warnings -parallelism",
        values: "-chdir -target -var -var-file -parallelism",
        fits: |args| !args.surely_matches("providers lock|mirror"),
    },
    ReadOnlyCommand {
        names: &["terraform", "tofu"],
        style: FlagStyle::SingleDash,
        path: "fmt",
        flags: "-check -recursive -diff -no-color",
        fits: |args| args.has("check"),
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["terraform", "tofu"],
        style: FlagStyle::SingleDash,
        path: "state|workspace list|show",
        flags: "-no-color",
        fits: |args| !args.surely_matches("state show"),
        ..PLAIN
    },
    // Repository hosts.
    ReadOnlyCommand {
        names: &["gh"],
        path: "pr|issue|run|release|repo|workflow|label|gist|ruleset|cache view|list|diff|checks|status|ls",
        flags: "-RLsSalAqtcBHjuvbwr --repo --limit --state --search --author --label --assignee --json --jq --template --comments --base --head --log --log-failed --job --branch --status --user --workflow --name-only --patch --verbose --exit-status --required --attempt --event --commit --milestone --mention --order --draft --app --exclude-drafts --exclude-pre-releases",
        values: "-R -L -s -S -A -q -t -B -H -j -u -b --repo --limit --state --search --author --label --assignee --json --jq --template --base --head --job --branch --status --user --workflow --attempt --event --commit --milestone --mention --order --app",
        // `-w` opens a browser for `view`, and names a workflow for `run list`.
        fits: |args| !args.has("w") || args.surely_matches("run list"),
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["gh"],
        path: "status|search",
        flags: "-LR --limit --repo --json --jq --language --state --author --owner",
        values: "-L -R --limit --repo --json --jq --language --state --author --owner",
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["gh"],
        path: "api",
        flags: "-qt --jq --paginate --template --cache --slurp",
        values: "-q -t --jq --template --cache",
        fits: |args| {
            args.operands.len() == 2 && args.operand(1) != Some("graphql") && names_no_secrets(args)
        },
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["systemctl"],
        path: "status|is-active|is-enabled|is-failed|list-units|list-timers|list-unit-files",
        flags: "-alnt --user --no-pager --all --type --state --lines --failed",
        values: "-n -t --type --state --lines",
        ..PLAIN
    },
    ReadOnlyCommand {
        names: &["brew"],
        path: "list|info|search|outdated|deps|leaves|config",
        flags: "--versions --cask --formula --json --tree",
        ..PLAIN
    },
];

const CARGO_FLAGS: &str = "-pqvrjF --package --workspace --all --exclude --all-targets --lib --bins --bin --examples --example --tests --test --benches --bench --doc --release --profile --features --all-features --no-default-features --target --locked --offline --frozen --quiet --verbose --no-run --no-fail-fast --message-format --color --keep-going --jobs --no-deps --document-private-items --nocapture";
const CARGO_VALUES: &str = "-p -j -F --package --exclude --bin --example --test --bench --profile --features --target --message-format --color --jobs";
