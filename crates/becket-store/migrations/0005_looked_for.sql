-- What is counted and looked for over the whole record is found without reading the records themselves.
DROP INDEX events_by_time;
CREATE INDEX events_by_time ON events (at, kind, agent, project_pk, verdict, duplicate_of);
-- Most decisions are that nobody minded; those that are not are looked at.
CREATE INDEX decisions_telling ON decisions (at, event_id) WHERE verdict <> 'none' OR rewritten <> 0;
CREATE INDEX decisions_by_hook ON decisions (hook) WHERE hook IS NOT NULL;
CREATE INDEX hook_runs_by_rule ON hook_runs (rule, event_id) WHERE rule IS NOT NULL;
