//! Programs that only start another program: `npx prisma`, `python -m twine`, `php artisan`.

use super::args::{Args, FlagStyle};
use super::tool::ProgramCall;
use crate::command::{Invocation, Word};

/// Maximum depth of runners that start runners.
pub(crate) const MAX_RUNNERS: usize = 4;

/// The command as written, then the commands that its runners start, outermost first.
pub(crate) fn calls(command: &Invocation) -> impl Iterator<Item = ProgramCall<'_>> {
    let first = ProgramCall {
        program: plain_name(&command.program),
        args: &command.args,
    };
    std::iter::successors(Some(first), |call| started(*call))
}

/// Normalizes a name: `node_modules/.bin/prisma.cmd` and `PRISMA.exe` become `prisma`.
fn plain_name(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    [".cmd", ".exe", ".bat"]
        .iter()
        .find_map(|end| name.strip_suffix(end))
        .unwrap_or(name)
}

fn started(call: ProgramCall<'_>) -> Option<ProgramCall<'_>> {
    match call.program {
        "npx" | "bunx" | "pnpx" | "uvx" => after_flags(call.args, "-p --package -c --from --with"),
        "npm" => after_word(call.args, "exec|x|run|run-script"),
        "pipx" | "rye" | "hatch" | "pdm" | "poetry" | "uv" | "pipenv" => {
            after_word(call.args, "run|tool|x").map(skip_tool_run)
        }
        "pnpm" | "yarn" | "bun" => {
            after_word(call.args, "exec|dlx|x|run").or_else(|| after_flags(call.args, DIRECTORIES))
        }
        "cargo" => without_toolchain(call),
        "java" => jar(call.args),
        "bundle" => after_word(call.args, "exec"),
        "corepack" | "dotenv" | "cross-env" => after_flags(call.args, "-e -f"),
        program if is_python(program) => python(call.args),
        "php" | "ruby" | "node" | "deno" | "perl" => script(call.args),
        _ => None,
    }
}

/// `java -jar jenkins-cli.jar delete-job x`.
fn jar(args: &[Word]) -> Option<ProgramCall<'_>> {
    let at = args.iter().position(|word| word.text == "-jar")?;
    let name = plain_name(&args.get(at + 1)?.text);
    Some(ProgramCall {
        program: name.strip_suffix(".jar").unwrap_or(name),
        args: &args[at + 2..],
    })
}

/// `cargo +nightly publish`.
fn without_toolchain(call: ProgramCall<'_>) -> Option<ProgramCall<'_>> {
    let (first, args) = call.args.split_first()?;
    first.text.starts_with('+').then_some(ProgramCall {
        program: call.program,
        args,
    })
}

const DIRECTORIES: &str = "-C --dir --cwd -F --filter";

/// `uv tool run x`.
fn skip_tool_run(call: ProgramCall<'_>) -> ProgramCall<'_> {
    match (call.program, call.args.split_first()) {
        ("run", Some((first, args))) => ProgramCall {
            program: package_name(&first.text),
            args,
        },
        _ => call,
    }
}

fn after_word<'a>(args: &'a [Word], wanted: &str) -> Option<ProgramCall<'a>> {
    let at = args.iter().position(|word| !word.text.starts_with('-'))?;
    super::pattern::one_of(wanted, &args[at].text).then_some(())?;
    after_flags(&args[at + 1..], "-p --package --with --extra --group")
}

/// The first word that is neither a flag nor the value of a flag.
fn after_flags<'a>(args: &'a [Word], values: &str) -> Option<ProgramCall<'a>> {
    let mut at = 0;
    while let Some(word) = args.get(at) {
        if word.text == "--" {
            at += 1;
            break;
        }
        if !word.text.starts_with('-') {
            break;
        }
        let takes_next = values
            .split_ascii_whitespace()
            .any(|flag| flag == word.text);
        at += 1 + usize::from(takes_next);
    }
    let (first, args) = args.get(at..)?.split_first()?;
    Some(ProgramCall {
        program: package_name(&first.text),
        args,
    })
}

