//! The matcher cache: answers "no hook matches this event" without reading configuration.
//!
//! Most events match no hook, and reading configuration is most of the work of finding that out. The cache file
//! holds the events and matchers of all hooks, with a stamp (inode, size, times of change) of every configuration
//! file they came from. While the stamps are valid, an event without a matching entry needs no configuration at
//! all. For any other event the pipeline loads the configuration: the only final answer of the cache is
//! [`Lookup::NoHooks`].

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use becket_base::fs::{FileSync, write_private};
use becket_guard::redact::redact_text;
use becket_model::subject::{self, HookSelector};
use becket_model::{Dialect, Event, HookSpec, MatchStyle, Matcher, Verdict};
use rustix::fs::{AtFlags, Mode, OFlags, Stat, open, openat, statat};
use rustix::io::Errno;
use serde_json::Value;

use super::RecordPolicy;
use crate::env::Home;
use crate::load::{ConfigLocation, Configuration, HookFile, config_locations};

/// The directory below the state directory.
const CACHE_DIR: &str = "matcher-cache";

/// The first line. A file of another version of the program or the format is ignored and rewritten.
const HEADER: &str = concat!("becket-matcher-cache 6 ", env!("CARGO_PKG_VERSION"));

/// Prefix of a line with a redaction pattern of the user. No event has this name.
const REDACT_PREFIX: &str = "redact\t";

/// A file that changed this recently may change again within the resolution of its timestamps, so it is not cached.
const MIN_FILE_AGE: Duration = Duration::from_secs(2);

/// The answer of the cache for one event.
pub(super) enum Lookup {
    /// The cache file is missing or out of date.
    Unknown,
    /// A hook may match. These are the configuration files that exist.
    Hooks(Vec<HookFile>),
    /// No hook matches.
    NoHooks(RecordPolicy),
}

/// The cache file of one agent in one project.
pub(super) struct MatcherCache<'a> {
    home: &'a Home,
    root: &'a Path,
    agent: &'a str,
}

impl<'a> MatcherCache<'a> {
    pub(super) fn new(home: &'a Home, root: &'a Path, agent: &'a str) -> Self {
        Self { home, root, agent }
    }

    fn file(&self) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        (self.root, self.agent, &self.home.user).hash(&mut hasher);
        self.home
            .state
            .join(CACHE_DIR)
            .join(format!("{:016x}", hasher.finish()))
    }

    /// Whether any hook matches the event or one of the file changes derived from it.
    pub(super) fn lookup_all(&self, event: &Event, changes: &[Event]) -> Lookup {
        let lookup = self.lookup(event);
        if !matches!(lookup, Lookup::NoHooks(_)) {
            return lookup;
        }
        let mut of_changes = changes.iter().map(|change| self.lookup(change));
        of_changes
            .find(|of_change| matches!(of_change, Lookup::Hooks(_)))
            .unwrap_or(lookup)
    }

    fn lookup(&self, event: &Event) -> Lookup {
        self.read(event).unwrap_or(Lookup::Unknown)
    }

    fn read(&self, event: &Event) -> Option<Lookup> {
        let text = fs::read_to_string(self.file()).ok()?;
        let mut lines = text.lines();
        if lines.next()? != HEADER || lines.next()? != self.key() {
            return None;
        }
        let stamps = self.stamps(None)?;
        if lines.next()? != stamps.text {
            return None;
        }
        let should_record = lines.next()? == "record";
        let recall = lines.next()? == "recall";
        let patterns = lines
            .clone()
            .filter_map(|line| line.strip_prefix(REDACT_PREFIX));
        let redact: Option<Vec<String>> =
            patterns.map(|it| serde_json::from_str(it).ok()).collect();
        let redact = redact?;
        let kind = event.kind();
        let mut hooks = lines.filter_map(|line| line.split_once('\t'));
        let matches = hooks.any(|(name, rest)| name == kind.name() && may_match(rest, event));
        Some(if matches {
            Lookup::Hooks(stamps.files)
        } else {
            Lookup::NoHooks(RecordPolicy {
                should_record,
                recall,
                redact,
            })
        })
    }

    /// Writes the cache file, unless a configuration file changed too recently for its stamp to be reliable, or the
    /// directory's name contains a secret.
    pub(super) fn store(&self, configuration: &Configuration) {
        let key = self.key();
        // An agent can report any text as its directory.
        if redact_text(&key) != key {
            return;
        }
        let Some(stamps) = self.stamps(Some(SystemTime::now())) else {
            return;
        };
        let mut text = format!("{HEADER}\n{key}\n{}\n", stamps.text);
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
            let _ = writeln!(text, "{REDACT_PREFIX}{}", Value::from(pattern.as_str()));
        }
        let loaded = &configuration.loaded;
        let hooks = loaded.hooks.iter().filter(|hook| hook.enabled).map(entry);
        let broken = loaded
            .broken
            .iter()
            .filter(|broken| broken.on_failure.verdict() > Verdict::NoOpinion);
        let broken = broken.map(|broken| format!("{}\tany\n", broken.event.name()));
        // Many hooks have the same matcher.
        text.extend(hooks.chain(broken).collect::<BTreeSet<String>>());
        let file = self.file();
        if let Some(dir) = file.parent().filter(|_| !file.exists()) {
            evict(dir);
        }
        // A failed write costs time and nothing else.
        let _ = write_private(&file, text.as_bytes(), FileSync::Skip);
    }

    fn key(&self) -> String {
        format!("{} {}", self.agent, self.root.display())
    }

    /// The stamps of all configuration files; `None` if a file cannot be inspected or changed just before `now`.
    fn stamps(&self, now: Option<SystemTime>) -> Option<StampLine> {
        let mut stamps = StampLine {
            text: String::with_capacity(512),
            files: Vec::new(),
            now,
        };
        for location in config_locations(self.home, Some(self.root)) {
            stamps.add_location(&location)?;
        }
        Some(stamps)
    }
}

