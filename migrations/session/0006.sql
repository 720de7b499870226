-- The newest turn of which the journal forgot a change; 0 when of none. A turn up to it is not undone as a whole.
ALTER TABLE workspace ADD COLUMN forgotten_turn INTEGER NOT NULL DEFAULT 0;
