//! `auto-format` with the real formatters of JavaScript projects, pinned in `lab/clients.json`.
//!
//! If a formatter cannot be installed, its test is skipped, and the end of the output says so.

use std::os::unix::fs::symlink;
use std::process::ExitCode;
use std::sync::Arc;

use becket_lab::harness::{self, TestCase, TestResult};
use becket_lab::install;
use world::World;

#[expect(dead_code, reason = "the other tests need more of it")]
#[path = "it/world.rs"]
mod world;

fn main() -> ExitCode {
    harness::main(becket_lab::tests![
        prettier_formats_by_the_projects_configuration,
        prettier_leaves_ignored_and_broken_files_alone,
        eslint_fixes_what_it_can,
        biome_formats_by_the_projects_configuration,
    ])
}

const FORMAT: &str = "use = 'auto-format'";

/// A trusted project with the formatter installed.
fn project_with(tool: &str) -> Result<World, install::Unavailable> {
    let installed = install::client(tool)?;
    let mut world = World::new();
    world.deps.trusted = Arc::new(|_| true);
    let modules = installed.prefix.join("node_modules");
    symlink(modules, world.app().join("node_modules")).expect("linked");
    let path = std::env::join_paths(installed.path).expect("a PATH");
    world.set("PATH", &format!("{}:/usr/bin:/bin", path.to_string_lossy()));
    Ok(world)
}

fn told(world: &World, file: &str, tool: &str) {
    let outcome = world.fire(FORMAT, world.wrote(file));
    assert_eq!(outcome.failure, None);
    let expected = format!("`{file}` was reformatted by {tool}; read it again before editing it.");
    assert_eq!(outcome.context, Some(expected));
    let again = world.fire(FORMAT, world.wrote(file));
    assert_eq!(again, becket_model::HookOutcome::none(), "nothing changed");
}

fn prettier_formats_by_the_projects_configuration(_: &TestCase) -> TestResult {
    let world = project_with("prettier")?;
    world.write(".prettierrc", r#"{ "semi": false, "singleQuote": true }"#);
    world.write("src/a b.ts", "const  x = {a:\"b\"};\n");
    told(&world, "src/a b.ts", "prettier");
    assert_eq!(world.read("src/a b.ts"), "const x = { a: 'b' }\n");
    for (name, text, expected) in [
        ("-x.json", "{\"a\":1}", "{ \"a\": 1 }\n"),
        ("[id].css", "a{b:c}", "a {\n  b: c;\n}\n"),
        ("*.md", "*  a\n*  b\n", "- a\n- b\n"),
    ] {
        world.write(name, text);
        told(&world, name, "prettier");
        assert_eq!(world.read(name), expected, "{name}");
    }
    Ok(())
}

fn prettier_leaves_ignored_and_broken_files_alone(_: &TestCase) -> TestResult {
    let world = project_with("prettier")?;
    world.write(".prettierrc", "{}");
    world.write(".prettierignore", "generated/\n");
    world.write("generated/x.ts", "const  x=1\n");
    let outcome = world.fire(FORMAT, world.wrote("generated/x.ts"));
    assert_eq!(outcome, becket_model::HookOutcome::none());
    world.write("broken.ts", "const  x = {\n");
    let outcome = world.fire(FORMAT, world.wrote("broken.ts"));
    let why = world::failure(&outcome);
    assert!(
        why.contains("prettier could not format `broken.ts`: [error]"),
        "{why}"
    );
    assert_eq!(world.read("broken.ts"), "const  x = {\n");
    Ok(())
}

fn eslint_fixes_what_it_can(_: &TestCase) -> TestResult {
    let world = project_with("eslint")?;
    let rules = "export default [{ rules: { 'no-var': 'error', 'no-empty': 'error' } }];\n";
    world.write("eslint.config.mjs", rules);
    // One problem that it can fix, and one that stays.
    world.write("src/[id].mjs", "var a = 1;\nif (a) {\n}\nexport { a };\n");
    told(&world, "src/[id].mjs", "eslint");
    assert!(world.read("src/[id].mjs").starts_with("let a = 1;\n"));
    Ok(())
}

fn biome_formats_by_the_projects_configuration(_: &TestCase) -> TestResult {
    let world = project_with("biome")?;
    world.write(
        "biome.json",
        r#"{ "formatter": { "indentStyle": "space" } }"#,
    );
    world.write("packages/a/x.ts", "function f(){return  1}\n");
    told(&world, "packages/a/x.ts", "biome");
    assert_eq!(
        world.read("packages/a/x.ts"),
        "function f() {\n  return 1;\n}\n"
    );
    Ok(())
}
