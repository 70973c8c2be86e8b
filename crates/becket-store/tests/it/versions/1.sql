-- A database of version 1, with one session of two turns.
PRAGMA auto_vacuum = INCREMENTAL;
PRAGMA journal_mode = WAL;

-- Times are milliseconds since 1970, UTC. Ids are text as clients made them; `pk` columns are ours.

CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE projects (
  pk         INTEGER PRIMARY KEY,
  path       TEXT NOT NULL UNIQUE,
  first_seen INTEGER NOT NULL,
  last_seen  INTEGER NOT NULL
) STRICT;

CREATE TABLE agents (
  name       TEXT PRIMARY KEY,
  first_seen INTEGER NOT NULL,
  last_seen  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What follows from a session's events. Concluded again when an earlier event arrives late; what people
-- or models add (title, summary) is not touched by that.
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
CREATE INDEX sessions_by_time ON sessions (last_at, pk);
CREATE INDEX sessions_by_project ON sessions (project_pk, last_at);
CREATE INDEX sessions_active ON sessions (last_at) WHERE status = 'active';
CREATE INDEX sessions_linked ON sessions (started_at) WHERE link IS NOT NULL;
CREATE INDEX sessions_by_parent ON sessions (parent) WHERE parent IS NOT NULL;

-- What happened between a prompt and the next. The id is that of the event that began it.
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
CREATE INDEX batches_by_session ON batches (session_pk, started_at, id);
CREATE INDEX batches_unprocessed ON batches (ended_at) WHERE processed_at IS NULL AND status = 'completed';

-- Every event once, as the client recorded it. `seq` only grows and is what streams go by.
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
CREATE INDEX events_by_session ON events (session_pk, at, id);
CREATE INDEX events_by_time ON events (at);
CREATE INDEX events_that_prompt ON events (project_pk, at, id) WHERE kind = 'UserPromptSubmit';
CREATE INDEX events_that_end ON events (project_pk, at, id) WHERE kind = 'SessionEnd';
CREATE INDEX events_by_batch ON events (batch_pk) WHERE batch_pk IS NOT NULL;
CREATE INDEX events_by_call ON events (session_pk, call_id, at, id) WHERE call_id IS NOT NULL;
CREATE INDEX events_by_action ON events (session_pk, action, at, id) WHERE action IS NOT NULL;

-- Prompts, answers and plans.
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
CREATE INDEX messages_by_session ON messages (session_pk, role, at);

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
CREATE INDEX activities_by_session ON activities (session_pk, at, id, success);
CREATE INDEX activities_by_batch ON activities (batch_pk) WHERE batch_pk IS NOT NULL;
CREATE INDEX activities_by_call ON activities (session_pk, call_id) WHERE call_id IS NOT NULL;
CREATE INDEX activities_by_time ON activities (at);

CREATE TABLE files (
  activity_pk INTEGER NOT NULL REFERENCES activities (pk) ON DELETE CASCADE,
  path        TEXT NOT NULL,
  change      TEXT NOT NULL CHECK (change IN ('read', 'created', 'modified', 'deleted', 'named')),
  PRIMARY KEY (activity_pk, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX files_by_path ON files (path);

-- `event_id` is no reference: the run of an async hook may be heard of before its event.
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
CREATE INDEX hook_runs_by_event ON hook_runs (event_id);
CREATE INDEX hook_runs_by_time ON hook_runs (at);

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
CREATE INDEX decisions_by_time ON decisions (at, event_id);
CREATE INDEX decisions_by_session ON decisions (session_pk, verdict) WHERE session_pk IS NOT NULL;
CREATE INDEX decisions_by_call ON decisions (session_pk, call_id) WHERE call_id IS NOT NULL;

CREATE TABLE notifications (
  event_id   TEXT PRIMARY KEY,
  session_pk INTEGER REFERENCES sessions (pk) ON DELETE CASCADE,
  at         INTEGER NOT NULL,
  kind       TEXT,
  message    TEXT NOT NULL
) STRICT;
CREATE INDEX notifications_by_time ON notifications (at);

CREATE TABLE alarms (
  id              TEXT PRIMARY KEY,
  at              INTEGER NOT NULL,
  kind            TEXT NOT NULL,
  session_pk      INTEGER REFERENCES sessions (pk) ON DELETE CASCADE,
  event_id        TEXT,
  message         TEXT NOT NULL,
  acknowledged_at INTEGER
) STRICT;
CREATE INDEX alarms_by_time ON alarms (at);

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
CREATE INDEX usage_by_time ON usage (at);

INSERT INTO projects (pk,path,first_seen,last_seen) VALUES (1,'/home/ana/shop',1790000000000,1790000020000);
INSERT INTO agents (name,first_seen,last_seen) VALUES ('claude',1790000000000,1790000020000);
INSERT INTO sessions (pk,id,agent,project_pk,status,source,started_at,last_at,ended_at,end_reason,transcript,parent,parent_reason,link,title,title_by,summary,summarised_at,header,course,pruned_to) VALUES (1,'s1','claude',1,'completed','startup',1790000000000,1790000020000,1790000020000,'exit',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"first":{"position":{"at":1790000000000,"id":"e01"},"value":null},"last_at":1790000020000,"label":{"rank":1,"at_start":true,"position":{"at":1790000000000,"id":"e01"},"agent":"claude"},"project":{"position":{"at":1790000000000,"id":"e01"},"value":1},"transcript":null,"source":{"position":{"at":1790000000000,"id":"e01"},"value":"startup"},"parent":null}','{"folded":{"at":1790000020000,"id":"e09"},"batches":2,"latest":{"id":"e06","last_at":1790000020000,"closed":[1790000012000,"stop"],"responded":true},"prompt":{"id":"e06","hash":"a5def5749bc79703822f732b25cca06f","generation":null,"fresh":false},"compacting":null,"ended":{"at":1790000020000,"reason":"exit","idle":false}}',NULL);
INSERT INTO batches (pk,id,session_pk,number,source,status,started_at,last_at,ended_at,ended_by,response_id,plan_id,repeats,class,class_by,processed_at,stale) VALUES (1,'e02',1,1,'user','completed',1790000001000,1790000004000,1790000004000,'stop','e05',NULL,0,NULL,NULL,NULL,0);
INSERT INTO batches (pk,id,session_pk,number,source,status,started_at,last_at,ended_at,ended_by,response_id,plan_id,repeats,class,class_by,processed_at,stale) VALUES (2,'e06',1,2,'user','completed',1790000010000,1790000020000,1790000012000,'stop','e08',NULL,0,NULL,NULL,NULL,0);
INSERT INTO events (seq,id,at,kind,agent,session_pk,project_pk,batch_pk,subagent,tool,call_id,call_hash,verdict,mark,action,duplicate_of,problem,record) VALUES (1,'e01',1790000000000,'SessionStart','claude',1,1,NULL,NULL,NULL,NULL,NULL,'none','{"start":{"source":"startup"}}',NULL,NULL,NULL,'{"v":1,"id":"e01","ts":"2026-09-21T14:13:20.000Z","agent":"claude","event":"SessionStart","session":"s1","project":"/home/ana/shop","decision":{"verdict":"none"},"payload":{"source":"startup","hook_event_name":"SessionStart","session_id":"s1"}}');
INSERT INTO events (seq,id,at,kind,agent,session_pk,project_pk,batch_pk,subagent,tool,call_id,call_hash,verdict,mark,action,duplicate_of,problem,record) VALUES (2,'e02',1790000001000,'UserPromptSubmit','claude',1,1,1,NULL,NULL,NULL,NULL,'none','{"prompt":{"hash":"7011f25df903f5f7258882e716eb2bce","generation":null,"source":"user"}}',NULL,NULL,NULL,'{"v":1,"id":"e02","ts":"2026-09-21T14:13:21.000Z","agent":"claude","event":"UserPromptSubmit","session":"s1","project":"/home/ana/shop","decision":{"verdict":"none"},"payload":{"prompt":"Fix the parser","hook_event_name":"UserPromptSubmit","session_id":"s1"}}');
INSERT INTO events (seq,id,at,kind,agent,session_pk,project_pk,batch_pk,subagent,tool,call_id,call_hash,verdict,mark,action,duplicate_of,problem,record) VALUES (3,'e03',1790000002000,'PreToolUse','claude',1,1,1,NULL,'Bash','t1','4f79b659d85c3708a0c1ca4db63e5630','none','{"act":{"plan":false}}',NULL,NULL,NULL,'{"v":1,"id":"e03","ts":"2026-09-21T14:13:22.000Z","agent":"claude","event":"PreToolUse","session":"s1","project":"/home/ana/shop","decision":{"verdict":"none"},"payload":{"tool_name":"Bash","tool_input":{"command":"cargo test"},"tool_use_id":"t1","hook_event_name":"PreToolUse","session_id":"s1"}}');
INSERT INTO events (seq,id,at,kind,agent,session_pk,project_pk,batch_pk,subagent,tool,call_id,call_hash,verdict,mark,action,duplicate_of,problem,record) VALUES (4,'e04',1790000003000,'PostToolUse','claude',1,1,1,NULL,'Bash','t1','4f79b659d85c3708a0c1ca4db63e5630','none','{"act":{"plan":false}}','5dacf355178f77748a1f21a4ab4a1f14',NULL,NULL,'{"v":1,"id":"e04","ts":"2026-09-21T14:13:23.000Z","agent":"claude","event":"PostToolUse","session":"s1","project":"/home/ana/shop","decision":{"verdict":"none"},"payload":{"tool_name":"Bash","tool_input":{"command":"cargo test"},"tool_use_id":"t1","tool_response":{"stdout":"done","stderr":""},"hook_event_name":"PostToolUse","session_id":"s1"}}');
INSERT INTO events (seq,id,at,kind,agent,session_pk,project_pk,batch_pk,subagent,tool,call_id,call_hash,verdict,mark,action,duplicate_of,problem,record) VALUES (5,'e05',1790000004000,'Stop','claude',1,1,1,NULL,NULL,NULL,NULL,'none','{"stop":{"responds":true,"rest":"done"}}',NULL,NULL,NULL,'{"v":1,"id":"e05","ts":"2026-09-21T14:13:24.000Z","agent":"claude","event":"Stop","session":"s1","project":"/home/ana/shop","decision":{"verdict":"none"},"payload":{"stop_hook_active":false,"last_assistant_message":"The parser is fixed.","hook_event_name":"Stop","session_id":"s1"}}');
INSERT INTO events (seq,id,at,kind,agent,session_pk,project_pk,batch_pk,subagent,tool,call_id,call_hash,verdict,mark,action,duplicate_of,problem,record) VALUES (6,'e06',1790000010000,'UserPromptSubmit','claude',1,1,2,NULL,NULL,NULL,NULL,'none','{"prompt":{"hash":"a5def5749bc79703822f732b25cca06f","generation":null,"source":"user"}}',NULL,NULL,NULL,'{"v":1,"id":"e06","ts":"2026-09-21T14:13:30.000Z","agent":"claude","event":"UserPromptSubmit","session":"s1","project":"/home/ana/shop","decision":{"verdict":"none"},"payload":{"prompt":"Now the docs","hook_event_name":"UserPromptSubmit","session_id":"s1"}}');
INSERT INTO events (seq,id,at,kind,agent,session_pk,project_pk,batch_pk,subagent,tool,call_id,call_hash,verdict,mark,action,duplicate_of,problem,record) VALUES (7,'e07',1790000011000,'PostToolUse','claude',1,1,2,NULL,'Bash','t2','19636cbfbe66c3399aeff3224d543a8d','none','{"act":{"plan":false}}','fa3aca69da4c81dd276df242a627f3f3',NULL,NULL,'{"v":1,"id":"e07","ts":"2026-09-21T14:13:31.000Z","agent":"claude","event":"PostToolUse","session":"s1","project":"/home/ana/shop","decision":{"verdict":"none"},"payload":{"tool_name":"Bash","tool_input":{"command":"mdbook build"},"tool_use_id":"t2","tool_response":{"stdout":"done","stderr":""},"hook_event_name":"PostToolUse","session_id":"s1"}}');
INSERT INTO events (seq,id,at,kind,agent,session_pk,project_pk,batch_pk,subagent,tool,call_id,call_hash,verdict,mark,action,duplicate_of,problem,record) VALUES (8,'e08',1790000012000,'Stop','claude',1,1,2,NULL,NULL,NULL,NULL,'none','{"stop":{"responds":true,"rest":"done"}}',NULL,NULL,NULL,'{"v":1,"id":"e08","ts":"2026-09-21T14:13:32.000Z","agent":"claude","event":"Stop","session":"s1","project":"/home/ana/shop","decision":{"verdict":"none"},"payload":{"stop_hook_active":false,"last_assistant_message":"Done.","hook_event_name":"Stop","session_id":"s1"}}');
INSERT INTO events (seq,id,at,kind,agent,session_pk,project_pk,batch_pk,subagent,tool,call_id,call_hash,verdict,mark,action,duplicate_of,problem,record) VALUES (9,'e09',1790000020000,'SessionEnd','claude',1,1,2,NULL,NULL,NULL,NULL,'none','{"end":{"reason":"exit"}}',NULL,NULL,NULL,'{"v":1,"id":"e09","ts":"2026-09-21T14:13:40.000Z","agent":"claude","event":"SessionEnd","session":"s1","project":"/home/ana/shop","decision":{"verdict":"none"},"payload":{"reason":"exit","hook_event_name":"SessionEnd","session_id":"s1"}}');
INSERT INTO messages (pk,event_id,role,session_pk,at,path,text,chars) VALUES (1,'e02','prompt',1,1790000001000,NULL,'Fix the parser',14);
INSERT INTO messages (pk,event_id,role,session_pk,at,path,text,chars) VALUES (2,'e05','response',1,1790000004000,NULL,'The parser is fixed.',20);
INSERT INTO messages (pk,event_id,role,session_pk,at,path,text,chars) VALUES (3,'e06','prompt',1,1790000010000,NULL,'Now the docs',12);
INSERT INTO messages (pk,event_id,role,session_pk,at,path,text,chars) VALUES (4,'e08','response',1,1790000012000,NULL,'Done.',5);
INSERT INTO activities (pk,id,session_pk,batch_pk,at,kind,tool,native_tool,call_id,subagent,input,output,output_chars,success,error,duration_ms,measured) VALUES (1,'e04',1,1,1790000003000,'tool','Bash',NULL,'t1',NULL,'{"command":"cargo test"}','done',4,1,NULL,1000,1);
INSERT INTO activities (pk,id,session_pk,batch_pk,at,kind,tool,native_tool,call_id,subagent,input,output,output_chars,success,error,duration_ms,measured) VALUES (2,'e07',1,2,1790000011000,'tool','Bash',NULL,'t2',NULL,'{"command":"mdbook build"}','done',4,1,NULL,NULL,1);

PRAGMA application_id = 1111706452;
PRAGMA user_version = 1;
