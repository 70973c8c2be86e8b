//! Static checks of command lines, and suggestions for misspelt words.
//!
//! This is not a shell parser. It knows quotes and where words and commands end, which is enough for the
//! warnings and for recognising Becket's own entries.

use std::path::Path;

/// Whether a command is Becket's own entry (`becket hook … --agent …`). Becket must never run that one itself.
pub fn is_own_entry(command: &str) -> bool {
    if !command.contains("becket") {
        return false;
    }
    let words = words(command);
    let mut words = words
        .iter()
        .map(|word| word.text.as_str())
        .skip_while(|word| is_assignment(word) || *word == "exec" || *word == "env");
    words.next().is_some_and(is_becket) && words.next() == Some("hook")
}

/// The same for a program with separate arguments.
pub(super) fn is_own_program(program: &str, args: &[String]) -> bool {
    is_becket(program) && args.first().is_some_and(|arg| arg == "hook")
}

fn is_becket(program: &str) -> bool {
    // A Windows path has to be recognised on any system: the file may be shared.
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    Path::new(name)
        .file_stem()
        .is_some_and(|stem| stem == "becket")
        && (name == "becket" || name.eq_ignore_ascii_case("becket.exe"))
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_')
    })
}

/// The first hook variable inside single quotes, where the shell does not expand it.
pub(super) fn quoted_variable(command: &str) -> Option<String> {
    if !command.contains('\'') || !command.contains('$') {
        return None;
    }
    let words = words(command);
    let mut program = "";
    let mut previous = "";
    for word in &words {
        if word.starts_command {
            program = word.text.rsplit('/').next().unwrap_or(&word.text);
        }
        if !expands_itself(program)
            && !takes_code(previous)
            && let Some(variable) = word.quoted.iter().find_map(|text| hook_variable(text))
        {
            return Some(variable);
        }
        previous = &word.text;
    }
    None
}

/// Programs that interpret `$` themselves, or run their argument as code.
fn expands_itself(program: &str) -> bool {
    const PROGRAMS: [&str; 12] = [
        "awk", "envsubst", "eval", "gawk", "jq", "node", "perl", "php", "ruby", "ssh", "trap", "yq",
    ];
    PROGRAMS.contains(&program)
}

/// `-c`, `-lc`, `-e`: the next word is code for another interpreter.
fn takes_code(flag: &str) -> bool {
    flag.len() <= 4 && flag.starts_with('-') && flag.ends_with(['c', 'e'])
}

/// `$TOOL_NAME`, `${HOOK_PATH…`: the variables that a hook's environment contains.
fn hook_variable(text: &str) -> Option<String> {
    text.match_indices('$').find_map(|(at, _)| {
        let rest = &text[at + 1..];
        let braced = rest.starts_with('{');
        let rest = rest.strip_prefix('{').unwrap_or(rest);
        let end = rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        let name = &rest[..end];
        let named = matches!(
            name,
            "TOOL_NAME" | "TOOL_INPUT" | "SESSION_ID" | "FILE_PATH" | "COMMAND" | "EVENT"
        ) || name.starts_with("HOOK_")
            || name.starts_with("BECKET_")
            // Claude itself expands `${CLAUDE_PLUGIN_ROOT}` before the shell sees it.
            || (name.starts_with("CLAUDE_") && !braced);
        named.then(|| format!("${name}"))
    })
}

/// A word of a command line.
#[derive(Default)]
struct CommandWord {
    /// Without its quotes.
    text: String,
    /// Its single-quoted parts.
    quoted: Vec<String>,
    starts_command: bool,
}

fn words(command: &str) -> Vec<CommandWord> {
    let mut words = Vec::new();
    let mut word = CommandWord {
        starts_command: true,
        ..CommandWord::default()
    };
    let mut begun = false;
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                begun = true;
                let part: String = chars.by_ref().take_while(|c| *c != '\'').collect();
                word.text.push_str(&part);
                word.quoted.push(part);
            }
            '"' => {
                begun = true;
                while let Some(c) = chars.next().filter(|c| *c != '"') {
                    word.text.push(if c == '\\' {
                        chars.next().unwrap_or(c)
                    } else {
                        c
                    });
                }
            }
            '\\' => {
                begun = true;
                word.text.extend(chars.next());
            }
            ' ' | '\t' | '\n' | ';' | '|' | '&' | '(' | ')' => {
                let ends_command = !matches!(c, ' ' | '\t');
                let next_starts = ends_command || (!begun && word.starts_command);
                let next = CommandWord {
                    starts_command: next_starts,
                    ..CommandWord::default()
                };
                let done = std::mem::replace(&mut word, next);
                if std::mem::take(&mut begun) {
                    words.push(done);
                }
            }
            _ => {
                begun = true;
                word.text.push(c);
            }
        }
    }
    if begun {
        words.push(word);
    }
    words
}

