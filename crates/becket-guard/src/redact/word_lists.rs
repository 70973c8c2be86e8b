//! Word lists that distinguish names of secrets from names about secrets, and values from ordinary words
//! (`data/secret-words.toml`).

include!(concat!(env!("OUT_DIR"), "/secret_words.rs"));
