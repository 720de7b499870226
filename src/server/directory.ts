import { DurableObject } from 'cloudflare:workers';
import first from '../../migrations/directory/0001.sql';
import second from '../../migrations/directory/0002.sql';
import third from '../../migrations/directory/0003.sql';
import { parseAddress } from '../session/address.ts';
import { migrate } from '../session/migrations.ts';
import { isScope, isWithin } from '../session/scope.ts';
import { accepted, type Outcome, refused, type Role, type Summary } from '../session/protocol/index.ts';
import { Feed } from './feed.ts';
import { FloodLimit, minute } from '../session/flood.ts';
import { readSettings } from './settings.ts';

/** What to list. `within` is the only session to list; null: all. */
export interface ListQuery {
  readonly cursor: string | null;
  /** The most summaries to give. */
  readonly limit: number;
  /** A part of the title, in any case; null: all. */
  readonly q: string | null;
  readonly within: string | null;
}

/** One page, newest first; `cursor` asks for the next one, null when there is none. */
export interface ListPage {
  readonly sessions: readonly Summary[];
  readonly cursor: string | null;
}

/** What the Worker and the sessions ask of a directory. */
export interface DirectoryApi {
  put(summary: Summary): Promise<number>;
  ahead(scope: string): Promise<number>;
  remove(scope: string): Promise<void>;
  list(query: ListQuery): Promise<Outcome<ListPage>>;
  feed(within: string | null): Promise<ReadableStream<Uint8Array>>;
  admit(kind: 'command' | 'socket', role: Role): Promise<number | null>;
  hold(scope: string, keys: readonly string[]): Promise<void>;
  release(scope: string, keys: readonly string[]): Promise<readonly string[]>;
}

type Row = { readonly [K in keyof Summary]: SqlStorageValue } & { [column: string]: SqlStorageValue };

const columns = 'scope, title, status, mode, model, updated, created, needs, last';

/** One participant's sessions: which there are, what they are called, what changes, and how many requests are too many. */
export class Directory extends DurableObject<Env> implements DirectoryApi {
  readonly #sql: SqlStorage;
  readonly #feed = new Feed();
  readonly #floods: { readonly command: FloodLimit; readonly socket: FloodLimit };

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    migrate(ctx.storage, [first, second, third]);
    this.#sql = ctx.storage.sql;
    const { limits } = readSettings(env);
    this.#floods = { command: new FloodLimit(limits.commands, minute), socket: new FloodLimit(limits.sockets, minute) };
  }

  /** Lists a session, or changes its line, and gives what `ahead` does. An older summary than the one there changes nothing. */
  async put(summary: Summary): Promise<number> {
    const { scope, title, status, mode, model, updated, created, needs, last } = summary;
    const written = this.#sql.exec(
      `INSERT INTO sessions (${columns}, folded, place)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, iif(?3 = 'running', (SELECT coalesce(max(place), 0) + 1 FROM sessions WHERE place IS NOT NULL), NULL))
       ON CONFLICT (scope) DO UPDATE SET title = excluded.title, status = excluded.status, mode = excluded.mode,
         model = excluded.model, updated = excluded.updated, needs = excluded.needs, last = excluded.last, folded = excluded.folded,
         place = iif(excluded.place IS NULL, NULL, coalesce(sessions.place, excluded.place))
       WHERE excluded.updated >= sessions.updated`,
      scope,
      title,
      status,
      mode,
      model,
      updated,
      created,
      needs,
      last,
      fold(title),
    );
    if (written.rowsWritten > 0) this.#feed.publish(scope, summary);
    return this.ahead(scope);
  }

  /** How many other sessions run that began before this one. Its line takes its place when it says that it runs, so no two think that they came first. */
  async ahead(scope: string): Promise<number> {
    return this.#sql
      .exec<{ ahead: number }>(
        'SELECT count(*) AS ahead FROM sessions WHERE place < (SELECT place FROM sessions WHERE scope = ?)',
        scope,
      )
      .one().ahead;
  }

  /** Takes a session off the list; tells the feed with an event named `removed`. */
  async remove(scope: string): Promise<void> {
    const removed = this.#sql.exec('DELETE FROM sessions WHERE scope = ?', scope);
    if (removed.rowsWritten > 0) this.#feed.publish(scope, { scope }, 'removed');
  }

  /** A page of the list. The search is for the text itself: no character of it is a wildcard. */
  async list({ cursor, limit, q, within }: ListQuery): Promise<Outcome<ListPage>> {
    const after = cursor === null ? [Number.MAX_SAFE_INTEGER, ''] : parsePlace(cursor);
    if (after === null) return refused('bad_request', 'The cursor is not one that this list gave.');
    const rows = this.#sql
      .exec<Row>(
        `SELECT ${columns} FROM sessions
         WHERE (updated, scope) < (?1, ?2) AND instr(folded, ?3) > 0 AND (?4 IS NULL OR scope = ?4)
         ORDER BY updated DESC, scope DESC LIMIT ?5`,
        ...after,
        fold(q ?? ''),
        within,
        limit + 1,
      )
      .toArray();
    const sessions = rows.slice(0, limit) as unknown as Summary[];
    const last = rows.length > limit ? sessions.at(-1) : undefined;
    return accepted({ sessions, cursor: last === undefined ? null : formatPlace(last) });
  }

  /** Server-sent events: a summary whenever one changes, from now on. A client lists after the feed has opened. */
  async feed(within: string | null): Promise<ReadableStream<Uint8Array>> {
    return this.#feed.open((scope) => within === null || isWithin(scope, within));
  }

  /** Counts objects of R2 as held by a session. */
  async hold(scope: string, keys: readonly string[]): Promise<void> {
    this.ctx.storage.transactionSync(() => {
      for (const key of keys) this.#sql.exec('INSERT OR IGNORE INTO held_objects (key, scope) VALUES (?, ?)', key, scope);
    });
  }

  /** Counts them as not held by it any more; gives those that no session holds, which may then be deleted. May be asked again. */
  async release(scope: string, keys: readonly string[]): Promise<readonly string[]> {
    return this.ctx.storage.transactionSync(() =>
      keys.filter((key) => {
        this.#sql.exec('DELETE FROM held_objects WHERE key = ? AND scope = ?', key, scope);
        return this.#sql.exec('SELECT 1 FROM held_objects WHERE key = ? LIMIT 1', key).toArray().length === 0;
      }),
    );
  }

  /** Admits a command or a handshake, and records who came; or gives the ms to wait. */
  async admit(kind: 'command' | 'socket', role: Role): Promise<number | null> {
    const wait = this.#floods[kind].admit(Date.now());
    if (wait === null) this.#record(role);
    return wait;
  }

  #record(role: Role): void {
    const address = parseAddress(this.ctx.id.name ?? '');
    if (address === null) return;
    this.#sql.exec(
      `INSERT INTO participant (only, id, role, jurisdiction) VALUES (1, ?, ?, ?)
       ON CONFLICT (only) DO UPDATE SET role = excluded.role WHERE role <> excluded.role`,
      address.participant,
      role,
      address.jurisdiction,
    );
  }
}

/** A title as it is compared: one form for each character, without case. SQLite's own `lower` knows ASCII only. */
function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** A place in the list, as its cursor: the last line's time and scope. Clients do not read it. */
function formatPlace({ updated, scope }: Summary): string {
  return `${updated}.${scope}`;
}

function parsePlace(cursor: string): readonly [number, string] | null {
  const [, updated, scope] = /^(\d{1,15})\.(.+)$/.exec(cursor) ?? [];
  return updated === undefined || scope === undefined || !isScope(scope) ? null : [Number(updated), scope];
}
