//! Tests of the guard's public interface.

mod analysis_corpus;
mod bash;
mod bash_execution;
mod bounds;
mod corpus;
mod data_files;
mod guard;
mod must_deny;
mod policy;
mod redact_false_positives;
mod redact_json;
mod redact_properties;
mod redact_text;
mod samples;
mod shell_properties;
mod verdicts;
