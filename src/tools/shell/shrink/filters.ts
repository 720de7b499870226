import { shrinkFoundLines } from './found-lines.ts';
import { shrinkFoundPaths } from './found-paths.ts';
import { shrinkGitDiff } from './git-diff.ts';
import { shrinkGitLog } from './git-log.ts';
import { shrinkGitStatus } from './git-status.ts';
import { shrinkTestRun } from './test-run.ts';
import { optionsOf, simpleWords } from './words.ts';

/** Shortens the output of one command. It may throw for an output that it does not know. */
export type Filter = (output: string) => string;

/** A filter, and the options with which its command is left alone: they ask for a form of their own (SHRINK-02). */
interface Known {
  readonly filter: Filter;
  readonly except: readonly string[];
  /** One of these must be given: without them the output has another form. */
  readonly needs?: readonly string[];
}

const gitVerbs: { readonly [verb: string]: Known } = {
  log: {
    filter: shrinkGitLog,
    except: [
      '--pretty',
      '--format',
      '--oneline',
      '--graph',
      '-p',
      '-u',
      '--patch',
      '-L',
      '-S',
      '-G',
      '--raw',
      '--numstat',
      '--name-only',
      '--name-status',
      '--shortstat',
      '--dirstat',
      '-z',
      '--cc',
      '-c',
      '--notes',
      '--date',
      '--show-signature',
      '--compact-summary',
    ],
  },
  diff: {
    filter: shrinkGitDiff,
    except: [
      '--stat',
      '--numstat',
      '--shortstat',
      '--dirstat',
      '--name-only',
      '--name-status',
      '--raw',
      '--word-diff',
      '--color-words',
      '--summary',
      '--check',
      '-U',
      '--unified',
      '-W',
      '--function-context',
      '--no-prefix',
      '--output',
      '-z',
      '--quiet',
      '--compact-summary',
      '--patch-with-stat',
      '--binary',
    ],
  },
  status: { filter: shrinkGitStatus, except: ['-s', '--short', '--porcelain', '-z', '-v', '--verbose', '--column'] },
};

const searching: readonly string[] = [
  '-l',
  '-L',
  '-c',
  '-o',
  '-h',
  '-z',
  '-Z',
  '-0',
  '-q',
  '-A',
  '-B',
  '-C',
  '-p',
  '-U',
  '-b',
  '-r',
  '--json',
  '--vimgrep',
  '--heading',
  '--pretty',
  '--files',
  '--files-with-matches',
  '--files-without-match',
  '--count',
  '--count-matches',
  '--only-matching',
  '--no-filename',
  '--null',
  '--context',
  '--after-context',
  '--before-context',
  '--passthru',
  '--multiline',
  '--replace',
  '--stats',
  '--byte-offset',
  '--column',
  '--trim',
];

const commands: { readonly [name: string]: Known } = {
  grep: {
    filter: shrinkFoundLines,
    except: searching.filter((option) => option !== '-r'),
    needs: ['-r', '-R', '-H', '--recursive', '--dereference-recursive', '--with-filename'],
  },
  rg: { filter: shrinkFoundLines, except: searching, needs: ['-n', '-H', '--line-number', '--with-filename'] },
  find: {
    filter: shrinkFoundPaths,
    except: ['-exec', '-execdir', '-ok', '-okdir', '-print0', '-printf', '-fprint', '-fprintf', '-ls', '-fls', '-delete'],
  },
  fd: {
    filter: shrinkFoundPaths,
    except: ['-x', '-X', '-0', '-l', '--exec', '--exec-batch', '--print0', '--list-details', '--format'],
  },
};

/** How test runners are called, word by word, behind `npx` and its like; and the options that ask for another report. */
const runners: readonly (readonly string[])[] = [
  ['npm', 'test'],
  ['npm', 't'],
  ['npm', 'run', 'test'],
  ['pnpm', 'test'],
  ['yarn', 'test'],
  ['bun', 'test'],
  ['deno', 'test'],
  ['vitest'],
  ['jest'],
  ['mocha'],
  ['ava'],
  ['tap'],
  ['node', '--test'],
  ['pytest'],
  ['python', '-m', 'pytest'],
  ['python3', '-m', 'pytest'],
  ['cargo', 'test'],
  ['go', 'test'],
];
const reports = ['--reporter', '--reporters', '--json', '--format', '--tap', '--test-reporter', '--coverage', '--message-format'];

/** The filter for a command; null where it is left alone: a command that is not known, more than one, or a form that was asked for (SHRINK-01, SHRINK-02). */
export function filterFor(command: string): Filter | null {
  const words = simpleWords(command);
  if (words === null) return null;
  const [name = '', ...rest] = words;
  if (name === 'git') {
    const at = verbAt(rest);
    return pick(gitVerbs, rest[at], rest.slice(at + 1));
  }
  return pick(commands, name, rest) ?? runnerFilter(words);
}

function pick(table: { readonly [name: string]: Known }, name: string | undefined, words: readonly string[]): Filter | null {
  const known = name !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
  if (known === undefined) return null;
  const options = optionsOf(words);
  const given = known.needs === undefined || known.needs.some((option) => options.has(option));
  return given && !known.except.some((option) => options.has(option)) ? known.filter : null;
}

/** Where git's verb stands: some of git's own options take the next word (fault 26). */
function verbAt(words: readonly string[]): number {
  let at = 0;
  while (words[at]?.startsWith('-') === true)
    at += ['-C', '-c', '--git-dir', '--work-tree', '--namespace'].includes(words[at] ?? '') ? 2 : 1;
  return at;
}

function runnerFilter(words: readonly string[]): Filter | null {
  const prefixes = [['npx'], ['npm', 'exec', '--'], ['pnpm', 'exec'], ['yarn']];
  const prefix = prefixes.find((one) => one.every((word, at) => words[at] === word));
  const called = [words, ...(prefix === undefined ? [] : [words.slice(prefix.length)])];
  const options = optionsOf(words);
  const isRunner = called.some((one) => runners.some((runner) => runner.every((word, at) => one[at] === word)));
  return isRunner && !reports.some((option) => options.has(option)) ? shrinkTestRun : null;
}