/// Builds the line of stamps.
struct StampLine {
    text: String,
    /// The configuration files that exist.
    files: Vec<HookFile>,
    now: Option<SystemTime>,
}

impl StampLine {
    /// Looks files up relative to their open directory: building twenty absolute paths would cost more than the
    /// lookups.
    fn add_location(&mut self, location: &ConfigLocation<'_>) -> Option<()> {
        let dir = match open(location.base, DIRECTORY_FLAGS, Mode::empty()) {
            Ok(dir) => dir,
            Err(error) if is_not_found(error) => {
                self.text.push_str("-- ");
                return Some(());
            }
            Err(_) => return None,
        };
        for file in location.files {
            if self.add_file(statat(&dir, file.0, AtFlags::empty()))? {
                self.files.push(location.named_file(file));
            }
        }
        match location
            .directory
            .map(|name| openat(&dir, name, DIRECTORY_FLAGS, Mode::empty()))
        {
            None => Some(()),
            Some(Err(error)) if is_not_found(error) => Some(()),
            Some(Err(_)) => None,
            Some(Ok(_)) => location.listed().try_for_each(|path| {
                self.text.push_str(&path.to_string_lossy());
                if self.add_file(rustix::fs::stat(&path))? {
                    self.files.push(location.listed_file(path));
                }
                Some(())
            }),
        }
    }

    /// Whether the file exists; `None` if it has no reliable stamp.
    fn add_file(&mut self, stat: Result<Stat, Errno>) -> Option<bool> {
        let stat = match stat {
            Ok(stat) => stat,
            Err(error) if is_not_found(error) => {
                self.text.push_str("- ");
                return Some(false);
            }
            Err(_) => return None,
        };
        let changed = stat.st_mtime.max(stat.st_ctime);
        let changed = UNIX_EPOCH + Duration::from_secs(u64::try_from(changed).ok()?);
        if self.now.is_some_and(|now| changed + MIN_FILE_AGE > now) {
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
        Some(true)
    }
}

/// Opens a directory for lookups only.
const DIRECTORY_FLAGS: OFlags = LOOKUP_FLAG.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(target_os = "linux")]
const LOOKUP_FLAG: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const LOOKUP_FLAG: OFlags = OFlags::RDONLY;

/// How many cache files are kept. Agents work in short-lived directories, and Becket is not notified when one is
/// deleted.
const MAX_FILES: usize = 512;

/// Deletes all cache files once there are too many; the ones still in use are written again.
fn evict(dir: &Path) {
    let files: Vec<_> = fs::read_dir(dir).into_iter().flatten().flatten().collect();
    if files.len() >= MAX_FILES {
        for file in files {
            let _ = fs::remove_file(file.path());
        }
    }
}

fn is_not_found(error: Errno) -> bool {
    matches!(error, Errno::NOENT | Errno::NOTDIR)
}

const STYLES: [(&str, MatchStyle); 4] = [
    ("names", MatchStyle::Names),
    ("search", MatchStyle::Search),
    ("whole", MatchStyle::Whole),
    ("exact", MatchStyle::Exact),
];

/// One line with everything that decides whether a hook's matcher accepts an event.
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

/// Whether a hook with this entry may match the event. An unreadable entry may match.
fn may_match(rest: &str, event: &Event) -> bool {
    is_rejected(rest, event) != Some(true)
}

fn is_rejected(rest: &str, event: &Event) -> Option<bool> {
    let mut parts = rest.splitn(4, '\t');
    let style_name = parts.next()?;
    let (_, style) = STYLES.iter().find(|(name, _)| *name == style_name)?;
    let dialect = Dialect::parse(parts.next()?)?;
    let native = parts.next()?;
    let matcher = Matcher::parse(parts.next()?, *style).ok()?;
    let sieve = HookSelector {
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
    fn cache_files_are_bounded() {
        let dir = tempfile::tempdir().expect("a directory");
        let home = home_in(dir.path());
        for number in 0..2 * MAX_FILES {
            let root = format!("/nowhere/{number}");
            let cache = MatcherCache::new(&home, Path::new(&root), "claude");
            cache.store(&Configuration::default());
            assert!(cache.file().exists(), "{number}");
        }
        let files = fs::read_dir(home.state.join(CACHE_DIR)).expect("there");
        assert!(files.count() <= MAX_FILES);
    }

    #[test]
    fn directories_with_a_secret_in_their_name_are_not_cached() {
        let dir = tempfile::tempdir().expect("a directory");
        let home = home_in(dir.path());
        let is_cached = |root: &str| {
            let cache = MatcherCache::new(&home, Path::new(root), "claude");
            cache.store(&Configuration::default());
            cache.file().exists()
        };
        assert!(is_cached("/nowhere/shop"));
        let secret = concat!("gh", "p_Qm7Zt1Xv9Kc3Wb5Rn8Ls2Hd6Fg4Jp0Ya1TuE");
        assert!(!is_cached(&format!("/nowhere/{secret}/shop")));
    }
}
