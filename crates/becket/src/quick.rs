//! Knowing quickly that no hook cares about an event.
//!
//! Most events concern nobody, and reading configuration is most of the work of finding that out.
//! So the events and matchers of all hooks are kept in a small file, together with the stamps of every
//! configuration file they came from (inode, size, times of change). While the stamps hold, an event
//! that no matcher wants needs no configuration at all. Anything else goes the long way: this file
//! can say "nobody", and nothing more.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use becket_guard::redact::redact_text;
use becket_model::subject::{self, Sieve};
use becket_model::{Dialect, Event, HookSpec, MatchStyle, Matcher, Verdict};
use rustix::fs::{AtFlags, Mode, OFlags, Stat, open, openat, statat};
use rustix::io::Errno;
use serde_json::Value;

use crate::env::Home;
use crate::load::{Configuration, Place, places};

/// The first line; another version of this program or of the format starts anew.
const HEAD: &str = concat!("becket-quick 5 ", env!("CARGO_PKG_VERSION"));

/// How a line begins that has a pattern of the person's own. No event is called so.
const OWN: &str = "redact\t";

/// A file that changed this recently may change again within the same tick of its clock.
const SETTLED: Duration = Duration::from_secs(2);

/// What the file knows about an event.
pub(crate) enum Answer {
    /// Nothing: it is missing or out of date.
    Unknown,
    /// Some hook may want it.
    Wanted,
    /// No hook wants it.
    Nobody {
        /// Whether events are recorded.
        recorded: bool,
        /// Whether agents are told what is known.
        recall: bool,
        /// What of them is secret to the person.
        redact: Vec<String>,
    },
}

/// What is known about one agent in one project.
pub(crate) struct Quick<'a> {
    home: &'a Home,
    root: &'a Path,
    agent: &'a str,
}

impl<'a> Quick<'a> {
    pub(crate) fn new(home: &'a Home, root: &'a Path, agent: &'a str) -> Self {
        Self { home, root, agent }
    }

    fn file(&self) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        (self.root, self.agent, &self.home.user).hash(&mut hasher);
        self.home
            .state
            .join("quick")
            .join(format!("{:016x}", hasher.finish()))
    }

    /// Asks whether any hook wants an event.
    pub(crate) fn ask(&self, event: &Event) -> Answer {
        self.look_up(event).unwrap_or(Answer::Unknown)
    }

    fn look_up(&self, event: &Event) -> Option<Answer> {
        let text = fs::read_to_string(self.file()).ok()?;
        let mut lines = text.lines();
        let known = lines.next()? == HEAD
            && lines.next()? == self.key()
            && lines.next()? == self.stamps(None)?;
        if !known {
            return None;
        }
        let recorded = lines.next()? == "record";
        let recall = lines.next()? == "recall";
        let own = lines.clone().filter_map(|line| line.strip_prefix(OWN));
        let redact: Option<Vec<String>> = own.map(|it| serde_json::from_str(it).ok()).collect();
        let redact = redact?;
        let kind = event.kind();
        let mut hooks = lines.filter_map(|line| line.split_once('\t'));
        let wanted = hooks.any(|(name, rest)| name == kind.name() && wants(rest, event));
        Some(if wanted {
            Answer::Wanted
        } else {
            Answer::Nobody {
                recorded,
                recall,
                redact,
            }
        })
    }

    /// Remembers what was loaded, unless a file is too fresh to be sure of its stamp or the directory's name holds a secret.
    pub(crate) fn remember(&self, configuration: &Configuration) {
        let key = self.key();
        // What an agent calls its directory is whatever it was told.
        if redact_text(&key) != key {
            return;
        }
        let Some(stamps) = self.stamps(Some(SystemTime::now())) else {
            return;
        };
        let mut text = format!("{HEAD}\n{key}\n{stamps}\n");
        text += if configuration.settings.record.unwrap_or(true) {
            "record\n"
        } else {
            "no record\n"
        };
        text += if configuration.settings.recall.enabled.unwrap_or(true) {
            "recall\n"
        } else {
            "no recall\n"
        };
        for pattern in &configuration.settings.redact {
            // Written as JSON, a pattern has no line breaks.
            let _ = writeln!(text, "{OWN}{}", Value::from(pattern.as_str()));
        }
        let loaded = &configuration.loaded;
        let hooks = loaded.hooks.iter().filter(|hook| hook.enabled).map(entry);
        let counting = loaded
            .broken
            .iter()
            .filter(|broken| broken.on_failure.verdict() > Verdict::NoOpinion);
        let counting = counting.map(|broken| format!("{}\tany\n", broken.event.name()));
        // Many hooks have the same matcher.
        text.extend(hooks.chain(counting).collect::<BTreeSet<String>>());
        // Not being able to remember costs time and nothing else.
        let _ = write_whole(&self.file(), &text);
    }

    fn key(&self) -> String {
        format!("{} {}", self.agent, self.root.display())
    }

    /// The stamps of all configuration files; `None` if one cannot be had, or changed just before `now`.
    fn stamps(&self, now: Option<SystemTime>) -> Option<String> {
        let mut stamps = Stamps {
            text: String::with_capacity(512),
            now,
        };
        for place in places(self.home, Some(self.root)) {
            stamps.place(&place)?;
        }
        Some(stamps.text)
    }
}

/// Stamps on their way into one line.
struct Stamps {
    text: String,
    now: Option<SystemTime>,
}

