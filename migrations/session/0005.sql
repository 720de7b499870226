-- Bytes that people attached and tools showed, by their SHA-256. `used`: a message or a result refers to them; what nothing refers to goes a day after
-- it came (`created`, in ms).
CREATE TABLE attachments (
  hash TEXT PRIMARY KEY,
  media_type TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  created INTEGER NOT NULL,
  used INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX attachments_unused ON attachments (created) WHERE used = 0;

-- Those bytes in pieces, from 0 on.
CREATE TABLE attachment_pieces (
  hash TEXT NOT NULL,
  n INTEGER NOT NULL,
  piece BLOB NOT NULL,
  UNIQUE (hash, n)
) STRICT;
