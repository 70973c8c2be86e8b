-- Calls without ids are identified by tool and input.
CREATE INDEX events_by_input ON events (session_pk, call_hash, at, id, kind, verdict, batch_pk)
  WHERE call_id IS NULL AND call_hash IS NOT NULL;
-- Checks for missing hooks read alarms by kind.
CREATE INDEX alarms_by_kind ON alarms (kind, id);
