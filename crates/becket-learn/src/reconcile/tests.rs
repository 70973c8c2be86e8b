use becket_store::Millis;

use super::*;

fn known(id: &str, kind: MemoryKind, trust: Trust, text: &str) -> MemoryRow {
    MemoryRow {
        pk: 1,
        id: id.into(),
        project: "/p".into(),
        kind,
        text: text.into(),
        context: None,
        importance: 5,
        status: MemoryStatus::Active,
        trust,
        pinned: false,
        expires: None,
        agent: None,
        session: None,
        events: Vec::new(),
        files: Vec::new(),
        commit: None,
        created: Millis(0),
        superseded_by: None,
    }
}

fn new(kind: MemoryKind, trust: Trust, text: &str) -> Observation {
    Observation {
        trust,
        importance: 7,
        ..Observation::new(kind, text)
    }
}

fn settled(new: &Observation, known: &[MemoryRow]) -> String {
    match reconcile(new, &candidates_by_words(known, &new.text)) {
        Reconciliation::Merge {
            into,
            importance,
            supersedes,
            contradicts,
        } if supersedes.is_empty() && contradicts.is_empty() => {
            format!("merge {into} {importance}")
        }
        Reconciliation::Merge {
            into,
            importance,
            supersedes,
            contradicts,
        } => format!("merge {into} {importance} {supersedes:?} {contradicts:?}"),
        Reconciliation::Keep {
            supersedes,
            contradicts,
        } => format!("keep {supersedes:?} {contradicts:?}"),
    }
}

#[test]
fn duplicates_merge_and_more_detailed_texts_supersede() {
    use MemoryKind::{BugFix, Decision, Discovery, Gotcha};
    use Trust::{Agent, Tool, User};
    for (told, before, expected) in [
        (
            new(Decision, User, "Use pnpm instead of npm!"),
            known("m", Decision, User, "Use pnpm instead of npm."),
            "merge m 7",
        ),
        (
            new(Gotcha, Agent, "The cache is cold after a deploy"),
            known("m", Gotcha, Agent, "the cache is cold after deploys"),
            "merge m 7",
        ),
        (
            new(
                Gotcha,
                Agent,
                "Database connections leak under load, close them in a finally block",
            ),
            known("m", Gotcha, Agent, "Database connections leak under load"),
            "keep [] []",
        ),
        (
            new(Gotcha, Agent, "The cache is cold"),
            known("m", Discovery, Agent, "The cache is cold"),
            "keep [] []",
        ),
        (
            new(
                BugFix,
                Tool,
                "`cargo test` failed with “cannot find value a_1”; fixed in src/a.rs.",
            ),
            known(
                "m",
                BugFix,
                Tool,
                "`cargo test` failed with “cannot find value b_1”; fixed in src/b.rs.",
            ),
            "keep [] []",
        ),
        (
            new(Gotcha, User, "Never edit src/a.rs by hand"),
            known("m", Gotcha, User, "Never edit src/b.rs by hand"),
            "keep [] []",
        ),
    ] {
        assert_eq!(settled(&told, &[before]), expected, "{}", told.text);
    }
}

#[test]
fn longer_text_about_the_same_file_supersedes() {
    let mut before = known(
        "m",
        MemoryKind::Gotcha,
        Trust::Agent,
        "connections leak under heavy load in pool",
    );
    before.context = Some("src/db.rs".into());
    let mut told = new(
        MemoryKind::Gotcha,
        Trust::Agent,
        "connections leak under heavy load in pool unless closed early",
    );
    told.context = Some("src/db.rs".into());
    assert_eq!(
        settled(&told, std::slice::from_ref(&before)),
        "keep [\"m\"] []"
    );
    before.pinned = true;
    assert_eq!(
        settled(&told, std::slice::from_ref(&before)),
        "merge m 7",
        "what is pinned stays"
    );
    before.pinned = false;
    told.trust = Trust::Tool;
    assert_eq!(
        settled(&told, &[before]),
        "merge m 5",
        "a tool says it to an agent"
    );
}

#[test]
fn user_rules_supersede_and_other_contradictions_are_marked() {
    use MemoryKind::{Decision, Gotcha};
    use Trust::{Agent, Tool, User};
    let text = "Always use npm for scripts";
    for (by, before, pinned, expected) in [
        (User, User, false, "keep [\"m\"] []"),
        (User, Agent, false, "keep [\"m\"] []"),
        (User, User, true, "keep [] [\"m\"]"),
        (Agent, User, false, "keep [] [\"m\"]"),
        (Tool, User, false, "keep [] [\"m\"]"),
        (Agent, Agent, false, "keep [] [\"m\"]"),
        (Agent, Tool, false, "keep [\"m\"] []"),
    ] {
        let mut row = known("m", Gotcha, before, "Use pnpm instead of npm");
        row.pinned = pinned;
        assert_eq!(
            settled(&new(Decision, by, text), &[row]),
            expected,
            "{by:?} {before:?}"
        );
    }
}

#[test]
fn superseded_memories_are_not_compared() {
    let mut row = known("m", MemoryKind::Decision, Trust::User, "Use tabs");
    row.status = MemoryStatus::Superseded;
    let told = new(MemoryKind::Decision, Trust::User, "Use tabs");
    assert_eq!(settled(&told, &[row]), "keep [] []");
}

#[test]
fn repeated_rule_supersedes_its_opposite_in_any_order() {
    use MemoryKind::Decision;
    use Trust::{Agent, User};
    let pnpm = known("pnpm", Decision, User, "Use pnpm instead of npm");
    let npm = |trust| known("npm", Decision, trust, "Use npm instead of pnpm");
    for (by, of_other, expected) in [
        (User, User, "merge pnpm 7 [\"npm\"] []"),
        (User, Agent, "merge pnpm 7 [\"npm\"] []"),
        (Agent, User, "merge pnpm 5 [] [\"npm\"]"),
    ] {
        let told = new(Decision, by, "Use pnpm instead of npm!");
        let candidate = |memory: &MemoryRow| MergeCandidate {
            memory: memory.clone(),
            score: 0.95,
        };
        let mut both = [candidate(&pnpm), candidate(&npm(of_other))];
        for _ in 0..2 {
            let found = match reconcile(&told, &both) {
                Reconciliation::Merge {
                    into,
                    importance,
                    supersedes,
                    contradicts,
                } => format!("merge {into} {importance} {supersedes:?} {contradicts:?}"),
                other @ Reconciliation::Keep { .. } => format!("{other:?}"),
            };
            assert_eq!(found, expected, "{by:?} {of_other:?}");
            both.reverse();
        }
    }
}

#[test]
fn user_wording_replaces_a_near_duplicate() {
    use MemoryKind::Gotcha;
    let text = "close the database pool early because connections leak under heavy load always";
    let before = known("m", Gotcha, Trust::Tool, text);
    for (said, expected) in [
        (text, "merge m 7"),
        (
            "close the database pool early because connections leak under heavy load",
            "keep [\"m\"] []",
        ),
    ] {
        let told = new(Gotcha, Trust::User, said);
        assert_eq!(settled(&told, std::slice::from_ref(&before)), expected);
    }
}
