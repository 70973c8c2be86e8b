-- A database of version 6, with one session of two turns and two memories; a third one was deleted.
PRAGMA auto_vacuum = INCREMENTAL;
PRAGMA journal_mode = WAL;
PRAGMA foreign_keys = OFF;

BEGIN TRANSACTION;
CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta VALUES('database','00000000000000000000000000000006');
CREATE TABLE projects (
  pk         INTEGER PRIMARY KEY,
  path       TEXT NOT NULL UNIQUE,
  first_seen INTEGER NOT NULL,
  last_seen  INTEGER NOT NULL
) STRICT;
INSERT INTO projects VALUES(1,'/home/ana/shop',1790000000000,1790000020000);
CREATE TABLE agents (
  name       TEXT PRIMARY KEY,
  first_seen INTEGER NOT NULL,
  last_seen  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO agents VALUES('claude',1790000000000,1790000020000);
CREATE TABLE sessions (
  pk            INTEGER PRIMARY KEY,
  id            TEXT NOT NULL UNIQUE,
  agent         TEXT NOT NULL,
  project_pk    INTEGER REFERENCES projects (pk),
  status        TEXT NOT NULL CHECK (status IN ('active', 'completed')),
  source        TEXT,
  started_at    INTEGER NOT NULL,
  last_at       INTEGER NOT NULL,
  ended_at      INTEGER,
  end_reason    TEXT,
  transcript    TEXT,
  -- The parent's id and not its key: it may be heard of later, or never.
  parent        TEXT,
  parent_reason TEXT,
  -- Set when the parent has to be found among other sessions' events: 'clear' or 'subagent'.
  link          TEXT,
  title         TEXT,
  title_by      TEXT,
  summary       TEXT,
  summarised_at INTEGER,
  -- What was concluded from the events so far, as JSON.
  header        TEXT NOT NULL,
  course        TEXT NOT NULL,
  -- Events before this time were pruned, so that the session cannot be rebuilt any more.
  pruned_to     INTEGER
) STRICT;
INSERT INTO sessions VALUES(1,'s1','claude',1,'completed','startup',1790000000000,1790000020000,1790000020000,'exit',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"first":{"position":{"at":1790000000000,"id":"e01"},"value":null},"last_at":1790000020000,"label":{"rank":1,"at_start":true,"position":{"at":1790000000000,"id":"e01"},"agent":"claude"},"project":{"position":{"at":1790000000000,"id":"e01"},"value":1},"transcript":null,"source":{"position":{"at":1790000000000,"id":"e01"},"value":"startup"},"parent":null}','{"folded":{"at":1790000020000,"id":"e09"},"batches":2,"latest":{"id":"e06","last_at":1790000020000,"closed":[1790000012000,"stop"],"responded":true},"prompt":{"id":"e06","hash":"a5def5749bc79703822f732b25cca06f","generation":null,"fresh":false},"compacting":null,"ended":{"at":1790000020000,"reason":"exit","idle":false}}',NULL);
CREATE TABLE batches (
  pk             INTEGER PRIMARY KEY,
  id             TEXT NOT NULL UNIQUE,
  session_pk     INTEGER NOT NULL REFERENCES sessions (pk) ON DELETE CASCADE,
  number         INTEGER NOT NULL,
  source         TEXT NOT NULL,
  status         TEXT NOT NULL CHECK (status IN ('active', 'completed')),
  started_at     INTEGER NOT NULL,
  last_at        INTEGER NOT NULL,
  ended_at       INTEGER,
  ended_by       TEXT,
  response_id    TEXT,
  plan_id        TEXT,
  -- How many prompts were taken for a repetition of this one's.
  repeats        INTEGER NOT NULL DEFAULT 0,
  class          TEXT,
  class_by       TEXT,
  processed_at   INTEGER,
  stale          INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO batches VALUES(1,'e02',1,1,'user','completed',1790000001000,1790000004000,1790000004000,'stop','e05',NULL,0,NULL,NULL,NULL,0);
INSERT INTO batches VALUES(2,'e06',1,2,'user','completed',1790000010000,1790000020000,1790000012000,'stop','e08',NULL,0,NULL,NULL,NULL,0);
CREATE TABLE events (
  seq          INTEGER PRIMARY KEY AUTOINCREMENT,
  id           TEXT NOT NULL UNIQUE,
  at           INTEGER NOT NULL,
  kind         TEXT NOT NULL,
  agent        TEXT NOT NULL,
  session_pk   INTEGER REFERENCES sessions (pk) ON DELETE CASCADE,
  project_pk   INTEGER REFERENCES projects (pk),
  batch_pk     INTEGER REFERENCES batches (pk) ON DELETE SET NULL,
  subagent     TEXT,
  tool         TEXT,
  call_id      TEXT,
  call_hash    TEXT,
  verdict      TEXT,
  -- What the event means for sessions and batches, as JSON; NULL: nothing.
  mark         TEXT,
  -- Equal for two reports of one action.
  action       TEXT,
  duplicate_of TEXT,
  problem      TEXT,
  record       TEXT NOT NULL
) STRICT;
INSERT INTO events VALUES(1,'e01',1790000000000,'SessionStart','claude',1,1,NULL,NULL,NULL,NULL,NULL,'none','{"start":{"source":"startup"}}',NULL,NULL,NULL,'{"v":1,"id":"e01","ts":"2026-09-21T14:13:20.000Z","agent":"claude","event":"SessionStart","session":"s1","project":"/home/ana/shop","decision":{"verdict":"none"},"payload":{"source":"startup","hook_event_name":"SessionStart","session_id":"s1"}}');
INSERT INTO events VALUES(2,'e02',1790000001000,'UserPromptSubmit','claude',1,1,1,NULL,NULL,NULL,NULL,'none','{"prompt":{"hash":"7011f25df903f5f7258882e716eb2bce","generation":null,"source":"user"}}',NULL,NULL,NULL,'{"v":1,"id":"e02","ts":"2026-09-21T14:13:21.000Z","agent":"claude","event":"UserPromptSubmit","session":"s1","project":"/home/ana/shop","decision":{"verdict":"none"},"payload":{"prompt":"Fix the parser","hook_event_name":"UserPromptSubmit","session_id":"s1"}}');
INSERT INTO events VALUES(3,'e03',1790000002000,'PreToolUse','claude',1,1,1,NULL,'Bash','t1','4f79b659d85c3708a0c1ca4db63e5630','none','{"act":{"plan":false}}',NULL,NULL,NULL,'{"v":1,"id":"e03","ts":"2026-09-21T14:13:22.000Z","agent":"claude","event":"PreToolUse","session":"s1","project":"/home/ana/shop","decision":{"verdict":"none"},"payload":{"tool_name":"Bash","tool_input":{"command":"cargo test"},"tool_use_id":"t1","hook_event_name":"PreToolUse","session_id":"s1"}}');
INSERT INTO events VALUES(4,'e04',1790000003000,'PostToolUse','claude',1,1,1,NULL,'Bash','t1','4f79b659d85c3708a0c1ca4db63e5630','none','{"act":{"plan":false}}','5dacf355178f77748a1f21a4ab4a1f14',NULL,NULL,'{"v":1,"id":"e04","ts":"2026-09-21T14:13:23.000Z","agent":"claude","event":"PostToolUse","session":"s1","project":"/home/ana/shop","decision":{"verdict":"none"},"payload":{"tool_name":"Bash","tool_input":{"command":"cargo test"},"tool_use_id":"t1","tool_response":{"stdout":"done","stderr":""},"hook_event_name":"PostToolUse","session_id":"s1"}}');
INSERT INTO events VALUES(5,'e05',1790000004000,'Stop','claude',1,1,1,NULL,NULL,NULL,NULL,'none','{"stop":{"responds":true,"rest":"done"}}',NULL,NULL,NULL,'{"v":1,"id":"e05","ts":"2026-09-21T14:13:24.000Z","agent":"claude","event":"Stop","session":"s1","project":"/home/ana/shop","decision":{"verdict":"none"},"payload":{"stop_hook_active":false,"last_assistant_message":"The parser is fixed.","hook_event_name":"Stop","session_id":"s1"}}');
INSERT INTO events VALUES(6,'e06',1790000010000,'UserPromptSubmit','claude',1,1,2,NULL,NULL,NULL,NULL,'none','{"prompt":{"hash":"a5def5749bc79703822f732b25cca06f","generation":null,"source":"user"}}',NULL,NULL,NULL,'{"v":1,"id":"e06","ts":"2026-09-21T14:13:30.000Z","agent":"claude","event":"UserPromptSubmit","session":"s1","project":"/home/ana/shop","decision":{"verdict":"none"},"payload":{"prompt":"Now the docs","hook_event_name":"UserPromptSubmit","session_id":"s1"}}');
INSERT INTO events VALUES(7,'e07',1790000011000,'PostToolUse','claude',1,1,2,NULL,'Bash','t2','19636cbfbe66c3399aeff3224d543a8d','none','{"act":{"plan":false}}','fa3aca69da4c81dd276df242a627f3f3',NULL,NULL,'{"v":1,"id":"e07","ts":"2026-09-21T14:13:31.000Z","agent":"claude","event":"PostToolUse","session":"s1","project":"/home/ana/shop","decision":{"verdict":"none"},"payload":{"tool_name":"Bash","tool_input":{"command":"mdbook build"},"tool_use_id":"t2","tool_response":{"stdout":"done","stderr":""},"hook_event_name":"PostToolUse","session_id":"s1"}}');
INSERT INTO events VALUES(8,'e08',1790000012000,'Stop','claude',1,1,2,NULL,NULL,NULL,NULL,'none','{"stop":{"responds":true,"rest":"done"}}',NULL,NULL,NULL,'{"v":1,"id":"e08","ts":"2026-09-21T14:13:32.000Z","agent":"claude","event":"Stop","session":"s1","project":"/home/ana/shop","decision":{"verdict":"none"},"payload":{"stop_hook_active":false,"last_assistant_message":"Done.","hook_event_name":"Stop","session_id":"s1"}}');
INSERT INTO events VALUES(9,'e09',1790000020000,'SessionEnd','claude',1,1,2,NULL,NULL,NULL,NULL,'none','{"end":{"reason":"exit"}}',NULL,NULL,NULL,'{"v":1,"id":"e09","ts":"2026-09-21T14:13:40.000Z","agent":"claude","event":"SessionEnd","session":"s1","project":"/home/ana/shop","decision":{"verdict":"none"},"payload":{"reason":"exit","hook_event_name":"SessionEnd","session_id":"s1"}}');
CREATE TABLE messages (
  pk         INTEGER PRIMARY KEY,
  event_id   TEXT NOT NULL,
  role       TEXT NOT NULL CHECK (role IN ('prompt', 'response', 'plan')),
  session_pk INTEGER NOT NULL REFERENCES sessions (pk) ON DELETE CASCADE,
  at         INTEGER NOT NULL,
  path       TEXT,
  text       TEXT NOT NULL,
  chars      INTEGER NOT NULL,
  UNIQUE (event_id, role)
) STRICT;
INSERT INTO messages VALUES(1,'e02','prompt',1,1790000001000,NULL,'Fix the parser',14);
INSERT INTO messages VALUES(2,'e05','response',1,1790000004000,NULL,'The parser is fixed.',20);
INSERT INTO messages VALUES(3,'e06','prompt',1,1790000010000,NULL,'Now the docs',12);
INSERT INTO messages VALUES(4,'e08','response',1,1790000012000,NULL,'Done.',5);
CREATE TABLE activities (
  pk           INTEGER PRIMARY KEY,
  id           TEXT NOT NULL UNIQUE,
  session_pk   INTEGER NOT NULL REFERENCES sessions (pk) ON DELETE CASCADE,
  batch_pk     INTEGER REFERENCES batches (pk) ON DELETE SET NULL,
  at           INTEGER NOT NULL,
  kind         TEXT NOT NULL,
  tool         TEXT NOT NULL,
  native_tool  TEXT,
  call_id      TEXT,
  subagent     TEXT,
  input        TEXT,
  output       TEXT,
  output_chars INTEGER NOT NULL DEFAULT 0,
  success      INTEGER NOT NULL,
  error        TEXT,
  duration_ms  INTEGER,
  -- Whether the duration is the time between two events, and not what the agent said.
  measured     INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO activities VALUES(1,'e04',1,1,1790000003000,'tool','Bash',NULL,'t1',NULL,'{"command":"cargo test"}','done',4,1,NULL,1000,1);
INSERT INTO activities VALUES(2,'e07',1,2,1790000011000,'tool','Bash',NULL,'t2',NULL,'{"command":"mdbook build"}','done',4,1,NULL,NULL,1);
CREATE TABLE files (
  activity_pk INTEGER NOT NULL REFERENCES activities (pk) ON DELETE CASCADE,
  path        TEXT NOT NULL,
  change      TEXT NOT NULL CHECK (change IN ('read', 'created', 'modified', 'deleted', 'named')),
  PRIMARY KEY (activity_pk, path)
) STRICT, WITHOUT ROWID;
CREATE TABLE hook_runs (
  pk       INTEGER PRIMARY KEY,
  id       TEXT NOT NULL UNIQUE,
  event_id TEXT NOT NULL,
  at       INTEGER NOT NULL,
  hook     TEXT NOT NULL,
  rule     TEXT,
  verdict  TEXT NOT NULL,
  ms       INTEGER,
  ending   TEXT,
  error    TEXT,
  reason   TEXT,
  output   TEXT,
  detached INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE decisions (
  event_id   TEXT PRIMARY KEY,
  session_pk INTEGER REFERENCES sessions (pk) ON DELETE CASCADE,
  project_pk INTEGER REFERENCES projects (pk),
  at         INTEGER NOT NULL,
  kind       TEXT NOT NULL,
  agent      TEXT NOT NULL,
  tool       TEXT,
  call_id    TEXT,
  subagent   TEXT,
  verdict    TEXT NOT NULL,
  reason     TEXT,
  hook       TEXT,
  rewritten  INTEGER NOT NULL,
  lost       TEXT,
  -- What became of the call: open, ran, failed, refused.
  outcome    TEXT NOT NULL,
  outcome_at INTEGER,
  outcome_id TEXT
) STRICT;
CREATE TABLE notifications (
  event_id   TEXT PRIMARY KEY,
  session_pk INTEGER REFERENCES sessions (pk) ON DELETE CASCADE,
  at         INTEGER NOT NULL,
  kind       TEXT,
  message    TEXT NOT NULL
) STRICT;
CREATE TABLE alarms (
  id              TEXT PRIMARY KEY,
  at              INTEGER NOT NULL,
  kind            TEXT NOT NULL,
  session_pk      INTEGER REFERENCES sessions (pk) ON DELETE CASCADE,
  event_id        TEXT,
  message         TEXT NOT NULL,
  acknowledged_at INTEGER
) STRICT;
CREATE TABLE usage (
  id          TEXT PRIMARY KEY,
  session_pk  INTEGER REFERENCES sessions (pk) ON DELETE CASCADE,
  at          INTEGER NOT NULL,
  agent       TEXT NOT NULL,
  model       TEXT,
  input       INTEGER NOT NULL,
  output      INTEGER NOT NULL,
  cache_read  INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  reasoning   INTEGER NOT NULL,
  cost_usd    REAL
) STRICT;
PRAGMA writable_schema=ON;
INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)VALUES('table','search','search',0,'CREATE VIRTUAL TABLE search USING fts5 (
  body, whole,
  content = '''', contentless_delete = 1, tokenize = ''porter unicode61 remove_diacritics 2''
)');
CREATE TABLE IF NOT EXISTS 'search_data'(id INTEGER PRIMARY KEY, block BLOB);
INSERT INTO search_data VALUES(1,X'061500');
INSERT INTO search_data VALUES(10,X'00000000ff00000101040400040101010101000001020101020200000203010103030000010401010404000002');
INSERT INTO search_data VALUES(137438953473,X'0000001f04306669780302020106706172736572030204010374686503020304080b');
INSERT INTO search_data VALUES(274877906945,X'000000550530626173680202020105636172676f02020402066f6d6d616e640202030104646f6e6502020601036669780502050102697305020401067061727365720502030104746573740202050202686505020204090a0b0908070b09');
INSERT INTO search_data VALUES(412316860417,X'0000001c0430646f6307020401036e6f770702020103746865070203040808');
INSERT INTO search_data VALUES(549755813889,X'00000039053062617368040202020475696c640402050107636f6d6d616e640402030104646f6e6504020605020201066d64626f6f6b0402040409090c0c');
CREATE TABLE IF NOT EXISTS 'search_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
INSERT INTO search_idx VALUES(1,X'',2);
INSERT INTO search_idx VALUES(2,X'',2);
INSERT INTO search_idx VALUES(3,X'',2);
INSERT INTO search_idx VALUES(4,X'',2);
CREATE TABLE IF NOT EXISTS 'search_docsize'(id INTEGER PRIMARY KEY, sz BLOB, origin INTEGER);
INSERT INTO search_docsize VALUES(2,X'0500',2);
INSERT INTO search_docsize VALUES(3,X'0300',1);
INSERT INTO search_docsize VALUES(4,X'0500',4);
INSERT INTO search_docsize VALUES(5,X'0400',2);
INSERT INTO search_docsize VALUES(7,X'0300',3);
INSERT INTO search_docsize VALUES(9,X'0100',4);
CREATE TABLE IF NOT EXISTS 'search_config'(k PRIMARY KEY, v) WITHOUT ROWID;
INSERT INTO search_config VALUES('version',4);
CREATE TABLE memories (
  pk            INTEGER PRIMARY KEY AUTOINCREMENT,
  id            TEXT NOT NULL UNIQUE,
  project_pk    INTEGER NOT NULL REFERENCES projects (pk),
  type          TEXT NOT NULL CHECK (type IN
                  ('gotcha', 'decision', 'bug_fix', 'discovery', 'trade_off', 'session_summary', 'plan')),
  text          TEXT NOT NULL,
  context       TEXT,
  importance    INTEGER NOT NULL CHECK (importance BETWEEN 1 AND 10),
  status        TEXT NOT NULL CHECK (status IN ('active', 'resolved', 'superseded', 'quarantined')),
  -- Who said it: a person, an agent, or the output of a tool.
  trust         TEXT NOT NULL CHECK (trust IN ('user', 'agent', 'tool')),
  pinned        INTEGER NOT NULL DEFAULT 0,
  expires       INTEGER,
  agent         TEXT,
  -- Ids and not keys: what a memory came from may be pruned before it.
  session       TEXT,
  events        TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(events)),
  files         TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(files)),
  commit_id     TEXT,
  created       INTEGER NOT NULL,
  superseded_by TEXT,
  content_hash  TEXT NOT NULL,
  UNIQUE (project_pk, content_hash)
) STRICT;
INSERT INTO memories VALUES(1,'m1',1,'gotcha','Prices are in cents.','src/cart.rs',8,'active','user',1,NULL,'claude','s1','["e01"]','["src/cart.rs"]','4b825dc',1790000021000,NULL,'1f0c6a4e');
INSERT INTO memories VALUES(2,'m2',1,'plan','Send prices in euros.',NULL,5,'superseded','agent',0,1800000000000,NULL,NULL,'[]','[]',NULL,1790000022000,'m1','9d2e7b31');
CREATE TABLE code_files (
  pk           INTEGER PRIMARY KEY AUTOINCREMENT,
  project_pk   INTEGER NOT NULL REFERENCES projects (pk),
  path         TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  language     TEXT NOT NULL,
  lines        INTEGER NOT NULL,
  -- Size and time of the last change: as long as both stay, the file is not read again.
  size         INTEGER NOT NULL,
  changed      INTEGER NOT NULL,
  indexed      INTEGER NOT NULL,
  UNIQUE (project_pk, path)
) STRICT;
CREATE TABLE chunks (
  pk         INTEGER PRIMARY KEY AUTOINCREMENT,
  file_pk    INTEGER NOT NULL REFERENCES code_files (pk) ON DELETE CASCADE,
  -- The file's, for when the file is gone first.
  project_pk INTEGER NOT NULL,
  start_line INTEGER NOT NULL,
  end_line   INTEGER NOT NULL,
  name       TEXT,
  kind       TEXT NOT NULL,
  text       TEXT NOT NULL
) STRICT;
CREATE TABLE embedding_models (
  pk         INTEGER PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO embedding_models VALUES(1,'static-256');
CREATE TABLE vectors (
  shelf    TEXT NOT NULL CHECK (shelf IN ('memory', 'code')),
  pk       INTEGER NOT NULL,
  model_pk INTEGER NOT NULL REFERENCES embedding_models (pk),
  vector   BLOB NOT NULL,
  PRIMARY KEY (shelf, pk, model_pk)
) STRICT, WITHOUT ROWID;
INSERT INTO vectors VALUES('memory',1,1,X'01ff');
CREATE TABLE recall_log (
  seq        INTEGER PRIMARY KEY AUTOINCREMENT,
  project_pk INTEGER NOT NULL,
  shelf      TEXT NOT NULL,
  pk         INTEGER NOT NULL,
  UNIQUE (shelf, pk)
) STRICT;
INSERT INTO recall_log VALUES(1,1,'memory',1);
INSERT INTO recall_log VALUES(2,1,'memory',2);
INSERT INTO recall_log VALUES(4,1,'memory',3);
CREATE TABLE extractions (
  pk       INTEGER PRIMARY KEY AUTOINCREMENT,
  batch    TEXT NOT NULL UNIQUE,
  session  TEXT NOT NULL,
  state    TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed')),
  attempts INTEGER NOT NULL DEFAULT 0,
  next_at  INTEGER NOT NULL,
  error    TEXT
) STRICT;
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('events',9);
INSERT INTO sqlite_sequence VALUES('memories',3);
INSERT INTO sqlite_sequence VALUES('recall_log',4);
CREATE INDEX sessions_by_time ON sessions (last_at, pk);
CREATE INDEX sessions_by_project ON sessions (project_pk, last_at);
CREATE INDEX sessions_active ON sessions (last_at) WHERE status = 'active';
CREATE INDEX sessions_linked ON sessions (started_at) WHERE link IS NOT NULL;
CREATE INDEX sessions_by_parent ON sessions (parent) WHERE parent IS NOT NULL;
CREATE INDEX batches_by_session ON batches (session_pk, started_at, id);
CREATE INDEX batches_unprocessed ON batches (ended_at) WHERE processed_at IS NULL AND status = 'completed';
CREATE INDEX events_by_session ON events (session_pk, at, id);
CREATE INDEX events_that_prompt ON events (project_pk, at, id) WHERE kind = 'UserPromptSubmit';
CREATE INDEX events_that_end ON events (project_pk, at, id) WHERE kind = 'SessionEnd';
CREATE INDEX events_by_batch ON events (batch_pk) WHERE batch_pk IS NOT NULL;
CREATE INDEX events_by_call ON events (session_pk, call_id, at, id) WHERE call_id IS NOT NULL;
CREATE INDEX messages_by_session ON messages (session_pk, role, at);
CREATE INDEX activities_by_session ON activities (session_pk, at, id, success);
CREATE INDEX activities_by_batch ON activities (batch_pk) WHERE batch_pk IS NOT NULL;
CREATE INDEX activities_by_time ON activities (at);
CREATE INDEX files_by_path ON files (path);
CREATE INDEX hook_runs_by_event ON hook_runs (event_id);
CREATE INDEX hook_runs_by_time ON hook_runs (at);
CREATE INDEX decisions_by_time ON decisions (at, event_id);
CREATE INDEX decisions_by_session ON decisions (session_pk, verdict) WHERE session_pk IS NOT NULL;
CREATE INDEX decisions_by_call ON decisions (session_pk, call_id) WHERE call_id IS NOT NULL;
CREATE INDEX notifications_by_time ON notifications (at);
CREATE INDEX alarms_by_time ON alarms (at);
CREATE INDEX usage_by_time ON usage (at);
CREATE TRIGGER activities_unlisted AFTER DELETE ON activities BEGIN
  DELETE FROM search WHERE rowid = 2 * old.pk;
END;
CREATE TRIGGER messages_unlisted AFTER DELETE ON messages BEGIN
  DELETE FROM search WHERE rowid = 2 * old.pk + 1;
END;
CREATE INDEX events_by_input ON events (session_pk, call_hash, at, id, kind, verdict, batch_pk)
  WHERE call_id IS NULL AND call_hash IS NOT NULL;
CREATE INDEX alarms_by_kind ON alarms (kind, id);
CREATE INDEX memories_by_time ON memories (project_pk, created, pk);
CREATE INDEX memories_by_session ON memories (session) WHERE session IS NOT NULL;
CREATE INDEX chunks_by_file ON chunks (file_pk, start_line);
CREATE INDEX recall_log_by_shelf ON recall_log (project_pk, shelf, seq);
CREATE TRIGGER memories_added AFTER INSERT ON memories BEGIN
  INSERT INTO recall_log (project_pk, shelf, pk) VALUES (new.project_pk, 'memory', new.pk);
END;
CREATE TRIGGER memories_changed AFTER UPDATE ON memories BEGIN
  DELETE FROM recall_log WHERE shelf = 'memory' AND pk = new.pk;
  INSERT INTO recall_log (project_pk, shelf, pk) VALUES (new.project_pk, 'memory', new.pk);
END;
CREATE TRIGGER memories_gone AFTER DELETE ON memories BEGIN
  DELETE FROM vectors WHERE shelf = 'memory' AND pk = old.pk;
  DELETE FROM recall_log WHERE shelf = 'memory' AND pk = old.pk;
  INSERT INTO recall_log (project_pk, shelf, pk) VALUES (old.project_pk, 'memory', old.pk);
END;
CREATE TRIGGER chunks_added AFTER INSERT ON chunks BEGIN
  INSERT INTO recall_log (project_pk, shelf, pk) VALUES (new.project_pk, 'code', new.pk);
END;
CREATE TRIGGER chunks_changed AFTER UPDATE ON chunks BEGIN
  DELETE FROM recall_log WHERE shelf = 'code' AND pk = new.pk;
  INSERT INTO recall_log (project_pk, shelf, pk) VALUES (new.project_pk, 'code', new.pk);
END;
CREATE TRIGGER chunks_gone AFTER DELETE ON chunks BEGIN
  DELETE FROM vectors WHERE shelf = 'code' AND pk = old.pk;
  DELETE FROM recall_log WHERE shelf = 'code' AND pk = old.pk;
  INSERT INTO recall_log (project_pk, shelf, pk) VALUES (old.project_pk, 'code', old.pk);
END;
CREATE TRIGGER code_files_moved AFTER UPDATE OF path ON code_files BEGIN
  UPDATE chunks SET file_pk = file_pk WHERE file_pk = new.pk;
END;
CREATE INDEX extractions_due ON extractions (next_at) WHERE state IN ('waiting', 'running');
CREATE INDEX events_by_time ON events (at, kind, agent, project_pk, verdict, duplicate_of);
CREATE INDEX decisions_telling ON decisions (at, event_id) WHERE verdict <> 'none' OR rewritten <> 0;
CREATE INDEX decisions_by_hook ON decisions (hook) WHERE hook IS NOT NULL;
CREATE INDEX hook_runs_by_rule ON hook_runs (rule, event_id) WHERE rule IS NOT NULL;
CREATE INDEX events_by_action ON events (session_pk, action, at, id) WHERE action IS NOT NULL AND call_id IS NULL;
PRAGMA writable_schema=OFF;
COMMIT;

PRAGMA application_id = 1111706452;
PRAGMA user_version = 6;