/// The program that a package installs, for packages whose program has another name.
fn package_name(package: &str) -> &str {
    let name = plain_name(package.strip_prefix('@').unwrap_or(package));
    let name = name.split_once('@').map_or(name, |(name, _)| name);
    match package {
        _ if package.starts_with("@railway/cli") => "railway",
        _ if package.starts_with("@aws-amplify/") => "amplify",
        _ => match name {
            "firebase-tools" => "firebase",
            "netlify-cli" => "netlify",
            "aws-cdk" => "cdk",
            "cdktf-cli" => "cdktf",
            "sequelize-cli" => "sequelize",
            "heroku-cli" => "heroku",
            name => name,
        },
    }
}

/// `python`, `python3`, `python3.12`, `pypy3`, `py`.
fn is_python(program: &str) -> bool {
    let stem = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    matches!(stem, "python" | "pypy" | "py")
}

fn python(args: &[Word]) -> Option<ProgramCall<'_>> {
    let module = args.iter().position(|word| word.text == "-m");
    let script = args.iter().position(|word| !word.text.starts_with('-'));
    match (module, script) {
        (Some(module), Some(script)) if module < script => Some(ProgramCall {
            program: module_name(&args[module + 1].text),
            args: &args[module + 2..],
        }),
        _ => self::script(args),
    }
}

fn module_name(module: &str) -> &str {
    match module {
        "django" => "django-admin",
        module => module,
    }
}

/// The script argument of an interpreter, by file name.
fn script(args: &[Word]) -> Option<ProgramCall<'_>> {
    let read = Args::read(args, "-d -r -W -X", FlagStyle::Gnu);
    let first = read.operand(0)?;
    let at = args.iter().position(|word| word.text == first)?;
    Some(ProgramCall {
        program: plain_name(first),
        args: &args[at + 1..],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn innermost(line: &str) -> String {
        let mut words = line.split_whitespace();
        let command = Invocation {
            program: words.next().unwrap_or_default().to_owned(),
            args: words.map(Word::literal).collect(),
            ..Invocation::default()
        };
        let call = calls(&command).last().expect("there is always the command");
        let args: Vec<&str> = call.args.iter().map(|word| word.text.as_str()).collect();
        format!("{} {}", call.program, args.join(" "))
    }

    #[test]
    fn commands_started_by_runners_are_found() {
        for (line, expected) in [
            ("npx prisma migrate reset", "prisma migrate reset"),
            ("npx -y prisma@5 migrate reset", "prisma migrate reset"),
            ("npx --yes -p prisma prisma db push", "prisma db push"),
            ("pnpm exec prisma db push", "prisma db push"),
            ("pnpm dlx wrangler delete", "wrangler delete"),
            ("yarn prisma db push", "prisma db push"),
            ("bun x vercel rm a", "vercel rm a"),
            ("npm exec -- prisma db push", "prisma db push"),
            ("npx @railway/cli@latest down", "railway down"),
            ("npx firebase-tools deploy", "firebase deploy"),
            ("python manage.py flush", "manage.py flush"),
            ("python3.12 ./app/manage.py flush", "manage.py flush"),
            ("python -m twine upload x", "twine upload x"),
            ("uv run python -m django flush", "django-admin flush"),
            ("uv tool run twine upload x", "twine upload x"),
            ("php artisan db:wipe", "artisan db:wipe"),
            ("php -d memory_limit=1G artisan db:wipe", "artisan db:wipe"),
            ("bundle exec rake db:drop", "rake db:drop"),
            ("ruby bin/rails db:drop", "rails db:drop"),
            (
                "node node_modules/.bin/sequelize db:drop",
                "sequelize db:drop",
            ),
            ("cargo +nightly publish", "cargo publish"),
            ("java -Xmx1g -jar x/bfg.jar --strip", "bfg --strip"),
            ("ls -la", "ls -la"),
        ] {
            assert_eq!(innermost(line), expected, "{line}");
        }
    }
}
