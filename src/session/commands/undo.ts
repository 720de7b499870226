import { outcomeOf, undo as undoFiles } from '../../workspace/index.ts';
import { problemOf } from '../files.ts';
import { accepted, refused } from '../protocol/index.ts';
import { stateEvent } from '../recorder.ts';
import { updateSession } from '../rows/session.ts';
import type { Handler } from './command.ts';

/** `undo`: takes back the newest change of a file, or all changes of a turn, newest first (FILES-08, FILES-09). */
export const undo: Handler<'undo'> = ({ context, work }, { path, turn }) => {
  if ((path === undefined) === (turn === undefined)) return refused('bad_request', 'Name a path, or a turn.');
  const what = path === undefined ? { turn: turn ?? 0 } : { path };
  const undone = outcomeOf(() => undoFiles(context.sql, what));
  if (!undone.ok) return { ok: false, problem: problemOf(undone.problem) };
  const { value, rev } = undone.value;
  updateSession(context.sql, { updated: context.now() });
  if (rev !== null) work.emit(stateEvent({ files: { rev } }));
  work.after(() => context.sweepFiles());
  return accepted({ undone: value });
};
