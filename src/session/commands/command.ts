import type { CommandResult } from '../api.ts';
import type { Change } from '../context.ts';
import type { Actor, CommandBody, CommandType, Outcome } from '../protocol/index.ts';
import { refused } from '../protocol/index.ts';

/** Who gives a command, and under which id. */
export interface Giver {
  readonly actor: Actor;
  readonly command: string | null;
}

/**
 * Carries out a checked command inside one transaction. It checks before it writes; what it wrote before a refusal is undone all the same.
 * Effects outside the rows go to `work.after`.
 */
export type Handler<T extends CommandType> = (change: Change, body: CommandBody<T>, giver: Giver) => Outcome<CommandResult>;

/** The answer of a command that had nothing to do: it does not make a session of an address that was never used. */
export const nothingDone: Outcome<null> = { ok: true, value: null };

/** The refusal while a turn runs (LOCK-02). */
export function locked(): ReturnType<typeof refused> {
  return refused('session_locked', 'A turn is running: wait for its end, steer or queue a message, or cancel it.');
}

/** The refusal while calls wait for answers (RUN-10). */
export function awaiting(options: readonly string[] = []): ReturnType<typeof refused> {
  const extras = options.length === 0 ? {} : { options };
  return refused('awaiting_input', 'Calls wait for an answer: answer them, or deny them all.', extras);
}

/** The refusal when an edit was made of another revision than the newest, or of a partial that is gone. */
export function staleRevision(rev: number | undefined): ReturnType<typeof refused> {
  if (rev === undefined) return refused('precondition_failed', 'There is no partial reply any more: leave ifRev out.');
  return refused('precondition_failed', `The partial reply is at revision ${rev}: read it again and send ifRev ${rev}.`);
}
