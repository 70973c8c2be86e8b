//! Table tests for splices, shell lines, positions and diffs. Property tests over generated documents are in
//! `tests/it/install.rs`.

use serde_json::json;

use super::command::{OwnCommand, hook_command, is_becket, quote, split};
use super::{EditError, JsonDocument, TextPosition, diff};

/// Appends to the root, expects that text, and expects that removal restores the original.
#[track_caller]
fn appended(before: &str, after: &str) {
    let mut document = JsonDocument::parse(before).unwrap();
    let root = document.root().unwrap();
    let index = if let Some(members) = root.members() {
        let index = members.len();
        document.append_member(&[], "k", &json!(1), 0).unwrap();
        index
    } else {
        let index = root.elements().unwrap().len();
        document.append_element(&[], &json!(1), 0).unwrap();
        index
    };
    assert_eq!(document.text(), after);
    document.remove(&[index]).unwrap();
    assert_eq!(document.text(), before);
}

#[track_caller]
fn removed(before: &str, path: &[usize], after: &str) {
    let mut document = JsonDocument::parse(before).unwrap();
    document.remove(path).unwrap();
    assert_eq!(document.text(), after);
}

#[track_caller]
fn refused(text: &str, line: usize, column: usize) {
    let error = JsonDocument::parse(text).unwrap_err();
    assert_eq!(
        error.position(),
        Some(TextPosition { line, column }),
        "{error}"
    );
}

