mod hostile;

use becket_store::{ChunkRow, MemoryKind, MemoryRow, MemoryStatus, Millis, Trust};

use super::*;
use crate::search::{Band, Features, Found, Hit, Kind, RecallError};

const NOW: Millis = Millis(1_000_000);
const PROJECT: &str = "/home/ana/shop";

/// A project of which exactly this is known.
#[derive(Debug, Default, Clone)]
struct Known {
    status: Status,
    sessions: Vec<PastSession>,
    memories: Vec<MemoryRow>,
    found: Vec<Found>,
}

impl Knowledge for Known {
    fn project(&self) -> &str {
        PROJECT
    }

    fn status(&self) -> Result<Status, RecallError> {
        Ok(self.status)
    }

    fn recent_sessions(&self, _: usize) -> Result<Vec<PastSession>, RecallError> {
        Ok(self.sessions.clone())
    }

    fn recent_memories(&self, _: usize) -> Result<Vec<MemoryRow>, RecallError> {
        Ok(self.memories.clone())
    }

    fn search(&self, _: &str, _: Band, _: usize) -> Result<Vec<Found>, RecallError> {
        Ok(self.found.clone())
    }

    fn about_file(&self, _: &str, _: &str, _: usize) -> Result<Vec<MemoryRow>, RecallError> {
        Ok(self.memories.clone())
    }
}

impl Known {
    fn tell_within(
        &self,
        limits: &Limits,
        agent: &str,
        moment: &Moment<'_>,
        seen: &mut Seen,
    ) -> Option<Injection> {
        let injector = Injector {
            knowledge: self,
            limits,
            agent,
            taken: 0,
            now: NOW,
        };
        injector.inject(moment, seen).unwrap()
    }

    fn tell(&self, moment: &Moment<'_>, seen: &mut Seen) -> Option<String> {
        let told = self.tell_within(&Limits::default(), "claude", moment, seen);
        told.map(|told| told.body().to_owned())
    }

    fn first(&self, moment: &Moment<'_>) -> Option<String> {
        self.tell(moment, &mut Seen::default())
    }
}

fn memory(kind: MemoryKind, text: &str) -> MemoryRow {
    MemoryRow {
        pk: 0,
        id: format!("{} {text}", kind.word()),
        project: PROJECT.into(),
        kind,
        text: text.into(),
        context: None,
        importance: 5,
        status: MemoryStatus::Active,
        trust: Trust::Agent,
        pinned: false,
        expires: None,
        agent: None,
        session: None,
        events: Vec::new(),
        files: Vec::new(),
        commit: None,
        created: Millis(1),
        superseded_by: None,
    }
}

fn found(score: f32, hit: Hit) -> Found {
    Found {
        score,
        band: Band::of(score),
        kind: match &hit {
            Hit::Memory(memory) => Kind::of(Some(memory.kind)),
            Hit::Code(_) => Kind::Code,
        },
        hit,
        features: Features::default(),
    }
}

fn remembered(score: f32, kind: MemoryKind, text: &str) -> Found {
    found(score, Hit::Memory(Box::new(memory(kind, text))))
}

fn chunk(path: &str, name: Option<&str>, text: &str) -> ChunkRow {
    ChunkRow {
        pk: 0,
        project: PROJECT.into(),
        path: path.into(),
        content_hash: String::new(),
        start: 45,
        end: 78,
        name: name.map(str::to_owned),
        kind: "function".into(),
        language: "python".into(),
        text: text.into(),
    }
}

fn session(id: &str, text: &str) -> PastSession {
    PastSession {
        id: id.into(),
        agent: "claude-code".into(),
        text: text.into(),
    }
}

