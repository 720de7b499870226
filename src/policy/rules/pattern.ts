/**
 * The places of a pattern that a text leads to, all of them at once: nothing is ever tried twice, so a hostile text costs no more than its length for each
 * place. Place n stands before the part n; the last one is the end.
 */
function placesAfter<P, T>(
  pattern: readonly P[],
  text: Iterable<T>,
  isStar: (part: P) => boolean,
  matches: (part: P, one: T) => boolean,
): ReadonlySet<number> {
  const reach = (from: Iterable<number>): Set<number> => {
    const places = new Set<number>();
    for (let place of from) {
      places.add(place);
      for (; place < pattern.length && isStar(pattern[place] as P); place += 1) places.add(place + 1);
    }
    return places;
  };
  let places = reach([0]);
  for (const one of text) {
    const next: number[] = [];
    for (const place of places) {
      if (place >= pattern.length) continue;
      const part = pattern[place] as P;
      if (isStar(part)) next.push(place);
      else if (matches(part, one)) next.push(place + 1);
    }
    places = reach(next);
  }
  return places;
}

/** Whether a text as a whole fits a pattern: `*` stands for any text, `?` for any one character. */
export function fitsText(pattern: string, text: string): boolean {
  const parts = [...pattern];
  return placesAfter(
    parts,
    text,
    (part) => part === '*',
    (part, one) => part === '?' || part === one,
  ).has(parts.length);
}

/** A path without `.`, `..` where a name stands before it, doubled and trailing slashes, in Unicode's NFC. Absolute stays absolute; what climbs out keeps its `..`. */
export function normalPath(path: string): string {
  const names: string[] = [];
  const absolute = path.startsWith('/');
  for (const name of path.normalize('NFC').split('/')) {
    if (name === '' || name === '.') continue;
    const out = name === '..' && (names.length === 0 || names.at(-1) === '..');
    if (name !== '..' || (out && !absolute)) names.push(name);
    else names.pop();
  }
  return (absolute ? '/' : '') + names.join('/');
}

/** True for a path that begins at the root of the machine. */
export function isAbsolute(path: string): boolean {
  return path.startsWith('/');
}

const isFolders = (part: string): boolean => part === '**';

const fitsName = (part: string, name: string): boolean => fitsText(part, name);

/** How far a path leads out of its folder: no wildcard stands for the way up. */
function climbs(names: readonly string[]): number {
  return names.filter((name) => name === '..').length;
}

function namesOf(path: string): readonly string[] {
  return normalPath(path)
    .split('/')
    .filter((name) => name !== '');
}

/** Whether a path is one that a glob means: `**` stands for any number of names, `*` and `?` stay within a name. Relative globs mean relative paths alone. */
export function fitsPath(glob: string, path: string): boolean {
  if (isAbsolute(glob) !== isAbsolute(path)) return false;
  const parts = namesOf(glob);
  const names = namesOf(path);
  if (climbs(parts) !== climbs(names)) return false;
  return placesAfter(parts, names, isFolders, fitsName).has(parts.length);
}

/** Whether a glob means something below a folder, or the folder itself. */
export function reachesBelow(glob: string, folder: string): boolean {
  const [parts, names] = [namesOf(glob), namesOf(folder)];
  return isAbsolute(glob) === isAbsolute(folder) && placesAfter(parts, names, isFolders, fitsName).size > 0;
}

/** Whether a glob means everything below a folder. */
export function coversBelow(glob: string, folder: string): boolean {
  return namesOf(glob).at(-1) === '**' && fitsPath(glob, folder);
}
