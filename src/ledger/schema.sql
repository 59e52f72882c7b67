-- A session's ledger: the one file that all of its work can be resumed from. Read this first.
--
-- What is always true of it, between any two transactions:
--
--  1. One commit is one transaction. Its rows in every table below, its line in `commits` and the counters in `meta`
--     are there together or not at all.
--  2. `commits.seq` rises by one, without gaps. The newest is the state of everything.
--  3. Ids of conversations, entries, tasks and submissions come from one counter, `meta.next_id`, and are never used
--     again. The root conversation is 1. History is in the order of ids: an entry has a greater id than all that came
--     before it, in its conversation and, for a fork, in the part of its parent that it sees.
--  4. Conversations and entries never change. Tasks, submissions and documents are replaced whole, and keep the seq of
--     the commit that did.
--  5. Whoever opens the session raises `meta.epoch`, and every later transaction names the epoch that it believes in.
--     One that names an older epoch changes no row, which is how an owner that lost the session finds out.
--  6. The same request is one submission: (conversation, request_id) is unique here, not only in the program.
--  7. Every row has a digest of its own columns; a commit's digest is over the sorted digests of its rows, and its
--     chain is over that and the chain before it. So a flipped bit is found in its row, and a commit that went missing
--     in the chain. The newest (seq, chain) that was flushed also stands in the file `mark` beside this one.
--
-- Text columns named `data`, `value`, `input`, `checkpoint`, `facts` and `outcome` hold JSON. What it means is not this
-- layer's business. Times are milliseconds since 1970 and may jump; nothing is ordered by them.

-- One row. `clean` is 1 after a close and 0 while somebody works, so whoever finds 0 knows that the last owner died.
-- The counts are kept here because counting rows of a long history takes longer than opening it.
CREATE TABLE meta (
  one      INTEGER PRIMARY KEY CHECK (one = 1),
  epoch    INTEGER NOT NULL,
  next_id  INTEGER NOT NULL,
  clean    INTEGER NOT NULL,
  entries  INTEGER NOT NULL,
  tasks    INTEGER NOT NULL
) STRICT;

INSERT INTO meta VALUES (1, 0, 1, 1, 0, 0);

-- What happened, one line a commit. `rows` says how many rows it wrote: fewer are found with its seq once later commits
-- have replaced some.
CREATE TABLE commits (
  seq     INTEGER PRIMARY KEY,
  at      INTEGER NOT NULL,
  class   TEXT NOT NULL CHECK (class IN ('flushed', 'relaxed')),
  rows    INTEGER NOT NULL,
  digest  BLOB NOT NULL,
  chain   BLOB NOT NULL
) STRICT;

-- A transcript. A fork sees its parent's entries up to and including `parent_entry`, then its own. An owner is the task
-- whose abort ends this conversation too: history and ownership are two trees.
CREATE TABLE conversations (
  id                  INTEGER PRIMARY KEY,
  at                  INTEGER NOT NULL,
  parent_conversation INTEGER REFERENCES conversations (id),
  parent_entry        INTEGER,
  owner_conversation  INTEGER REFERENCES conversations (id),
  owner_task          INTEGER,
  seq                 INTEGER NOT NULL,
  digest              BLOB NOT NULL,
  CHECK ((parent_conversation IS NULL) = (parent_entry IS NULL)),
  CHECK ((owner_conversation IS NULL) = (owner_task IS NULL))
) STRICT;

-- What was said and done, for ever, unless a person prunes it: then `data` is `{"pruned":true}`, and the row keeps the
-- digest of what stood there. Where `head` is set, context begins at that entry from here on.
CREATE TABLE entries (
  id           INTEGER PRIMARY KEY,
  conversation INTEGER NOT NULL REFERENCES conversations (id),
  at           INTEGER NOT NULL,
  kind         TEXT NOT NULL,
  head         INTEGER,
  by_task      INTEGER,
  data         TEXT NOT NULL,
  seq          INTEGER NOT NULL,
  digest       BLOB NOT NULL
) STRICT;

-- A page of a conversation, from either end. A rowid table's index ends in the id by itself; it is named to be seen.
CREATE INDEX entries_by_conversation ON entries (conversation, id);

-- The newest entry with a head at or before another.
CREATE INDEX entries_with_head ON entries (conversation, id) WHERE head IS NOT NULL;

-- What is being done. A task lives until it ends and stays as a receipt, without its checkpoint. Its input is in
-- `bodies`.
CREATE TABLE tasks (
  id           INTEGER PRIMARY KEY,
  conversation INTEGER NOT NULL REFERENCES conversations (id),
  kind         TEXT NOT NULL,
  version      INTEGER NOT NULL,
  status       TEXT NOT NULL,
  owner        INTEGER,
  background   INTEGER NOT NULL CHECK (background IN (0, 1)),
  abort        TEXT,
  attempt      INTEGER NOT NULL,
  restarts     INTEGER NOT NULL,
  started_at   INTEGER NOT NULL,
  ended_at     INTEGER,
  phase        TEXT NOT NULL,
  checkpoint   TEXT NOT NULL,
  facts        TEXT NOT NULL,
  outcome      TEXT,
  seq          INTEGER NOT NULL,
  digest       BLOB NOT NULL,
  CHECK (
    status IN ('pending', 'running', 'waiting', 'completing') AND ended_at IS NULL
    OR status IN ('completed', 'failed', 'aborted', 'orphaned', 'faulted') AND ended_at IS NOT NULL
  )
) STRICT;

-- All that an opening has to take up: few, whatever the length of the history.
CREATE INDEX tasks_live ON tasks (id) WHERE ended_at IS NULL;

-- What was handed in. Its data is in `bodies`.
CREATE TABLE submissions (
  id           INTEGER PRIMARY KEY,
  conversation INTEGER NOT NULL REFERENCES conversations (id),
  request_id   TEXT NOT NULL,
  kind         TEXT NOT NULL,
  status       TEXT NOT NULL CHECK (status IN ('queued', 'placed', 'done', 'unanswered', 'withdrawn')),
  at           INTEGER NOT NULL,
  entry        INTEGER,
  answer       INTEGER,
  reason       TEXT,
  seq          INTEGER NOT NULL,
  digest       BLOB NOT NULL,
  UNIQUE (conversation, request_id)
) STRICT;

CREATE INDEX submissions_open ON submissions (id) WHERE status IN ('queued', 'placed');

-- The heavy part of a task (its input) and of a submission (its data), by the id of either. Those records are replaced
-- at every step; a file's content or a picture among their fields would be written again each time.
CREATE TABLE bodies (
  id     INTEGER PRIMARY KEY,
  data   TEXT NOT NULL,
  seq    INTEGER NOT NULL,
  digest BLOB NOT NULL
) STRICT;

-- Small typed state beside the transcript; conversation 0 is the session itself. All of it is in memory while the
-- session is open.
CREATE TABLE documents (
  conversation INTEGER NOT NULL,
  name         TEXT NOT NULL,
  version      INTEGER NOT NULL,
  value        TEXT NOT NULL,
  seq          INTEGER NOT NULL,
  digest       BLOB NOT NULL,
  PRIMARY KEY (conversation, name)
) STRICT, WITHOUT ROWID;

-- The format that these tables are in; format.ts tells how it moves.
PRAGMA user_version = 1;
