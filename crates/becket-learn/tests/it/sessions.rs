//! Typical sessions and what is learned from them; most teach nothing.

use becket_learn::{ChangedFiles, SucceededCommand, rules};

use crate::script::input;

/// `kind importance trust: text [files]`, one per line.
fn learnt(script: &str) -> Vec<String> {
    let found = rules::learn(&input(script)).observations;
    found
        .iter()
        .map(|one| {
            let (kind, trust) = (one.kind.word(), one.trust.word());
            let files = one.files.join(" ");
            assert!(!one.events.is_empty(), "it came from somewhere: {one:?}");
            format!("{kind} {} {trust}: {} [{files}]", one.importance, one.text)
        })
        .collect()
}

#[track_caller]
fn check(name: &str, script: &str, expected: &[&str]) {
    assert_eq!(learnt(script), expected, "{name}");
}

#[test]
fn existing_failure_and_its_fix_are_learned() {
    check(
        "a test that failed before anything was changed",
        "> run the tests
         $ cargo test 2>&1 | tail -30 !! Exit code 101⏎running 12 tests⏎thread 'parse::empty' panicked at src/parse.rs:41:9:⏎index out of bounds
         . src/parse.rs
         ~ src/parse.rs
         $ cargo test => ok
         < All tests pass. The panic happened because `split` yields one empty field for an empty line. I added a check.",
        &[
            "bug_fix 6 tool: `cargo test` failed with “thread 'parse::empty' panicked at src/parse.rs:41:9:”; fixed in src/parse.rs. \
              The panic happened because 'split' yields one empty field for an empty line. [src/parse.rs]",
        ],
    );
    check(
        "a person complains, the failure was two turns ago",
        "> add a cache to the loader
         ~ src/loader.ts
         $ npm test !! FAIL src/loader.test.ts⏎TypeError: cannot read properties of undefined (reading 'ttl')
         > that broke the tests, please fix
         ~ src/loader.ts src/config.ts
         $ npm test",
        &[
            "bug_fix 5 tool: `npm test` failed with “TypeError: cannot read properties of undefined (reading 'ttl')”; fixed in src/loader.ts and src/config.ts. \
              [src/loader.ts src/config.ts]",
        ],
    );
    check(
        "many tries",
        "> the build is failing on main, find out why
         $ make !! src/a.c:3: error: unknown type name 'u8'
         ~ src/a.c
         $ make !! src/a.c:7: error: unknown type name 'u8'
         ~ include/types.h
         $ make !! src/b.c:7: error: unknown type name 'u16'
         ~ include/types.h
         $ make
         < The root cause was a missing include of stdint.h in include/types.h.",
        &[
            "bug_fix 7 tool: `make` failed with “src/a.c:3: error: unknown type name 'u8'”; fixed in src/a.c and include/types.h. \
              The root cause was a missing include of stdint.h in include/types.h. [src/a.c include/types.h]",
        ],
    );
}

#[test]
fn working_alternative_is_learned() {
    check(
        "another package manager",
        "> run the tests
         $ npm test !! npm error Missing script: \"test\"
         . package.json
         $ pnpm run test:unit",
        &[
            "discovery 6 tool: `pnpm run test:unit` works here; `npm test` does not: “npm error Missing script: \"test\"” []",
        ],
    );
    check(
        "another directory",
        "> does it build?
         $ cd /home/ana/shop && cargo build !! error: could not find `Cargo.toml` in `/home/ana/shop` or any parent directory
         $ ls
         $ cd backend && cargo build",
        &[
            "discovery 6 tool: `cd backend && cargo build` works here; `cargo build` does not: “error: could not find 'Cargo.toml' \
              in '/home/ana/shop' or any parent directory” []",
        ],
    );
    check(
        "another name",
        "> migrate the database
         $ python manage.py migrate !! bash: python: command not found
         $ python3 manage.py migrate",
        &[
            "discovery 6 tool: `python3 manage.py migrate` works here; `python manage.py migrate` does not: “bash: python: command not found” []",
        ],
    );
}

