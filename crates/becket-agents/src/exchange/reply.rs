//! How a reply is printed.

use serde::Serialize;

/// A reply as one line of JSON; nothing if it says nothing.
pub(crate) fn line<Wire: Serialize + Default + PartialEq>(wire: &Wire) -> String {
    if *wire == Wire::default() {
        return String::new();
    }
    serde_json::to_string(wire).expect("a reply is strings, flags and JSON") + "\n"
}
