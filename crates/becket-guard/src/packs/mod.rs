//! Rules about specific tools: what version control, databases, containers, clouds and other tools destroy, publish
//! or leak.
//!
//! A pack is a table of command-line patterns (`tool`, `pattern`) over one argument parser (`args`). Git refspecs,
//! SQL and HTTP requests need code in addition to the tables. `runners` sees through programs that only start other
//! programs. Packs do not look at paths; the core rules in [`effects`](crate::effects) do.

pub(crate) mod args;
mod aws;
mod azure;
mod containers;
mod databases;
mod gcp;
mod git;
mod http;
mod kubernetes;
mod pattern;
mod platforms;
mod publishing;
mod repositories;
mod runners;
mod secrets;
mod services;
mod storage;
mod terraform;
mod tool;

#[cfg(test)]
mod tests;

pub use git::git_shell_commands;

pub(crate) use http::is_metadata_service;
pub(crate) use services::METADATA;

use crate::command::{Invocation, Script};
use crate::effects::rules::TOO_NESTED;
use crate::facts::{Facts, RunLocation};
use crate::rule::{Finding, Pack, Rule};
use tool::{CommandContext, ToolRules, report};

/// All packs that can be switched off, including those of the core rules.
pub const PACKS: &[Pack] = &[
    pack(
        "core",
        "files and directories: deletion, overwriting, permissions, downloaded code",
    ),
    pack(
        "secrets",
        "reading, copying and printing keys, tokens and passwords",
    ),
    pack("network", "data that leaves the machine"),
    pack(
        "persistence",
        "what would run again later: shell start files, schedules, hooks",
    ),
    pack(
        "guard",
        "switching off the checks of the project, the agent or Becket itself",
    ),
    pack(
        "git",
        "uncommitted work, published history, settings that run programs; other version control too",
    ),
    pack(
        "databases",
        "SQL through any client, document stores, caches, migrations",
    ),
    pack(
        "containers",
        "volumes, prunes and containers that open the host",
    ),
    pack(
        "kubernetes",
        "objects, namespaces, releases and whole clusters",
    ),
    pack(
        "terraform",
        "infrastructure as code: Terraform, OpenTofu, Pulumi, CDK, Ansible, Vagrant, Serverless",
    ),
    pack("aws", "Amazon Web Services"),
    pack("gcp", "Google Cloud"),
    pack("azure", "Microsoft Azure"),
    pack(
        "platforms",
        "hosting platforms and managed services: Heroku, Vercel, Netlify, Fly, Cloudflare, Firebase …",
    ),
    pack(
        "publishing",
        "package registries: publishing, unpublishing, owners, where packages come from",
    ),
    pack(
        "repositories",
        "repository hosts and CI: GitHub, GitLab and their kin",
    ),
    pack(
        "services",
        "the machine's services, firewall, disks, users and software; backups, queues, requests that delete",
    ),
];

const fn pack(name: &'static str, about: &'static str) -> Pack {
    Pack { name, about }
}

const TOOLS: &[&[ToolRules]] = &[
    git::TOOLS,
    databases::TOOLS,
    containers::TOOLS,
    kubernetes::TOOLS,
    terraform::TOOLS,
    aws::TOOLS,
    gcp::TOOLS,
    azure::TOOLS,
    platforms::TOOLS,
    publishing::TOOLS,
    repositories::TOOLS,
    services::TOOLS,
    storage::TOOLS,
    secrets::TOOLS,
];

const RULES: &[&[&Rule]] = &[
    git::rules::RULES,
    databases::rules::RULES,
    containers::RULES,
    kubernetes::RULES,
    terraform::RULES,
    aws::RULES,
    gcp::RULES,
    azure::RULES,
    platforms::RULES,
    publishing::RULES,
    repositories::RULES,
    services::RULES,
    storage::RULES,
    secrets::RULES,
];

/// All rules of the packs in this module.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().flat_map(|rules| rules.iter().copied())
}

/// Checks `command` with all packs and adds the findings to `found`.
pub fn check(
    command: &Invocation,
    script: &Script,
    location: &RunLocation,
    facts: &dyn Facts,
    found: &mut Vec<Finding>,
) {
    let context = CommandContext {
        command,
        script,
        location,
        facts,
    };
    for (depth, call) in runners::calls(command).enumerate() {
        if depth == runners::MAX_RUNNERS {
            return report(&TOO_NESTED, command, call, found);
        }
        git::check(&context, call, found);
        databases::check(&context, call, found);
        containers::check(&context, call, found);
        http::check(&context, call, found);
        for tool in TOOLS.iter().flat_map(|tools| tools.iter()) {
            if let Some(rule) = tool.judge(&context, call) {
                report(rule, command, call, found);
            }
        }
    }
}
