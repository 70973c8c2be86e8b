//! Fits sections into the available space and renders them.

use super::injected_ids::InjectedIds;
use super::limits::RemainingSpace;

/// An item that is injected as a whole or not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SectionItem {
    /// The id for deduplication; `None` if it may repeat.
    pub(super) id: Option<String>,
    pub(super) text: String,
}

/// Items under a heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ContextSection {
    /// Including the line breaks after it.
    heading: String,
    /// The separator of items.
    gap: &'static str,
    /// The priority for space; lower comes first.
    rank: u8,
    items: Vec<SectionItem>,
}

/// The separator of sections.
const BREAK: &str = "\n\n";

impl ContextSection {
    /// Items on consecutive lines.
    pub(super) fn list(heading: impl Into<String>, rank: u8, items: Vec<SectionItem>) -> Self {
        Self {
            heading: heading.into(),
            gap: "\n",
            rank,
            items,
        }
    }

    /// Items separated by blank lines.
    pub(super) fn blocks(heading: impl Into<String>, rank: u8, items: Vec<SectionItem>) -> Self {
        Self {
            gap: BREAK,
            ..Self::list(heading, rank, items)
        }
    }

    /// Drops items that do not fit.
    fn fit(&mut self, space: &mut RemainingSpace) {
        let (heading, gap) = (&self.heading, self.gap);
        let mut is_first = true;
        self.items.retain(|item| {
            let before = if is_first {
                [BREAK, heading.as_str()]
            } else {
                [gap, ""]
            };
            let fits = space.take(&[before[0], before[1], &item.text]);
            is_first &= !fits;
            fits
        });
    }

    fn text(&self) -> String {
        let items: Vec<&str> = self.items.iter().map(|item| item.text.as_str()).collect();
        format!("{}{}", self.heading, items.join(self.gap))
    }
}

/// Renders the sections that fit and records their ids; empty if nothing fits.
pub(super) fn render_sections(
    mut sections: Vec<ContextSection>,
    mut space: RemainingSpace,
    injected: &mut InjectedIds,
) -> String {
    let mut by_rank: Vec<&mut ContextSection> = sections.iter_mut().collect();
    by_rank.sort_by_key(|section| section.rank);
    for section in by_rank {
        section.fit(&mut space);
    }
    sections.retain(|section| !section.items.is_empty());
    let items = sections.iter().flat_map(|section| &section.items);
    for id in items.filter_map(|item| item.id.as_deref()) {
        injected.add(id);
    }
    let texts: Vec<String> = sections.iter().map(ContextSection::text).collect();
    texts.join(BREAK)
}
