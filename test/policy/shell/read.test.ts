import { describe, expect, it } from 'vitest';
import { readBash } from '../../../src/policy/shell/bash.ts';
import { type Part, readShell } from '../../../src/policy/shell/index.ts';

const shown = (part: Part): string =>
  part.type === 'unclear' ? `? ${part.text}: ${part.why}` : `${part.harmless ? 'harmless ' : ''}${part.type} ${part.text}`;
const parts = (source: string): readonly string[] => readShell(source).map(shown);
const more = 'has more in it than plain words, quotes, pipes and lists';

describe('the reading of bash', () => {
  it.each(['ls', 'A=1 \'ls\' "x" 2>&1 | wc > a && pwd || b; c\nd'])('POL-05 %j is flat', (source) => {
    expect(readBash(source).flat).toBe(true);
  });

  it.each([
    'ls &',
    'ls |& wc',
    '! ls',
    'time ls',
    'A+=1 ls',
    'A[0]=1',
    'A=(b)',
    '(ls)',
    'ls $a',
    'ls *',
    "ls $'a'",
    'ls <<< a',
    'ls {a}> b',
  ])('POL-05 %j is not', (source) => {
    expect(readBash(source).flat).toBe(false);
  });
});

describe('what a command does', () => {
  it.each<[string, readonly string[]]>([
    ['ls -l | wc', ['command ls -l', 'command wc']],
    [
      "nice timeout 5 ls 'a b'",
      ["harmless command nice timeout 5 ls 'a b'", "harmless command timeout 5 ls 'a b'", "command ls 'a b'"],
    ],
    ["bash -c 'ls; pwd'", ["harmless command bash -c 'ls; pwd'", 'command ls', 'command pwd']],
    [
      'TZ=UTC A=1 ls > a 2>&1 < b',
      ['harmless variable TZ=', 'variable A=', 'file > a', 'file < b', 'command TZ=UTC A=1 ls > a 2>&1 < b'],
    ],
    ['sudo ls', ['command sudo ls', 'command ls']],
    ['ls > /dev/null', ['harmless file > /dev/null', 'command ls > /dev/null']],
    ['', ['? : has more in it than plain words, quotes, pipes and lists']],
    ['nohup', ['harmless command nohup', '? : has no command in it']],
    ['xargs', ['harmless command xargs', '? : has no command in it']],
    [
      'echo `echo \\`rm x\\``',
      ['command echo `echo \\`rm x\\``', 'command echo `rm x`', 'command rm x', `? echo \`echo \\\`rm x\\\`\`: ${more}`],
    ],
    ['$X y', ['? $X y: runs something that is known only when it runs', `? $X y: ${more}`]],
    ['ls "', ['command ls "', '? ls ": it is not correct bash']],
    ['xargs git', ['harmless command xargs git', 'command git …', '? git …: gives git settings that may change what it runs']],
    [
      'xargs -I X git -c X log',
      [
        'harmless command xargs -I X git -c X log',
        'command git -c … log',
        '? git -c … log: gives git settings that may change what it runs',
      ],
    ],
    ['xargs -I X git -C X log', ['harmless command xargs -I X git -C X log', 'command git -C … log']],
    ['git --exec-path', ['command git --exec-path', '? git --exec-path: gives git settings that may change what it runs']],
    ['git -C', ['command git -C']],
    [
      'xargs git rebase',
      ['harmless command xargs git rebase', 'command git rebase …', '? git rebase …: what git does with it is not read'],
    ],
    [
      'env -i A=1 -u',
      ['harmless command env -i A=1 -u', 'variable A=', 'command -i A=1 -u', '? env -i A=1 -u: an option of env is not known'],
    ],
    ['eval ls', ['harmless command eval ls', 'command ls', '? eval ls: what eval does with it is not read']],
  ])('POL-05 %j', (source, expected) => {
    expect(parts(source)).toEqual(expected);
  });

  it('POL-05 a word that the shell would expand is not known', () => {
    const words = readShell('a ~ ~/b "c d" $\'e\' $"f" g$h *.i {j,k} "l$m" n:~').flatMap((part) =>
      part.type === 'command' ? part.words : [],
    );
    expect(words).toEqual(['a', null, null, 'c d', 'e', 'f', null, null, null, null, null]);
    expect(readShell('a > ~/b')[0]).toMatchObject({ type: 'file', path: null });
  });

  it('POL-05 wrappers are looked into, but not without an end', () => {
    expect(parts(`${'nice '.repeat(6)}ls`).at(-1)).toBe('command ls');
    expect(parts(`${'nice '.repeat(30)}ls`).at(-1)).toMatch(/^\? nice .*: is nested too deep to be read$/);
  });

  it('POL-05 a long part is cut where it is shown', () => {
    const [part] = readShell(`echo ${'\u{1f600}'.repeat(500)}`);
    expect(part?.text.length).toBeLessThanOrEqual(200);
    expect(part?.text.isWellFormed()).toBe(true);
  });

  it('POL-05 it ends for every text, in a time that does not explode', () => {
    for (const piece of [
      '(',
      '$(',
      '`',
      '{ ',
      '"$(',
      "'",
      '<(',
      '${a:-',
      'if ',
      'a=(',
      '<<E\n',
      '[[ ',
      '((',
      'nice ',
      'eval ',
      "bash -c '",
    ]) {
      const read = parts(piece.repeat(2000));
      expect(
        read.some((part) => part.startsWith('?')),
        piece,
      ).toBe(true);
    }
  });
});
