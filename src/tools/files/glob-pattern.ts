import { fileLimits } from './limits.ts';
import { matchesPath, type PathPattern, pathPattern } from './wildcard.ts';

/** Tells of a path, relative to the folder that is searched, whether it matches. */
export type GlobMatcher = (names: readonly string[]) => boolean;

/**
 * The matcher of a glob: `*`, `?`, `[a-z]`, `**` for any folders, `{a,b}` for alternatives. One without a slash matches a name at any depth. Upper and lower case
 * differ, and names that begin with a dot are names like others. Null for a pattern that has no meaning or too many alternatives.
 */
export function globMatcher(glob: string): GlobMatcher | null {
  const alternatives = expanded(glob.replace(/^(?:\.?\/)+/, ''));
  if (alternatives === null) return null;
  const fromHere = /^\.?\//.test(glob);
  const patterns: PathPattern[] = [];
  for (const one of alternatives) {
    const pattern = pathPattern(fromHere || one.includes('/') ? one.replace(/\/$/, '') : `**/${one}`);
    if (pattern === null) return null;
    patterns.push(pattern);
  }
  return (names) => patterns.some((pattern) => matchesPath(pattern, names));
}

/** The texts that braces stand for; a brace that nothing closes, and one without a comma, mean themselves. Null above `fileLimits.alternatives`. */
function expanded(glob: string): readonly string[] | null {
  const brace = firstBrace(glob);
  if (brace === null) return [glob];
  const { open, close, commas } = brace;
  const [head, tail] = [glob.slice(0, open), expanded(glob.slice(close + 1))];
  if (tail === null) return null;
  const edges = [open, ...commas, close];
  const found: string[] = [];
  for (const [at, edge] of edges.slice(0, -1).entries()) {
    const inner = expanded(glob.slice(edge + 1, edges[at + 1]));
    if (inner === null) return null;
    for (const middle of inner) for (const end of tail) found.push(head + middle + end);
    if (found.length > fileLimits.alternatives) return null;
  }
  return found;
}

interface Brace {
  readonly open: number;
  readonly close: number;
  readonly commas: readonly number[];
}

function firstBrace(glob: string): Brace | null {
  for (let open = nextOf(glob, '{', 0); open >= 0; open = nextOf(glob, '{', open + 1)) {
    const commas: number[] = [];
    let depth = 0;
    for (let at = open; at < glob.length; at += 1) {
      const character = glob[at];
      if (character === '\\') at += 1;
      else if (character === '{') depth += 1;
      else if (character === ',' && depth === 1) commas.push(at);
      else if (character === '}') {
        depth -= 1;
        if (depth > 0) continue;
        if (commas.length > 0) return { open, close: at, commas };
        break;
      }
    }
  }
  return null;
}

/** The next place of a character that no `\` stands before. */
function nextOf(text: string, character: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === character) return at;
    if (text[at] === '\\') at += 1;
  }
  return -1;
}
