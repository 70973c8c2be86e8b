//! How many records a second the daemon makes durable, for eight clients at its socket, and what it holds meanwhile.
//!
//! `EVENTS` sets how many there are; `make soak` sends a million. Every one of them must be there at the end.
#![allow(missing_docs, clippy::print_stdout, reason = "a benchmark talks")]

#[path = "../tests/it/flood.rs"]
mod flood;

fn main() {
    let events = std::env::var("EVENTS").ok();
    let events: usize = events.and_then(|text| text.parse().ok()).unwrap_or(100_000);
    println!("events/s that eight clients saw kept on disk, by requests on their way at once:");
    for (window, events) in [(1, events / 20), (16, events / 4), (256, events)] {
        let it = flood::flood(window, events);
        let rate = f64::from(u32::try_from(it.sent).unwrap_or(u32::MAX)) / it.took.as_secs_f64();
        println!(
            "  {window:>4} {rate:>9.0}/s   {} events; {:.0} MB and {} open files half-way, {:.0} MB and {} at the end, and {} child processes",
            it.sent,
            it.first.memory,
            it.first.files,
            it.last.memory,
            it.last.files,
            it.last.children,
        );
    }
}
