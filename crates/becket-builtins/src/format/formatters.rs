//! The supported formatters, in order of preference.
//!
//! A linter is listed if projects use it as a formatter. RuboCop is limited to layout, because its other corrections
//! change behaviour.

use std::ffi::OsString;
use std::path::Path;

use super::project::LocatedFormatter;

pub(super) struct Formatter {
    pub(super) name: &'static str,
    /// The file extensions that it formats.
    extensions: &'static [&'static str],
    /// Signs that a project uses it; one is enough.
    pub(super) markers: &'static [ProjectMarker],
    /// Paths inside a project that installs it itself.
    pub(super) local: &'static [&'static str],
    /// Its names on the `PATH`.
    pub(super) global: &'static [&'static str],
    /// Whether its configuration is code or loads code.
    pub(super) runs_code: bool,
    pub(super) mode: FormatterMode,
    /// Whether it interprets file names as patterns.
    pub(super) reads_patterns: bool,
    pub(super) args: fn(&LocatedFormatter, &Path) -> Vec<OsString>,
    /// Exit codes that mean success.
    pub(super) success_codes: &'static [i32],
}

/// A sign that a project uses a formatter.
pub(super) enum ProjectMarker {
    /// A file of this name.
    File(&'static str),
    /// A file that contains one of these strings.
    Contains(&'static str, &'static [&'static str]),
    /// A dependency or a key of this name in `package.json`.
    Package(&'static str),
}

/// How a formatter gets a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FormatterMode {
    /// From stdin; its output is the new content.
    Stdin,
    /// By path; it writes the file itself.
    InPlace,
}

impl Formatter {
    /// Whether it formats this file. A formatter that would read the name as a pattern does not.
    pub(super) fn is_for(&self, file: &Path) -> bool {
        let ending = file.extension().unwrap_or_default().to_string_lossy();
        let ending = ending.to_lowercase();
        self.extensions.contains(&ending.as_str()) && !self.reads_name_as_pattern(file)
    }

    pub(super) fn reads_name_as_pattern(&self, file: &Path) -> bool {
        let name = file.to_string_lossy();
        self.reads_patterns && name.contains(['*', '?', '[', ']', '{', '}', '!'])
    }
}

use ProjectMarker::{Contains, File, Package};

const DEFAULT_FORMATTER: Formatter = Formatter {
    name: "",
    extensions: &[],
    markers: &[],
    local: &[],
    global: &[],
    runs_code: false,
    mode: FormatterMode::Stdin,
    reads_patterns: false,
    args: |_, _| Vec::new(),
    success_codes: &[0],
};

const SCRIPT_EXTENSIONS: &[&str] = &[
    "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte",
];

pub(super) const FORMATTERS: &[Formatter] = &[
    Formatter {
        name: "prettier",
        extensions: &[
            "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "json", "jsonc", "json5", "css",
            "scss", "less", "html", "vue", "svelte", "astro", "md", "mdx", "yaml", "yml",
            "graphql", "gql", "hbs",
        ],
        markers: &[
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
        ..DEFAULT_FORMATTER
    },
    Formatter {
        name: "eslint",
        extensions: SCRIPT_EXTENSIONS,
        markers: &[
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
        mode: FormatterMode::InPlace,
        args: |_, file| args_then_file(&["--fix", "--no-error-on-unmatched-pattern", "--"], file),
        success_codes: &[0, 1],
        ..DEFAULT_FORMATTER
    },
    Formatter {
        name: "biome",
        extensions: &[
            "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "json", "jsonc", "css",
            "graphql", "gql", "html", "vue", "svelte", "astro",
        ],
        markers: &[File("biome.json"), File("biome.jsonc"), File(".biome.json")],
        local: &["node_modules/.bin/biome"],
        runs_code: true,
        args: |_, file| vec!["format".into(), joined("--stdin-file-path=", file)],
        ..DEFAULT_FORMATTER
    },
    Formatter {
        name: "rustfmt",
        extensions: &["rs"],
        markers: &[
            File("Cargo.toml"),
            File("rustfmt.toml"),
            File(".rustfmt.toml"),
        ],
        global: &["rustfmt"],
        args: |found, _| {
            let mut args: Vec<OsString> = vec!["--edition".into(), found.edition.clone().into()];
            // With stdin, rustfmt would look for its configuration in the working directory.
            if let Some(dir) = &found.config {
                args.extend(["--config-path".into(), dir.into()]);
            }
            args
        },
        ..DEFAULT_FORMATTER
    },
    Formatter {
        name: "goimports",
        extensions: &["go"],
        markers: &[File("go.mod")],
        global: &["goimports"],
        // It runs `go` on the module, which may download dependencies.
        runs_code: true,
        args: |_, file| vec!["-srcdir".into(), file.into()],
        ..DEFAULT_FORMATTER
    },
    Formatter {
        name: "gofmt",
        extensions: &["go"],
        markers: &[File("go.mod")],
        global: &["gofmt"],
        ..DEFAULT_FORMATTER
    },
    Formatter {
        name: "black",
        extensions: &["py", "pyi"],
        markers: &[Contains("pyproject.toml", &["[tool.black"])],
        local: &[".venv/bin/black", "venv/bin/black"],
        global: &["black"],
        args: |_, file| {
            vec![
                "--quiet".into(),
                joined("--stdin-filename=", file),
                "-".into(),
            ]
        },
        ..DEFAULT_FORMATTER
    },
    Formatter {
        name: "ruff",
        extensions: &["py", "pyi"],
        markers: &[
            Contains("pyproject.toml", &["[tool.ruff.format"]),
            Contains("ruff.toml", &["[format"]),
            Contains(".ruff.toml", &["[format"]),
            Contains(".pre-commit-config.yaml", &["ruff-format"]),
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
        ..DEFAULT_FORMATTER
    },
    Formatter {
        name: "clang-format",
        extensions: &[
            "c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "m", "mm", "proto", "cu",
        ],
        markers: &[File(".clang-format"), File("_clang-format")],
        global: &["clang-format"],
        args: |_, file| vec!["--style=file".into(), joined("--assume-filename=", file)],
        ..DEFAULT_FORMATTER
    },
    Formatter {
        name: "shfmt",
        extensions: &["sh", "bash", "bats"],
        markers: &[Contains(
            ".editorconfig",
            &["*.sh", "[*.{sh", ".bash", "shell_variant"],
        )],
        global: &["shfmt"],
        args: |_, file| vec!["--filename".into(), file.into()],
        ..DEFAULT_FORMATTER
    },
    Formatter {
        name: "terraform",
        extensions: &["tf", "tfvars"],
        markers: &[
            File(".terraform.lock.hcl"),
            File("versions.tf"),
            File("main.tf"),
        ],
        global: &["terraform", "tofu"],
        args: |_, _| vec!["fmt".into(), "-no-color".into(), "-".into()],
        ..DEFAULT_FORMATTER
    },
    Formatter {
        name: "dart",
        extensions: &["dart"],
        markers: &[File("pubspec.yaml")],
        global: &["dart"],
        args: |_, file| vec!["format".into(), joined("--stdin-name=", file)],
        ..DEFAULT_FORMATTER
    },
    Formatter {
        name: "mix",
        extensions: &["ex", "exs", "heex"],
        markers: &[File(".formatter.exs")],
        global: &["mix"],
        runs_code: true,
        args: |_, file| {
            let words = ["format", "--stdin-filename"].map(OsString::from);
            words.into_iter().chain([file.into(), "-".into()]).collect()
        },
        ..DEFAULT_FORMATTER
    },
    Formatter {
        name: "zig",
        extensions: &["zig"],
        markers: &[File("build.zig")],
        global: &["zig"],
        args: |_, _| vec!["fmt".into(), "--stdin".into()],
        ..DEFAULT_FORMATTER
    },
    Formatter {
        name: "swift-format",
        extensions: &["swift"],
        markers: &[File(".swift-format")],
        global: &["swift-format"],
        args: |_, file| vec!["format".into(), "--assume-filename".into(), file.into()],
        ..DEFAULT_FORMATTER
    },
    Formatter {
        name: "ktlint",
        extensions: &["kt", "kts"],
        markers: &[Contains(".editorconfig", &["ktlint"])],
        global: &["ktlint"],
        // With stdin, it would not find `.editorconfig`.
        mode: FormatterMode::InPlace,
        reads_patterns: true,
        args: |_, file| args_then_file(&["--format", "--log-level=none"], file),
        success_codes: &[0, 1],
        ..DEFAULT_FORMATTER
    },
    Formatter {
        name: "php-cs-fixer",
        extensions: &["php"],
        markers: &[File(".php-cs-fixer.php"), File(".php-cs-fixer.dist.php")],
        local: &["vendor/bin/php-cs-fixer"],
        global: &["php-cs-fixer"],
        runs_code: true,
        mode: FormatterMode::InPlace,
        args: |_, file| {
            args_then_file(
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
        ..DEFAULT_FORMATTER
    },
    Formatter {
        name: "rubocop",
        extensions: &["rb", "rake", "gemspec"],
        markers: &[File(".rubocop.yml")],
        local: &["bin/rubocop"],
        global: &["rubocop"],
        runs_code: true,
        mode: FormatterMode::InPlace,
        args: |_, file| {
            args_then_file(
                &["--fix-layout", "--force-exclusion", "--format=quiet", "--"],
                file,
            )
        },
        success_codes: &[0, 1],
        ..DEFAULT_FORMATTER
    },
];

/// `--option=FILE`, so that a file name cannot become an option.
fn joined(option: &str, file: &Path) -> OsString {
    let mut out = OsString::from(option);
    out.push(file);
    out
}

/// Arguments followed by the file.
fn args_then_file(words: &[&str], file: &Path) -> Vec<OsString> {
    let words = words.iter().map(Into::into);
    words.chain([file.into()]).collect()
}
