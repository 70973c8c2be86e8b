-- Calls of agents that give them no ids are told apart by their tool and input alone.
CREATE INDEX events_by_input ON events (session_pk, call_hash, at, id, kind, verdict, batch_pk)
  WHERE call_id IS NULL AND call_hash IS NOT NULL;
-- Alarms of one kind are looked through while agents work.
CREATE INDEX alarms_by_kind ON alarms (kind, id);
