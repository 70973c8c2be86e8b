-- Times are milliseconds since 1970, UTC. Ids are text from clients; `pk` columns are internal.

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

-- Derived from a session's events and derived again when an earlier event arrives late; annotations by people
-- or models (title, summary) stay.
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

-- A batch: everything from one prompt to the next. Its id is that of its first event.
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

-- Every event once, as the client recorded it. `seq` only increases; streams are ordered by it.
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

-- `event_id` is not a foreign key: the run of an async hook may arrive before its event.
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
