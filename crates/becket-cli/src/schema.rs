//! `becket schema`: prints the JSON Schema of `becket.toml`.

use crate::exit::Exit;
use crate::report::print_json;

pub(crate) fn main() -> anyhow::Result<Exit> {
    print_json(&becket_agents::config::schema())?;
    Ok(Exit::Success)
}
