//! `becket hooks`: the output of each command and its effect on files.

mod builtin;
mod change;
mod list;
mod switch;
mod terminal;
mod test_run;

use crate::context::{CommandOutput, Context};

/// A configuration file with comments, blank lines and both kinds of quotes.
const CONFIG: &str = "\
# My hooks. Do not reformat!

# Pushing with force is for other people.
[[hook]]
name = \"no-force-push\"   # said by the boss
description = 'Never force'
event = \"PreToolUse\"
if = \"Bash(git push*--force*)\"
command = \"echo 'use --force-with-lease' >&2; exit 2\"

[[hook]]
  name = 'two'
  event = [
    'Stop',     # at the end
    'SessionEnd',
  ]
  command = 'true'
  [hook.env]
  A = '1'

[settings]
record = true # yes
";

fn context() -> Context {
    let context = Context::new();
    context.config(CONFIG);
    context
}

/// Runs a command that must succeed; returns its output.
fn done(context: &Context, args: &[&str]) -> CommandOutput {
    let answer = context.run(args);
    assert_eq!(
        answer.exit, 0,
        "{args:?}: {}{}",
        answer.stdout, answer.stderr
    );
    answer
}

/// Runs a command that must fail; returns its error.
fn refused(context: &Context, args: &[&str]) -> String {
    let answer = context.run(args);
    assert_ne!(answer.exit, 0, "{args:?}: {}", answer.stdout);
    assert_eq!(answer.stdout, "", "{args:?}");
    answer.stderr
}

fn config(context: &Context) -> String {
    context.read("home/.becket/config.toml")
}
