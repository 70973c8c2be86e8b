//! Reads a data file, and reports a mistake with its file, line and key.

use std::collections::BTreeMap;
use std::fmt::{Display, Write};
use std::ops::Range;
use std::path::Path;

use serde::de::DeserializeOwned;
use toml::Spanned;

/// A mistake in a data file, as one line for a person.
pub(crate) type DataError = String;

/// Words by the name of their set.
pub(crate) type Sets = BTreeMap<String, Spanned<String>>;

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

    /// A static for each set. The words have to be sorted, so that a person finds them.
    pub(crate) fn sets_code(&self, sets: &Sets) -> Result<String, DataError> {
        let mut code = String::new();
        for (key, value) in sets {
            let words: Vec<&str> = value.get_ref().split_whitespace().collect();
            let misplaced = words.iter().zip(words.iter().skip(1)).find(|(a, b)| a >= b);
            if let Some((before, after)) = misplaced {
                let problem = format!("`{key}`: `{after}` belongs before `{before}`, once");
                return Err(self.error(value.span(), problem));
            }
            let constant = key.to_ascii_uppercase();
            let _ = writeln!(code, "pub(super) static {constant}: &[&str] = &{words:?};");
        }
        Ok(code)
    }
}
