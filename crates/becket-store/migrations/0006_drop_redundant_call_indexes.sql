-- Hashes and call ids are random, so each index on them costs a page write per event. One index by call id is enough.
DROP INDEX activities_by_call;
DROP INDEX events_by_action;
CREATE INDEX events_by_action ON events (session_pk, action, at, id) WHERE action IS NOT NULL AND call_id IS NULL;
