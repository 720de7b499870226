import type { FileOutcome } from './port.ts';

/** The longest name and the longest path, in bytes of UTF-8, and the most names of a path. File systems take no more. */
export const pathLimits = { name: 255, path: 1024, depth: 64 } as const;

/** Control characters: C0, DEL and C1. No name needs one, and a terminal obeys them. */
const control = /\p{Cc}/u;

/** What stands before a path on a disk of Windows. */
const drive = /^[A-Za-z]:(?:[/]|$)/;

const absolute = 'it is absolute; paths are relative to the root of the workspace, as in "docs/plan.md"';

const encoder = new TextEncoder();

/**
 * The one form of a path inside the workspace: relative to its root, `/` between names, none at either end, no `.` and no `..`, in Unicode's NFC, so that two
 * spellings of a name are one file. The root is ''. Case is kept, and counts. No name is reserved.
 *
 * Refuses (FILES-02) what leads out of the root, what is absolute here or on Windows, a `\`, which is a separator there and a name here, control characters,
 * halves of characters, and what is longer than `pathLimits`. It reads no files: links are followed by the workspace. What it gives, it gives back unchanged.
 */
export function resolvePath(given: string): FileOutcome<string> {
  const wrong = unfit(given);
  if (wrong !== null) return refused(given, wrong);
  const names: string[] = [];
  for (const name of given.normalize('NFC').split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) return refused(given, 'it leads out of the workspace');
  }
  const path = names.join('/');
  if (drive.test(path)) return refused(given, absolute);
  const long = tooLong(names, path);
  return long === null ? { ok: true, value: path } : refused(given, long);
}

function unfit(given: string): string | null {
  if (given.startsWith('/') || drive.test(given)) return absolute;
  if (given.includes('\\')) return 'it has a "\\"; write "/" between names';
  if (control.test(given)) return 'it has a control character';
  return given.isWellFormed() ? null : 'it has half of a character';
}

function tooLong(names: readonly string[], path: string): string | null {
  if (names.length > pathLimits.depth) return `it is deeper than ${pathLimits.depth} names`;
  if (names.some((name) => encoder.encode(name).length > pathLimits.name)) return `a name has more than ${pathLimits.name} bytes`;
  return encoder.encode(path).length > pathLimits.path ? `it has more than ${pathLimits.path} bytes` : null;
}

/** How much of a refused path a message repeats, in characters. */
const shown = 200;

function refused(given: string, why: string): FileOutcome<string> {
  const text = given.slice(0, shown).toWellFormed();
  const path = text.replaceAll(/\p{Cc}/gu, '\u{fffd}');
  return { ok: false, problem: { code: 'path_refused', path, message: `The path "${path}" cannot be used: ${why}.` } };
}
