//! `becket sessions` and `becket session`: what agents did, from the database.

mod list;
mod timeline;

pub(crate) use list::{SessionsArgs, main as list};
pub(crate) use timeline::{SessionArgs, main as show, story};
