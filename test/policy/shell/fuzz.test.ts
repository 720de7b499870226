import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { policyOf, type Rule } from '../../../src/policy/index.ts';
import { shellCall, shellReader } from './support.ts';

const deny = (name: string, shell: Rule['shell'] & object): Rule => ({ name, effect: 'deny', shell });
/** Everything is allowed but what is denied: whatever a mutation hides runs. */
const policy = policyOf(
  [
    { name: 'run-all', effect: 'allow', shell: { run: '*' } },
    { name: 'write-all', effect: 'allow', shell: { writes: ['**', '/**'] } },
    { name: 'read-all', effect: 'allow', shell: { reads: ['**', '/**'] } },
    { name: 'set-all', effect: 'allow', shell: { sets: ['*'] } },
    deny('rm', { run: 'rm' }),
    deny('push', { run: 'git push', with: ['-f'] }),
    deny('env', { run: '*', with: ['*.env'] }),
    deny('delete', { run: 'find', with: ['-delete'] }),
    deny('hooks', { writes: ['.git/**'] }),
    deny('loader', { sets: ['LD_*'] }),
  ],
  shellReader,
);

/** A command line on its way: `simple` while nothing but words and redirects stand in it, `bare` while it begins with the name of its program. */
interface Line {
  readonly text: string;
  readonly simple: boolean;
  readonly bare: boolean;
}

const line = (text: string, bare = true): Line => ({ text, simple: true, bare });
const denied: readonly Line[] = [
  line('rm x'),
  line('rm -rf /'),
  line('git push -f'),
  line('git push origin main -f'),
  line('cat config/prod.env'),
  line('find . -name x -delete'),
  line('ls > .git/config'),
  line('LD_PRELOAD=./x.so ls', false),
];

type Mutation = (given: Line, pick: number) => Line;

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const doubled = (text: string): string => `"${text.replaceAll(/[\\"$`]/g, '\\$&')}"`;
const compound = (text: string): Line => ({ text, simple: false, bare: false });
const spaces = [' ', '  ', '\t', ' \\\n ', '   '];

