//! The same for editors and browsers: what the commands print as JSON, without printing it.

use anyhow::bail;
use becket::model::{EventKind, HookSpec, Level};
use becket::trial::Stop;
use becket_daemon::rpc::{HookName, HookTest};
use becket_daemon::setup::{HookList, HookTried, Switched};

use super::catalog::Catalog;
use super::sample::{self, Wish};
use super::trial::Tried;
use super::{change, list, switched};
use crate::args::Here;

pub(crate) fn list(here: &Here) -> anyhow::Result<HookList> {
    Ok(list::overview(&list::everything(here)?))
}

pub(crate) fn switch(hook: &HookName<'_>, on: bool, here: &Here) -> anyhow::Result<Switched> {
    let catalog = Catalog::find(here)?;
    let level = level(hook)?;
    let done = if on {
        change::enable(&catalog, hook.name, level, &[])?
    } else {
        change::switch(&catalog, catalog.resolve(hook.name, level)?, false)?
    };
    let after = Catalog::load(catalog.home.clone(), catalog.root.clone());
    Ok(switched(&done, &after, &[]))
}

pub(crate) fn test(test: &HookTest<'_>, here: &Here) -> anyhow::Result<HookTried> {
    let catalog = Catalog::find(here)?;
    let hook = catalog.resolve(test.hook.name, level(&test.hook)?)?;
    let root = catalog.root.to_string_lossy().into_owned();
    let event = |hook: &HookSpec| {
        let kind = test
            .event
            .map_or_else(|| hook.event.clone(), EventKind::parse);
        if !kind.is_tool() && (test.tool.is_some() || test.input.is_some()) {
            bail!("`tool` and `input`: `{}` is not about a tool", kind.name());
        }
        let wish = Wish {
            tool: test.tool.map(str::to_owned),
            input: test.input.cloned(),
        };
        Ok(sample::event(hook, &kind, &root, &wish))
    };
    let tried = Tried::run(&catalog, hook, event, &Stop::new())?;
    Ok(tried.told())
}

fn level(hook: &HookName<'_>) -> anyhow::Result<Option<Level>> {
    Ok(match hook.level {
        None => None,
        Some("user") => Some(Level::User),
        Some("project") => Some(Level::Project),
        Some("local") => Some(Level::Local),
        Some(other) => bail!("`level` is user, project or local, not `{other}`"),
    })
}