#[test]
fn repeated_failures_are_learned() {
    check(
        "never solved",
        "> start the stack
         $ docker compose up -d !! Error: port 5432 is already in use
         > try again
         $ docker compose up -d !! Error: port 5432 is already in use
         > and now
         $ docker compose up -d !! Error: port 5433 is already in use",
        &[
            "gotcha 6 tool: `docker compose up` failed again and again with “Error: port 5433 is already in use”; it was not solved then. []",
        ],
    );
    check(
        "solved in the end, though the agent had caused it",
        "> use the new client
         ~ src/client.ts
         $ npm run build !! error TS2307: Cannot find name 'RequestInit'.
         ~ src/client.ts
         $ npm run build !! error TS2307: Cannot find name 'RequestInit'.
         ~ src/client.ts
         $ npm run build !! error TS2307: Cannot find name 'RequestInit'.
         ~ tsconfig.json
         $ npm run build",
        &[
            "gotcha 6 tool: `npm run build` failed again and again with “error TS2307: Cannot find name 'RequestInit'.”; it worked after \
              tsconfig.json changed. [tsconfig.json]",
        ],
    );
}

#[test]
fn user_statements_come_first() {
    check(
        "a correction and a mend in one turn",
        "> write the importer
         ~ src/import.py
         > No, use pathlib instead of os.path. Also the tests are broken now.
         $ pytest !! E   NameError: name 'os' is not defined
         ~ src/import.py
         $ pytest",
        &[
            "decision 8 user: Use pathlib instead of os.path. []",
            "bug_fix 5 tool: `pytest` failed with “E NameError: name 'os' is not defined”; fixed in src/import.py. [src/import.py]",
        ],
    );
}

#[test]
fn most_turns_yield_nothing() {
    for (name, script) in [
        (
            "a question",
            "> what does the parser do?\n. src/parse.rs\n< It parses.",
        ),
        (
            "plain work",
            "> add a flag\n. src/cli.rs\n~ src/cli.rs\n$ cargo test\n< Done.",
        ),
        (
            "what the agent broke it mended at once",
            "> add a flag\n~ src/cli.rs\n$ cargo build !! error[E0425]: cannot find value `flag`\n~ src/cli.rs\n$ cargo build",
        ),
        (
            "a test written first",
            "> add subtraction\n~ tests/sub.rs\n$ cargo test !! error: no function `sub`\n~ src/lib.rs\n$ cargo test",
        ),
        (
            "nothing found",
            "> where is it used?\n$ grep -rn foo src !! Exit code 1\n$ grep -rn foo .",
        ),
        (
            "a person stopped it",
            "> run it\n$ cargo run !! Request interrupted by user\n~ a.rs\n$ cargo run",
        ),
        (
            "a hook stopped it",
            "> deploy\n$ make deploy !! blocked by hook: no deploys\n~ Makefile\n$ make deploy",
        ),
        (
            "a test that passes the second time",
            "> run the tests\n$ cargo test !! thread 'net' panicked at a.rs:1\n$ cargo test",
        ),
        (
            "fewer tests are asked for",
            "> run the tests\n$ cargo test !! thread 'net' panicked at a.rs:1\n$ cargo test --lib",
        ),
        (
            "other tasks that have nothing to do with it",
            "> set it up\n$ npm run deploy !! Missing script: deploy\n$ npm test",
        ),
        (
            "twice is not repeatedly",
            "> up\n$ docker compose up !! Error: port in use\n$ docker compose up !! Error: port in use",
        ),
        (
            "a change of everything",
            "> upgrade\n$ cargo build !! error: edition 2024 is required\n~ a b c d e f g h\n$ cargo build",
        ),
        (
            "a failure that git has",
            "> push\n$ git push !! fatal: no upstream branch\n$ git push -u origin main",
        ),
        (
            "chatter",
            "> It never worked, and it always crashes. Don't worry about style.",
        ),
        ("a program's prompt", "% Always use tabs. Never use spaces."),
        (
            "a command that is not useful as advice",
            "> run\n$ pytest !! bash: pytest: command not found\n$ python3 - <<'X'⏎import pytest⏎X",
        ),
        ("no steps at all", "> hi\n< Hello!"),
    ] {
        assert_eq!(learnt(script), [""; 0], "{name}");
    }
}

