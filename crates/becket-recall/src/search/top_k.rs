//! Selects the top k of many.

/// The `most` pairs with the highest scores, highest first. Ties keep the order of the slots, so the input must be sorted by
/// slot.
pub(super) fn top_k(all: impl IntoIterator<Item = (usize, f32)>, most: usize) -> Vec<(usize, f32)> {
    let order = |a: &(usize, f32), b: &(usize, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if most == 0 {
        return Vec::new();
    }
    let mut kept: Vec<(usize, f32)> = Vec::with_capacity(4 * most);
    let mut least = f32::NEG_INFINITY;
    for one in all {
        // Fast path: most candidates end here.
        if one.1 <= least {
            continue;
        }
        if kept.len() == 4 * most {
            kept.select_nth_unstable_by(most - 1, order);
            kept.truncate(most);
            least = kept[most - 1].1;
            if one.1 <= least {
                continue;
            }
        }
        kept.push(one);
    }
    kept.sort_unstable_by(order);
    kept.truncate(most);
    kept
}

#[cfg(test)]
mod tests {
    use super::top_k;

    #[test]
    fn top_k_matches_a_full_sort() {
        for (count, most) in [
            (0, 3),
            (2, 3),
            (1000, 1),
            (1000, 7),
            (50, 0),
            (12, 3),
            (13, 3),
        ] {
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            let all: Vec<(usize, f32)> = (0..count)
                .map(|slot| (slot, (slot * 7919 % 101) as f32))
                .collect();
            let mut sorted = all.clone();
            sorted.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            sorted.truncate(most);
            assert_eq!(top_k(all, most), sorted, "{most} of {count}");
        }
    }
}
