//! Browser logins: one-time codes and session cookies.
//!
//! A browser cannot be given the token, because URLs end up in its history. `becket ui` gets a one-time code over the
//! socket, which is valid for two minutes, and the browser exchanges it for a cookie. Only hashes of both are stored;
//! comparing hashes leaks no timing information about the secret.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use becket_base::fs::{FileSync, write_private};
use becket_base::sync::MutexExt;
use becket_store::Millis;
use blake3::Hash;

use crate::token::random_hex;

/// How long a code is valid.
const CODE_LIFETIME: Duration = Duration::from_secs(2 * 60);
/// How long a cookie is valid.
pub(crate) const COOKIE_LIFETIME: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Maximum number of valid codes; a new one replaces the oldest.
const MAX_CODES: usize = 16;
/// Maximum number of valid cookies; a new one replaces the oldest.
const MAX_COOKIES: usize = 64;
/// 128 random bits.
const CODE_BYTES: usize = 16;
/// 256 random bits.
const COOKIE_BYTES: usize = 32;

/// The valid login codes and cookies.
#[derive(Debug)]
pub struct Logins {
    file: PathBuf,
    state: Mutex<LoginState>,
}

#[derive(Default)]
struct LoginState {
    codes: Vec<(Hash, Instant)>,
    cookies: Vec<(Hash, Millis)>,
}

impl std::fmt::Debug for LoginState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let counts = (self.codes.len(), self.cookies.len());
        write!(f, "{} codes, {} cookies", counts.0, counts.1)
    }
}

impl Logins {
    /// Loads the cookies from a file. A file that other users can read is ignored.
    pub fn open(file: PathBuf) -> Self {
        let cookies = read(&file).unwrap_or_else(|error| {
            tracing::warn!("cannot load browser logins, so browsers must log in again: {error}");
            Vec::new()
        });
        let state = LoginState {
            cookies,
            ..LoginState::default()
        };
        Self {
            file,
            state: Mutex::new(state),
        }
    }

    /// Issues a login code.
    pub fn issue_code(&self, now: Instant) -> std::io::Result<String> {
        let code = random_hex(CODE_BYTES)?;
        let mut state = self.state();
        state.codes.retain(|(_, until)| *until > now);
        let surplus = (state.codes.len() + 1).saturating_sub(MAX_CODES);
        state.codes.drain(..surplus);
        state.codes.push((hash(&code), now + CODE_LIFETIME));
        Ok(code)
    }

    /// Exchanges a code for a cookie. The code becomes invalid.
    pub fn redeem(&self, code: &str, now: Instant, at: Millis) -> std::io::Result<Option<String>> {
        let presented = hash(code);
        let mut state = self.state();
        state.codes.retain(|(_, until)| *until > now);
        let before = state.codes.len();
        state.codes.retain(|(stored, _)| *stored != presented);
        if state.codes.len() == before {
            return Ok(None);
        }
        let cookie = random_hex(COOKIE_BYTES)?;
        state.cookies.retain(|(_, until)| *until > at);
        let surplus = (state.cookies.len() + 1).saturating_sub(MAX_COOKIES);
        state.cookies.drain(..surplus);
        let until = at.plus(COOKIE_LIFETIME);
        state.cookies.push((hash(&cookie), until));
        write(&self.file, &state.cookies)?;
        Ok(Some(cookie))
    }

    /// Whether a cookie is valid.
    pub fn is_valid_cookie(&self, cookie: &str, at: Millis) -> bool {
        let presented = hash(cookie);
        let state = self.state();
        // All cookies are compared, so that the time does not reveal which one matched.
        let matches = |(stored, until): &(Hash, Millis)| *until > at && *stored == presented;
        state
            .cookies
            .iter()
            .fold(false, |found, one| found | matches(one))
    }

    /// Revokes a cookie (logout).
    pub fn revoke_cookie(&self, cookie: &str) -> std::io::Result<()> {
        let presented = hash(cookie);
        let mut state = self.state();
        let before = state.cookies.len();
        state.cookies.retain(|(stored, _)| *stored != presented);
        if state.cookies.len() == before {
            return Ok(());
        }
        write(&self.file, &state.cookies)
    }

    fn state(&self) -> MutexGuard<'_, LoginState> {
        self.state.lock_ignoring_poison()
    }
}

fn hash(text: &str) -> Hash {
    blake3::hash(text.as_bytes())
}

