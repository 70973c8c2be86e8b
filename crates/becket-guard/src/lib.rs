//! What a command, a path or a text would do or give away.
//!
//! Pure: facts are passed in, nothing here opens a file, reads the environment or starts a process.
//! Start at [`redact`], which keeps secrets out of everything that is written down.

pub mod redact;
