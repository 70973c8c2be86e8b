//! The hooks from outside: an entry as people write it, an event, and what there is afterwards.

mod commit;
mod desktop;
mod documents;
mod format;
mod log;
mod notify;
mod options;
mod receiver;
mod sound;
mod stage;
mod together;
mod world;
