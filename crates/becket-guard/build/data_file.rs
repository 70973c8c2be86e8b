//! Reads a data file, and reports a mistake with its file, line and key.

use std::fmt::Display;
use std::ops::Range;
use std::path::Path;

use serde::de::DeserializeOwned;
use toml::Spanned;

/// A mistake in a data file, as one line for a person.
pub(crate) type DataError = String;

/// The text of a TOML file below `data/`.
pub(crate) struct DataFile {
    name: String,
    text: String,
}

impl DataFile {
    /// Reads `data/NAME` of this crate.
    pub(crate) fn read(name: &str) -> Result<Self, DataError> {
        let name = format!("data/{name}");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(&name);
        match std::fs::read_to_string(&path) {
            Ok(text) => Ok(Self { name, text }),
            Err(error) => Err(format!("{name}: cannot read it: {error}")),
        }
    }

    /// A file with this text.
    #[cfg(test)]
    pub(crate) fn from_text(name: &str, text: &str) -> Self {
        Self {
            name: name.to_owned(),
            text: text.to_owned(),
        }
    }

    /// The content as `T`.
    pub(crate) fn parse<T: DeserializeOwned>(&self) -> Result<T, DataError> {
        toml::from_str(&self.text)
            .map_err(|error| self.error(error.span().unwrap_or(0..0), error.message()))
    }

    /// The message for a mistake at `place`.
    pub(crate) fn error(&self, place: Range<usize>, problem: impl Display) -> DataError {
        let before = &self.text[..place.start.min(self.text.len())];
        let line = 1 + before.matches('\n').count();
        format!("{}:{line}: {problem}", self.name)
    }

    /// The message for a bad value of `key`.
    pub(crate) fn bad<T: Display>(
        &self,
        key: &str,
        value: &Spanned<T>,
        problem: impl Display,
    ) -> DataError {
        let shown = value.get_ref();
        self.error(value.span(), format!("`{key}` is `{shown}`: {problem}"))
    }

    /// The words of a required list.
    pub(crate) fn words<'a>(
        &self,
        key: &str,
        value: &'a Spanned<String>,
    ) -> Result<Vec<&'a str>, DataError> {
        let words: Vec<&str> = value.get_ref().split_whitespace().collect();
        if words.is_empty() {
            return Err(self.bad(key, value, "it needs at least one word"));
        }
        Ok(words)
    }

    /// Checks that the entries of a table are in alphabetical order, so that a person finds them.
    pub(crate) fn require_order<'a>(
        &self,
        key: &str,
        values: impl IntoIterator<Item = &'a Spanned<String>>,
    ) -> Result<(), DataError> {
        let mut last = "";
        for value in values {
            let name = value.get_ref().as_str();
            if name < last {
                return Err(self.bad(key, value, format!("it belongs before `{last}`")));
            }
            last = name;
        }
        Ok(())
    }
}
