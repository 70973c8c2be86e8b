-- The full-text index of activities (rowid 2·pk) and messages (rowid 2·pk + 1). `body` has identifiers split, `whole`
-- has the unsplit ones. Contentless: the text itself is in the indexed tables.
CREATE VIRTUAL TABLE search USING fts5 (
  body, whole,
  content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TRIGGER activities_unlisted AFTER DELETE ON activities BEGIN
  DELETE FROM search WHERE rowid = 2 * old.pk;
END;
CREATE TRIGGER messages_unlisted AFTER DELETE ON messages BEGIN
  DELETE FROM search WHERE rowid = 2 * old.pk + 1;
END;
