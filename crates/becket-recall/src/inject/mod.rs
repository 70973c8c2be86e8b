//! Context injection: what an agent gets to read, and when.
//!
//! At session start the agent gets counts, recent sessions and memories; with a prompt, relevant code and memories of high
//! confidence; after a file tool, memories about that file. Nothing is injected twice, beyond the agent's limit, or without
//! relevance.
//!
//! Injected text is untrusted: agents, tools and file authors wrote it. It is framed by markers that declare it reference
//! data, no text can forge the end marker, and quarantined memories (possible prompt injection) are never injected. When a
//! client records a payload, [`strip_injected`] removes the framed text.
//!
//! Injection is a pure function of [`KnowledgeSource`], [`InjectionLimits`] and [`InjectedIds`]; only [`StoreKnowledge`]
//! queries a database. The formats in `lines` and `code` are parsed again by [`without_memory`]. Start at
//! [`Injector::inject`].

mod code;
mod context_limit;
mod injected_ids;
mod injector;
mod knowledge;
mod limits;
mod lines;
mod sanitize;
mod sections;
mod trigger;

pub use becket_store::{INJECTED_BEGIN, INJECTED_END, strip_injected};
pub use context_limit::context_limit;
pub use injected_ids::InjectedIds;
pub use injector::{Injection, Injector};
pub use knowledge::{KnowledgeCounts, KnowledgeSource, PastSession, StoreKnowledge};
pub use limits::InjectionLimits;
pub use lines::without_memory;
pub use trigger::{InjectionTrigger, StartSource};

#[cfg(test)]
mod tests;