fn file<'m>(paths: &'m [&'m str]) -> Moment<'m> {
    Moment::FileTool {
        tool: "Edit",
        paths,
        output: "",
        prompt: "",
    }
}

const STARTUP: Moment<'static> = Moment::SessionStart(Start::Startup);

fn shop() -> Known {
    let mut leak = memory(MemoryKind::Gotcha, "Database connections leak under load");
    leak.context = Some("src/db.py".into());
    Known {
        status: Status {
            code_chunks: 150,
            memories: 42,
        },
        sessions: vec![
            session("s2", "Implemented user authentication"),
            session("s1", "Fixed database\nconnection pooling"),
        ],
        memories: vec![
            leak,
            memory(MemoryKind::Decision, "Use async for I/O operations"),
            memory(
                MemoryKind::BugFix,
                "Fixed race condition in cache invalidation",
            ),
            memory(MemoryKind::TradeOff, "Slower writes for simpler code"),
        ],
        found: vec![
            remembered(
                0.95,
                MemoryKind::Gotcha,
                "JWT tokens expire after 1 hour, refresh required",
            ),
            found(
                0.9,
                Hit::Code(Box::new(chunk(
                    "src/auth/handler.py",
                    Some("authenticate_user"),
                    "async def authenticate_user(request: Request) -> User:\n    token = request.headers.get(\"X\")\n",
                ))),
            ),
            remembered(0.8, MemoryKind::Decision, "Use bcrypt for password hashing"),
            remembered(0.74, MemoryKind::Discovery, "Only likely"),
        ],
    }
}

#[test]
fn a_new_session_is_told_how_much_is_known_and_what_happened_lately() {
    let expected = "\
**Codebase Intelligence Active**: 150 code chunks indexed, 42 memories stored.

## Recent Session History

**Session 1** (claude-code): Implemented user authentication
**Session 2** (claude-code): Fixed database connection pooling

## Recent Project Memories

- ! **gotcha**: Database connections leak under load _(context: src/db.py)_
- [decision] **decision**: Use async for I/O operations
- [fix] **bug_fix**: Fixed race condition in cache invalidation
- [trade_off] **trade_off**: Slower writes for simpler code";
    for start in [Start::Startup, Start::Clear] {
        let told = shop().first(&Moment::SessionStart(start));
        assert_eq!(told.as_deref(), Some(expected));
    }
}

#[test]
fn a_session_that_goes_on_is_told_as_little_as_possible() {
    let expected = "**Codebase Intelligence Active**: 150 code chunks indexed, 42 memories stored.";
    for start in [Start::Resume, Start::Compact] {
        let told = shop().first(&Moment::SessionStart(start));
        assert_eq!(told.as_deref(), Some(expected));
    }
}

#[test]
fn a_prompt_is_told_what_is_surely_relevant() {
    let expected = "\
## Relevant Code

**src/auth/handler.py** (L45-78) - `authenticate_user`
```python
async def authenticate_user(request: Request) -> User:
    token = request.headers.get(\"X\")
```

**Relevant memories for this task:**
- [gotcha] JWT tokens expire after 1 hour, refresh required
- [decision] Use bcrypt for password hashing";
    let told = shop().first(&Moment::Prompt("fix the login"));
    assert_eq!(told.as_deref(), Some(expected));
}

#[test]
fn after_a_file_was_touched_what_is_known_about_it_is_told() {
    let known = Known {
        memories: vec![
            memory(
                MemoryKind::Gotcha,
                "Database connections leak under load - always use context manager",
            ),
            memory(
                MemoryKind::Decision,
                "Use connection pooling with max 10 connections",
            ),
        ],
        ..Known::default()
    };
    let expected = "\
**Memories about src/db.py:**
- GOTCHA: Database connections leak under load - always use context manager
- [decision] Use connection pooling with max 10 connections";
    for path in ["src/db.py", "./src/db.py", "/home/ana/shop/src/db.py"] {
        let told = known.first(&file(&[path]));
        assert_eq!(told.as_deref(), Some(expected), "{path}");
    }
    // A memory about both files of a patch is told with the first.
    let told = known.first(&file(&["src/db.py", "src/pool.py"]));
    assert_eq!(told.as_deref(), Some(expected));
}

#[test]
fn whatever_is_told_stands_between_marks_that_are_taken_out_again() {
    let limits = Limits::default();
    let told = shop().tell_within(&limits, "claude", &STARTUP, &mut Seen::default());
    let text = told.unwrap().text;
    assert!(text.starts_with("[becket:recall] "));
    assert!(text.ends_with("\n[/becket:recall]"));
    assert_eq!(
        strip_injected(&format!("before\n{text}\nafter")),
        "before\nafter"
    );
}

#[test]
fn where_nothing_is_relevant_nothing_is_told() {
    let nothing = Known::default();
    let only_unsure = Known {
        found: vec![remembered(0.74, MemoryKind::Gotcha, "Only likely")],
        ..shop()
    };
    for (known, moment) in [
        (&nothing, STARTUP),
        (&nothing, Moment::SessionStart(Start::Resume)),
        (&nothing, Moment::Prompt("fix the login")),
        (&nothing, file(&["src/db.py"])),
        (&only_unsure, Moment::Prompt("fix the login")),
        (&shop(), Moment::Prompt("")),
        (&shop(), Moment::Prompt(" y ")),
        (&shop(), Moment::Prompt("<system-reminder>be brief")),
        (&shop(), Moment::Prompt("<task-notification>done")),
        (&shop(), file(&[])),
    ] {
        assert_eq!(known.first(&moment), None, "{moment:?}");
    }
}

#[test]
fn what_a_session_was_told_it_is_not_told_again() {
    let known = shop();
    let mut seen = Seen::default();
    let prompt = Moment::Prompt("fix the login");
    let first = known.tell(&prompt, &mut seen).unwrap();
    assert_eq!(known.tell(&prompt, &mut seen), None);
    // The caller keeps it, and may be another process by then.
    let stored = serde_json::to_string(&seen).unwrap();
    let mut seen: Seen = serde_json::from_str(&stored).unwrap();
    assert_eq!(known.tell(&prompt, &mut seen), None);
    known.tell(&Moment::SessionStart(Start::Resume), &mut seen);
    assert_eq!(known.tell(&prompt, &mut seen), None);
    // What comes up only now is told alone.
    let mut more = known.clone();
    let new = remembered(0.8, MemoryKind::Gotcha, "Logins are case sensitive");
    more.found.push(new);
    let told = more.tell(&prompt, &mut seen);
    let expected = "**Relevant memories for this task:**\n- [gotcha] Logins are case sensitive";
    assert_eq!(told.as_deref(), Some(expected));
    // Once the context is gone, so is what was told.
    for start in [Start::Clear, Start::Compact] {
        known.tell(&Moment::SessionStart(start), &mut seen);
        assert_eq!(known.tell(&prompt, &mut seen), Some(first.clone()));
    }
}

#[test]
fn what_was_told_at_the_start_is_not_told_about_a_file() {
    let known = shop();
    let mut seen = Seen::default();
    known.tell(&STARTUP, &mut seen).unwrap();
    assert_eq!(known.tell(&file(&["src/db.py"]), &mut seen), None);
}

#[test]
fn code_that_has_changed_is_told_again() {
    let mut known = shop();
    let mut seen = Seen::default();
    let prompt = Moment::Prompt("fix the login");
    known.tell(&prompt, &mut seen).unwrap();
    if let Hit::Code(chunk) = &mut known.found[1].hit {
        chunk.text.push_str("    return token\n");
    }
    let told = known.tell(&prompt, &mut seen).unwrap();
    assert!(told.starts_with("## Relevant Code\n\n**src/auth/handler.py**"));
    assert!(told.contains("return token") && !told.contains("bcrypt"));
}

#[test]
fn limits_are_ceilings() {
    let long = "line\n".repeat(60);
    let pieces = (0..5).map(|number| {
        let piece = chunk(&format!("src/{number}.rs"), None, &long);
        found(0.9, Hit::Code(Box::new(piece)))
    });
    let lessons = (0..15).map(|number| remembered(0.9, MemoryKind::Gotcha, &number.to_string()));
    let known = Known {
        found: pieces.chain(lessons).collect(),
        memories: (0..15)
            .map(|number| memory(MemoryKind::Gotcha, &number.to_string()))
            .collect(),
        sessions: (0..8)
            .map(|number| session(&number.to_string(), "worked"))
            .collect(),
        ..Known::default()
    };
    let count = |text: &str, what: &str| text.lines().filter(|line| line.starts_with(what)).count();
    let told = known.first(&Moment::Prompt("lines")).unwrap();
    assert_eq!(count(&told, "**src/"), 3);
    assert_eq!(count(&told, "line"), 3 * 50);
    assert_eq!(count(&told, "... (10 more lines)"), 3);
    assert_eq!(count(&told, "- [gotcha]"), 10);
    let told = known.first(&STARTUP).unwrap();
    assert_eq!((count(&told, "**Session"), count(&told, "- !")), (5, 10));
    let told = known.first(&file(&["a", "b"])).unwrap();
    assert_eq!(count(&told, "- GOTCHA"), 10);
    let limits: Limits =
        serde_json::from_str(r#"{ "code_chunks": 1, "lines_per_chunk": 2, "memories": 0 }"#)
            .unwrap();
    let moment = Moment::Prompt("lines");
    let told = known.tell_within(&limits, "claude", &moment, &mut Seen::default());
    let expected =
        "## Relevant Code\n\n**src/0.rs** (L45-78)\n```rust\nline\nline\n... (58 more lines)\n```";
    assert_eq!(told.unwrap().body(), expected);
    assert!(serde_json::from_str::<Limits>(r#"{ "memory": 3 }"#).is_err());
}

#[test]
fn within_a_budget_memories_come_before_code_and_before_sessions() {
    let known = shop();
    let tell = |tokens: usize, moment: &Moment<'_>, seen: &mut Seen| {
        let limits = Limits {
            tokens,
            ..Limits::default()
        };
        let told = known.tell_within(&limits, "gemini", moment, seen);
        told.map(|told| told.body().to_owned())
    };
    let mut seen = Seen::default();
    let told = tell(90, &Moment::Prompt("fix the login"), &mut seen).unwrap();
    assert!(
        told.contains("bcrypt") && !told.contains("## Relevant Code"),
        "{told}"
    );
    // What there was no room for was not told.
    let told = tell(2_000, &Moment::Prompt("fix the login"), &mut seen).unwrap();
    assert!(
        told.contains("## Relevant Code") && !told.contains("bcrypt"),
        "{told}"
    );
    let told = tell(150, &STARTUP, &mut Seen::default()).unwrap();
    assert!(
        told.contains("leak") && !told.contains("Session History"),
        "{told}"
    );
    assert_eq!(tell(0, &STARTUP, &mut Seen::default()), None);
}

#[test]
fn an_agent_that_takes_no_context_is_told_nothing() {
    for agent in ["windsurf", "goose"] {
        let limits = Limits::default();
        let told = shop().tell_within(&limits, agent, &STARTUP, &mut Seen::default());
        assert_eq!(told, None);
    }
}
