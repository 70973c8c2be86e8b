//! Sections, as many as there is room for.

use super::limits::Room;
use super::seen::Seen;

/// Something that is told or not, as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    /// By which it is not told again; `None` if it may be.
    pub(super) id: Option<String>,
    pub(super) text: String,
}

/// Items under a heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section {
    /// With the line breaks behind it.
    heading: String,
    /// Between items.
    gap: &'static str,
    /// Who gets room first: the lowest.
    rank: u8,
    items: Vec<Item>,
}

/// Between sections.
const BREAK: &str = "\n\n";

impl Section {
    /// A list: items in lines below each other.
    pub(super) fn list(heading: impl Into<String>, rank: u8, items: Vec<Item>) -> Self {
        Self {
            heading: heading.into(),
            gap: "\n",
            rank,
            items,
        }
    }

    /// Items with a blank line between them.
    pub(super) fn blocks(heading: impl Into<String>, rank: u8, items: Vec<Item>) -> Self {
        Self {
            gap: BREAK,
            ..Self::list(heading, rank, items)
        }
    }

    /// Leaves what there is room for.
    fn shrink(&mut self, room: &mut Room) {
        let (heading, gap) = (&self.heading, self.gap);
        let mut is_first = true;
        self.items.retain(|item| {
            let before = if is_first {
                [BREAK, heading.as_str()]
            } else {
                [gap, ""]
            };
            let fits = room.take(&[before[0], before[1], &item.text]);
            is_first &= !fits;
            fits
        });
    }

    fn text(&self) -> String {
        let items: Vec<&str> = self.items.iter().map(|item| item.text.as_str()).collect();
        format!("{}{}", self.heading, items.join(self.gap))
    }
}

/// The text of all sections that fit, with what they told noted; empty if nothing does.
pub(super) fn written(mut sections: Vec<Section>, mut room: Room, seen: &mut Seen) -> String {
    let mut by_rank: Vec<&mut Section> = sections.iter_mut().collect();
    by_rank.sort_by_key(|section| section.rank);
    for section in by_rank {
        section.shrink(&mut room);
    }
    sections.retain(|section| !section.items.is_empty());
    let items = sections.iter().flat_map(|section| &section.items);
    for id in items.filter_map(|item| item.id.as_deref()) {
        seen.add(id);
    }
    let texts: Vec<String> = sections.iter().map(Section::text).collect();
    texts.join(BREAK)
}
