import { isRedefined, type Part, programOf, type Word } from '../shell/index.ts';
import { type Fit, all, known, some } from './fit.ts';
import { fitsPath, fitsText, isAbsolute, normalPath } from './pattern.ts';
import type { Effect, ShellRule } from './rule.ts';
import { spellings, verbVariants } from './verbs.ts';

/**
 * How far a part of a command is what a rule means. A rule that allows takes a part as it is written, and no word of it may be unknown. One that denies or
 * asks sees through what could hide a part from it: a program named by its path, options before a verb, a path written another way, words that are known only when
 * the command runs. `root` is the folder that commands begin in; null: it is not known.
 */
export function fitsPart(rule: ShellRule, part: Part, effect: Effect, root: string | null): Fit {
  const strictly = effect === 'allow';
  if ('run' in rule) {
    if (part.type !== 'command') return 'no';
    return strictly ? known(isExactly(rule, part.words)) : some(spellings(part.words).map((words) => mayBe(rule, words)));
  }
  if ('sets' in rule) return known(part.type === 'variable' && rule.sets.some((pattern) => fitsText(pattern, part.name)));
  if (part.type !== 'file') return 'no';
  const globs = 'writes' in rule ? (part.access === 'writes' ? rule.writes : []) : part.access === 'reads' ? rule.reads : [];
  return strictly ? known(isWithin(globs, part, root)) : some(globs.map((glob) => mayBeAt(glob, part, root)));
}

type RunRule = Extract<ShellRule, { readonly run: string }>;
type FilePart = Extract<Part, { readonly type: 'file' }>;

/** The patterns of the first words. */
function patternsOf({ run }: RunRule): readonly string[] {
  return run.split(/\s+/).filter((pattern) => pattern !== '');
}

function isExactly(rule: RunRule, words: readonly Word[]): boolean {
  if (!words.every((word) => word !== null)) return false;
  const patterns = patternsOf(rule);
  const rest = words.slice(patterns.length);
  return (
    patterns.every((pattern, at) => fitsPlainly(pattern, words[at])) &&
    (rule.with ?? []).every((pattern) => rest.some((word) => fitsPlainly(pattern, word))) &&
    rest.every((word) => rule.only?.some((pattern) => fitsPlainly(pattern, word)) ?? true)
  );
}

/** A word and the path that it may be both fit: no wildcard stands for a way up. */
function fitsPlainly(pattern: string, word: string | undefined): boolean {
  if (word === undefined || !fitsText(pattern, word)) return false;
  return !word.split('/').includes('..') || fitsText(pattern, normalPath(word));
}

function mayBe(rule: RunRule, words: readonly Word[]): Fit {
  const [name = null, ...rest] = words;
  const [program = '', ...verbs] = patternsOf(rule);
  const named: Fit = name === null ? 'maybe' : known(fitsText(program, name) || fitsText(program, programOf(name)));
  if (named === 'no') return 'no';
  const programName = name === null ? '' : programOf(name);
  const begun = some([
    ...verbVariants(programName, rest).map((variant) => fitsFrom(rule, verbs, variant)),
    hidden(rule, verbs, rest),
    programName === 'git' && isRedefined(rest) ? 'maybe' : 'no',
  ]);
  return all([named, begun]);
}

function fitsFrom(rule: RunRule, verbs: readonly string[], words: readonly Word[]): Fit {
  const rest = words.slice(verbs.length);
  return all([
    ...verbs.map((verb, at) => (at < words.length ? fitsLoosely(verb, words[at] ?? null) : 'no')),
    ...(rule.with ?? []).map((pattern) => some(rest.map((word) => fitsLoosely(pattern, word)))),
    ...rest.map((word) => (rule.only === undefined ? 'yes' : some(rule.only.map((pattern) => fitsLoosely(pattern, word))))),
  ]);
}

/** The verbs may stand behind options that are not known, or come of a word that is several. */
function hidden(rule: RunRule, verbs: readonly string[], rest: readonly Word[]): Fit {
  if (rest.includes(null)) return 'maybe';
  if (verbs.length === 0 || rest[0]?.startsWith('-') !== true) return 'no';
  let at = 0;
  for (const verb of verbs) {
    const found = rest.findIndex((word, index) => index >= at && fitsLoosely(verb, word) !== 'no');
    if (found < 0) return 'no';
    at = found + 1;
  }
  const after = fitsFrom({ ...rule, run: '' }, [], rest.slice(at));
  return after === 'no' ? 'no' : 'maybe';
}

function fitsLoosely(pattern: string, word: Word): Fit {
  if (word === null) return 'maybe';
  return known(fitsText(pattern, word) || (word.includes('/') && fitsText(pattern, normalPath(word))));
}

function isWithin(globs: readonly string[], { path, moved }: FilePart, root: string | null): boolean {
  if (path === null || (moved && !isAbsolute(path))) return false;
  return globs.some((glob) => fitsPath(placed(glob, root), placed(path, root)));
}

function mayBeAt(glob: string, { path, moved }: FilePart, root: string | null): Fit {
  if (path === null) return 'maybe';
  const [where, meant] = [placed(path, root), placed(glob, root)];
  if (fitsPath(meant, where)) return 'yes';
  if (path === '/dev/null') return 'no';
  const elsewhere = root === null && (isAbsolute(meant) !== isAbsolute(where) || where.startsWith('..'));
  return elsewhere || (moved && !isAbsolute(path)) ? 'maybe' : 'no';
}

/** A path in the one form that it has where the root is known: relative within the root, absolute outside it. */
function placed(path: string, root: string | null): string {
  if (root === null) return normalPath(path);
  const absolute = normalPath(isAbsolute(path) ? path : `${root}/${path}`);
  return absolute === root ? '' : absolute.startsWith(`${root}/`) ? absolute.slice(root.length + 1) : absolute;
}
