//! The secret that HTTP clients show.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// 256 random bits, as 64 hexadecimal digits.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

const DIGITS: usize = 64;

/// So many random bytes, as hexadecimal digits.
pub(crate) fn random_digits(count: usize) -> std::io::Result<String> {
    let mut bytes = vec![0u8; count];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble)]);
    let digits = bytes.iter().flat_map(|b| [digit(b >> 4), digit(b & 15)]);
    Ok(digits.collect())
}

impl Token {
    /// A new one.
    pub fn random() -> std::io::Result<Self> {
        random_digits(DIGITS / 2).map(Self)
    }

    /// Reads the token in a file, making one if there is none.
    pub fn ensure(path: &Path) -> std::io::Result<Self> {
        match Self::read(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Self::create(path),
            read => read,
        }
    }

    fn create(path: &Path) -> std::io::Result<Self> {
        let token = Self::random()?;
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path)?;
        file.write_all(token.0.as_bytes())?;
        Ok(token)
    }

    /// Reads the token in a file, and refuses one that others can read.
    pub fn read(path: &Path) -> std::io::Result<Self> {
        let file = File::open(path)?;
        let meta = file.metadata()?;
        if meta.mode() & 0o077 != 0 || meta.uid() != rustix::process::geteuid().as_raw() {
            let message = format!("`{}` can be read by others; delete it", path.display());
            return Err(std::io::Error::new(ErrorKind::PermissionDenied, message));
        }
        let mut text = String::new();
        file.take(1024).read_to_string(&mut text)?;
        let text = text.trim();
        if text.len() != DIGITS || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            let message = format!("`{}` holds no token; delete it", path.display());
            return Err(std::io::Error::new(ErrorKind::InvalidData, message));
        }
        Ok(Self(text.to_owned()))
    }

    /// Whether `shown` is this token, in a time that says nothing about how much of it is right.
    pub fn is(&self, shown: &str) -> bool {
        let (own, shown) = (self.0.as_bytes(), shown.as_bytes());
        let wrong = own
            .iter()
            .zip(shown.iter().chain(std::iter::repeat(&0)))
            .fold(0, |wrong, (a, b)| wrong | (a ^ b));
        (wrong == 0) & (own.len() == shown.len())
    }

    /// The digits, for the one who must show them.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_token_is_made_once_and_kept_private() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("token");
        let first = Token::ensure(&path).expect("made");
        assert_eq!(Token::ensure(&path).expect("read"), first);
        let mode = std::fs::metadata(&path).expect("there").mode() & 0o777;
        assert_eq!(mode, 0o600);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).expect("changed");
        let error = Token::ensure(&path).expect_err("readable by others");
        assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    }

    #[test]
    fn only_the_whole_token_is_the_token() {
        let token = Token::random().expect("random");
        let digits = token.expose().to_owned();
        assert!(token.is(&digits));
        for wrong in ["", &digits[1..], &format!("{digits}0"), &"0".repeat(DIGITS)] {
            assert!(!token.is(wrong), "{wrong:?}");
        }
        assert!(!format!("{token:?}").contains(&digits[..8]));
    }
}
