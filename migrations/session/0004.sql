-- The workspace: the session's files. `rev` counts the transactions that changed one; `files` and `bytes` are what stands there, `stored` the bytes of
-- all bodies, those that only the journal holds included; deletions up to `forgotten` are in no row of gone_files.
CREATE TABLE workspace (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  rev INTEGER NOT NULL,
  files INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  stored INTEGER NOT NULL,
  forgotten INTEGER NOT NULL
) STRICT;
INSERT INTO workspace (only, rev, files, bytes, stored, forgotten) VALUES (1, 0, 0, 0, 0, 0);

-- What stands at each path (FILES-01): files, links, and the folders that are empty; a folder with something in it has no row. `hash` names the body, '' for
-- a folder.
CREATE TABLE files (
  path TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('file', 'folder', 'link')),
  rev INTEGER NOT NULL,
  hash TEXT NOT NULL,
  size INTEGER NOT NULL,
  executable INTEGER NOT NULL,
  modified INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX files_rev ON files (rev);
CREATE INDEX files_hash ON files (hash);

-- Paths at or below which nothing was left at revision `rev`, for copies that are kept elsewhere.
CREATE TABLE gone_files (
  path TEXT PRIMARY KEY,
  rev INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX gone_files_rev ON gone_files (rev);

-- Bodies by their SHA-256, each once: in the row, or, when large, in the object of R2 with this key.
CREATE TABLE file_bodies (
  hash TEXT PRIMARY KEY,
  size INTEGER NOT NULL,
  bytes BLOB,
  object TEXT,
  CHECK ((bytes IS NULL) <> (object IS NULL))
) STRICT;

-- Objects of R2 that no body names: written before an upload begins and taken away by the commit that uses it; written again by the commit that lets it go.
-- One that no living upload owns is deleted.
CREATE TABLE loose_objects (
  key TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- The journal (FILES-08): each change that undo can take back, by which call and turn (null: a person). `other` is where a move went.
CREATE TABLE file_changes (
  id INTEGER PRIMARY KEY,
  rev INTEGER NOT NULL,
  call TEXT,
  turn INTEGER,
  path TEXT NOT NULL,
  other TEXT
) STRICT;
CREATE INDEX file_changes_turn ON file_changes (turn) WHERE turn IS NOT NULL;

-- What a change found and left at each path, as JSON; null for nothing. `folder`: it is about a folder that came or went. `before_hash` is the body that an
-- undo would need.
CREATE TABLE file_states (
  change INTEGER NOT NULL,
  path TEXT NOT NULL,
  folder INTEGER NOT NULL,
  before TEXT,
  after TEXT,
  before_hash TEXT,
  PRIMARY KEY (change, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX file_states_path ON file_states (path, change);
CREATE INDEX file_states_hash ON file_states (before_hash) WHERE before_hash IS NOT NULL;

-- The revision of each file that the model has seen last, and in which conversation.
CREATE TABLE seen_files (
  path TEXT PRIMARY KEY,
  thread INTEGER NOT NULL,
  rev INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
