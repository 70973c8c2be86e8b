mod hostile;

use becket_store::{ChunkRow, MemoryKind, MemoryRow, MemoryStatus, Millis, Trust};

use super::*;
use crate::search::{Band, Features, HitKind, RecallError, SearchHit, SearchResult};

const NOW: Millis = Millis(1_000_000);
const PROJECT: &str = "/home/ana/shop";

/// A knowledge source with fixed content.
#[derive(Debug, Default, Clone)]
struct FakeKnowledge {
    status: KnowledgeCounts,
    sessions: Vec<PastSession>,
    memories: Vec<MemoryRow>,
    found: Vec<SearchResult>,
}

impl KnowledgeSource for FakeKnowledge {
    fn project(&self) -> &str {
        PROJECT
    }

    fn status(&self) -> Result<KnowledgeCounts, RecallError> {
        Ok(self.status)
    }

    fn recent_sessions(&self, _: usize) -> Result<Vec<PastSession>, RecallError> {
        Ok(self.sessions.clone())
    }

    fn recent_memories(&self, _: usize) -> Result<Vec<MemoryRow>, RecallError> {
        Ok(self.memories.clone())
    }

    fn search(&self, _: &str, _: Band, _: usize) -> Result<Vec<SearchResult>, RecallError> {
        Ok(self.found.clone())
    }

    fn about_file(&self, _: &str, _: &str, _: usize) -> Result<Vec<MemoryRow>, RecallError> {
        Ok(self.memories.clone())
    }
}

impl FakeKnowledge {
    fn inject_within(
        &self,
        limits: &InjectionLimits,
        agent: &str,
        trigger: &InjectionTrigger<'_>,
        injected: &mut InjectedIds,
    ) -> Option<Injection> {
        let injector = Injector {
            knowledge: self,
            limits,
            agent,
            used_bytes: 0,
            now: NOW,
        };
        injector.inject(trigger, injected).unwrap()
    }

    fn inject(&self, trigger: &InjectionTrigger<'_>, injected: &mut InjectedIds) -> Option<String> {
        let context = self.inject_within(&InjectionLimits::default(), "claude", trigger, injected);
        context.map(|context| context.body().to_owned())
    }