#[test]
fn a_child_is_added_in_the_style_of_its_siblings() {
    appended(r#"{"a":1}"#, r#"{"a":1,"k":1}"#);
    appended(r#"{"a": 1}"#, r#"{"a": 1, "k": 1}"#);
    appended("{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"k\": 1\n}\n");
    appended("{\n\t\"a\": 1\n}", "{\n\t\"a\": 1,\n\t\"k\": 1\n}");
    appended(
        "{\r\n \"a\": 1\r\n}\r\n",
        "{\r\n \"a\": 1,\r\n \"k\": 1\r\n}\r\n",
    );
    appended("[1, 2]", "[1, 2, 1]");
    appended("[\n  1\n]", "[\n  1,\n  1\n]");
}

#[test]
fn trailing_comma_style_is_kept() {
    appended("{\n  \"a\": 1,\n}", "{\n  \"a\": 1,\n  \"k\": 1,\n}");
    appended(r#"{"a":1,}"#, r#"{"a":1,"k":1,}"#);
    appended(
        "{\n  \"a\": 1, // one\n}",
        "{\n  \"a\": 1, // one\n  \"k\": 1,\n}",
    );
}

#[test]
fn comments_stay_with_their_values() {
    appended(
        "{\n  \"a\": 1 // one\n}",
        "{\n  \"a\": 1, // one\n  \"k\": 1\n}",
    );
    appended("{\"a\":1 /* one */}", "{\"a\":1, /* one */\"k\":1}");
    appended("{\n  // none\n}", "{\n  // none\n  \"k\": 1\n}");
    appended("{\"a\":1 // one\r}", "{\"a\":1, // one\n  \"k\":1\r}");
    appended("{\"a\":1 // ,]}\n}", "{\"a\":1, // ,]}\n  \"k\":1\n}");
}

#[test]
fn empty_container_is_set_off_to_distinguish_it_from_a_new_one() {
    appended("{}", "{\n\n  \"k\": 1\n}");
    appended("{\n}", "{\n\n\n  \"k\": 1\n}");
    appended("{ }", "{ \n\n  \"k\": 1\n}");
    appended("{\r}", "{\r\n\n  \"k\": 1\n}");
    appended("{}\r\n", "{\r\n\r\n  \"k\": 1\r\n}\r\n");
    appended("\u{feff}{}", "\u{feff}{\n\n  \"k\": 1\n}");
}

#[test]
fn removal_prunes_new_containers_and_keeps_existing_ones() {
    removed(r#"{"a":{"b":[1]},"c":2}"#, &[0, 0, 0], r#"{"c":2}"#);
    removed(
        r#"{"a":{"b":[ 1]},"c":2}"#,
        &[0, 0, 0],
        r#"{"a":{"b":[]},"c":2}"#,
    );
    removed(r#"{"a":[1 /* mine */]}"#, &[0, 0], r#"{"a":[ /* mine */]}"#);
    removed(r#"{"a":[1,]}"#, &[0, 0], "");
    removed("{\"a\": 1}\n", &[0], "");
    removed(
        "// remarks\n{\"a\": 1} // and more\n",
        &[0],
        "// remarks\n{} // and more\n",
    );
}

#[test]
fn removal_from_the_middle_keeps_the_separators() {
    removed("[1, 2, 3]", &[0], "[2, 3]");
    removed("[1, 2, 3]", &[1], "[1, 3]");
    removed("[1, 2, 3]", &[2], "[1, 2]");
    removed("{\n  \"a\": 1,\n  \"b\": 2\n}", &[0], "{\n  \"b\": 2\n}");
    removed("[1 /* one */, 2]", &[0], "[ /* one */ 2]");
    removed("[1, // one\n 2]", &[0], "[ // one\n 2]");
    removed("[1, // one\n 2 ]", &[1], "[1 // one\n ]");
}

#[test]
fn a_document_without_a_value_gets_one_and_loses_it_again() {
    for before in [
        "",
        "\n",
        "  ",
        "\r",
        "\u{feff}",
        "// c",
        "// c\n",
        "/* c */\r\n",
        "// c\r",
    ] {
        let mut document = JsonDocument::parse(before).unwrap();
        document.create_root(&json!({ "k": 1 }), 1).unwrap();
        assert!(document.root().is_some());
        document.remove(&[0]).unwrap();
        assert_eq!(document.text(), before);
    }
}

#[test]
fn a_string_is_replaced_where_it_stands() {
    let mut document = JsonDocument::parse("{ \"a\" : \"\\u0041\" /* b */ }").unwrap();
    document.replace_string(&[0], "\"é\"\n").unwrap();
    assert_eq!(document.text(), r#"{ "a" : "\"é\"\n" /* b */ }"#);
}

#[test]
fn last_of_duplicate_members_is_effective() {
    let document = JsonDocument::parse(r#"{"a": 1, "a": "x"}"#).unwrap();
    let (index, member) = document.root().unwrap().member("a").unwrap();
    assert_eq!((index, member.value.as_str()), (1, Some("x")));
}

#[test]
fn errors_name_line_and_column() {
    refused("{\n  \"a\" 1\n}", 2, 7);
    refused("{\n  \"é\": tru\n}", 2, 8);
    refused("\u{feff}{,}", 1, 2);
    refused("{} {}", 1, 4);
    refused("{'a': 1}", 1, 2);
    refused("{a: 1}", 1, 2);
    refused("{\"a\": 1 \"b\": 2}", 1, 8);
    let error = JsonDocument::parse("[\n1,,2]").unwrap_err();
    assert_eq!(
        error.to_string(),
        "not valid JSON at line 2, column 3: unexpected comma"
    );
}

#[test]
fn unbounded_nesting_is_refused() {
    assert!(JsonDocument::parse("[".repeat(100_000)).is_err());
    assert!(JsonDocument::parse("{\"a\":".repeat(100_000)).is_err());
}

#[test]
fn missing_paths_are_errors() {
    let mut document = JsonDocument::parse(r#"{"a": [1]}"#).unwrap();
    let before = document.clone();
    let results = [
        document.append_member(&[0], "k", &json!(1), 0),
        document.append_element(&[], &json!(1), 0),
        document.append_element(&[0, 0], &json!(1), 0),
        document.replace_string(&[0, 0], "x"),
        document.remove(&[0, 1]),
        document.create_root(&json!(1), 0),
    ];
    for result in results {
        assert!(
            matches!(result, Err(EditError::NoSuchPath { .. })),
            "{result:?}"
        );
    }
    assert_eq!(document, before);
}

#[test]
fn a_diff_shows_the_change_and_nothing_when_there_is_none() {
    assert_eq!(diff("a\nb\n", "a\nb\n"), "");
    assert_eq!(
        diff("a\nb\n", "a\nc"),
        "--- before\n+++ after\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n"
    );
}

#[test]
fn words_are_quoted_only_if_the_shell_needs_it() {
    assert_eq!(quote("/usr/local/bin/becket"), "/usr/local/bin/becket");
    assert_eq!(quote("/opt/my tools/becket"), "'/opt/my tools/becket'");
    assert_eq!(quote("/o'brien/becket"), r"'/o'\''brien/becket'");
    assert_eq!(quote(r"C:\bin\becket.exe"), r"'C:\bin\becket.exe'");
    assert_eq!(quote("~/becket"), "'~/becket'");
    assert_eq!(quote("A=b/becket"), "'A=b/becket'");
    assert_eq!(quote(""), "''");
}

#[test]
fn words_are_split_as_the_shell_would() {
    let values = |line: &str| {
        let words = split(line)?;
        Some(words.into_iter().map(|word| word.value).collect::<Vec<_>>())
    };
    let some = |words: &[&str]| Some(words.iter().map(ToString::to_string).collect::<Vec<_>>());
    assert_eq!(
        values(r#"  a 'b c' "d \" \x" e\ f"#),
        some(&["a", "b c", r#"d " \x"#, "e f"])
    );
    assert_eq!(values("a'b'\"c\"d"), some(&["abcd"]));
    assert_eq!(values("a ''"), some(&["a", ""]));
    assert_eq!(values("a && b"), some(&["a"]));
    assert_eq!(values("a;b"), some(&["a"]));
    assert_eq!(values("a # b"), some(&["a"]));
    assert_eq!(values("a \\\n b"), some(&["a", "b"]));
    assert_eq!(values("a 'b"), None);
    assert_eq!(values("a \"b"), None);
    assert_eq!(values(""), some(&[]));
}

#[test]
fn own_command_is_recognised_only_for_its_agent() {
    let ours = |line: &str| OwnCommand::parse(line, "claude").is_some();
    assert!(ours("becket hook PreToolUse --agent claude"));
    assert!(ours("/usr/bin/becket hook --agent=claude Stop"));
    assert!(ours(
        "'/opt/my tools/becket' hook Stop --agent claude || true"
    ));
    assert!(ours(
        "\"$HOME/.cargo/bin/becket\" hook Stop --agent claude 2>/dev/null"
    ));
    assert!(ours(
        r"'C:\Program Files\becket.exe' hook Stop --agent claude"
    ));
    assert!(!ours("becket hook Stop --agent codex"));
    assert!(!ours("becket hook Stop"));
    assert!(!ours("becket check --agent claude"));
    assert!(!ours("becket-hook hook Stop --agent claude"));
    assert!(!ours("/opt/becket/run hook Stop --agent claude"));
    assert!(!ours("echo becket hook Stop --agent claude"));
    assert!(!ours("becket hook Stop; echo --agent claude"));
    assert!(!ours("'becket hook Stop --agent claude"));
    assert!(!ours(""));
}

#[test]
fn own_command_has_a_program_and_an_event() {
    let own = |line: &str| OwnCommand::parse(line, "claude").unwrap();
    let own_line = hook_command("/a b/becket", "Stop", "claude");
    assert_eq!(own(&own_line).program.value, "/a b/becket");
    assert!(own(&own_line).program.literal);
    assert!(own(&own_line).is_for("Stop"));
    assert!(!own(&own_line).is_for("SubagentStop"));
    assert!(!own("$HOME/becket hook --agent claude").program.literal);
    assert!(!own("~/becket hook --agent claude").program.literal);
    assert!(own("becket hook --agent claude pre-tool-use").is_for("PreToolUse"));
    assert!(own("becket hook --agent claude").is_for("PreToolUse"));
    assert!(own("becket hook --agent claude >/dev/null").is_for("PreToolUse"));
    assert!(is_becket("/usr/bin/becket") && !is_becket("/usr/bin/becketd") && !is_becket(""));
}
