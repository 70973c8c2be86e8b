//! Detects the language of a file.

/// A language, named as in Markdown code fences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "variants are named after the languages")]
pub enum Language {
    Bash,
    C,
    CSharp,
    Cpp,
    Css,
    Go,
    Html,
    Java,
    JavaScript,
    Json,
    Kotlin,
    Markdown,
    Php,
    Python,
    Ruby,
    Rust,
    Scala,
    Sql,
    Swift,
    Toml,
    Tsx,
    TypeScript,
    Yaml,
    /// Any other text.
    Text,
}

const EXTENSIONS: &[(&str, Language)] = &[
    ("bash", Language::Bash),
    ("c", Language::C),
    ("cc", Language::Cpp),
    ("cjs", Language::JavaScript),
    ("cpp", Language::Cpp),
    ("cs", Language::CSharp),
    ("css", Language::Css),
    ("cts", Language::TypeScript),
    ("cxx", Language::Cpp),
    ("go", Language::Go),
    ("h", Language::C),
    ("hh", Language::Cpp),
    ("hpp", Language::Cpp),
    ("htm", Language::Html),
    ("html", Language::Html),
    ("hxx", Language::Cpp),
    ("java", Language::Java),
    ("js", Language::JavaScript),
    ("json", Language::Json),
    ("json5", Language::JavaScript),
    ("jsonc", Language::Json),
    ("jsx", Language::JavaScript),
    ("ksh", Language::Bash),
    ("kt", Language::Kotlin),
    ("kts", Language::Kotlin),
    ("markdown", Language::Markdown),
    ("md", Language::Markdown),
    ("mdx", Language::Markdown),
    ("mjs", Language::JavaScript),
    ("mts", Language::TypeScript),
    ("php", Language::Php),
    ("py", Language::Python),
    ("pyi", Language::Python),
    ("rake", Language::Ruby),
    ("rb", Language::Ruby),
    ("rs", Language::Rust),
    ("sbt", Language::Scala),
    ("sc", Language::Scala),
    ("scala", Language::Scala),
    ("scss", Language::Css),
    ("sh", Language::Bash),
    ("sql", Language::Sql),
    ("swift", Language::Swift),
    ("toml", Language::Toml),
    ("ts", Language::TypeScript),
    ("tsx", Language::Tsx),
    ("yaml", Language::Yaml),
    ("yml", Language::Yaml),
    ("zsh", Language::Bash),
];

const NAMES: &[(&str, Language)] = &[
    ("Gemfile", Language::Ruby),
    ("Rakefile", Language::Ruby),
    ("Vagrantfile", Language::Ruby),
    (".bashrc", Language::Bash),
    (".zshrc", Language::Bash),
    (".profile", Language::Bash),
];

const INTERPRETERS: &[(&str, Language)] = &[
    ("bash", Language::Bash),
    ("dash", Language::Bash),
    ("ksh", Language::Bash),
    ("sh", Language::Bash),
    ("zsh", Language::Bash),
    ("python", Language::Python),
    ("node", Language::JavaScript),
    ("deno", Language::TypeScript),
    ("bun", Language::TypeScript),
    ("ruby", Language::Ruby),
    ("php", Language::Php),
    ("scala", Language::Scala),
    ("swift", Language::Swift),
];

impl Language {
    /// Detects by name, extension or shebang.
    pub fn of(path: &str, text: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        let known = |table: &[(&str, Self)], key: &str| {
            table
                .iter()
                .find(|(one, _)| *one == key)
                .map(|(_, language)| *language)
        };
        let by_extension = || {
            let (_, extension) = name.rsplit_once('.')?;
            known(EXTENSIONS, &extension.to_ascii_lowercase())
        };
        known(NAMES, name)
            .or_else(by_extension)
            .or_else(|| by_first_line(text))
            .unwrap_or(Self::Text)
    }

    /// The name in Markdown code fences.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::C => "c",
            Self::CSharp => "csharp",
            Self::Cpp => "cpp",
            Self::Css => "css",
            Self::Go => "go",
            Self::Html => "html",
            Self::Java => "java",
            Self::JavaScript => "javascript",
            Self::Json => "json",
            Self::Kotlin => "kotlin",
            Self::Markdown => "markdown",
            Self::Php => "php",
            Self::Python => "python",
            Self::Ruby => "ruby",
            Self::Rust => "rust",
            Self::Scala => "scala",
            Self::Sql => "sql",
            Self::Swift => "swift",
            Self::Toml => "toml",
            Self::Tsx | Self::TypeScript => "typescript",
            Self::Yaml => "yaml",
            Self::Text => "text",
        }
    }
}

/// `#!/usr/bin/env -S python3.12 -u` is Python.
fn by_first_line(text: &str) -> Option<Language> {
    let line = text.lines().next()?.strip_prefix("#!")?;
    let word = |word: &str| word.rsplit('/').next().unwrap_or(word).to_owned();
    let mut words = line.split_whitespace().map(word);
    let mut program = words.next()?;
    if program == "env" {
        program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    }
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let found = INTERPRETERS.iter().find(|(name, _)| *name == program);
    found.map(|(_, language)| *language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_is_detected_by_extension_name_or_shebang() {
        for (path, text, expected) in [
            ("src/main.rs", "", "rust"),
            ("App.TSX", "", "typescript"),
            ("include/a.h", "", "c"),
            ("Gemfile", "", "ruby"),
            ("bin/run", "#!/usr/bin/env -S python3.12 -u\n", "python"),
            ("bin/run", "#!/bin/sh\n", "bash"),
            ("bin/run", "#!/opt/unknown\n", "text"),
            ("README", "", "text"),
            ("weird.", "", "text"),
            ("a.b/c", "", "text"),
        ] {
            assert_eq!(Language::of(path, text).name(), expected, "{path}");
        }
    }
}
