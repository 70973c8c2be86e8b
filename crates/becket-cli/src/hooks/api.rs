//! The API behind `becket rpc` and the dashboard: the results of the `becket hooks` commands as data.

use anyhow::bail;
use becket::model::{EventKind, HookSpec, Level};
use becket::trial::StopHandle;
use becket_daemon::rpc::{HookSelector, HookTest};
use becket_daemon::setup::{HookList, HookSwitchResult, HookTestResult};

use super::catalog::HookCatalog;
use super::sample::{self, SampleOverrides};
use super::test_run::HookTestRun;
use super::{change, list, switched};
use crate::args::ProjectArgs;

pub(crate) fn list(here: &ProjectArgs) -> anyhow::Result<HookList> {
    Ok(list::overview(&list::load_with_components(here)?))
}

pub(crate) fn switch(
    hook: &HookSelector<'_>,
    on: bool,
    here: &ProjectArgs,
) -> anyhow::Result<HookSwitchResult> {
    let catalog = HookCatalog::find(here)?;
    let level = level(hook)?;
    let done = if on {
        change::enable(&catalog, hook.name, level, &[])?
    } else {
        change::switch(&catalog, catalog.resolve(hook.name, level)?, false)?
    };
    let after = HookCatalog::load(catalog.home.clone(), catalog.root.clone());
    Ok(switched(&done, &after, &[]))
}

pub(crate) fn test(test: &HookTest<'_>, here: &ProjectArgs) -> anyhow::Result<HookTestResult> {
    let catalog = HookCatalog::find(here)?;
    let hook = catalog.resolve(test.hook.name, level(&test.hook)?)?;
    let root = catalog.root.to_string_lossy().into_owned();
    let event = |hook: &HookSpec| {
        let kind = test
            .event
            .map_or_else(|| hook.event.clone(), EventKind::parse);
        if !kind.is_tool() && (test.tool.is_some() || test.input.is_some()) {
            bail!(
                "`tool` and `input` do not apply to `{}`, which is not a tool event",
                kind.name()
            );
        }
        let overrides = SampleOverrides {
            tool: test.tool.map(str::to_owned),
            input: test.input.cloned(),
        };
        Ok(sample::event(hook, &kind, &root, &overrides))
    };
    let test_run = HookTestRun::run(&catalog, hook, event, &StopHandle::new())?;
    Ok(test_run.to_api())
}

fn level(hook: &HookSelector<'_>) -> anyhow::Result<Option<Level>> {
    Ok(match hook.level {
        None => None,
        Some("user") => Some(Level::User),
        Some("project") => Some(Level::Project),
        Some("local") => Some(Level::Local),
        Some(other) => bail!("unknown `level` `{other}`; use user, project or local"),
    })
}
