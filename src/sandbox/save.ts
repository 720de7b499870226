import type { FileCause, FileChange, FileEntry, FileProblem, Workspace } from '../tools/index.ts';

/** A change that a command made: it names the path that it is about. A move is never one: a command's end is compared with its beginning. */
export type CommandChange = Exclude<FileChange, { readonly type: 'move' }>;

/** So many files that a full workspace does not take are taken out one by one, since smaller ones may fit; then all that comes after goes with them. */
const triesWhenFull = 8;

/** What was saved, and sentences on what was not as the command left it. */
export interface Saved {
  readonly entries: readonly FileEntry[];
  readonly remarks: readonly string[];
}

/**
 * Saves what a command did to files, in one transaction. Nothing of somebody else's is overwritten: where another writer came between, that version stays
 * and the command's stands beside it, under a name with the id of the call. What the workspace does not take is left out and told.
 */
export async function saveChanges(workspace: Workspace, changes: readonly CommandChange[], cause: FileCause): Promise<Saved> {
  const remarks: string[] = [];
  let left = changes;
  let full = 0;
  while (left.length > 0) {
    const outcome = await workspace.change(left, cause);
    if (outcome.ok) return { entries: outcome.value, remarks };
    const { problem } = outcome;
    const at = left.findIndex((change) => change.path === problem.path);
    const change = left[at];
    if (change === undefined)
      return { entries: [], remarks: [...remarks, `Changes of files were not saved: ${problem.message}`] };
    if (problem.code === 'quota_exceeded') full += 1;
    if (full > triesWhenFull) {
      remarks.push(remarkOnRest(left.length - at, problem));
      left = left.slice(0, at);
      continue;
    }
    const instead = insteadOf(change, problem, cause.call ?? 'call');
    remarks.push(remarkOn(change, instead, problem));
    left = left.toSpliced(at, 1, ...(instead === null ? [] : [instead]));
  }
  return { entries: [], remarks };
}

/** What is saved in the place of a change that was refused: what another writer left untouched, or null for nothing. */
function insteadOf(change: CommandChange, { code }: FileProblem, call: string): CommandChange | null {
  if (code !== 'file_changed' || change.type === 'delete' || change.type === 'folder') return null;
  const beside = `${change.path}.shell-${call}`;
  const { ifRev: _, ...rest } = change;
  return { ...rest, path: beside };
}

/** `count` is how many changes are left out, the one at fault included. */
function remarkOnRest(count: number, { path, message }: FileProblem): string {
  const rest = count === 1 ? '' : ` and ${count - 1} more after it`;
  return `Not saved: ${path}${rest}. ${message}`;
}

function remarkOn(change: CommandChange, instead: CommandChange | null, problem: FileProblem): string {
  if (problem.code !== 'file_changed') return `Not saved: ${change.path}. ${problem.message}`;
  if (instead !== null)
    return `${change.path} was changed by someone else while the command ran: theirs was kept, what the command wrote is in ${instead.path}.`;
  return `${change.path} was changed by someone else while the command ran: it was not deleted.`;
}