/** Spaces outside quotes may be others: taken where there are no quotes at all. */
const spacing: Mutation = ({ text, ...rest }, pick) => ({
  ...rest,
  text: /['"\\\n`]/.test(text) ? `${spaces[pick % 3]}${text} ` : text.replaceAll(' ', spaces[pick % spaces.length] ?? ' '),
});

/** Another spelling of the program's name. */
const spelling: Mutation = (given, pick) => {
  const name = /^[a-z]+/.exec(given.text)?.[0];
  if (!given.bare || name === undefined || name.length < 2) return given;
  const [head, tail] = [name.slice(0, 1), name.slice(1)];
  const spelled = [
    `${head}\\${tail}`,
    `'${name}'`,
    `${head}"${tail}"`,
    `${head}''${tail}`,
    `$'${name}'`,
    `/usr/bin/${name}`,
    `\\${name}`,
    `${head}\\\n${tail}`,
  ];
  return { ...given, bare: false, text: (spelled[pick % spelled.length] ?? name) + given.text.slice(name.length) };
};

const before = [
  'env ',
  'env -i ',
  'env A=1 ',
  'nice ',
  'nice -n 5 ',
  'timeout 5 ',
  'timeout -k 1 5 ',
  'nohup ',
  'sudo ',
  'sudo -u root ',
  'command ',
  'exec ',
  'time ',
  'time -p ',
  '! ',
  'A=1 ',
  'stdbuf -oL ',
  'setsid ',
  'busybox ',
  'xargs ',
  'xargs -n 1 ',
  'ionice -c 3 ',
  'doas ',
  'builtin ',
  '2>/dev/null ',
  'strace ',
  'tini ',
  'gosu root ',
  'x86_64 ',
  'env A=1 -u B ',
  'xargs -I X -n2 ',
  'git bisect run ',
  'parallel ',
  'flock f ',
  'env -i - ',
  'env -C src ',
  'jobs -x ',
  './timeout 5 ',
  'find . -delete -exec ',
];
/** What a word that is an assignment may stand behind, so that it is one. */
const beforeAssignment = new Set([
  'env ',
  'env -i ',
  'env A=1 ',
  'sudo ',
  'sudo -u root ',
  '! ',
  'A=1 ',
  'time ',
  'time -p ',
  '2>/dev/null ',
]);

const prefixing: Mutation = (given, pick) => {
  const prefix = before[pick % before.length] ?? '';
  const fits = given.simple && (!/^\s*(?:2>\/dev\/null\s+)*[A-Z_]+=/.test(given.text) || beforeAssignment.has(prefix));
  // What a keyword stands before is none any more, and neither is what stands behind one.
  return fits ? { text: prefix + given.text, simple: !/^(?:!|time)/.test(prefix), bare: false } : given;
};

const around: readonly ((text: string) => string)[] = [
  (text) => `true && ${text}`,
  (text) => `${text}; ls`,
  (text) => `ls | ${text}`,
  (text) => `ls || ${text}`,
  (text) => `ls & ${text}`,
  (text) => `${text} &`,
  (text) => `ls\n${text}\nls`,
  (text) => `${text} | cat`,
  (text) => `(${text})`,
  (text) => `{ ${text}; }`,
  (text) => `if ${text}; then ls; fi`,
  (text) => `if ls; then ${text}\nfi`,
  (text) => `while ${text}; do break; done`,
  (text) => `for x in a b; do ${text}; done`,
  (text) => `case a in a) ${text};; esac`,
  (text) => `f() { ${text}; }; f`,
  (text) => `echo $(${text})`,
  (text) => `echo "$(${text})"`,
  (text) => `cat <(${text})`,
  (text) => `A=$(${text})`,
  (text) => `echo \${A:-$(${text})}`,
  (text) => `cat <<E\n$(${text})\nE`,
  (text) => `cat <<E && ${text.includes('\n') ? `bash -c ${quoted(text)}` : text}\nbody\nE`,
  (text) => `bash -c ${quoted(text)}`,
  (text) => `sh -ec ${quoted(text)}`,
  (text) => `bash -c - ${quoted(text)}`,
  (text) => `bash -Oc extglob ${quoted(text)}`,
  (text) => `git submodule foreach ${quoted(text)}`,
  (text) => `/bin/bash -c ${doubled(text)}`,
  (text) => `eval ${quoted(text)}`,
  (text) => `trap ${quoted(text)} EXIT`,
  (text) => `find . -name x -exec sh -c ${quoted(text)} ';'`,
  (text) => `xargs -I{} bash -c ${quoted(text)}`,
  (text) => `env -S ${quoted(text)}`,
  (text) => `su -c ${quoted(text)}`,
];

const wrapping: Mutation = (given, pick) => compound((around[pick % around.length] ?? ((text) => text))(given.text));

const mutation = fc.tuple(fc.constantFrom(spacing, spelling, prefixing, wrapping, prefixing, wrapping), fc.nat({ max: 10_000 }));

describe('what is denied', () => {
  it.each(denied)('POL-05 is denied as it stands: $text', ({ text }) => {
    expect(policy.judge(shellCall(text)).effect).toBe('deny');
  });

  it.each([
    "env 'BASH_FUNC_ls%%=() { rm x; }' bash -c ls",
    'cat a | bash',
    'cat a | bash -',
    'cat a | bash -s a',
    'bash -i a',
    'bash +e -c "rm x"',
    'bash -o posix -c ls',
    'bash -O extglob -c ls',
    'zsh -c ls',
    'xargs git',
    'xargs bash',
    'xargs --replace rm {}',
    'find . -fprint a',
    "find . -exec bash -c {} ';'",
    'find . -exec ls a',
    '/lib64/ld-linux-x86-64.so.2 /bin/rm x',
    'printf -v A x',
    'test -v A',
  ])('POL-05 and neither is what it may hide in: %s', (text) => {
    expect(policy.judge(shellCall(text)).effect).not.toBe('allow');
  });

  it('POL-05 no other spelling, quoting, wrapping or chaining of it is allowed', () => {
    fc.assert(
      fc.property(fc.constantFrom(...denied), fc.array(mutation, { minLength: 1, maxLength: 5 }), (begin, mutations) => {
        const { text } = mutations.reduce((given, [mutate, pick]) => mutate(given, pick), begin);
        expect(`${policy.judge(shellCall(text)).effect} ${text}`).not.toMatch(/^allow/);
      }),
      { numRuns: 4000 },
    );
  });

  it('POL-05 and none of it is allowed among text of any kind', () => {
    const token = fc.constantFrom(
      ...' \t\n\'"\\$`(){}[]<>|&;!#~*?=-+:,.0a'.split(''),
      'ls',
      'echo',
      'bash -c',
      '<<E',
      'E',
      '${',
      '$(',
      'if',
      'do',
      'é',
    );
    const noise = fc.array(token, { maxLength: 8 }).map((tokens) => tokens.join(''));
    fc.assert(
      fc.property(noise, noise, (head, tail) => {
        const text = `${head}\nrm x\n${tail}`;
        const { effect } = policy.judge(shellCall(text));
        // Within quotes it is no command; otherwise it is one, and found or not understood.
        const isQuoted = /['"][^'"]*\nrm x\n[^'"]*['"]/.test(text);
        expect(effect === 'allow' && !isQuoted, text).toBe(false);
      }),
      { numRuns: 4000 },
    );
  });
});
