import { programOf, type Word } from './command.ts';
import { gitRuns, isRedefined } from './git.ts';
import { type Options, readOptions } from './options.ts';

/** What a program that runs others is told to run. */
export interface Wrapped {
  /** Commands, word by word. */
  readonly commands: readonly (readonly Word[])[];
  /** Texts that a shell reads as command lines. */
  readonly scripts: readonly string[];
  /** Names of variables that it sets for them. */
  readonly variables: readonly string[];
  /** True when a rule must allow the wrapper itself beside what it runs: it has powers or effects of its own. */
  readonly counts: boolean;
  /** True when it runs them in another folder. */
  readonly moves: boolean;
  /** Why what it runs is not all known; null when it is. */
  readonly doubt: string | null;
}

/** Programs that run the rest of their words, after options and so many words of their own. */
interface Prefix extends Options {
  readonly skip?: number;
  readonly assigns?: true;
  readonly counts?: true;
  /** Options of a shape of their own, such as `-5`. */
  readonly odd?: RegExp;
}

const prefixes: { readonly [program: string]: Prefix } = {
  builtin: {},
  busybox: {},
  command: { flags: 'p' },
  doas: { flags: 'nL', values: 'uC', counts: true },
  env: {
    flags: 'i0v',
    values: 'uC',
    longFlags: ['ignore-environment', 'null', 'debug'],
    longValues: ['unset', 'chdir'],
    assigns: true,
    odd: /^-$/,
  },
  exec: { flags: 'cl', values: 'a' },
  ionice: { flags: 't', values: 'cn', longFlags: ['ignore'], longValues: ['class', 'classdata'] },
  nice: { values: 'n', longValues: ['adjustment'], odd: /^--?\d+$/ },
  nohup: {},
  setsid: { flags: 'cfw', longFlags: ['ctty', 'fork', 'wait'] },
  stdbuf: { values: 'ioe', longValues: ['input', 'output', 'error'] },
  sudo: {
    flags: 'nEHSkbAP',
    values: 'ughpCTDRUrt',
    longFlags: ['non-interactive', 'set-home', 'stdin', 'preserve-env', 'background', 'reset-timestamp'],
    longValues: ['user', 'group', 'chdir', 'chroot', 'host', 'prompt', 'role', 'type', 'command-timeout'],
    assigns: true,
    counts: true,
  },
  time: { flags: 'pvq', values: 'f', longFlags: ['portability', 'verbose', 'quiet'], longValues: ['format'] },
  timeout: {
    flags: 'v',
    values: 'ks',
    longFlags: ['foreground', 'preserve-status', 'verbose'],
    longValues: ['kill-after', 'signal'],
    skip: 1,
  },
  toybox: {},
};

const shells: ReadonlySet<string> = new Set(['ash', 'bash', 'dash', 'ksh', 'mksh', 'rbash', 'sh', 'zsh']);
const shellOptions: Options = {
  flags: 'ceuxlifvnprstmabhkBCEHPT',
  values: 'oO',
  longFlags: ['login', 'noprofile', 'norc', 'posix', 'verbose', 'restricted'],
};

const xargsOptions: Options = {
  flags: '0rtpxo',
  values: 'InPLdsEa',
  longFlags: ['null', 'no-run-if-empty', 'verbose', 'interactive', 'exit', 'open-tty'],
  longValues: ['max-args', 'max-procs', 'delimiter', 'max-chars', 'arg-file', 'process-slot-var'],
};

const findActions: ReadonlySet<string> = new Set(['-exec', '-execdir', '-ok', '-okdir']);
const findWrites: ReadonlySet<string> = new Set(['-delete', '-fls', '-fprint', '-fprint0', '-fprintf']);

const assignment = /^([A-Za-z_][A-Za-z0-9_]*)=/;

/** Shells whose language is not read here. */
const foreign =
  'bash-static csh elvish fish hush ksh93 lksh nu oksh osh pdksh posh powershell pwsh rc rksh rzsh sash tcsh xonsh yash ysh';
/** Builtins of bash after which a line may mean something else than it says, or that run texts. */
const builtins =
  '. alias bind compgen complete compopt coproc enable eval fc hash history jobs let mapfile read readarray getopts set shopt source trap unalias';
