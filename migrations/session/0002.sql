-- A run row is the guard of the running turn: the life of the object that plays it, how many lives have, and when the living one last said so.
-- `build` is the release that this life runs; `deaths` counts lives that died since the run last got on; `retries` are the turn's tool retries so
-- far; `position` is that of the newest message before the run's own. A heartbeat that is no whole number proves nothing, so it cannot be stored
-- (LOCK-11).
ALTER TABLE runs ADD COLUMN incarnation TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN generation INTEGER NOT NULL DEFAULT 1;
ALTER TABLE runs ADD COLUMN heartbeat INTEGER NOT NULL DEFAULT 0 CHECK (typeof(heartbeat) = 'integer');
ALTER TABLE runs ADD COLUMN build TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN retries INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
DROP TABLE guard;

-- What the object's one alarm is for: what is due, and when (ms since 1970).
CREATE TABLE alarms (
  name TEXT PRIMARY KEY,
  due INTEGER NOT NULL CHECK (typeof(due) = 'integer')
) STRICT, WITHOUT ROWID;

-- A text that is too large for a cell stands in `blobs`, in pieces under the key `@<its length>:<its SHA-256>`, and that key in the cell.

-- A thread is the messages from a position on: `thread_start` is that of the current one, so that no index of threads is written with each message.
ALTER TABLE session ADD COLUMN thread_start INTEGER NOT NULL DEFAULT 0;
UPDATE session SET thread_start = coalesce(
  (SELECT min(position) FROM messages WHERE messages.thread = session.thread),
  (SELECT coalesce(max(position), 0) + 1 FROM messages)
);
DROP INDEX messages_thread;

-- A run whose object died in mid-reply leaves one partial for each death: a message has one, a run may have several.
ALTER TABLE partials RENAME TO partials_before;
DROP INDEX partials_open;
DROP INDEX partials_thread;
CREATE TABLE partials (
  position INTEGER PRIMARY KEY,
  run TEXT NOT NULL,
  thread INTEGER NOT NULL,
  message TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'left', 'resumed')),
  calls TEXT NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (message, run)
) STRICT;
INSERT INTO partials SELECT * FROM partials_before;
DROP TABLE partials_before;
CREATE UNIQUE INDEX partials_open ON partials (state) WHERE state = 'open';
CREATE INDEX partials_left ON partials (thread, position) WHERE state = 'left';
