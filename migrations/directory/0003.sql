-- Objects of R2, each with every session that holds it: one that no session holds is deleted. A fork holds those of the session that it comes from.
CREATE TABLE held_objects (
  key TEXT NOT NULL,
  scope TEXT NOT NULL,
  PRIMARY KEY (key, scope)
) STRICT, WITHOUT ROWID;
