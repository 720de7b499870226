/** How much the operator lets participants do: in a minute, but for `turns` (docs/limits.md). */
export interface Limits {
  /** Commands of a participant over HTTP, and frames of one socket. */
  readonly commands: number;
  /** Socket handshakes of a participant. */
  readonly sockets: number;
  /** Commands that a session takes, whoever sends them and however. */
  readonly session: number;
  /** Turns of a participant that run at once; null: any number. */
  readonly turns: number | null;
}

const defaultLimits = { commands: 300, sockets: 120 } as const;

/**
 * The limits in a Worker's variables. One that is no positive whole number is named in `faults`, and its default holds. A session takes twice
 * what one client may send, so that a client which floods does not shut the others out.
 */
export function readLimits(env: object): { readonly limits: Limits; readonly faults: readonly string[] } {
  const faults: string[] = [];
  const read = (name: string): number | null => {
    const value: unknown = Reflect.get(env, name);
    if (value === undefined || value === '') return null;
    const limit = readLimit(value);
    if (limit === null) faults.push(name);
    return limit;
  };
  const commands = read('LIMIT_COMMANDS') ?? defaultLimits.commands;
  const sockets = read('LIMIT_SOCKETS') ?? defaultLimits.sockets;
  const session = read('LIMIT_SESSION') ?? 2 * commands;
  return { limits: { commands, sockets, session, turns: read('LIMIT_TURNS') }, faults };
}

function readLimit(value: unknown): number | null {
  const limit = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof limit === 'number' && Number.isSafeInteger(limit) && limit > 0 ? limit : null;
}
