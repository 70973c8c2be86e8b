//! Runs the hooks of a configuration file that call a model, a server or another agent on one event, and prints the
//! reply that the agent would get.
//!
//! ```console
//! $ cargo run -p becket-think --example run_hooks -- config.toml claude < event.json
//! ```

use std::error::Error;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

use becket_agents::config::{self, ConfigFile};
use becket_agents::{adapter, payload};
use becket_model::{Level, select};
use becket_runner::{Hook, HookContext, HookInput, engine};
use becket_think::{ThinkSettings, make};
use futures_lite::future::block_on;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let path = words.next().ok_or("the first argument is a config.toml")?;
    let agent = words.next().unwrap_or_else(|| "claude".to_owned());
    let text = std::fs::read_to_string(&path)?;
    let file = ConfigFile {
        path: Path::new(&path),
        level: Level::User,
        text: &text,
        root: None,
    };
    let layer = config::becket(&file);
    for problem in &layer.problems {
        writeln!(std::io::stderr(), "{problem}")?;
    }
    let state = std::env::temp_dir().join("becket-run-hooks");
    let settings = ThinkSettings::new(config::becket_services(&file), state).for_agent(&*agent);

    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes)?;
    let adapter = adapter(&agent).ok_or("unknown agent")?;
    let event = adapter.parse(None, payload::read(&bytes)?)?;

    let plan = select(&layer.hooks, &event);
    let stages: Vec<Vec<Arc<dyn Hook>>> = plan
        .stages
        .iter()
        .map(|stage| {
            stage
                .iter()
                .filter_map(|hook| make(hook, &settings))
                .collect()
        })
        .collect();
    let input = HookInput::from_event(event.clone(), "example");
    let context = HookContext::new(event.session.as_str());
    let decision = block_on(engine::run(&stages, input, &context))?;
    for said in &decision.hook_runs {
        if let Some(failure) = &said.outcome.failure {
            writeln!(std::io::stderr(), "{}", failure.message)?;
        }
    }
    let rendered = adapter.render(&event, &decision);
    writeln!(std::io::stdout(), "{}", rendered.stdout.trim_end())?;
    Ok(())
}
