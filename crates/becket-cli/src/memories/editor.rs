//! The person's editor, on a text.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use becket::env::{ProcessEnv, Vars};
use becket::{Home, id};
use becket_daemon::place::Place;

/// More than a memory can hold, whatever its characters are.
const MOST_BYTES: u64 = 1024 * 1024;

/// What a person makes of a text in `$VISUAL` or `$EDITOR`, which is started without a shell.
pub(super) fn edit(home: &Home, text: &str) -> anyhow::Result<String> {
    let named = |name: &str| {
        let value = ProcessEnv.get(name)?.into_string().ok()?;
        (!value.trim().is_empty()).then(|| (name.to_owned(), value))
    };
    let Some((name, line)) = named("VISUAL").or_else(|| named("EDITOR")) else {
        bail!(
            "neither VISUAL nor EDITOR says which editor to open\nhint: say the change, as in `becket memories edit ID --text \"…\"`"
        );
    };
    let words = words(&line);
    let Some((program, args)) = words.split_first() else {
        bail!("{name} is `{line}`, which names no program");
    };
    let place = Place::below(&home.state);
    place.prepare()?;
    let draft = Draft::write(place.dir(), text)?;
    let status = Command::new(program).args(args).arg(&draft.0).status();
    let status = status.with_context(|| format!("{name} is `{line}`, which cannot be started"))?;
    if !status.success() {
        bail!("`{program}` ended with {status}; nothing was changed");
    }
    draft.read()
}

/// A file that only its owner can read, for as long as it is edited.
struct Draft(PathBuf);

impl Draft {
    fn write(dir: &Path, text: &str) -> anyhow::Result<Self> {
        let path = dir.join(format!("memory-{}.md", id::new_id()));
        let mut options = OpenOptions::new();
        let opened = options.write(true).create_new(true).mode(0o600).open(&path);
        let mut file = opened.with_context(|| format!("`{}`", path.display()))?;
        let draft = Self(path);
        writeln!(file, "{text}")?;
        Ok(draft)
    }

    fn read(&self) -> anyhow::Result<String> {
        let mut text = String::new();
        let file = File::open(&self.0).context("the editor took the text away")?;
        file.take(MOST_BYTES)
            .read_to_string(&mut text)
            .context("what the editor left is no text")?;
        Ok(text.trim_end().to_owned())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The words of a command line: separated by blanks, with quotes around those that have some. Nothing is expanded.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(chars.next()),
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_is_taken_apart_and_nothing_in_it_is_expanded() {
        for (line, expected) in [
            ("vi", &["vi"][..]),
            ("code  --wait ", &["code", "--wait"]),
            (r#""/opt/my editor" -n"#, &["/opt/my editor", "-n"]),
            (r"emacs\ client '' -c", &["emacs client", "", "-c"]),
            ("sh -c '$(touch x); `y`'", &["sh", "-c", "$(touch x); `y`"]),
            ("   ", &[]),
        ] {
            assert_eq!(words(line), expected, "{line}");
        }
    }
}
