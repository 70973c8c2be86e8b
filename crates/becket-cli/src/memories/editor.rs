//! Opens the user's editor on a text.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use becket::env::{ProcessEnv, Vars};
use becket::{Home, id};
use becket_base::fs::private_options;
use becket_daemon::runtime_dir::RuntimeDir;

/// More than any memory can hold.
const MAX_TEXT_BYTES: u64 = 1024 * 1024;

/// Opens `$VISUAL` or `$EDITOR` on a text, without a shell, and returns the edited text.
pub(super) fn edit(home: &Home, text: &str) -> anyhow::Result<String> {
    let named = |name: &str| {
        let value = ProcessEnv.get(name)?.into_string().ok()?;
        (!value.trim().is_empty()).then(|| (name.to_owned(), value))
    };
    let Some((name, line)) = named("VISUAL").or_else(|| named("EDITOR")) else {
        bail!(
            "cannot open an editor: neither VISUAL nor EDITOR is set\nhint: pass the text, as in `becket memories edit ID --text \"…\"`"
        );
    };
    let words = split_words(&line);
    let Some((program, args)) = words.split_first() else {
        bail!("{name} is `{line}`, which names no program");
    };
    let runtime_dir = RuntimeDir::in_state_dir(&home.state);
    runtime_dir.prepare()?;
    let draft = TempTextFile::write(runtime_dir.dir(), text)?;
    let status = Command::new(program).args(args).arg(&draft.0).status();
    let status = status.with_context(|| format!("cannot start the editor `{line}` from {name}"))?;
    if !status.success() {
        bail!("`{program}` failed with {status}; nothing changed");
    }
    draft.read()
}

/// A temporary file that only its owner can read. It is deleted on drop.
struct TempTextFile(PathBuf);

impl TempTextFile {
    fn write(dir: &Path, text: &str) -> anyhow::Result<Self> {
        let path = dir.join(format!("memory-{}.md", id::new_id()));
        let opened = private_options().create_new(true).open(&path);
        let mut file = opened.with_context(|| format!("`{}`", path.display()))?;
        let draft = Self(path);
        writeln!(file, "{text}")?;
        Ok(draft)
    }

    fn read(&self) -> anyhow::Result<String> {
        let mut text = String::new();
        let file = File::open(&self.0).context("the editor deleted the file")?;
        file.take(MAX_TEXT_BYTES)
            .read_to_string(&mut text)
            .context("the edited file is not UTF-8 text")?;
        Ok(text.trim_end().to_owned())
    }
}

impl Drop for TempTextFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Splits a command line into words at blanks, with quotes and backslashes. It expands nothing.
fn split_words(line: &str) -> Vec<String> {
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
    fn editor_command_is_split_without_expansion() {
        for (line, expected) in [
            ("vi", &["vi"][..]),
            ("code  --wait ", &["code", "--wait"]),
            (r#""/opt/my editor" -n"#, &["/opt/my editor", "-n"]),
            (r"emacs\ client '' -c", &["emacs client", "", "-c"]),
            ("sh -c '$(touch x); `y`'", &["sh", "-c", "$(touch x); `y`"]),
            ("   ", &[]),
        ] {
            assert_eq!(split_words(line), expected, "{line}");
        }
    }
}
