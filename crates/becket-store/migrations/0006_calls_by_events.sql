-- Hashes and the ids of calls come in no order, so that each index of them costs whoever writes a page of its own. What is
-- found by a call's id is found by one index.
DROP INDEX activities_by_call;
DROP INDEX events_by_action;
CREATE INDEX events_by_action ON events (session_pk, action, at, id) WHERE action IS NOT NULL AND call_id IS NULL;
