import { defaultMode } from '../config/index.ts';
import { noUsage } from '../core/index.ts';
import first from '../../migrations/session/0001.sql';
import second from '../../migrations/session/0002.sql';
import third from '../../migrations/session/0003.sql';
import fourth from '../../migrations/session/0004.sql';
import fifth from '../../migrations/session/0005.sql';
import sixth from '../../migrations/session/0006.sql';
import seventh from '../../migrations/session/0007.sql';
import { migrate } from './migrations.ts';
import type { Actor } from './protocol/index.ts';
import { insertSession, readSession, type SessionRow } from './rows/session.ts';

/** The session's migrations, in order; a released one is never edited. */
const migrations: readonly string[] = [first, second, third, fourth, fifth, sixth, seventh];

/** The session's row, with its tables brought up to date; null when the session was never used, and then nothing is written. */
export function openRows(storage: DurableObjectStorage): SessionRow | null {
  const known = storage.sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'session' LIMIT 1").toArray();
  if (known.length === 0) return null;
  migrate(storage, migrations);
  return readSession(storage.sql) ?? null;
}

/** Makes the tables and the row of a session, with the first command that it accepts. */
export function createRows(storage: DurableObjectStorage, epoch: number, creator: Actor, now: number): void {
  migrate(storage, migrations);
  insertSession(storage.sql, {
    title: '',
    named: false,
    mode: defaultMode,
    model: null,
    maxSteps: null,
    epoch,
    thread: 1,
    turn: 0,
    usage: noUsage,
    cost: 0,
    contextUsed: 0,
    created: now,
    updated: now,
    creator,
  });
}
