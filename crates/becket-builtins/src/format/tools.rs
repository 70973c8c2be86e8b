//! The formatters that are known, in order of preference.
//!
//! A linter is in the list where people use it as a formatter; RuboCop is held to layout, because its
//! other corrections change what code does.

use std::ffi::OsString;
use std::path::Path;

use super::project::Found;

/// A formatter.
pub(super) struct Tool {
    pub(super) name: &'static str,
    /// The endings of files that it formats.
    endings: &'static [&'static str],
    /// What a project has that uses it; any of these.
    pub(super) signs: &'static [Sign],
    /// Where it lies in a project that brings its own.
    pub(super) local: &'static [&'static str],
    /// What it is called on the `PATH`.
    pub(super) global: &'static [&'static str],
    /// Whether its configuration is code or loads some.
    pub(super) runs_code: bool,
    pub(super) mode: Mode,
    /// Whether it takes the name of a file for a pattern.
    pub(super) reads_patterns: bool,
    pub(super) args: fn(&Found, &Path) -> Vec<OsString>,
    /// The exit codes of success.
    pub(super) fine: &'static [i32],
}

/// What tells that a project uses a formatter.
pub(super) enum Sign {
    /// A file.
    File(&'static str),
    /// A file that has one of these words.
    Says(&'static str, &'static [&'static str]),
    /// A dependency or a key of this name in `package.json`.
    Package(&'static str),
}

/// How a formatter takes a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// On standard input; what it prints is the new text.
    Stdin,
    /// By its name, and writes it.
    InPlace,
}

impl Tool {
    /// Whether it formats files of this name. One that would read the name as a pattern does not.
    pub(super) fn is_for(&self, file: &Path) -> bool {
        let ending = file.extension().unwrap_or_default().to_string_lossy();
        let ending = ending.to_lowercase();
        self.endings.contains(&ending.as_str()) && !self.reads_name_as_pattern(file)
    }

    pub(super) fn reads_name_as_pattern(&self, file: &Path) -> bool {
        let name = file.to_string_lossy();
        self.reads_patterns && name.contains(['*', '?', '[', ']', '{', '}', '!'])
    }
}

use Sign::{File, Package, Says};

const USUAL: Tool = Tool {
    name: "",
    endings: &[],
    signs: &[],
    local: &[],
    global: &[],
    runs_code: false,
    mode: Mode::Stdin,
    reads_patterns: false,
    args: |_, _| Vec::new(),
    fine: &[0],
};

const SCRIPTS: &[&str] = &[
    "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte",
];

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "prettier",
        endings: &[
            "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "json", "jsonc", "json5", "css",
            "scss", "less", "html", "vue", "svelte", "astro", "md", "mdx", "yaml", "yml",
            "graphql", "gql", "hbs",
        ],
        signs: &[
            File(".prettierrc"),
            File(".prettierrc.json"),
            File(".prettierrc.json5"),
            File(".prettierrc.yaml"),
            File(".prettierrc.yml"),
            File(".prettierrc.toml"),
            File(".prettierrc.js"),
            File(".prettierrc.cjs"),
            File(".prettierrc.mjs"),
            File(".prettierrc.ts"),
            File("prettier.config.js"),
            File("prettier.config.cjs"),
            File("prettier.config.mjs"),
            File("prettier.config.ts"),
            Package("prettier"),
        ],
        local: &["node_modules/.bin/prettier"],
        runs_code: true,
        args: |_, file| vec![joined("--stdin-filepath=", file)],
        ..USUAL
    },
    Tool {
        name: "eslint",
        endings: SCRIPTS,
        signs: &[
            File("eslint.config.js"),
            File("eslint.config.mjs"),
            File("eslint.config.cjs"),
            File("eslint.config.ts"),
            File(".eslintrc.js"),
            File(".eslintrc.cjs"),
            File(".eslintrc.json"),
            File(".eslintrc.yml"),
            File(".eslintrc.yaml"),
            File(".eslintrc"),
            Package("eslintConfig"),
        ],
        local: &["node_modules/.bin/eslint"],
        runs_code: true,
        mode: Mode::InPlace,
        args: |_, file| words(&["--fix", "--no-error-on-unmatched-pattern", "--"], file),
        fine: &[0, 1],
        ..USUAL
    },
    Tool {
        name: "biome",
        endings: &[
            "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "json", "jsonc", "css",
            "graphql", "gql", "html", "vue", "svelte", "astro",
        ],
        signs: &[File("biome.json"), File("biome.jsonc"), File(".biome.json")],
        local: &["node_modules/.bin/biome"],
        runs_code: true,
        args: |_, file| vec!["format".into(), joined("--stdin-file-path=", file)],
        ..USUAL
    },
    Tool {
        name: "rustfmt",
        endings: &["rs"],
        signs: &[
            File("Cargo.toml"),
            File("rustfmt.toml"),
            File(".rustfmt.toml"),
        ],
        global: &["rustfmt"],
        args: |found, _| {
            let mut args: Vec<OsString> = vec!["--edition".into(), found.edition.clone().into()];
            // On standard input it would look for its configuration where it was started.
            if let Some(dir) = &found.config {
                args.extend(["--config-path".into(), dir.into()]);
            }
            args
        },
        ..USUAL
    },
    Tool {
        name: "goimports",
        endings: &["go"],
        signs: &[File("go.mod")],
        global: &["goimports"],
        // It asks the go command about the module, which may fetch what the module names.
        runs_code: true,
        args: |_, file| vec!["-srcdir".into(), file.into()],
        ..USUAL
    },
    Tool {
        name: "gofmt",
        endings: &["go"],
        signs: &[File("go.mod")],
        global: &["gofmt"],
        ..USUAL
    },
    Tool {
        name: "black",
        endings: &["py", "pyi"],
        signs: &[Says("pyproject.toml", &["[tool.black"])],
        local: &[".venv/bin/black", "venv/bin/black"],
        global: &["black"],
        args: |_, file| {
            vec![
                "--quiet".into(),
                joined("--stdin-filename=", file),
                "-".into(),
            ]
        },
        ..USUAL
    },
    Tool {
        name: "ruff",
        endings: &["py", "pyi"],
        signs: &[
            Says("pyproject.toml", &["[tool.ruff.format"]),
            Says("ruff.toml", &["[format"]),
            Says(".ruff.toml", &["[format"]),
            Says(".pre-commit-config.yaml", &["ruff-format"]),
        ],
        local: &[".venv/bin/ruff", "venv/bin/ruff"],
        global: &["ruff"],
        args: |_, file| {
            let name = joined("--stdin-filename=", file);
            vec![
                "format".into(),
                "--quiet".into(),
                "--no-cache".into(),
                name,
                "-".into(),
            ]
        },
        ..USUAL
    },
    Tool {
        name: "clang-format",
        endings: &[
            "c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "m", "mm", "proto", "cu",
        ],
        signs: &[File(".clang-format"), File("_clang-format")],
        global: &["clang-format"],
        args: |_, file| vec!["--style=file".into(), joined("--assume-filename=", file)],
        ..USUAL
    },
    Tool {
        name: "shfmt",
        endings: &["sh", "bash", "bats"],
        signs: &[Says(
            ".editorconfig",
            &["*.sh", "[*.{sh", ".bash", "shell_variant"],
        )],
        global: &["shfmt"],
        args: |_, file| vec!["--filename".into(), file.into()],
        ..USUAL
    },
    Tool {
        name: "terraform",
        endings: &["tf", "tfvars"],
        signs: &[
            File(".terraform.lock.hcl"),
            File("versions.tf"),
            File("main.tf"),
        ],
        global: &["terraform", "tofu"],
        args: |_, _| vec!["fmt".into(), "-no-color".into(), "-".into()],
        ..USUAL
    },
    Tool {
        name: "dart",
        endings: &["dart"],
        signs: &[File("pubspec.yaml")],
        global: &["dart"],
        args: |_, file| vec!["format".into(), joined("--stdin-name=", file)],
        ..USUAL
    },
    Tool {
        name: "mix",
        endings: &["ex", "exs", "heex"],
        signs: &[File(".formatter.exs")],
        global: &["mix"],
        runs_code: true,
        args: |_, file| {
            let words = ["format", "--stdin-filename"].map(OsString::from);
            words.into_iter().chain([file.into(), "-".into()]).collect()
        },
        ..USUAL
    },
    Tool {
        name: "zig",
        endings: &["zig"],
        signs: &[File("build.zig")],
        global: &["zig"],
        args: |_, _| vec!["fmt".into(), "--stdin".into()],
        ..USUAL
    },
    Tool {
        name: "swift-format",
        endings: &["swift"],
        signs: &[File(".swift-format")],
        global: &["swift-format"],
        args: |_, file| vec!["format".into(), "--assume-filename".into(), file.into()],
        ..USUAL
    },
    Tool {
        name: "ktlint",
        endings: &["kt", "kts"],
        signs: &[Says(".editorconfig", &["ktlint"])],
        global: &["ktlint"],
        // On standard input it would not find `.editorconfig`.
        mode: Mode::InPlace,
        reads_patterns: true,
        args: |_, file| words(&["--format", "--log-level=none"], file),
        fine: &[0, 1],
        ..USUAL
    },
    Tool {
        name: "php-cs-fixer",
        endings: &["php"],
        signs: &[File(".php-cs-fixer.php"), File(".php-cs-fixer.dist.php")],
        local: &["vendor/bin/php-cs-fixer"],
        global: &["php-cs-fixer"],
        runs_code: true,
        mode: Mode::InPlace,
        args: |_, file| {
            words(
                &[
                    "fix",
                    "--quiet",
                    "--no-interaction",
                    "--path-mode=intersection",
                    "--",
                ],
                file,
            )
        },
        ..USUAL
    },
    Tool {
        name: "rubocop",
        endings: &["rb", "rake", "gemspec"],
        signs: &[File(".rubocop.yml")],
        local: &["bin/rubocop"],
        global: &["rubocop"],
        runs_code: true,
        mode: Mode::InPlace,
        args: |_, file| {
            words(
                &["--fix-layout", "--force-exclusion", "--format=quiet", "--"],
                file,
            )
        },
        fine: &[0, 1],
        ..USUAL
    },
];

/// `--option=FILE`, where no name of a file can be taken for an option.
fn joined(option: &str, file: &Path) -> OsString {
    let mut out = OsString::from(option);
    out.push(file);
    out
}

/// Words, and the file after them.
fn words(words: &[&str], file: &Path) -> Vec<OsString> {
    let words = words.iter().map(Into::into);
    words.chain([file.into()]).collect()
}
