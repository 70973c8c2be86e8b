//! The [`Hook`] trait, and [`FnHook`] for closures.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use async_trait::async_trait;
use becket_model::{EventKind, FailureKind, HookOutcome, HookRun, HookSpec};
use regex::Regex;

use crate::error::{Error, Result};
use crate::input::{HookContext, HookInput};
use crate::output::HookOutput;

/// The name of an event; parses every spelling.
pub type HookEvent = EventKind;

/// A hook: it observes events and can decide on them.
///
/// ```
/// use async_trait::async_trait;
/// use becket_runner::{Hook, HookContext, HookEvent, HookInput, HookManager, HookOutput, Result};
///
/// struct NoForcePush;
///
/// #[async_trait]
/// impl Hook for NoForcePush {
///     fn name(&self) -> &str {
///         "no-force-push"
///     }
///     fn events(&self) -> &[HookEvent] {
///         &[HookEvent::PreToolUse]
///     }
///     async fn execute(&self, input: HookInput, _ctx: &HookContext) -> Result<HookOutput> {
///         let command = input.data.tool_input().and_then(|input| input["command"].as_str());
///         Ok(match command {
///             Some(command) if command.contains("--force") => HookOutput::block("use --force-with-lease"),
///             _ => HookOutput::allow(),
///         })
///     }
/// }
///
/// # futures_lite::future::block_on(async {
/// let mut manager = HookManager::new();
/// manager.register(NoForcePush);
/// let input = HookInput::pre_tool_use("s1", "Bash", serde_json::json!({"command": "git push --force"}));
/// let output = manager.execute(HookEvent::PreToolUse, input, &HookContext::new("s1")).await?;
/// assert_eq!(output.stop_reason.as_deref(), Some("use --force-with-lease"));
/// # Ok::<(), becket_runner::Error>(()) }).unwrap();
/// ```
#[async_trait]
pub trait Hook: Send + Sync {
    /// The hook's name, for messages and records.
    fn name(&self) -> &str;

    /// The events it runs for.
    fn events(&self) -> &[HookEvent];

    /// The tools it runs for, on tool events. Read once, at registration.
    fn tool_matcher(&self) -> Option<&Regex> {
        None
    }

    /// The deadline in seconds.
    fn timeout_secs(&self) -> u64 {
        60
    }

    /// Higher runs first.
    fn priority(&self) -> i32 {
        0
    }

    /// Runs the hook.
    async fn execute(&self, input: HookInput, ctx: &HookContext) -> Result<HookOutput>;

    /// The configuration it was made from, if any. Its matcher, filter and condition then determine when it runs,
    /// and its dialect what a failure means.
    fn spec(&self) -> Option<&HookSpec> {
        None
    }

    /// The deadline that the engine enforces; `None` if the hook enforces its own.
    fn deadline(&self) -> Option<Duration> {
        Some(Duration::from_secs(self.timeout_secs()))
    }

    /// Called by the engine. Override it only for outcomes that [`HookOutput`] cannot express.
    async fn run(&self, input: HookInput, ctx: &HookContext) -> HookOutcome {
        let kind = input.event_type();
        match self.execute(input, ctx).await {
            Ok(output) => output.into(),
            Err(error) => failed(self.name(), self.spec(), &kind, &error),
        }
    }
}

/// A hook from a configuration entry: everything but what it does comes from the entry. It is a [`Hook`].
#[async_trait]
pub trait ConfiguredHook: Send + Sync {
    /// The entry.
    fn entry(&self) -> &HookSpec;

    /// The events it runs for; the event of the entry, unless a program registers it for several.
    fn entry_events(&self) -> &[HookEvent] {
        std::slice::from_ref(&self.entry().event)
    }

    /// Runs the hook. It enforces its own deadline, because it may have to clean up.
    async fn run_entry(&self, input: HookInput, ctx: &HookContext) -> HookOutcome;
}

impl<T: ConfiguredHook> Hook for T {
    fn name(&self) -> &str {
        &self.entry().name
    }

    fn events(&self) -> &[HookEvent] {
        self.entry_events()
    }

    fn timeout_secs(&self) -> u64 {
        self.entry().timeout.as_secs()
    }

    fn priority(&self) -> i32 {
        self.entry().priority
    }

    fn spec(&self) -> Option<&HookSpec> {
        Some(self.entry())
    }

