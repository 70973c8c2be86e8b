//! Sets of words, and the places of paths and agents' settings.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Deserialize;
use toml::Spanned;

use crate::data_file::{DataError, DataFile};

/// Words by the name of their set.
type Sets = BTreeMap<String, Spanned<String>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SetFile {
    sets: Sets,
}

/// The code of `secret_words.rs`.
pub(crate) fn secret_words() -> Result<String, DataError> {
    let file = DataFile::read("secret-words.toml")?;
    sets_code(&file, &file.parse::<SetFile>()?.sets)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProgramFile {
    core: Vec<String>,
    sets: Sets,
}

/// The code of `programs.rs`.
pub(crate) fn programs() -> Result<String, DataError> {
    let file = DataFile::read("programs.toml")?;
    let table: ProgramFile = file.parse()?;
    let mut code = sets_code(&file, &table.sets)?;
    let _ = writeln!(code, "pub(crate) static CORE: &[&str] = &{:?};", table.core);
    Ok(code)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PathFile {
    secret_directories: Vec<SecretDirectory>,
    agents: Vec<AgentDirectory>,
    sets: Sets,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SecretDirectory {
    path: String,
    kind: SecretKind,
    #[serde(default)]
    except: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SecretKind {
    Key,
    Credentials,
    Store,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AgentDirectory {
    directory: Spanned<String>,
    #[serde(default)]
    entries: String,
}

/// The code of `paths.rs`.
pub(crate) fn paths() -> Result<String, DataError> {
    let file = DataFile::read("paths.toml")?;
    let table: PathFile = file.parse()?;
    let mut code = sets_code(&file, &table.sets)?;
    code += "pub(crate) static SECRET_DIRECTORIES: &[(&str, SecretKind, &[&str])] = &[\n";
    for SecretDirectory { path, kind, except } in &table.secret_directories {
        let except: Vec<&str> = except.split_whitespace().collect();
        let _ = writeln!(code, "({path:?}, SecretKind::{kind:?}, &{except:?}),");
    }
    code += "];\npub(crate) static AGENTS: &[(&str, &[&str])] = &[\n";
    for AgentDirectory { directory, entries } in &table.agents {
        let path = directory.get_ref();
        if !path.starts_with('/') || !path.ends_with('/') {
            return Err(file.bad("directory", directory, "begin and end it with a slash"));
        }
        // The empty entry stands for the whole directory.
        let entries: Vec<&str> = match entries.as_str() {
            "" => vec![""],
            entries => entries.split_whitespace().collect(),
        };
        let _ = writeln!(code, "({path:?}, &{entries:?}),");
    }
    Ok(code + "];\n")
}

/// A static for each set. The words have to be sorted, so that a person finds them.
fn sets_code(file: &DataFile, sets: &Sets) -> Result<String, DataError> {
    let mut code = String::new();
    for (key, value) in sets {
        let words = file.words(key, value)?;
        let misplaced = words
            .iter()
            .zip(&words[1..])
            .find(|(before, after)| before >= after);
        if let Some((before, after)) = misplaced {
            let problem = format!("`{key}`: `{after}` belongs before `{before}`, once");
            return Err(file.error(value.span(), problem));
        }
        let constant = key.to_ascii_uppercase();
        let _ = writeln!(code, "pub(crate) static {constant}: &[&str] = &{words:?};");
    }
    Ok(code)
}