    fn inject_first(&self, trigger: &InjectionTrigger<'_>) -> Option<String> {
        self.inject(trigger, &mut InjectedIds::default())
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

fn found(score: f32, hit: SearchHit) -> SearchResult {
    SearchResult {
        score,
        band: Band::of(score),
        kind: match &hit {
            SearchHit::Memory(memory) => HitKind::of(Some(memory.kind)),
            SearchHit::Code(_) => HitKind::Code,
        },
        hit,
        features: Features::default(),
    }
}

fn remembered(score: f32, kind: MemoryKind, text: &str) -> SearchResult {
    found(score, SearchHit::Memory(Box::new(memory(kind, text))))
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

fn file<'m>(paths: &'m [&'m str]) -> InjectionTrigger<'m> {
    InjectionTrigger::FileTool {
        tool: "Edit",
        paths,
        output: "",
        prompt: "",
    }
}

const STARTUP: InjectionTrigger<'static> = InjectionTrigger::SessionStart(StartSource::Startup);

fn shop() -> FakeKnowledge {
    let mut leak = memory(MemoryKind::Gotcha, "Database connections leak under load");
    leak.context = Some("src/db.py".into());
    FakeKnowledge {
        status: KnowledgeCounts {
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
                SearchHit::Code(Box::new(chunk(
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
fn new_session_gets_counts_sessions_and_memories() {
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
    for start in [StartSource::Startup, StartSource::Clear] {
        let context = shop().inject_first(&InjectionTrigger::SessionStart(start));
        assert_eq!(context.as_deref(), Some(expected));
    }
}

#[test]
fn resumed_session_gets_only_the_status_line() {
    let expected = "**Codebase Intelligence Active**: 150 code chunks indexed, 42 memories stored.";
    for start in [StartSource::Resume, StartSource::Compact] {
        let context = shop().inject_first(&InjectionTrigger::SessionStart(start));
        assert_eq!(context.as_deref(), Some(expected));
    }
}

#[test]
fn prompt_gets_high_confidence_results() {
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
    let context = shop().inject_first(&InjectionTrigger::Prompt("fix the login"));
    assert_eq!(context.as_deref(), Some(expected));
}

#[test]
fn file_tool_gets_memories_about_the_file() {
    let known = FakeKnowledge {
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
        ..FakeKnowledge::default()
    };
    let expected = "\
**Memories about src/db.py:**
- GOTCHA: Database connections leak under load - always use context manager
- [decision] Use connection pooling with max 10 connections";
    for path in ["src/db.py", "./src/db.py", "/home/ana/shop/src/db.py"] {
        let context = known.inject_first(&file(&[path]));
        assert_eq!(context.as_deref(), Some(expected), "{path}");
    }
    // A memory about both files is injected with the first.
    let context = known.inject_first(&file(&["src/db.py", "src/pool.py"]));
    assert_eq!(context.as_deref(), Some(expected));
}

#[test]
fn injected_context_is_framed_and_can_be_stripped() {
    let limits = InjectionLimits::default();
    let context = shop().inject_within(&limits, "claude", &STARTUP, &mut InjectedIds::default());
    let text = context.unwrap().text;
    assert!(text.starts_with("[becket:recall] "));
    assert!(text.ends_with("\n[/becket:recall]"));
    assert_eq!(
        strip_injected(&format!("before\n{text}\nafter")),
        "before\nafter"
    );
}

#[test]
fn nothing_is_injected_without_relevant_results() {
    let nothing = FakeKnowledge::default();
    let only_unsure = FakeKnowledge {
        found: vec![remembered(0.74, MemoryKind::Gotcha, "Only likely")],
        ..shop()
    };
    for (known, trigger) in [
        (&nothing, STARTUP),
        (
            &nothing,
            InjectionTrigger::SessionStart(StartSource::Resume),
        ),
        (&nothing, InjectionTrigger::Prompt("fix the login")),
        (&nothing, file(&["src/db.py"])),
        (&only_unsure, InjectionTrigger::Prompt("fix the login")),
        (&shop(), InjectionTrigger::Prompt("")),
        (&shop(), InjectionTrigger::Prompt(" y ")),
        (
            &shop(),
            InjectionTrigger::Prompt("<system-reminder>be brief"),
        ),
        (&shop(), InjectionTrigger::Prompt("<task-notification>done")),
        (&shop(), file(&[])),
    ] {
        assert_eq!(known.inject_first(&trigger), None, "{trigger:?}");
    }
}

#[test]
fn injected_items_are_deduplicated_per_session() {
    let known = shop();
    let mut injected = InjectedIds::default();
    let prompt = InjectionTrigger::Prompt("fix the login");
    let first = known.inject(&prompt, &mut injected).unwrap();
    assert_eq!(known.inject(&prompt, &mut injected), None);
    // The caller stores the ids, maybe for another process.
    let stored = serde_json::to_string(&injected).unwrap();
    let mut injected: InjectedIds = serde_json::from_str(&stored).unwrap();
    assert_eq!(known.inject(&prompt, &mut injected), None);
    known.inject(
        &InjectionTrigger::SessionStart(StartSource::Resume),
        &mut injected,
    );
    assert_eq!(known.inject(&prompt, &mut injected), None);
    // Only the new result is injected.
    let mut more = known.clone();
    let new = remembered(0.8, MemoryKind::Gotcha, "Logins are case sensitive");
    more.found.push(new);
    let context = more.inject(&prompt, &mut injected);
    let expected = "**Relevant memories for this task:**\n- [gotcha] Logins are case sensitive";
    assert_eq!(context.as_deref(), Some(expected));
    // After the context is cleared, items are injected again.
    for start in [StartSource::Clear, StartSource::Compact] {
        known.inject(&InjectionTrigger::SessionStart(start), &mut injected);
        assert_eq!(known.inject(&prompt, &mut injected), Some(first.clone()));
    }
}

#[test]
fn session_start_items_are_not_repeated_for_a_file() {
    let known = shop();
    let mut injected = InjectedIds::default();
    known.inject(&STARTUP, &mut injected).unwrap();
    assert_eq!(known.inject(&file(&["src/db.py"]), &mut injected), None);
}

#[test]
fn changed_code_is_injected_again() {
    let mut known = shop();
    let mut injected = InjectedIds::default();
    let prompt = InjectionTrigger::Prompt("fix the login");
    known.inject(&prompt, &mut injected).unwrap();
    if let SearchHit::Code(chunk) = &mut known.found[1].hit {
        chunk.text.push_str("    return token\n");
    }
    let context = known.inject(&prompt, &mut injected).unwrap();
    assert!(context.starts_with("## Relevant Code\n\n**src/auth/handler.py**"));
    assert!(context.contains("return token") && !context.contains("bcrypt"));
}

#[test]
fn limits_are_ceilings() {
    let long = "line\n".repeat(60);
    let pieces = (0..5).map(|number| {
        let piece = chunk(&format!("src/{number}.rs"), None, &long);
        found(0.9, SearchHit::Code(Box::new(piece)))
    });
    let lessons = (0..15).map(|number| remembered(0.9, MemoryKind::Gotcha, &number.to_string()));
    let known = FakeKnowledge {
        found: pieces.chain(lessons).collect(),
        memories: (0..15)
            .map(|number| memory(MemoryKind::Gotcha, &number.to_string()))
            .collect(),
        sessions: (0..8)
            .map(|number| session(&number.to_string(), "worked"))
            .collect(),
        ..FakeKnowledge::default()
    };
    let count = |text: &str, what: &str| text.lines().filter(|line| line.starts_with(what)).count();
    let context = known
        .inject_first(&InjectionTrigger::Prompt("lines"))
        .unwrap();
    assert_eq!(count(&context, "**src/"), 3);
    assert_eq!(count(&context, "line"), 3 * 50);
    assert_eq!(count(&context, "... (10 more lines)"), 3);
    assert_eq!(count(&context, "- [gotcha]"), 10);
    let context = known.inject_first(&STARTUP).unwrap();
    assert_eq!(
        (count(&context, "**Session"), count(&context, "- !")),
        (5, 10)
    );
    let context = known.inject_first(&file(&["a", "b"])).unwrap();
    assert_eq!(count(&context, "- GOTCHA"), 10);
    let limits: InjectionLimits =
        serde_json::from_str(r#"{ "code_chunks": 1, "lines_per_chunk": 2, "memories": 0 }"#)
            .unwrap();
    let trigger = InjectionTrigger::Prompt("lines");
    let context = known.inject_within(&limits, "claude", &trigger, &mut InjectedIds::default());
    let expected =
        "## Relevant Code\n\n**src/0.rs** (L45-78)\n```rust\nline\nline\n... (58 more lines)\n```";
    assert_eq!(context.unwrap().body(), expected);
    assert!(serde_json::from_str::<InjectionLimits>(r#"{ "memory": 3 }"#).is_err());
}

#[test]
fn memories_take_the_token_budget_before_code_and_sessions() {
    let known = shop();
    let tell = |tokens: usize, trigger: &InjectionTrigger<'_>, injected: &mut InjectedIds| {
        let limits = InjectionLimits {
            tokens,
            ..InjectionLimits::default()
        };
        let context = known.inject_within(&limits, "gemini", trigger, injected);
        context.map(|context| context.body().to_owned())
    };
    let mut injected = InjectedIds::default();
    let context = tell(
        90,
        &InjectionTrigger::Prompt("fix the login"),
        &mut injected,
    )
    .unwrap();
    assert!(
        context.contains("bcrypt") && !context.contains("## Relevant Code"),
        "{context}"
    );
    // Items that did not fit do not count as injected.
    let context = tell(
        2_000,
        &InjectionTrigger::Prompt("fix the login"),
        &mut injected,
    )
    .unwrap();
    assert!(
        context.contains("## Relevant Code") && !context.contains("bcrypt"),
        "{context}"
    );
    let context = tell(150, &STARTUP, &mut InjectedIds::default()).unwrap();
    assert!(
        context.contains("leak") && !context.contains("Session History"),
        "{context}"
    );
    assert_eq!(tell(0, &STARTUP, &mut InjectedIds::default()), None);
}

#[test]
fn agent_without_context_support_gets_nothing() {
    for agent in ["windsurf", "goose"] {
        let limits = InjectionLimits::default();
        let context = shop().inject_within(&limits, agent, &STARTUP, &mut InjectedIds::default());
        assert_eq!(context, None);
    }
}
