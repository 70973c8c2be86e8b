//! The best of many.

/// The `most` pairs with the highest numbers, the highest first; equal ones in order of their slots.
pub(super) fn best(mut all: Vec<(usize, f32)>, most: usize) -> Vec<(usize, f32)> {
    let order = |a: &(usize, f32), b: &(usize, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if all.len() > most && most > 0 {
        all.select_nth_unstable_by(most - 1, order);
    }
    all.truncate(most);
    all.sort_by(order);
    all
}
