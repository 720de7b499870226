import type { Word } from './command.ts';

/** The options of git that stand before its verb and take the next word as their value. */
const valued: ReadonlySet<string> = new Set([
  '-C',
  '-c',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--exec-path',
  '--super-prefix',
  '--config-env',
  '--attr-source',
]);

/** Settings that choose how git shows or stores things. Any other may name what runs: a verb, a pager, an editor, a hook, a file of settings. */
const tame =
  /^(?:(?:advice|color|column)\.[a-z.-]+|user\.(?:name|email)|(?:commit|tag)\.gpgsign|core\.(?:abbrev|autocrlf|eol|filemode|ignorecase|quotepath)|gc\.auto|init\.defaultbranch|safe\.directory)(?:=|$)/i;

/** Where the verb stands among the words behind `git`; their number when there is none. */
export function gitVerbAt(words: readonly Word[]): number {
  let at = 0;
  for (let word = words[at]; word?.startsWith('-') === true; word = words[at]) at += valued.has(word) ? 2 : 1;
  return Math.min(at, words.length);
}

/** Whether what stands before the verb, among the words behind `git`, may give the verb another meaning or make git run something else beside it. */
export function isRedefined(words: readonly Word[]): boolean {
  const verbAt = gitVerbAt(words);
  // What is not known may be an option.
  if (words[verbAt] === null) return true;
  return words.slice(0, verbAt).some((word, at, options) => {
    if (word === '-c') return !tame.test(options[at + 1] ?? '');
    return /^--(?:config-env|exec-path)(?:=|$)/.test(word ?? '');
  });
}

/** Whether a variable holds settings, as `-c` does. */
export function holdsSettings(variable: string): boolean {
  return variable === 'GIT_CONFIG_COUNT' || variable === 'GIT_CONFIG_PARAMETERS';
}

/** Verbs that run commands where a word says so, and those that do nothing else. */
const running: ReadonlySet<string> = new Set(['bisect', 'difftool', 'rebase', 'submodule', 'submodule--helper']);
const alwaysRunning: ReadonlySet<string> = new Set(['filter-branch', 'for-each-repo']);
const run = /^(?:run|foreach|-[A-Za-z]*x.*|--ex.*)$/s;

/** The words, of those behind `git`, in which the commands stand that its verb runs; null where it runs none. */
export function gitRuns(words: readonly Word[]): readonly Word[] | null {
  const at = gitVerbAt(words);
  const [verb = null, ...rest] = words.slice(at);
  if (verb === null) return null;
  if (alwaysRunning.has(verb) || (running.has(verb) && rest.includes(null))) return rest;
  const from = running.has(verb) ? rest.findIndex((word) => word !== null && run.test(word)) : -1;
  return from < 0 ? null : rest.slice(from + 1);
}
