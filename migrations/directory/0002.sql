-- Which of the sessions that run began before which; null for one that does not run. It is kept while a session goes from one run to the next.
ALTER TABLE sessions ADD COLUMN place INTEGER;
UPDATE sessions SET place = 0 WHERE status = 'running';
CREATE INDEX sessions_running ON sessions (place) WHERE place IS NOT NULL;
