-- One row a session, as its summary. `folded` is the title as it is searched; times are ms since 1970.
CREATE TABLE sessions (
  scope TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  folded TEXT NOT NULL,
  status TEXT NOT NULL,
  mode TEXT NOT NULL,
  model TEXT,
  updated INTEGER NOT NULL,
  created INTEGER NOT NULL,
  needs INTEGER NOT NULL,
  last TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_newest ON sessions (updated, scope);

-- Whose directory this is. Exactly one row.
CREATE TABLE participant (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  id TEXT NOT NULL,
  role TEXT NOT NULL,
  jurisdiction TEXT
) STRICT;
