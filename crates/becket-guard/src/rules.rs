//! Every rule and pack, from the tables below `data/`.

use crate::rule::{Pack, Rule, Severity};

include!(concat!(env!("OUT_DIR"), "/rules.rs"));
