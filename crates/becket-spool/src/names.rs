//! The names of files in a spool, and their order.

use std::time::{SystemTime, UNIX_EPOCH};

/// The file that records are appended to.
pub(crate) const ACTIVE: &str = "events.jsonl";
/// One line per dropped segment.
pub(crate) const DROPPED: &str = "dropped";
/// Held by the one reader.
pub(crate) const READER_LOCK: &str = "reader.lock";
/// The directory of quarantined lines.
pub(crate) const QUARANTINE_DIR: &str = "set-aside";

const ENDING: &str = ".jsonl";
const UNFINISHED: &str = ".tmp";

/// The kind of a sealed file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SealedKind {
    /// One record in its own file.
    SingleRecord,
    /// A rotated active file.
    Segment,
}

/// A file that is no longer written to. Ordered by time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SealedFile {
    pub(crate) number: u64,
    pub(crate) kind: SealedKind,
    pub(crate) name: String,
}

impl SealedFile {
    pub(crate) fn segment(number: u64) -> Self {
        Self {
            number,
            kind: SealedKind::Segment,
            name: format!("segment-{number:020}{ENDING}"),
        }
    }

    pub(crate) fn single_record(pid: u32, number: u64) -> Self {
        Self {
            number,
            kind: SealedKind::SingleRecord,
            name: format!("event-{pid}-{number:020}{ENDING}"),
        }
    }

    /// Parses a file name; `None` if it is not the spool's.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let stem = name.strip_suffix(ENDING)?;
        let made = if let Some(number) = stem.strip_prefix("segment-") {
            Self::segment(number.parse().ok()?)
        } else {
            let (pid, number) = stem.strip_prefix("event-")?.split_once('-')?;
            Self::single_record(pid.parse().ok()?, number.parse().ok()?)
        };
        // Accept only the canonical spelling of a number.
        (made.name == name).then_some(made)
    }

    /// The temporary name while the file is being written.
    pub(crate) fn unfinished(&self) -> String {
        format!(".{}{UNFINISHED}", self.name)
    }

    /// Parses a temporary name.
    pub(crate) fn parse_unfinished(name: &str) -> Option<Self> {
        Self::parse(name.strip_prefix('.')?.strip_suffix(UNFINISHED)?)
    }
}

/// Nanoseconds since 1970; valid until the year 2554.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_survive_being_parsed() {
        for sealed in [
            SealedFile::segment(0),
            SealedFile::segment(u64::MAX),
            SealedFile::single_record(1, 7),
            SealedFile::single_record(u32::MAX, now()),
        ] {
            assert_eq!(SealedFile::parse(&sealed.name), Some(sealed.clone()));
            assert_eq!(
                SealedFile::parse_unfinished(&sealed.unfinished()),
                Some(sealed)
            );
        }
    }

    #[test]
    fn foreign_names_are_not_ours() {
        for name in [
            "events.jsonl",
            "dropped",
            "segment-.jsonl",
            "segment-1.jsonl",
            "segment-00000000000000000001.json",
            "segment-+0000000000000000001.jsonl",
            "segment-99999999999999999999.jsonl",
            "event-1.jsonl",
            "event-01-00000000000000000001.jsonl",
            "event--00000000000000000001.jsonl",
            "",
            ".jsonl",
            "notes.txt",
            "segment-00000000000000000001.jsonl~",
        ] {
            assert_eq!(SealedFile::parse(name), None, "{name}");
        }
    }

    #[test]
    fn order_is_by_time_whatever_the_kind() {
        let mut all = [
            SealedFile::segment(3),
            SealedFile::single_record(9, 2),
            SealedFile::segment(1),
            SealedFile::single_record(1, 3),
        ];
        all.sort();
        let numbers: Vec<_> = all
            .iter()
            .map(|sealed| (sealed.number, sealed.kind))
            .collect();
        assert_eq!(
            numbers,
            [
                (1, SealedKind::Segment),
                (2, SealedKind::SingleRecord),
                (3, SealedKind::SingleRecord),
                (3, SealedKind::Segment)
            ]
        );
    }
}
