-- What models took, a row for each reply, in order. `model` is the one that answered, `message` the reply's id; `whole` is 0 for one that was cut off: stopped,
-- failed, or lost with its object. Tokens are as the provider counted them, NULL where it did not say; of a reply that was cut off, as far as it had said. The
-- `_rate` columns are what a million of each cost at `at` (ms), in USD, as the catalogue of that day had it, and `cost` what all came to, in USD: NULL where that
-- is not known, which is never zero. A later catalogue changes nothing here.
CREATE TABLE usage (
  position INTEGER PRIMARY KEY,
  run TEXT NOT NULL,
  turn INTEGER NOT NULL,
  message TEXT NOT NULL,
  whole INTEGER NOT NULL,
  model TEXT NOT NULL,
  input REAL,
  output REAL,
  cache_read REAL,
  cache_write REAL,
  input_rate REAL,
  output_rate REAL,
  cache_read_rate REAL,
  cache_write_rate REAL,
  cost REAL,
  at INTEGER NOT NULL
) STRICT;

-- `cost` is what all ended runs cost, in USD; NULL when it is not wholly known, as that of turns which were taken before this table was there.
ALTER TABLE session ADD COLUMN cost REAL;
UPDATE session SET cost = 0 WHERE turn = 0;
