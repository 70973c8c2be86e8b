//! The names of files in a spool, and their order.

use std::time::{SystemTime, UNIX_EPOCH};

/// The file that records are appended to.
pub(crate) const ACTIVE: &str = "events.jsonl";
/// One line for each segment that was dropped.
pub(crate) const DROPPED: &str = "dropped";
/// Held by the one reader.
pub(crate) const READER_LOCK: &str = "reader.lock";
/// Where lines go that are no JSON.
pub(crate) const SET_ASIDE: &str = "set-aside";

const ENDING: &str = ".jsonl";
const UNFINISHED: &str = ".tmp";

/// What a file with records is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// One record with a file of its own.
    Own,
    /// A file that was the active one.
    Segment,
}

/// A file with records that nobody writes to any more. Ordered by time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Sealed {
    pub(crate) number: u64,
    pub(crate) kind: Kind,
    pub(crate) name: String,
}

impl Sealed {
    pub(crate) fn segment(number: u64) -> Self {
        Self {
            number,
            kind: Kind::Segment,
            name: format!("segment-{number:020}{ENDING}"),
        }
    }

    pub(crate) fn own(pid: u32, number: u64) -> Self {
        Self {
            number,
            kind: Kind::Own,
            name: format!("event-{pid}-{number:020}{ENDING}"),
        }
    }

    /// What `name` is; `None` for anything that is not ours.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let stem = name.strip_suffix(ENDING)?;
        let made = if let Some(number) = stem.strip_prefix("segment-") {
            Self::segment(number.parse().ok()?)
        } else {
            let (pid, number) = stem.strip_prefix("event-")?.split_once('-')?;
            Self::own(pid.parse().ok()?, number.parse().ok()?)
        };
        // Numbers can be written in many ways, and only one of them is ours.
        (made.name == name).then_some(made)
    }

    /// The name while the file is being written.
    pub(crate) fn unfinished(&self) -> String {
        format!(".{}{UNFINISHED}", self.name)
    }

    /// The file that `name` would have become.
    pub(crate) fn parse_unfinished(name: &str) -> Option<Self> {
        Self::parse(name.strip_prefix('.')?.strip_suffix(UNFINISHED)?)
    }
}

/// Nanoseconds since 1970, which fit until the year 2554.
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
            Sealed::segment(0),
            Sealed::segment(u64::MAX),
            Sealed::own(1, 7),
            Sealed::own(u32::MAX, now()),
        ] {
            assert_eq!(Sealed::parse(&sealed.name), Some(sealed.clone()));
            assert_eq!(Sealed::parse_unfinished(&sealed.unfinished()), Some(sealed));
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
            assert_eq!(Sealed::parse(name), None, "{name}");
        }
    }

    #[test]
    fn order_is_by_time_whatever_the_kind() {
        let mut all = [
            Sealed::segment(3),
            Sealed::own(9, 2),
            Sealed::segment(1),
            Sealed::own(1, 3),
        ];
        all.sort();
        let numbers: Vec<_> = all
            .iter()
            .map(|sealed| (sealed.number, sealed.kind))
            .collect();
        assert_eq!(
            numbers,
            [
                (1, Kind::Segment),
                (2, Kind::Own),
                (3, Kind::Own),
                (3, Kind::Segment)
            ]
        );
    }
}