    fn deadline(&self) -> Option<Duration> {
        None
    }

    fn execute<'s, 'c, 'f>(
        &'s self,
        input: HookInput,
        ctx: &'c HookContext,
    ) -> Pin<Box<dyn Future<Output = Result<HookOutput>> + Send + 'f>>
    where
        's: 'f,
        'c: 'f,
        Self: 'f,
    {
        Box::pin(async move {
            let hook = self.entry().name.clone();
            let outcome = self.run_entry(input, ctx).await;
            match outcome.failure {
                Some(failure) => Err(Error::HookFailed {
                    hook,
                    message: failure.message,
                }),
                None => Ok(becket_model::merge(vec![HookRun {
                    hook,
                    outcome,
                    took: Duration::ZERO,
                }])
                .into()),
            }
        })
    }

    // Written out, so that the future is boxed once.
    fn run<'s, 'c, 'f>(
        &'s self,
        input: HookInput,
        ctx: &'c HookContext,
    ) -> Pin<Box<dyn Future<Output = HookOutcome> + Send + 'f>>
    where
        's: 'f,
        'c: 'f,
        Self: 'f,
    {
        self.run_entry(input, ctx)
    }
}

/// The outcome of an error: in-process hooks fail closed on events that can be blocked.
pub(crate) fn failed(
    name: &str,
    spec: Option<&HookSpec>,
    event: &EventKind,
    error: &Error,
) -> HookOutcome {
    let verdict = spec.map_or_else(
        || becket_model::Dialect::ClaudeAgent.failure_verdict(event),
        HookSpec::failure_verdict,
    );
    let kind = match error {
        Error::HookTimeout { .. } => FailureKind::TimedOut,
        Error::Cancelled => FailureKind::Cancelled,
        _ => FailureKind::Error,
    };
    let message = match error {
        Error::Other(message) => format!("hook `{name}` failed: {message}"),
        named => named.to_string(),
    };
    HookOutcome::failed(kind, message, verdict)
}

type HookFuture = Pin<Box<dyn Future<Output = Result<HookOutput>> + Send>>;
type HookHandler = dyn Fn(HookInput, HookContext) -> HookFuture + Send + Sync;

/// A hook made from a closure.
///
/// ```
/// use becket_runner::{FnHook, HookEvent, HookOutput};
///
/// let hook = FnHook::new("greeter", [HookEvent::SessionStart], |_input, _ctx| async {
///     Ok(HookOutput::allow().context("Be kind."))
/// })
/// .priority(10);
/// ```
pub struct FnHook {
    name: String,
    events: Vec<HookEvent>,
    matcher: Option<Regex>,
    timeout_secs: u64,
    priority: i32,
    handler: Box<HookHandler>,
}

impl FnHook {
    /// A hook that calls `handler` for each of `events`.
    pub fn new<F, Fut>(
        name: impl Into<String>,
        events: impl IntoIterator<Item = HookEvent>,
        handler: F,
    ) -> Self
    where
        F: Fn(HookInput, HookContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<HookOutput>> + Send + 'static,
    {
        Self {
            name: name.into(),
            events: events.into_iter().collect(),
            matcher: None,
            timeout_secs: 60,
            priority: 0,
            handler: Box::new(move |input, ctx| Box::pin(handler(input, ctx))),
        }
    }

    /// Limits the hook to tools that the pattern matches.
    #[must_use]
    pub fn matcher(mut self, matcher: Regex) -> Self {
        self.matcher = Some(matcher);
        self
    }

    /// Sets the deadline.
    #[must_use]
    pub fn timeout(mut self, secs: u64) -> Self {
        self.timeout_secs = secs;
        self
    }

    /// Sets the priority.
    #[must_use]
    pub fn priority(mut self, priority: i32) -> Self {
        self.priority = priority;
        self
    }
}

#[async_trait]
impl Hook for FnHook {
    fn name(&self) -> &str {
        &self.name
    }

    fn events(&self) -> &[HookEvent] {
        &self.events
    }

    fn tool_matcher(&self) -> Option<&Regex> {
        self.matcher.as_ref()
    }

    fn timeout_secs(&self) -> u64 {
        self.timeout_secs
    }

    fn priority(&self) -> i32 {
        self.priority
    }

    async fn execute(&self, input: HookInput, ctx: &HookContext) -> Result<HookOutput> {
        (self.handler)(input, ctx.clone()).await
    }
}
