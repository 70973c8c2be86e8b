//! Browsers that were let in.
//!
//! A browser cannot be given the token: what stands in an address ends up in histories. It is given a code that is
//! good once and for two minutes, over the socket and by the person who starts it, and changes that for a cookie. Only
//! hashes are kept, of both; comparing hashes takes the same time however much of them is right.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use becket::trust::write_private;
use becket_store::Millis;
use blake3::Hash;

use crate::token::random_digits;

/// For how long a code is good.
const CODE_LIFE: Duration = Duration::from_secs(2 * 60);
/// For how long a browser stays in.
pub(crate) const COOKIE_LIFE: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Codes that are good at a time; a new one takes the place of the oldest.
const MOST_CODES: usize = 16;
/// Browsers that are in at a time.
const MOST_COOKIES: usize = 64;
/// 128 random bits.
const CODE_BYTES: usize = 16;
/// 256 random bits.
const COOKIE_BYTES: usize = 32;

/// Who may come in, and who is in.
#[derive(Debug)]
pub struct Logins {
    file: PathBuf,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    codes: Vec<(Hash, Instant)>,
    cookies: Vec<(Hash, Millis)>,
}

impl std::fmt::Debug for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let counts = (self.codes.len(), self.cookies.len());
        write!(f, "{} codes, {} cookies", counts.0, counts.1)
    }
}

impl Logins {
    /// Those that a file remembers. One that others can read is not believed.
    pub fn open(file: PathBuf) -> Self {
        let cookies = read(&file).unwrap_or_else(|error| {
            tracing::warn!("no browser is known any more: {error}");
            Vec::new()
        });
        let known = Known {
            cookies,
            ..Known::default()
        };
        Self {
            file,
            known: Mutex::new(known),
        }
    }

    /// A new code for a browser.
    pub fn code(&self, now: Instant) -> std::io::Result<String> {
        let code = random_digits(CODE_BYTES)?;
        let mut known = self.known();
        known.codes.retain(|(_, until)| *until > now);
        let surplus = (known.codes.len() + 1).saturating_sub(MOST_CODES);
        known.codes.drain(..surplus);
        known.codes.push((hash(&code), now + CODE_LIFE));
        Ok(code)
    }

    /// Takes a code, which is worth nothing from then on, and gives a cookie for it.
    pub fn redeem(&self, code: &str, now: Instant, at: Millis) -> std::io::Result<Option<String>> {
        let shown = hash(code);
        let mut known = self.known();
        known.codes.retain(|(_, until)| *until > now);
        let before = known.codes.len();
        known.codes.retain(|(kept, _)| *kept != shown);
        if known.codes.len() == before {
            return Ok(None);
        }
        let cookie = random_digits(COOKIE_BYTES)?;
        known.cookies.retain(|(_, until)| *until > at);
        let surplus = (known.cookies.len() + 1).saturating_sub(MOST_COOKIES);
        known.cookies.drain(..surplus);
        let until = at.plus(COOKIE_LIFE);
        known.cookies.push((hash(&cookie), until));
        write(&self.file, &known.cookies)?;
        Ok(Some(cookie))
    }

    /// Whether a browser with this cookie is in.
    pub fn knows(&self, cookie: &str, at: Millis) -> bool {
        let shown = hash(cookie);
        let known = self.known();
        // Every one is looked at, so that the time says nothing about which.
        let fits = |(kept, until): &(Hash, Millis)| *until > at && *kept == shown;
        known
            .cookies
            .iter()
            .fold(false, |found, one| found | fits(one))
    }

