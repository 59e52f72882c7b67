-- What is known of all sessions: a cache for lists and for searching. Everything in it stands in a ledger too, so it may be thrown away
-- at any time, and nothing else may be kept here.

-- One row a session. `value` is JSON that whoever lists made; `stamp` is how the ledger's files looked when it did. `texts` is the stamp at which
-- the session's words were complete, '' before that; `text_to` is the newest entry among them, and `text_at` its time: an entry of that
-- number with another time belongs to another history.
CREATE TABLE sessions (
  n       INTEGER PRIMARY KEY,
  id      TEXT NOT NULL UNIQUE,
  stamp   TEXT NOT NULL,
  value   TEXT NOT NULL,
  texts   TEXT NOT NULL,
  text_to INTEGER NOT NULL,
  text_at INTEGER NOT NULL
) STRICT;

-- What was said, in the order in which it came in here: about the order of time.
CREATE TABLE texts (
  id           INTEGER PRIMARY KEY,
  session      INTEGER NOT NULL REFERENCES sessions (n),
  entry        INTEGER NOT NULL,
  conversation INTEGER NOT NULL,
  at           INTEGER NOT NULL,
  kind         TEXT NOT NULL,
  text         TEXT NOT NULL
) STRICT;

CREATE INDEX texts_by_session ON texts (session);

-- Which three characters stand in which text, and no more: where in it, and whether in a row, the text itself tells. With places it would
-- be four times as large.
CREATE VIRTUAL TABLE words USING fts5 (text, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram');

PRAGMA user_version = 2;
