-- A covering index for counts and searches over all events, so that the large records are not read.
DROP INDEX events_by_time;
CREATE INDEX events_by_time ON events (at, kind, agent, project_pk, verdict, duplicate_of);
-- Most decisions have no verdict; lists show the others.
CREATE INDEX decisions_telling ON decisions (at, event_id) WHERE verdict <> 'none' OR rewritten <> 0;
CREATE INDEX decisions_by_hook ON decisions (hook) WHERE hook IS NOT NULL;
CREATE INDEX hook_runs_by_rule ON hook_runs (rule, event_id) WHERE rule IS NOT NULL;
