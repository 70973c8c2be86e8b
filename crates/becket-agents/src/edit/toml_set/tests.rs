use super::{TomlDocument, TomlStep};

const HOOK: [TomlStep<'static>; 2] = [TomlStep::Key("hook"), TomlStep::Index(0)];

fn set(before: &str, path: &[TomlStep<'_>], key: &str, value: &str) -> String {
    let mut document = TomlDocument::parse(before).unwrap();
    document.set(path, key, value).unwrap();
    document.into_text()
}

#[test]
fn a_key_is_set_in_its_place_however_the_table_is_written() {
    for (before, after) in [
        (
            "[[hook]]\nenabled = true # why\nname = 'a'\n",
            "[[hook]]\nenabled = false # why\nname = 'a'\n",
        ),
        (
            "[[hook]]\nname = 'a'",
            "[[hook]]\nname = 'a'\nenabled = false",
        ),
        ("[[hook]]", "[[hook]]\nenabled = false"),
        (
            "[[hook]] # none\n\n[x]\n",
            "[[hook]] # none\nenabled = false\n\n[x]\n",
        ),
        (
            "[[hook]]\r\n  name = 'a' # é\r\n",
            "[[hook]]\r\n  name = 'a' # é\r\n  enabled = false\r\n",
        ),
        (
            "[[hook]]\nfilter.path = ['a']\n[hook.env]\nA = '1'\n",
            "[[hook]]\nfilter.path = ['a']\nenabled = false\n[hook.env]\nA = '1'\n",
        ),
        (
            "[[hook]]\ncommand = '''\na\nb'''\n# end\n",
            "[[hook]]\ncommand = '''\na\nb'''\nenabled = false\n# end\n",
        ),
        (
            "hook = [{ name = 'a' }]\n",
            "hook = [{ name = 'a', enabled = false }]\n",
        ),
        ("hook = [{}]\n", "hook = [{ enabled = false }]\n"),
    ] {
        assert_eq!(set(before, &HOOK, "enabled", "false"), after, "{before}");
    }
}

#[test]
fn tables_below_a_hook_are_reached_in_every_notation() {
    let options = [HOOK[0], HOOK[1], TomlStep::Key("options")];
    for (before, after) in [
        (
            "[[hook]]\noptions = { a = 1 }\n",
            "[[hook]]\noptions = { a = 1, b = 2 }\n",
        ),
        (
            "[[hook]]\noptions.a = 1\nuse = 'x'\n",
            "[[hook]]\noptions.a = 1\noptions.b = 2\nuse = 'x'\n",
        ),
        (
            "[[hook]]\n[hook.options]\na = 1\n",
            "[[hook]]\n[hook.options]\na = 1\nb = 2\n",
        ),
        (
            "[[hook]]\noptions = { a = 1, b = 1 }\n",
            "[[hook]]\noptions = { a = 1, b = 2 }\n",
        ),
    ] {
        assert_eq!(set(before, &options, "b", "2"), after, "{before}");
    }
}

#[test]
fn array_items_are_added_and_removed_without_losing_comments() {
    let path = [TomlStep::Key("hooks")];
    for (before, after) in [
        ("[hooks]\ndisabled = []\n", "[hooks]\ndisabled = [\"b\"]\n"),
        (
            "[hooks]\ndisabled = ['a']\n",
            "[hooks]\ndisabled = ['a', \"b\"]\n",
        ),
        (
            "[hooks]\ndisabled = ['a',]\n",
            "[hooks]\ndisabled = ['a', \"b\",]\n",
        ),
        (
            "[hooks]\ndisabled = [\n  'a', # why\n  # end\n]\n",
            "[hooks]\ndisabled = [\n  'a', # why\n  \"b\",\n  # end\n]\n",
        ),
        (
            "[hooks]\ndisabled = [\n  'a' # why\n]\n",
            "[hooks]\ndisabled = [\n  'a', # why\n  \"b\"\n]\n",
        ),
    ] {
        let mut document = TomlDocument::parse(before).unwrap();
        document.add_text(&path, "disabled", "b").unwrap();
        assert_eq!(document.text(), after);
        document.add_text(&path, "disabled", "b").unwrap();
        assert_eq!(document.text(), after, "only once");
        assert!(document.remove_text(&path, "disabled", "b").unwrap());
        assert!(!document.remove_text(&path, "disabled", "b").unwrap());
        let comma = before.replace("'a' # why", "'a', # why");
        assert!(
            document.text() == before || document.text() == comma,
            "{}",
            document.text()
        );
    }
}

#[test]
fn the_first_of_several_items_is_taken_out() {
    let mut document = TomlDocument::parse("[h]\nd = ['a', 'b', 'c'] # x\n").unwrap();
    assert!(
        document
            .remove_text(&[TomlStep::Key("h")], "d", "a")
            .unwrap()
    );
    assert_eq!(document.text(), "[h]\nd = ['b', 'c'] # x\n");
}

#[test]
fn table_is_removed_with_its_comments_and_subtables() {
    let text = "# the file\n\n# about a\n[[hook]]\nname = 'a'\nfilter.path = ['x']\n\n[hook.env]\nA = '1'\n\n# about b\n[[hook]]\nname = 'b'\n";
    let mut document = TomlDocument::parse(text).unwrap();
    let blocks = document
        .element_blocks(&[TomlStep::Key("hook")], 0)
        .unwrap();
    document.remove_tables(&blocks).unwrap();
    assert_eq!(
        document.text(),
        "# the file\n\n# about b\n[[hook]]\nname = 'b'\n"
    );
    let blocks = document
        .element_blocks(&[TomlStep::Key("hook")], 0)
        .unwrap();
    document.remove_tables(&blocks).unwrap();
    assert_eq!(document.text(), "# the file\n");
}

#[test]
fn non_table_is_refused_and_unchanged() {
    let mut document = TomlDocument::parse("hook = 1\n").unwrap();
    assert!(document.set(&HOOK, "enabled", "false").is_err());
    assert!(document.add_text(&[], "hook", "a").is_err());
    assert_eq!(document.text(), "hook = 1\n");
}
