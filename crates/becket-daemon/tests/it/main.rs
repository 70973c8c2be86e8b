//! The daemon from outside.
mod otlp;
