//! The hooks from outside: a configuration entry, an event, and its effects.

mod commit;
mod desktop;
mod documents;
mod format;
mod log;
mod notify;
mod options;
mod sound;
mod stage;
mod together;
mod world;