#[test]
fn co_changed_files_need_several_sessions() {
    let past = |session: &str, number: usize, files: &[&str]| ChangedFiles {
        session: session.into(),
        batch: format!("{session}-{number}"),
        files: files.iter().map(ToString::to_string).collect(),
    };
    let pair = ["src/api.rs", "docs/routes.md"];
    let mut input = input("> rename the route\n~ docs/routes.md\n~ src/api.rs Cargo.lock");
    let texts = |input: &becket_learn::LearningInput| -> Vec<String> {
        let found = rules::learn(input).observations;
        found.into_iter().map(|one| one.text).collect()
    };
    let expected =
        ["docs/routes.md and src/api.rs change together; when you change one, check the other."];

    input.changed_files = (0..6).map(|number| past("s1", number, &pair)).collect();
    assert_eq!(texts(&input), [""; 0], "one session is one task");

    input.changed_files = vec![
        past("s1", 1, &pair),
        past("s2", 1, &pair),
        past("s2", 2, &pair),
    ];
    assert_eq!(texts(&input), expected);

    input
        .changed_files
        .extend((0..3).map(|number| past("s3", number, &["src/api.rs"])));
    assert_eq!(texts(&input), [""; 0], "mostly it changes alone");

    input.changed_files = vec![
        past("s1", 1, &pair),
        past("s2", 1, &pair),
        past("b", 1, &pair),
    ];
    input.turn.id = "b-1".into();
    assert_eq!(texts(&input), [""; 0], "a turn is no evidence for itself");
}

#[test]
fn file_and_its_test_are_not_reported_as_co_changed() {
    let mut input = input("> fix\n~ src/cart.ts src/cart.test.ts");
    input.changed_files = (0..9)
        .map(|number| ChangedFiles {
            session: format!("s{number}"),
            batch: format!("x{number}"),
            files: vec!["src/cart.ts".into(), "src/cart.test.ts".into()],
        })
        .collect();
    assert_eq!(rules::learn(&input).observations, []);
}

#[test]
fn working_command_needs_several_turns_and_sessions() {
    let past = |session: &str, number: usize, command: &str| SucceededCommand {
        session: session.into(),
        batch: format!("{session}-{number}"),
        command: command.into(),
    };
    let mut input =
        input("> add a route\n~ src/api.rs\n$ make -C backend test-unit\n$ cargo fmt\n$ ls");
    let texts = |input: &becket_learn::LearningInput| -> Vec<String> {
        let found = rules::learn(input).observations;
        assert!(found.iter().all(|one| one.importance == 4), "{found:?}");
        found.into_iter().map(|one| one.text).collect()
    };
    let unit = "make -C backend test-unit";
    let expected = ["`make -C backend test-unit` runs the tests here."];

    input.succeeded_commands = vec![past("s1", 1, unit)];
    assert_eq!(texts(&input), [""; 0], "twice is not enough");

    input.succeeded_commands.push(past("s1", 2, unit));
    assert_eq!(texts(&input), expected, "and this session is another");

    for hidden in [
        "make -C backend test-unit | tail -3",
        "make -C backend test-unit || true",
    ] {
        input.succeeded_commands = (0..5).map(|number| past("s1", number, hidden)).collect();
        assert_eq!(
            texts(&input),
            [""; 0],
            "whether it worked is not known: {hidden}"
        );
    }

    let often = "cd /home/ana/shop && cargo test 2>&1";
    input.succeeded_commands = (0..3).map(|number| past("s1", number, unit)).collect();
    input
        .succeeded_commands
        .extend((0..9).map(|number| past("s2", number, often)));
    assert_eq!(
        texts(&input),
        [""; 0],
        "one for each purpose: the other is used more"
    );

    let own = "b1".to_owned();
    input.earlier = vec![becket_learn::RecordedTurn {
        id: own.clone(),
        ..becket_learn::RecordedTurn::default()
    }];
    input.turn.id = "b2".into();
    input.succeeded_commands = (0..4)
        .map(|_| SucceededCommand {
            batch: own.clone(),
            ..past("here", 1, unit)
        })
        .collect();
    assert_eq!(texts(&input), [""; 0], "one session is one task");
}
