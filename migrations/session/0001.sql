-- One row: the session itself. `usage_*` are tokens of all ended runs; `context_used` those of the newest model call.
CREATE TABLE session (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  title TEXT NOT NULL,
  named INTEGER NOT NULL,
  mode TEXT NOT NULL,
  model TEXT,
  max_steps INTEGER,
  epoch INTEGER NOT NULL,
  thread INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  usage TEXT NOT NULL,
  context_used INTEGER NOT NULL,
  created INTEGER NOT NULL,
  updated INTEGER NOT NULL,
  creator TEXT NOT NULL
) STRICT;

-- Complete steps only: what a model sees (THR-02). `body` is the stored message, versioned by `v` (THR-07).
CREATE TABLE messages (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  thread INTEGER NOT NULL,
  run TEXT,
  v INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE INDEX messages_thread ON messages (thread, position);

-- A run is one turn. `input` is what it was started with, so that it can be retried; `choice` is the mode, model, tools and step limit it is
-- played with; `ended` is the ended run as the wire shows it.
CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  turn INTEGER NOT NULL,
  thread INTEGER NOT NULL,
  command TEXT,
  input TEXT NOT NULL,
  actor TEXT NOT NULL,
  choice TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('running', 'ended')),
  cancel_on_disconnect INTEGER NOT NULL,
  started INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  ended TEXT
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX runs_turn ON runs (turn);

-- The guard of the running turn. An expiry that is no whole number proves nothing, so it cannot be stored (LOCK-11).
CREATE TABLE guard (
  name TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  incarnation TEXT NOT NULL,
  generation INTEGER NOT NULL,
  expires INTEGER NOT NULL CHECK (typeof(expires) = 'integer')
) STRICT, WITHOUT ROWID;

-- The one sequence, in blocks: a row holds the events first..last, one JSON a line.
CREATE TABLE events (
  last INTEGER PRIMARY KEY,
  first INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT;

-- Accepted commands and what they answered; `digest` tells the same command from another under its id.
CREATE TABLE receipts (
  id TEXT PRIMARY KEY,
  digest TEXT NOT NULL,
  result TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Stops that name their target: they hold before it starts and after a crash.
CREATE TABLE stops (
  target TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('cancel', 'interrupt')),
  actor TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Messages that wait to land, in order of arrival.
CREATE TABLE inbox (
  seq INTEGER PRIMARY KEY,
  item TEXT NOT NULL UNIQUE,
  body TEXT NOT NULL
) STRICT;

-- Calls that wait for an answer. No row here ever expires (STATE-12). `ran` is the outcome of a call that ran in a resume that ended before its
-- results were stored, the JSON null when it began and its outcome is not known: it does not run again (G-11).
CREATE TABLE pending (
  call TEXT PRIMARY KEY,
  position INTEGER NOT NULL,
  body TEXT NOT NULL,
  ran TEXT
) STRICT, WITHOUT ROWID;

-- The first answer to a call. staged: waits for the others or runs now; unapplied: its resume ended first; applied: its result is stored.
CREATE TABLE answers (
  call TEXT PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('staged', 'unapplied', 'applied')),
  body TEXT NOT NULL,
  by TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Replies that did not become messages, in order. The open one is offered for a resume; of the others, those left behind are still shown.
-- `calls` says how far their calls came.
CREATE TABLE partials (
  position INTEGER PRIMARY KEY,
  run TEXT NOT NULL UNIQUE,
  thread INTEGER NOT NULL,
  message TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'left', 'resumed')),
  calls TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX partials_open ON partials (state) WHERE state = 'open';
CREATE INDEX partials_thread ON partials (thread, position);

-- What the agent wrote down with write_note.
CREATE TABLE notes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  text TEXT NOT NULL,
  created INTEGER NOT NULL
) STRICT;

-- Values that travel as a reference, by the SHA-256 of their text. A piece is a JSON string, since a cut may fall within a character.
CREATE TABLE blobs (
  hash TEXT NOT NULL,
  n INTEGER NOT NULL,
  media_type TEXT NOT NULL,
  piece TEXT NOT NULL,
  PRIMARY KEY (hash, n)
) STRICT, WITHOUT ROWID;
