-- Memories, indexed code and their vectors. Searches use separate index files, which are built from these tables and
-- can be rebuilt.

-- An index stores the id of its database, because rows of another database have the same numbers.
INSERT INTO meta (key, value) VALUES ('database', lower(hex(randomblob(16))));

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
CREATE INDEX memories_by_time ON memories (project_pk, created, pk);
CREATE INDEX memories_by_session ON memories (session) WHERE session IS NOT NULL;

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
CREATE INDEX chunks_by_file ON chunks (file_pk, start_line);

CREATE TABLE embedding_models (
  pk         INTEGER PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE
) STRICT;

-- `shelf` is the corpus, which determines the table of `pk`: 'memory' or 'code'.
CREATE TABLE vectors (
  shelf    TEXT NOT NULL CHECK (shelf IN ('memory', 'code')),
  pk       INTEGER NOT NULL,
  model_pk INTEGER NOT NULL REFERENCES embedding_models (pk),
  vector   BLOB NOT NULL,
  PRIMARY KEY (shelf, pk, model_pk)
) STRICT, WITHOUT ROWID;

-- The change log for indexes: each row once, with the number of its latest change.
CREATE TABLE recall_log (
  seq        INTEGER PRIMARY KEY AUTOINCREMENT,
  project_pk INTEGER NOT NULL,
  shelf      TEXT NOT NULL,
  pk         INTEGER NOT NULL,
  UNIQUE (shelf, pk)
) STRICT;
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
-- The path of its file is part of an indexed chunk.
CREATE TRIGGER code_files_moved AFTER UPDATE OF path ON code_files BEGIN
  UPDATE chunks SET file_pk = file_pk WHERE file_pk = new.pk;
END;

-- The queue of memory extraction.
CREATE TABLE extractions (
  pk       INTEGER PRIMARY KEY AUTOINCREMENT,
  batch    TEXT NOT NULL UNIQUE,
  session  TEXT NOT NULL,
  state    TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed')),
  attempts INTEGER NOT NULL DEFAULT 0,
  next_at  INTEGER NOT NULL,
  error    TEXT
) STRICT;
CREATE INDEX extractions_due ON extractions (next_at) WHERE state IN ('waiting', 'running');
