//! The bearer token of HTTP clients.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use becket_base::fs::private_options;

/// 256 random bits, as 64 hexadecimal digits.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

const DIGITS: usize = 64;

/// Random bytes as hexadecimal digits.
pub(crate) fn random_hex(count: usize) -> std::io::Result<String> {
    let mut bytes = vec![0u8; count];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble)]);
    let digits = bytes.iter().flat_map(|b| [digit(b >> 4), digit(b & 15)]);
    Ok(digits.collect())
}

impl Token {
    /// A new random token.
    pub fn random() -> std::io::Result<Self> {
        random_hex(DIGITS / 2).map(Self)
    }

    /// Reads the token from a file, or creates the file.
    pub fn load_or_create(path: &Path) -> std::io::Result<Self> {
        match Self::read(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Self::create(path),
            read => read,
        }
    }

    fn create(path: &Path) -> std::io::Result<Self> {
        let token = Self::random()?;
        let mut file = private_options().create_new(true).open(path)?;
        file.write_all(token.0.as_bytes())?;
        Ok(token)
    }

    /// Reads the token from a file, and rejects a file that other users can read.
    pub fn read(path: &Path) -> std::io::Result<Self> {
        let file = File::open(path)?;
        let meta = file.metadata()?;
        if meta.mode() & 0o077 != 0 || meta.uid() != rustix::process::geteuid().as_raw() {
            let message = format!(
                "`{}` can be read by other users; delete it, and the next start creates a new one",
                path.display()
            );
            return Err(std::io::Error::new(ErrorKind::PermissionDenied, message));
        }
        let mut text = String::new();
        file.take(1024).read_to_string(&mut text)?;
        let text = text.trim();
        if text.len() != DIGITS || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            let message = format!(
                "`{}` contains no valid token; delete it, and the next start creates a new one",
                path.display()
            );
            return Err(std::io::Error::new(ErrorKind::InvalidData, message));
        }
        Ok(Self(text.to_owned()))
    }

    /// Compares with a token in constant time.
    pub fn matches(&self, presented: &str) -> bool {
        let (own, presented) = (self.0.as_bytes(), presented.as_bytes());
        let difference = own
            .iter()
            .zip(presented.iter().chain(std::iter::repeat(&0)))
            .fold(0, |difference, (a, b)| difference | (a ^ b));
        (difference == 0) & (own.len() == presented.len())
    }

    /// The digits, for the client that must send them.
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
    fn token_is_created_once_and_stays_private() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("token");
        let first = Token::load_or_create(&path).expect("made");
        assert_eq!(Token::load_or_create(&path).expect("read"), first);
        let mode = std::fs::metadata(&path).expect("there").mode() & 0o777;
        assert_eq!(mode, 0o600);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).expect("changed");
        let error = Token::load_or_create(&path).expect_err("readable by others");
        assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    }

    #[test]
    fn only_the_complete_token_matches() {
        let token = Token::random().expect("random");
        let digits = token.expose().to_owned();
        assert!(token.matches(&digits));
        for wrong in ["", &digits[1..], &format!("{digits}0"), &"0".repeat(DIGITS)] {
            assert!(!token.matches(wrong), "{wrong:?}");
        }
        assert!(!format!("{token:?}").contains(&digits[..8]));
    }
}
