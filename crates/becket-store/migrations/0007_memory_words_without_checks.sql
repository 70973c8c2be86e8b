-- The words of a memory's type, status and source are checked where they are read and written. A list here would have to
-- be migrated for every new word.
CREATE TABLE new_memories (
  pk            INTEGER PRIMARY KEY AUTOINCREMENT,
  id            TEXT NOT NULL UNIQUE,
  project_pk    INTEGER NOT NULL REFERENCES projects (pk),
  type          TEXT NOT NULL,
  text          TEXT NOT NULL,
  context       TEXT,
  importance    INTEGER NOT NULL CHECK (importance BETWEEN 1 AND 10),
  status        TEXT NOT NULL,
  -- Who said it: a person, an agent, or the output of a tool.
  trust         TEXT NOT NULL,
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
INSERT INTO new_memories (
  pk, id, project_pk, type, text, context, importance, status, trust, pinned, expires, agent, session, events,
  files, commit_id, created, superseded_by, content_hash
)
SELECT
  pk, id, project_pk, type, text, context, importance, status, trust, pinned, expires, agent, session, events,
  files, commit_id, created, superseded_by, content_hash
FROM memories;
-- Numbers of deleted memories are not used again: indexes and the log know rows by number.
DELETE FROM sqlite_sequence WHERE name = 'new_memories';
INSERT INTO sqlite_sequence (name, seq) SELECT 'new_memories', seq FROM sqlite_sequence WHERE name = 'memories';
-- Dropping a table fires no triggers, so vectors and log stay.
DROP TABLE memories;
ALTER TABLE new_memories RENAME TO memories;
CREATE INDEX memories_by_time ON memories (project_pk, created, pk);
CREATE INDEX memories_by_session ON memories (session) WHERE session IS NOT NULL;
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
