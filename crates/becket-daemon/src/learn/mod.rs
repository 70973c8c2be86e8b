//! Learns memories from recorded sessions, in the background.
//!
//! One thread works through the queue of ended turns and sessions (`becket_learn`), and sleeps while the queue is empty.
//! The settings ([`LearningSettings`]) are loaded before each job. Start at [`LearningHandle`].

mod ended_queue;
mod handle;
mod request;
mod similarity;
mod store_access;
mod worker;

pub(crate) use ended_queue::EndedQueue;
pub use handle::{LearningHandle, LearningSettings, LearningSettingsLoader};
pub use request::{
    LearningError, LearningRequest, LearningResponse, LearningStatus, handle_offline,
};
pub(crate) use worker::LearnWorker;