/** Programs that run others in ways that are not read here. */
const runners = [
  'aa-exec caffeinate catatonit catchsegv cgexec choom chpst chronic coreutils daemonize dbus-launch dbus-run-session dumb-init envdir fakechroot',
  'gosu i386 i486 i586 i686 ifne logsave mispipe nocache pee perf proxychains4 rr run-one run-parts schroot setlock setuidgid softlimit ssh-agent',
  'su-exec sudo-rs systemd-inhibit systemd-nspawn timelimit tini tini-static torify trickle tsocks uname26 uutils x86_64',
  'at batch bwrap byobu capsh chroot chrt cpulimit crontab dtach eatmydata entr expect faketime fakeroot firejail flock gdb hyperfine',
  'linux32 linux64 ltrace newgrp nodemon nsenter numactl parallel pkexec prlimit proot proxychains rlwrap run0 runcon runuser screen script',
  'setarch setpriv sg start-stop-daemon strace su systemd-run taskset tmux torsocks unbuffer unshare valgrind watch watchexec xvfb-run',
].join(' ');
/** Loaders of programs, and programs that are many. */
const runnerName = /^(?:ld-|ld64\.|ld\.so|busybox|toybox)/;
const unclear: ReadonlySet<string> = new Set([foreign, builtins, runners].flatMap((names) => names.split(' ')));

/** Builtins whose words are assignments. */
const setting: ReadonlySet<string> = new Set(['declare', 'export', 'local', 'readonly', 'typeset']);

const none = { commands: [], scripts: [], variables: [], counts: false, moves: false, doubt: null } as const;

/** What a simple command runs beside itself; null for a program that runs no other, as far as is known. */
export function unwrap(words: readonly Word[]): Wrapped | null {
  const [first = null, ...rest] = words;
  if (first === null) return null;
  const program = programOf(first);
  const wrapped = unwrapProgram(program, words, rest);
  // A program of that name from somewhere else may be another one.
  return wrapped === null || first === program || systemFolder.test(first) ? wrapped : { ...wrapped, counts: true };
}

const systemFolder = /^\/(?:usr\/)?bin\/[^/]+$/;

function unwrapProgram(program: string, words: readonly Word[], rest: readonly Word[]): Wrapped | null {
  const prefix = Object.hasOwn(prefixes, program) ? prefixes[program] : undefined;
  if (prefix !== undefined) return afterPrefix(program, prefix, words);
  if (shells.has(program)) return shellCommand(program, words);
  if (program === 'xargs') return xargsCommand(words);
  if (program === 'find') return findCommands(words);
  if (program === 'git') return gitCommand(rest);
  if (program.startsWith('git-')) return gitCommand([program.slice(4), ...rest]);
  if (unclear.has(program) || runnerName.test(program)) return unread(program, rest);
  if (isEvaluated(program, rest)) return { ...none, counts: true, doubt: `${program} evaluates a word of it` };
  if (!setting.has(program)) return null;
  return { ...none, variables: rest.flatMap((word) => assignment.exec(word ?? '')?.[1] ?? []), counts: true };
}

/** What a program makes of its words is not read; what is denied is looked for among them all the same. */
function unread(program: string, rest: readonly Word[], doubt = `what ${program} does with it is not read`): Wrapped {
  return { ...none, scripts: known(rest), doubt };
}

