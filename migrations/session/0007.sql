-- What the session's box has of the workspace, as JSON in pieces from 0 on: the life of the box, the revision that it has, and the paths that were saved from it
-- since, each with its revision. The box may outlive the object that filled it.
CREATE TABLE box (
  n INTEGER PRIMARY KEY,
  piece BLOB NOT NULL
) STRICT;
