//! Knowing quickly that no hook cares about an event.
//!
//! Most events concern nobody, and reading configuration is most of the work of finding that out.
//! So the events and matchers of all hooks are kept in a small file, together with the stamps of every
//! configuration file they came from (inode, size, times of change). While the stamps hold, an event
//! that no matcher wants needs no configuration at all. Anything else goes the long way: this file
//! can say "nobody", and nothing more.

use std::fmt::Write as _;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use becket_model::{
    Dialect, Event, HookSpec, Level, MatchStyle, Matcher, Source, Verdict, subject,
};

use crate::env::Home;
use crate::load::{Configuration, candidates};

/// The first line; another version of this program or of the format starts anew.
const HEAD: &str = concat!("becket-quick 2 ", env!("CARGO_PKG_VERSION"));

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
        let kind = event.kind();
        let mut hooks = lines.filter_map(|line| line.split_once('\t'));
        let wanted = hooks.any(|(name, rest)| name == kind.name() && wants(rest, event));
        Some(if wanted {
            Answer::Wanted
        } else {
            Answer::Nobody { recorded }
        })
    }

    /// Remembers what was loaded, unless a file is too fresh to be sure of its stamp.
    pub(crate) fn remember(&self, configuration: &Configuration) {
        let Some(stamps) = self.stamps(Some(SystemTime::now())) else {
            return;
        };
        let mut text = format!("{HEAD}\n{}\n{stamps}\n", self.key());
        text += if configuration.settings.record.unwrap_or(true) {
            "record\n"
        } else {
            "no record\n"
        };
        let loaded = &configuration.loaded;
        text.extend(loaded.hooks.iter().filter(|hook| hook.enabled).map(entry));
        let counting = loaded
            .broken
            .iter()
            .filter(|broken| broken.on_failure.verdict() > Verdict::NoOpinion);
        text.extend(counting.map(|broken| format!("{}\tany\n", broken.event.name())));
        // Not being able to remember costs time and nothing else.
        let _ = write_whole(&self.file(), &text);
    }

    fn key(&self) -> String {
        format!("{} {}", self.agent, self.root.display())
    }

    /// The stamps of all configuration files; `None` if one cannot be had, or changed just before `now`.
    fn stamps(&self, now: Option<SystemTime>) -> Option<String> {
        let mut all = String::with_capacity(256);
        for path in candidates(self.home, Some(self.root)) {
            match fs::metadata(&path) {
                Ok(meta) => {
                    let changed = UNIX_EPOCH
                        + Duration::from_secs(u64::try_from(meta.mtime().max(meta.ctime())).ok()?);
                    if now.is_some_and(|now| changed + SETTLED > now) {
                        return None;
                    }
                    let numbers = [meta.dev(), meta.ino(), meta.size()].map(u64::cast_signed);
                    let times = [
                        meta.mtime(),
                        meta.mtime_nsec(),
                        meta.ctime(),
                        meta.ctime_nsec(),
                    ];
                    for number in numbers.iter().chain(&times) {
                        let _ = write!(all, "{number}.");
                    }
                    all.push(' ');
                }
                Err(error) if is_absence(&error) => all.push_str("- "),
                Err(_) => return None,
            }
        }
        Some(all)
    }
}

/// Whole or not at all; it need not survive a power cut.
fn write_whole(path: &Path, text: &str) -> std::io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(dir)?;
    let temporary = path.with_extension(format!("new-{}", std::process::id()));
    fs::write(&temporary, text)?;
    fs::rename(temporary, path)
}

fn is_absence(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
    )
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
    let source = Source {
        level: Level::User,
        file: PathBuf::new(),
        line: 0,
        key: String::new(),
    };
    let mut hook = HookSpec::command("", dialect, event.kind(), "", source);
    hook.native_event = (!native.is_empty()).then(|| native.into());
    hook.matcher = Matcher::parse(parts.next()?, *style).ok()?;
    Some(!subject::passes(&hook, event))
}