function afterPrefix(program: string, prefix: Prefix, words: readonly Word[]): Wrapped | null {
  const counts = prefix.counts === true;
  const unknown = `an option of ${program} is not known`;
  // It only says what would run.
  if (program === 'command' && /^-[pvV]*[vV]/.test(words[1] ?? '')) return null;
  let from = 1;
  while (prefix.odd?.test(words[from] ?? '') === true) from += 1;
  const options = readOptions(words, from, prefix);
  if (options === null) return { ...unread(program, words.slice(1), unknown), counts };
  let at = options.next + (prefix.skip ?? 0);
  if (prefix.odd?.test(words[at] ?? '') === true) at += 1;
  const variables: string[] = [];
  for (let word = words[at]; prefix.assigns === true && word?.includes('=') === true; word = words[at]) {
    variables.push(word.slice(0, word.indexOf('=')));
    at += 1;
  }
  const inner = words.slice(at);
  // Some read options again here, others take the word for a program.
  if (inner[0]?.startsWith('-') === true) return { ...unread(program, words.slice(1), unknown), variables, counts };
  const isOdd = variables.some((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  const doubt = words.slice(0, at).includes(null) ? unknown : isOdd ? `${program} sets what is no variable` : null;
  const moves = ['C', 'D', 'R', 'chdir', 'chroot'].some((name) => options.values.has(name));
  return { ...none, commands: inner.length === 0 ? [] : [inner], variables, counts, moves, doubt };
}

/** `o` and `O` take the next word wherever they stand in a cluster; bash knows long options behind one dash, too. */
const oddShellOption = /^-(?:rcfile$|[^-]*[oO].)/s;
/** Shells of which more letters take a value than are known here. */
const ownShells: ReadonlySet<string> = new Set(['ksh', 'mksh', 'zsh']);

function shellCommand(program: string, words: readonly Word[]): Wrapped | null {
  const options = readOptions(words, 1, shellOptions);
  const isOdd = options === null || words.slice(1, options.next).some((word) => word !== null && oddShellOption.test(word));
  if (isOdd || words[options.next]?.startsWith('+') === true || (ownShells.has(program) && options.next > 1)) {
    const told = options?.flags.has('c') === true ? words.slice(options.next, options.next + 1) : [];
    const { scripts, doubt } = unread(program, words.slice(1), `an option of ${program} is not known`);
    return { ...none, scripts: [...scripts, ...told.filter((word) => word !== null)], doubt };
  }
  const isEnd = options.flags.has('c') && words[options.next] === '-' && words[options.next - 1] !== '--';
  const script = words[isEnd ? options.next + 1 : options.next];
  if (!options.flags.has('c')) {
    const fromFile = script !== undefined && script !== '-' && !options.flags.has('s') && !options.flags.has('i');
    if (script === null) return { ...none, doubt: `what ${program} is to run is not known` };
    return fromFile ? null : { ...none, doubt: `${program} takes its commands from its input` };
  }
  if (script === undefined || script === null) return { ...none, doubt: `what ${program} is to run is not known` };
  const doubt = options.values.size > 0 ? `${program} may read it in its own way` : null;
  return { ...none, scripts: [script], doubt };
}

function xargsCommand(words: readonly Word[]): Wrapped {
  const options = readOptions(words, 1, xargsOptions);
  if (options === null) return unread('xargs', words.slice(1), 'an option of xargs is not known');
  const mark = options.values.get('I');
  const inner = words.slice(options.next);
  if (inner.length === 0) return none;
  // Beside these, -I may be dropped: then words are put behind, and none in the place of the mark.
  const isDropped = ['n', 'L', 'max-args'].some((name) => options.values.has(name));
  const filled = mark === undefined ? inner : inner.map((word) => (word?.includes(mark) === true ? null : word));
  return { ...none, commands: [mark === undefined || isDropped ? [...filled, null] : filled] };
}

function gitCommand(rest: readonly Word[]): Wrapped | null {
  const ran = gitRuns(rest);
  const read = ran === null ? none : unread('git', ran);
  if (isRedefined(rest)) return { ...read, counts: true, doubt: 'gives git settings that may change what it runs' };
  return ran === null ? null : { ...read, counts: true };
}

function findCommands(words: readonly Word[]): Wrapped {
  const commands: (readonly Word[])[] = [];
  let doubt: string | null = words.includes(null) ? 'a word of find is not known' : null;
  if (words.some((word) => word !== null && findWrites.has(word))) doubt = 'find deletes or writes by itself';
  for (let at = 1; at < words.length; at += 1) {
    if (!findActions.has(words[at] ?? '')) continue;
    const end = words.findIndex((word, index) => index > at && (word === ';' || (word === '+' && words[index - 1] === '{}')));
    if (end < 0) doubt = 'what find is to run has no end';
    const inner = words.slice(at + 1, end < 0 ? undefined : end).map((word) => (word?.includes('{}') === true ? null : word));
    if (inner.length > 0) commands.push(inner);
  }
  const moves = words.includes('-execdir') || words.includes('-okdir');
  return { ...none, commands, counts: true, moves, doubt };
}

/** Builtins that treat a word as an expression, which may hold a command. */
const evaluating: ReadonlySet<string> = new Set('[ declare export local printf readonly test typeset unset wait'.split(' '));

function isEvaluated(program: string, rest: readonly Word[]): boolean {
  if (!evaluating.has(program)) return false;
  if (program === 'printf') return rest[0] === null || rest[0]?.startsWith('-v') === true;
  return rest.some((word) => word !== null && (/[[`$]/.test(word) || word === '-v' || word === '-R'));
}

function known(words: readonly Word[]): readonly string[] {
  const texts = words.filter((word) => word !== null);
  return [texts.join(' '), ...texts.filter((word) => word.includes(' '))].filter((text) => text !== '');
}
