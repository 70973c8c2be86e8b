//! `becket sessions` and `becket session`: recorded sessions as a list and as a timeline.

mod list;
mod timeline;

pub(crate) use list::{SessionsArgs, main as list};
pub(crate) use timeline::{SessionArgs, main as show, render_session};