/// "did you mean": the nearest known word, if one is near enough.
pub fn did_you_mean<'k>(word: &str, known: impl Iterator<Item = &'k str>) -> Option<String> {
    let (far, nearest) = known
        .map(|candidate| (distance(word, candidate), candidate))
        .min_by_key(|(far, _)| *far)?;
    let near = far == 0 || far <= 2.min(nearest.len() / 3);
    near.then(|| format!("did you mean `{nearest}`?"))
}

/// Edit distance between words, ignoring case, `-` and `_`. Long words are truncated.
fn distance(a: &str, b: &str) -> usize {
    let fold = |text: &str| -> Vec<char> {
        text.chars()
            .filter(|c| !matches!(c, '-' | '_'))
            .map(|c| c.to_ascii_lowercase())
            .take(32)
            .collect()
    };
    let (a, b) = (fold(a), fold(b));
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_entries_are_recognised_in_every_notation() {
        for (command, expected) in [
            ("becket hook PreToolUse --agent claude", true),
            ("/usr/local/bin/becket hook --agent claude", true),
            ("'/opt/my tools/becket' hook --agent claude", true),
            ("\"/opt/my tools/becket\" hook --agent claude", true),
            (r"C:\\tools\\becket.exe hook --agent cursor", true),
            ("BECKET_HOME=/tmp/x becket hook --agent claude", true),
            ("exec becket hook Stop --agent codex", true),
            ("  becket   hook", true),
            ("becket check -- ls", false),
            ("becket", false),
            ("my-becket hook", false),
            ("echo becket hook", false),
            ("becket.sh hook", false),
            ("", false),
        ] {
            assert_eq!(is_own_entry(command), expected, "{command}");
        }
    }

    #[test]
    fn hook_variables_in_single_quotes_are_found_and_other_uses_are_left_alone() {
        for (command, expected) in [
            (
                "echo 'File operation: $TOOL_NAME on $FILE_PATH'",
                Some("$TOOL_NAME"),
            ),
            (
                r#"echo '{"event":"$EVENT"}' >> /tmp/audit.log"#,
                Some("$EVENT"),
            ),
            ("log '${HOOK_PATH}'", Some("$HOOK_PATH")),
            ("true; echo '$HOOK_TOOL'", Some("$HOOK_TOOL")),
            ("'$CLAUDE_PROJECT_DIR'/x.sh", Some("$CLAUDE_PROJECT_DIR")),
            ("'${CLAUDE_PLUGIN_ROOT}/x.sh'", None),
            ("echo \"$TOOL_NAME\"", None),
            ("echo \"it's $TOOL_NAME\"", None),
            ("echo '$5 for you' $TOOL_NAME", None),
            ("echo '$HOME'", None),
            ("bash -c 'echo $TOOL_NAME'", None),
            ("jq --arg EVENT x '.a = $EVENT'", None),
            ("envsubst '$HOOK_EVENT' < t", None),
            (
                "osascript -e 'display \"'$HOOK_PATH'\" with title \"A\"'",
                None,
            ),
            ("echo 'unfinished $TOOL_NAME", Some("$TOOL_NAME")),
        ] {
            assert_eq!(quoted_variable(command).as_deref(), expected, "{command}");
        }
    }

    #[test]
    fn near_words_are_suggested_and_far_ones_are_not() {
        let known = || ["timeout", "command", "matcher", "if"].into_iter();
        assert_eq!(
            did_you_mean("timout", known()).as_deref(),
            Some("did you mean `timeout`?")
        );
        assert_eq!(
            did_you_mean("Time_Out", known()).as_deref(),
            Some("did you mean `timeout`?")
        );
        assert_eq!(did_you_mean("colour", known()), None);
        assert_eq!(did_you_mean("x", known()), None);
    }
}
