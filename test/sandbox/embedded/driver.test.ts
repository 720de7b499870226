import { expect, test } from 'vitest';
import { systemClock } from '../../../src/core/index.ts';
import { EmbeddedDriver } from '../../../src/sandbox/index.ts';
import { run } from '../../tools/shell/contract.ts';
import { MemoryWorkspace } from '../memory-workspace.ts';

function subject() {
  const workspace = new MemoryWorkspace();
  return { driver: new EmbeddedDriver(workspace, systemClock), workspace };
}

test('SHELL-23 a loop over files lets everything else run', async () => {
  let turns = 0;
  const ticking = setInterval(() => {
    turns += 1;
  }, 1);
  const { end } = await run(subject(), 'while true; do echo x > f; done', { timeout: 300 });
  clearInterval(ticking);
  expect(end).toEqual({ how: 'timeout' });
  expect(turns).toBeGreaterThan(2);
});

test.each([
  ['while true; do :; done', 'too many commands'],
  ["awk 'BEGIN { while (1) x++ }'", 'exceeded maximum iterations'],
  ["sed ':a;ba' <<< x", 'exceeded maximum iterations'],
  ['x=a; while true; do x=$x$x; done', 'limit exceeded'],
  ['f() { f; }; f', 'recursion depth'],
  ["jq -n '[range(1000000000)] | length'", 'limit exceeded'],
])('SHELL-23 %s ends by itself', async (command, why) => {
  expect(await run(subject(), command)).toMatchObject({ end: { how: 'exited', code: 126 }, text: expect.stringContaining(why) });
});

test.each(["grep -E '(a+)+$' a.txt", "sed -E 's/(a+)+$/x/' a.txt", "awk '/(a+)+$/' a.txt", '[[ $(cat a.txt) =~ ^(a+)+$ ]]'])(
  'SHELL-23 a pattern that other engines never end with does end: %s',
  async (command) => {
    const { driver, workspace } = subject();
    await workspace.put('a.txt', `${'a'.repeat(60)}!\n`);
    expect((await run({ driver }, command)).end).toMatchObject({ how: 'exited' });
  },
);

test('WORK-01 files that are too large for the memory are refused, and nothing is half saved', async () => {
  const { driver, workspace } = subject();
  await workspace.put('large', new Uint8Array(5_000_000));
  await workspace.put('huge', new Uint8Array(20_000_000));
  expect((await run({ driver }, 'wc -c large; cat large')).remarks).toEqual([expect.stringContaining('large is larger than')]);
  expect((await run({ driver }, "printf '%4000000s' x > a; for i in 1 2 3 4 5; do cp a a$i; done")).text).toContain('ENOSPC');
  expect((await run({ driver }, 'mv large moved; ls')).remarks).toEqual([]);
  const before = workspace.paths();
  expect(before).toEqual(['a', 'a1', 'a2', 'a3', 'huge', 'moved']);
  expect((await run({ driver }, 'mv huge elsewhere; rm a')).remarks).toEqual([expect.stringContaining('elsewhere is too large')]);
  expect(workspace.paths()).toEqual(before);
});

test('WORK-01 writing through a link changes the file that it leads to', async () => {
  const { driver, workspace } = subject();
  await workspace.put('a.txt', 'a');
  await workspace.change([{ type: 'link', path: 'link', target: 'a.txt' }]);
  expect((await run({ driver }, 'cat link; echo b > link; readlink link')).text).toBe('aa.txt\n');
  expect([workspace.paths(), workspace.text('a.txt')]).toEqual([['a.txt', 'link -> a.txt'], 'b\n']);
});

test('WORK-01 a changed mode alone is saved', async () => {
  const { driver, workspace } = subject();
  await workspace.put('run.sh', 'echo ran\n');
  await run({ driver }, 'chmod +x run.sh');
  expect([workspace.paths(), workspace.text('run.sh')]).toEqual([['run.sh*'], 'echo ran\n']);
  expect((await run({ driver }, './run.sh; chmod -x run.sh')).text).toBe('ran\n');
  expect(workspace.paths()).toEqual(['run.sh']);
});

test('WORK-01 a folder that a command deletes keeps what somebody else wrote there meanwhile', async () => {
  const { driver, workspace } = subject();
  await workspace.put('a/mine', 'x');
  await workspace.put('b/mine', 'x');
  const onOutput = (): Promise<void> => workspace.put('a/theirs', 'y');
  expect((await run({ driver }, 'rm -r a b; echo done', { onOutput })).remarks).toEqual([]);
  expect(workspace.paths()).toEqual(['a/theirs']);
});

test('WORK-01 a command tells the size and the kind of files as they are, without changing them', async () => {
  const { driver, workspace } = subject();
  await workspace.put('a/b.txt', 'ä'.repeat(10));
  await workspace.change([{ type: 'folder', path: 'empty' }]);
  const before = workspace.made.length;
  const { text } = await run(
    { driver },
    "stat -c '%s %F' a/b.txt a; find . -type f; test -d empty && echo folder; wc -m < a/b.txt",
  );
  expect(text.split('\n').map((line) => line.trim())).toEqual([
    '20 regular file',
    expect.stringContaining('directory'),
    './a/b.txt',
    'folder',
    '10',
    '',
  ]);
  expect(workspace.made).toHaveLength(before);
});

test('SHELL-12 what still runs behind a timeout changes nothing', async () => {
  const { driver, workspace } = subject();
  await run({ driver }, 'echo 1 > a; sleep 1; echo 2 > a; echo 3 > b', { timeout: 200 });
  expect([workspace.paths(), workspace.text('a')]).toEqual([['a'], '1\n']);
});

test('SHELL-08 the first line of a script has its number in what bash says of it', async () => {
  expect((await run(subject(), 'echo $LINENO\necho $LINENO')).text).toBe('1\n2\n');
});
