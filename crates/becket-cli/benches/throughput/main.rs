//! Measures how many records per second the daemon makes durable for eight clients at its socket, and its resources,
//! compared with the best that this machine's disk and SQLite can do.
//!
//! `EVENTS` sets the number of events; `make soak` sends a million. All of them must be stored at the end.
#![allow(missing_docs, clippy::print_stdout, reason = "a benchmark talks")]

mod bare;
#[path = "../../tests/it/flood.rs"]
mod flood;

use std::time::Duration;

fn main() {
    let events = std::env::var("EVENTS").ok();
    let events: usize = events.and_then(|text| text.parse().ok()).unwrap_or(100_000);
    println!(
        "events/s that the daemon acknowledges to eight clients, by unanswered requests per client, compared with one thread that only inserts the same lines into an empty table:"
    );
    for (window, events) in [(1, events / 20), (16, events / 4), (256, events)] {
        let bare = bare::write_lines(window, events.min(100_000));
        let it = flood::flood(window, events);
        let rate = per_second(it.sent, it.took);
        println!(
            "  {window:>4} {rate:>9.0}/s = {:.2} x {bare:.0}/s   {} events; {:.0} MB and {} open files half-way, {:.0} MB and {} at the end, and {} child processes",
            rate / bare,
            it.sent,
            it.first.memory,
            it.first.files,
            it.last.memory,
            it.last.files,
            it.last.children,
        );
    }
}

#[expect(clippy::cast_precision_loss, reason = "a rate is no exact number")]
fn per_second(events: usize, took: Duration) -> f64 {
    events as f64 / took.as_secs_f64()
}
