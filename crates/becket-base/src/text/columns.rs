//! Truncates text by the columns that it takes on a terminal.

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A beginning that takes at most `max` columns.
pub fn prefix(text: &str, max: usize) -> &str {
    let mut kept = super::prefix_by(text, max, |c| c.width().unwrap_or(0));
    // A variation selector makes the character before it wider.
    while kept.width() > max {
        kept = &kept[..kept.char_indices().next_back().map_or(0, |(at, _)| at)];
    }
    kept
}

/// The text if it takes at most `max` columns, otherwise its beginning with an ellipsis: `max` columns in total.
pub fn ellipsize(text: &str, max: usize) -> Cow<'_, str> {
    if text.width() <= max {
        return Cow::Borrowed(text);
    }
    match max.checked_sub(1) {
        Some(room) => Cow::Owned(format!("{}…", prefix(text, room))),
        None => Cow::Borrowed(""),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(ellipsize("配置", 3), "配…");
        assert_eq!(ellipsize("配置", 4), "配置");
        assert_eq!(ellipsize("abc", 0), "");
        assert_eq!(prefix("a配b", 2), "a");
    }

    proptest! {
        #[test]
        fn truncated_text_fits(text in "[a-cäé配置❤👩\u{301}\u{fe0f}\u{200d}]{0,20}", max in 0_usize..30) {
            let short = ellipsize(&text, max);
            prop_assert!(short.width() <= max);
            prop_assert_eq!(ellipsize(&short, max), short.as_ref());
            prop_assert!(text.starts_with(prefix(&text, max)));
        }
    }
}
