//! Names of programs with special handling.

use crate::programs::{self, CORE, SHELLS};

pub(super) fn is_core(name: &str) -> bool {
    CORE.contains(&name) || name.starts_with("mkfs.")
}

/// Shells that accept `-c`, a file, or standard input.
pub(super) fn is_shell(name: &str) -> bool {
    programs::contains(SHELLS, name)
}

/// Interpreters of other languages.
pub(super) fn is_interpreter(name: &str) -> bool {
    super::interpreters::language(name).is_some()
}