    /// Lets a browser out.
    pub fn end(&self, cookie: &str) -> std::io::Result<()> {
        let shown = hash(cookie);
        let mut known = self.known();
        let before = known.cookies.len();
        known.cookies.retain(|(kept, _)| *kept != shown);
        if known.cookies.len() == before {
            return Ok(());
        }
        write(&self.file, &known.cookies)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn hash(text: &str) -> Hash {
    blake3::hash(text.as_bytes())
}

/// A hash and the end of its time in milliseconds, a line each.
fn write(file: &Path, cookies: &[(Hash, Millis)]) -> std::io::Result<()> {
    let lines = cookies
        .iter()
        .map(|(hash, until)| format!("{} {}\n", hash.to_hex(), until.0));
    write_private(file, lines.collect::<String>().as_bytes())
}

fn read(path: &Path) -> std::io::Result<Vec<(Hash, Millis)>> {
    let file = match File::open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        file => file?,
    };
    let meta = file.metadata()?;
    if meta.mode() & 0o077 != 0 || meta.uid() != rustix::process::geteuid().as_raw() {
        let why = format!("`{}` is open to others", path.display());
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
    Ok(text.lines().filter_map(line).take(MOST_COOKIES).collect())
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
    fn a_code_is_good_once_and_for_two_minutes() {
        let dir = tempfile::tempdir().expect("a directory");
        let logins = logins(&dir);
        let now = Instant::now();
        let code = logins.code(now).expect("a code");
        assert_eq!(code.len(), 32, "128 bits in hexadecimal digits");
        let redeem = |code: &str, now| logins.redeem(code, now, NOON).expect("it can be kept");
        for wrong in ["", "0", &code[1..], &format!("{code}0"), &"0".repeat(32)] {
            assert_eq!(redeem(wrong, now), None, "{wrong:?}");
        }
        let cookie = redeem(&code, now).expect("a cookie");
        assert!(logins.knows(&cookie, NOON));
        assert_eq!(redeem(&code, now), None, "used");
        let late = logins.code(now).expect("a code");
        assert_eq!(redeem(&late, now + CODE_LIFE), None, "too late");
    }

    #[test]
    fn a_browser_stays_in_over_a_restart_until_it_goes_or_its_time_is_up() {
        let dir = tempfile::tempdir().expect("a directory");
        let now = Instant::now();
        let first = logins(&dir);
        let come_in = || {
            let code = first.code(now).expect("a code");
            let cookie = first.redeem(&code, now, NOON).expect("kept");
            cookie.expect("a cookie")
        };
        let (one, other) = (come_in(), come_in());
        let file = dir.path().join("logins");
        let text = std::fs::read_to_string(&file).expect("a file");
        assert!(!text.contains(&one) && !text.contains(&other));
        let mode = std::fs::metadata(&file).expect("a file").mode() & 0o777;
        assert_eq!(mode, 0o600);

        let second = logins(&dir);
        assert!(second.knows(&one, NOON) && second.knows(&other, NOON));
        assert!(!second.knows(&one, NOON.plus(COOKIE_LIFE)), "a month later");
        second.end(&one).expect("kept");
        assert!(!logins(&dir).knows(&one, NOON));
        assert!(logins(&dir).knows(&other, NOON));

        let open = std::fs::Permissions::from_mode(0o644);
        std::fs::set_permissions(&file, open).expect("changed");
        assert!(!logins(&dir).knows(&other, NOON), "others can read it");
    }

    #[test]
    fn neither_codes_nor_cookies_pile_up() {
        let dir = tempfile::tempdir().expect("a directory");
        let logins = logins(&dir);
        let now = Instant::now();
        let first = logins.code(now).expect("a code");
        for _ in 0..MOST_CODES {
            logins.code(now).expect("a code");
        }
        assert_eq!(logins.redeem(&first, now, NOON).expect("kept"), None);
        for _ in 0..MOST_COOKIES + 5 {
            let code = logins.code(now).expect("a code");
            logins.redeem(&code, now, NOON).expect("kept");
        }
        let text = std::fs::read_to_string(dir.path().join("logins")).expect("a file");
        assert_eq!(text.lines().count(), MOST_COOKIES);
        assert!(!format!("{logins:?}").contains(&text[..8]));
    }
}