/// One line per cookie: its hash and its expiry in milliseconds.
fn write(file: &Path, cookies: &[(Hash, Millis)]) -> std::io::Result<()> {
    let lines = cookies
        .iter()
        .map(|(hash, until)| format!("{} {}\n", hash.to_hex(), until.0));
    write_private(
        file,
        lines.collect::<String>().as_bytes(),
        FileSync::BeforeRename,
    )
}

fn read(path: &Path) -> std::io::Result<Vec<(Hash, Millis)>> {
    let file = match File::open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        file => file?,
    };
    let meta = file.metadata()?;
    if meta.mode() & 0o077 != 0 || meta.uid() != rustix::process::geteuid().as_raw() {
        let why = format!("`{}` can be read by other users", path.display());
        return Err(std::io::Error::new(
            std::io::ErrorKind::PermissionDenied,
            why,
        ));
    }
    let mut text = String::new();
    file.take(64 * 1024).read_to_string(&mut text)?;
    let line = |line: &str| {
        let (hash, until) = line.split_once(' ')?;
        Some((Hash::from_hex(hash).ok()?, Millis(until.parse().ok()?)))
    };
    Ok(text.lines().filter_map(line).take(MAX_COOKIES).collect())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    const NOON: Millis = Millis(1_794_830_400_000);

    fn logins(dir: &tempfile::TempDir) -> Logins {
        Logins::open(dir.path().join("logins"))
    }

    #[test]
    fn login_code_works_once_within_two_minutes() {
        let dir = tempfile::tempdir().expect("a directory");
        let logins = logins(&dir);
        let now = Instant::now();
        let code = logins.issue_code(now).expect("a code");
        assert_eq!(code.len(), 32, "128 bits in hexadecimal digits");
        let redeem = |code: &str, now| logins.redeem(code, now, NOON).expect("it can be kept");
        for wrong in ["", "0", &code[1..], &format!("{code}0"), &"0".repeat(32)] {
            assert_eq!(redeem(wrong, now), None, "{wrong:?}");
        }
        let cookie = redeem(&code, now).expect("a cookie");
        assert!(logins.is_valid_cookie(&cookie, NOON));
        assert_eq!(redeem(&code, now), None, "used");
        let late = logins.issue_code(now).expect("a code");
        assert_eq!(redeem(&late, now + CODE_LIFETIME), None, "too late");
    }

    #[test]
    fn cookie_survives_a_restart_until_logout_or_expiry() {
        let dir = tempfile::tempdir().expect("a directory");
        let now = Instant::now();
        let first = logins(&dir);
        let log_in = || {
            let code = first.issue_code(now).expect("a code");
            let cookie = first.redeem(&code, now, NOON).expect("kept");
            cookie.expect("a cookie")
        };
        let (one, other) = (log_in(), log_in());
        let file = dir.path().join("logins");
        let text = std::fs::read_to_string(&file).expect("a file");
        assert!(!text.contains(&one) && !text.contains(&other));
        let mode = std::fs::metadata(&file).expect("a file").mode() & 0o777;
        assert_eq!(mode, 0o600);

        let second = logins(&dir);
        assert!(second.is_valid_cookie(&one, NOON) && second.is_valid_cookie(&other, NOON));
        assert!(
            !second.is_valid_cookie(&one, NOON.plus(COOKIE_LIFETIME)),
            "a month later"
        );
        second.revoke_cookie(&one).expect("kept");
        assert!(!logins(&dir).is_valid_cookie(&one, NOON));
        assert!(logins(&dir).is_valid_cookie(&other, NOON));

        let open = std::fs::Permissions::from_mode(0o644);
        std::fs::set_permissions(&file, open).expect("changed");
        assert!(
            !logins(&dir).is_valid_cookie(&other, NOON),
            "others can read it"
        );
    }

    #[test]
    fn number_of_codes_and_cookies_is_limited() {
        let dir = tempfile::tempdir().expect("a directory");
        let logins = logins(&dir);
        let now = Instant::now();
        let first = logins.issue_code(now).expect("a code");
        for _ in 0..MAX_CODES {
            logins.issue_code(now).expect("a code");
        }
        assert_eq!(logins.redeem(&first, now, NOON).expect("kept"), None);
        for _ in 0..MAX_COOKIES + 5 {
            let code = logins.issue_code(now).expect("a code");
            logins.redeem(&code, now, NOON).expect("kept");
        }
        let text = std::fs::read_to_string(dir.path().join("logins")).expect("a file");
        assert_eq!(text.lines().count(), MAX_COOKIES);
        assert!(!format!("{logins:?}").contains(&text[..8]));
    }
}