impl Stamps {
    /// Files are looked up from their directory: twenty whole paths would cost more to write down
    /// than to look at.
    fn place(&mut self, place: &Place<'_>) -> Option<()> {
        let dir = match open(place.base, HERE, Mode::empty()) {
            Ok(dir) => dir,
            Err(error) if is_absence(error) => {
                self.text.push_str("-- ");
                return Some(());
            }
            Err(_) => return None,
        };
        for (file, _, _) in place.files {
            self.file(statat(&dir, *file, AtFlags::empty()))?;
        }
        match place
            .directory
            .map(|name| openat(&dir, name, HERE, Mode::empty()))
        {
            None => Some(()),
            Some(Err(error)) if is_absence(error) => Some(()),
            Some(Err(_)) => None,
            Some(Ok(_)) => place.listed().try_for_each(|path| {
                self.text.push_str(&path.to_string_lossy());
                self.file(rustix::fs::stat(&path))
            }),
        }
    }

    fn file(&mut self, stat: Result<Stat, Errno>) -> Option<()> {
        let stat = match stat {
            Ok(stat) => stat,
            Err(error) if is_absence(error) => {
                self.text.push_str("- ");
                return Some(());
            }
            Err(_) => return None,
        };
        let changed = stat.st_mtime.max(stat.st_ctime);
        let changed = UNIX_EPOCH + Duration::from_secs(u64::try_from(changed).ok()?);
        if self.now.is_some_and(|now| changed + SETTLED > now) {
            return None;
        }
        let _ = write!(
            self.text,
            "{}.{}.{}.{}.{}.{}.{} ",
            stat.st_dev,
            stat.st_ino,
            stat.st_size,
            stat.st_mtime,
            stat.st_mtime_nsec,
            stat.st_ctime,
            stat.st_ctime_nsec
        );
        Some(())
    }
}

/// A directory to look things up in.
const HERE: OFlags = LOOK.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(target_os = "linux")]
const LOOK: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const LOOK: OFlags = OFlags::RDONLY;

/// As many files are kept. Agents work in directories that are there for an hour, and nobody tells when they are gone.
const MOST: usize = 512;

/// Forgets all that was remembered once there is too much of it: what is still needed is remembered again.
fn make_room(dir: &Path) {
    let files: Vec<_> = fs::read_dir(dir).into_iter().flatten().flatten().collect();
    if files.len() >= MOST {
        for file in files {
            let _ = fs::remove_file(file.path());
        }
    }
}

/// Whole or not at all; it need not survive a power cut.
fn write_whole(path: &Path, text: &str) -> std::io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(dir)?;
    if !path.exists() {
        make_room(dir);
    }
    let temporary = path.with_extension(format!("new-{}", std::process::id()));
    fs::write(&temporary, text)?;
    fs::rename(temporary, path)
}

fn is_absence(error: Errno) -> bool {
    matches!(error, Errno::NOENT | Errno::NOTDIR)
}

const STYLES: [(&str, MatchStyle); 4] = [
    ("names", MatchStyle::Names),
    ("search", MatchStyle::Search),
    ("whole", MatchStyle::Whole),
    ("exact", MatchStyle::Exact),
];

/// What decides whether a hook's matcher lets an event through, on one line.
fn entry(hook: &HookSpec) -> String {
    let native = hook.native_event.as_deref().unwrap_or_default();
    let (event, pattern) = (hook.event.name(), hook.matcher.pattern());
    if [event, native, pattern]
        .iter()
        .any(|text| text.contains(['\n', '\r', '\t']))
    {
        return format!("{event}\tany\n");
    }
    let style = STYLES
        .iter()
        .find(|(_, style)| *style == hook.matcher.style())
        .map_or("any", |(name, _)| name);
    format!(
        "{event}\t{style}\t{}\t{native}\t{pattern}\n",
        hook.dialect.name()
    )
}

/// Whether a hook with such an entry may want the event; when in doubt, it does.
fn wants(rest: &str, event: &Event) -> bool {
    refuses(rest, event) != Some(true)
}

fn refuses(rest: &str, event: &Event) -> Option<bool> {
    let mut parts = rest.splitn(4, '\t');
    let word = parts.next()?;
    let (_, style) = STYLES.iter().find(|(name, _)| *name == word)?;
    let dialect = Dialect::parse(parts.next()?)?;
    let native = parts.next()?;
    let matcher = Matcher::parse(parts.next()?, *style).ok()?;
    let sieve = Sieve {
        dialect,
        native_event: (!native.is_empty()).then_some(native),
        matcher: &matcher,
    };
    Some(!subject::passes(sieve, event))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home_in(dir: &Path) -> Home {
        Home {
            user: dir.join("user"),
            config: dir.join("config"),
            state: dir.join("state"),
            claude: dir.join("claude"),
        }
    }

    #[test]
    fn not_every_directory_that_ever_was_is_remembered() {
        let dir = tempfile::tempdir().expect("a directory");
        let home = home_in(dir.path());
        for number in 0..2 * MOST {
            let root = format!("/nowhere/{number}");
            let quick = Quick::new(&home, Path::new(&root), "claude");
            quick.remember(&Configuration::default());
            assert!(quick.file().exists(), "{number}");
        }
        let kept = fs::read_dir(home.state.join("quick")).expect("there");
        assert!(kept.count() <= MOST);
    }

    #[test]
    fn no_directory_is_remembered_whose_name_holds_a_secret() {
        let dir = tempfile::tempdir().expect("a directory");
        let home = home_in(dir.path());
        let is_remembered = |root: &str| {
            let quick = Quick::new(&home, Path::new(root), "claude");
            quick.remember(&Configuration::default());
            quick.file().exists()
        };
        assert!(is_remembered("/nowhere/shop"));
        let secret = concat!("gh", "p_Qm7Zt1Xv9Kc3Wb5Rn8Ls2Hd6Fg4Jp0Ya1TuE");
        assert!(!is_remembered(&format!("/nowhere/{secret}/shop")));
    }
}
