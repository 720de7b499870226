import { editsAsked, type FileEdit } from '../lib/file-edits.ts';
import type { CallCard, Row } from './rows.ts';
import { textOf } from '../../core/message.ts';

/** A content: what it is known by, and its size in bytes. */
export interface FileContentMark {
  readonly hash: string;
  readonly size: number;
}

/** A change of the undo journal (docs/wire.md, changes). `call` and `turn` are null for what a person did; `other` is where a move went. */
export interface FileChange {
  readonly id: number;
  readonly rev: number;
  readonly call: string | null;
  readonly turn: number | null;
  readonly path: string;
  readonly other: string | null;
  readonly files: readonly {
    readonly path: string;
    readonly before: FileContentMark | null;
    readonly after: FileContentMark | null;
  }[];
}

/** A page of the journal, newest first; `cursor` is what the next page begins before. */
export interface ChangePage {
  readonly changes: readonly FileChange[];
  readonly cursor: number | null;
}

/** A change as it is shown: what did it, and its lines, where they are known. `newest`: an undo of its path takes back this one. */
export interface ShownChange {
  readonly change: FileChange;
  readonly tool: string | null;
  readonly edits: readonly FileEdit[];
  readonly newest: boolean;
}

/** The changes that one request of a person led to, newest first; or what people did by hand between two of them: then `turns` is empty. */
export interface ChangeGroup {
  readonly key: string;
  readonly words: string;
  /** The numbers of the turns, the latest first: an approval makes one request several turns. */
  readonly turns: readonly number[];
  readonly changes: readonly ShownChange[];
}

/** What is known of a call: its card, and the request that it belongs to. */
interface KnownCall {
  readonly card: CallCard;
  readonly request: string;
  readonly words: string;
}

/** The journal in groups. `rows` are the lines of the conversation as far as they are loaded, `edits` what calls reported. */
export function groupChanges(
  changes: readonly FileChange[],
  rows: readonly Row[],
  edits: ReadonlyMap<string, readonly FileEdit[]>,
): readonly ChangeGroup[] {
  const calls = callsOf(rows);
  const touched = new Set<string>();
  const groups: { key: string; words: string; turns: number[]; changes: ShownChange[] }[] = [];
  for (const change of changes) {
    const call = change.call === null ? undefined : calls.get(change.call);
    const key = call !== undefined ? call.request : change.turn === null ? 'hand' : `turn ${change.turn}`;
    const words = call?.words ?? (change.turn === null ? '' : `Turn ${change.turn}`);
    let group = groups.at(-1);
    if (group?.key !== key) groups.push((group = { key, words, turns: [], changes: [] }));
    if (change.turn !== null && !group.turns.includes(change.turn)) group.turns.push(change.turn);
    const paths = pathsOf(change);
    const shown = (call === undefined ? null : (edits.get(call.card.id) ?? editsAsked(call.card.name, call.card.input))) ?? [];
    group.changes.push({
      change,
      tool: call?.card.name ?? null,
      edits: shown.filter(({ path, from }) => paths.has(path) || (from !== null && paths.has(from))),
      newest: !touched.has(change.path),
    });
    for (const path of paths) touched.add(path);
  }
  return groups.map((group, index) => ({ ...group, key: `${group.key} ${groups.length - index}` }));
}

/** The files that the journal knows a change of. */
export function changedPaths(changes: readonly FileChange[]): ReadonlySet<string> {
  return new Set(changes.flatMap((change) => [...pathsOf(change)]));
}

function pathsOf({ path, other, files }: FileChange): ReadonlySet<string> {
  return new Set([path, ...(other === null ? [] : [other]), ...files.map((file) => file.path)]);
}

function callsOf(rows: readonly Row[]): ReadonlyMap<string, KnownCall> {
  const calls = new Map<string, KnownCall>();
  let request = '';
  let words = '';
  for (const row of rows) {
    if (row.kind === 'user') [request, words] = [row.id, textOf(row.message)];
    if (row.kind !== 'reply') continue;
    for (const [id, card] of row.cards) calls.set(id, { card, request, words });
  }
  return calls;
}
