//! The command line options of the built-in harness that cargo, nextest and people use.

/// What to do with the chosen tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Run,
    List,
}

#[derive(Debug)]
pub(super) struct Arguments {
    pub(super) mode: Mode,
    filters: Vec<String>,
    skip: Vec<String>,
    exact: bool,
    /// No test here is ignored, so this selects none.
    only_ignored: bool,
}

/// Options with a value that has no effect here. Their value must not be read as a filter.
const WITH_VALUE: &[&str] = &[
    "--color",
    "--format",
    "--logfile",
    "--shuffle-seed",
    "--test-threads",
    "-Z",
];

impl Arguments {
    /// Parses a command line. Options without an effect here (`--nocapture` and so on) are ignored.
    pub(super) fn parse(words: impl IntoIterator<Item = String>) -> Self {
        let mut arguments = Self {
            mode: Mode::Run,
            filters: Vec::new(),
            skip: Vec::new(),
            exact: false,
            only_ignored: false,
        };
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--list" => arguments.mode = Mode::List,
                "--exact" => arguments.exact = true,
                "--ignored" => arguments.only_ignored = true,
                "--skip" => arguments.skip.extend(words.next()),
                with_value if WITH_VALUE.contains(&with_value) => {
                    words.next();
                }
                option if option.starts_with('-') => {
                    if let Some(pattern) = option.strip_prefix("--skip=") {
                        arguments.skip.push(pattern.to_owned());
                    }
                }
                _ => arguments.filters.push(word),
            }
        }
        arguments
    }

    /// Whether the command line selects this test.
    pub(super) fn choose(&self, name: &str) -> bool {
        let fits = |pattern: &String| {
            if self.exact {
                name == pattern
            } else {
                name.contains(pattern.as_str())
            }
        };
        let wanted = self.filters.is_empty() || self.filters.iter().any(fits);
        wanted && !self.only_ignored && !self.skip.iter().any(fits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: &[&str] = &["hooks_fire", "hooks_deny", "tools_run"];

    fn chosen(line: &str) -> Vec<&'static str> {
        let arguments = Arguments::parse(line.split_whitespace().map(str::to_owned));
        let names = NAMES.iter().copied();
        names.filter(|name| arguments.choose(name)).collect()
    }

    #[test]
    fn filters_work_as_in_the_built_in_harness() {
        for (line, expected) in [
            ("", NAMES),
            ("hooks", &["hooks_fire", "hooks_deny"]),
            ("fire run", &["hooks_fire", "tools_run"]),
            ("hooks --exact", &[]),
            ("hooks_deny --exact", &["hooks_deny"]),
            ("hooks --skip deny", &["hooks_fire"]),
            ("--skip=hooks", &["tools_run"]),
            ("--ignored", &[]),
            ("--include-ignored", NAMES),
            ("nothing", &[]),
        ] {
            assert_eq!(chosen(line), expected, "{line:?}");
        }
    }

    #[test]
    fn unsupported_options_and_their_values_are_ignored() {
        let line = "--nocapture --test-threads 4 --test-threads=4 --color never -q --format pretty";
        assert_eq!(chosen(line), NAMES);
    }

    #[test]
    fn list_mode_needs_its_option() {
        let mode = |words: &[&str]| Arguments::parse(words.iter().map(ToString::to_string)).mode;
        assert_eq!(mode(&["hooks"]), Mode::Run);
        assert_eq!(mode(&["--list", "--format", "terse"]), Mode::List);
    }
}
