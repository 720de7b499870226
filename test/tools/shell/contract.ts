import { expect, test } from 'vitest';
import type { ShellCommand, ShellDriver, ShellOutcome } from '../../../src/tools/index.ts';
import type { MemoryWorkspace } from '../../sandbox/memory-workspace.ts';

/** A driver and the workspace that it runs commands on. */
export interface Subject {
  readonly driver: ShellDriver;
  readonly workspace: MemoryWorkspace;
}

/** What a run came to, with its output as bytes. */
export interface Ran extends ShellOutcome {
  readonly output: Uint8Array;
  readonly text: string;
}

interface Options extends Partial<Pick<ShellCommand, 'timeout' | 'id'>> {
  /** Cancels the run. */
  readonly abort?: AbortController;
  /** Told all output so far whenever some arrives. */
  readonly onOutput?: (text: string) => Promise<void> | void;
}

const patience = 20_000;

let runs = 0;

/** An id that no other run has. */
function freshId(): string {
  runs += 1;
  return `call_${runs}`;
}

/** Runs one command. */
export async function run({ driver }: Pick<Subject, 'driver'>, command: string, options: Options = {}): Promise<Ran> {
  const { timeout = patience, id = freshId(), abort = new AbortController(), onOutput } = options;
  const pieces: number[] = [];
  const outcome = await driver.run({
    command,
    id,
    turn: 1,
    timeout,
    signal: abort.signal,
    output: async (bytes) => {
      for (const byte of bytes) pieces.push(byte);
      await onOutput?.(new TextDecoder().decode(Uint8Array.from(pieces)));
    },
    notice: async () => {},
  });
  const output = Uint8Array.from(pieces);
  return { ...outcome, output, text: new TextDecoder().decode(output) };
}

const exited = (code: number) => ({ how: 'exited', code });

/** Whether a process runs; one that is dead and that nobody has asked after yet does not. */
async function isAlive(subject: Subject, pid: string): Promise<boolean> {
  expect(pid).toMatch(/^\d+\n$/);
  const { end } = await run(subject, `grep -qs '^State:[[:space:]]*[^ZX[:space:]]' /proc/${pid.trim()}/status`);
  return end.how === 'exited' && end.code === 0;
}

type Case = (subject: Subject) => Promise<void>;

/** What every driver does. The key of a case that a driver cannot do stands in docs/shell.md. */
const cases: { readonly [title: string]: Case } = {
  'SHELL-01 a command runs in the root of the workspace': async (subject) => {
    await subject.workspace.put('src/a.txt', 'hello\n');
    expect(await run(subject, 'cat src/a.txt; ls')).toMatchObject({ end: exited(0), text: 'hello\nsrc\n' });
  },
  'SHELL-01 each command is a shell of its own': async (subject) => {
    await subject.workspace.put('src/a.txt', '');
    await run(subject, 'cd src; x=1');
    expect(await run(subject, 'ls; echo "[$x]"')).toMatchObject({ text: 'src\n[]\n' });
  },
  'SHELL-04 stdout and stderr come in the order in which they were written': async (subject) => {
    const { text } = await run(subject, 'for i in 1 2 3 4 5; do echo out $i; echo err $i >&2; done');
    expect(text).toBe([1, 2, 3, 4, 5].map((n) => `out ${n}\nerr ${n}\n`).join(''));
  },
  'SHELL-04 stdin is empty': async (subject) => {
    expect(await run(subject, 'cat; read -r x || echo "end of input"')).toMatchObject({ end: exited(0), text: 'end of input\n' });
  },
  'SHELL-05 output arrives while the command runs': async (subject) => {
    const abort = new AbortController();
    const onOutput = (): void => abort.abort();
    expect(await run(subject, 'echo first; sleep 30', { abort, onOutput, timeout: 2000 })).toMatchObject({
      end: { how: 'cancelled' },
    });
  },
  'SHELL-07 a megabyte arrives whole': async (subject) => {
    const { end, output } = await run(subject, "printf '%1000000s' x");
    expect([end, output.length, output.at(-1)]).toEqual([exited(0), 1_000_000, 0x78]);
  },
  'SHELL-10 bytes that are no text arrive as they are': async (subject) => {
    expect((await run(subject, "printf '\\xff\\xfea'")).output).toEqual(Uint8Array.of(0xff, 0xfe, 0x61));
  },
  'SHELL-11 the exit code is that of the shell': async (subject) => {
    for (const code of [0, 1, 42, 255]) expect((await run(subject, `exit ${code}`)).end).toEqual(exited(code));
    expect(await run(subject, 'no-such-program')).toMatchObject({
      end: exited(127),
      text: expect.stringContaining('no-such-program'),
    });
    expect((await run(subject, 'false && echo never')).end).toEqual(exited(1));
  },
  'SHELL-11 a script that cannot be read is told, with its code': async (subject) => {
    const { end, text } = await run(subject, 'if true; then');
    expect(end).toEqual(exited(2));
    expect(text).toMatch(/syntax error|unexpected end/i);
  },
  'SHELL-11 a shell that ends itself with a signal has 128 and its number': async (subject) => {
    expect((await run(subject, 'kill -9 $$')).end).toEqual(exited(137));
  },
  'SHELL-12 a command that takes too long is ended': async (subject) => {
    expect((await run(subject, 'sleep 30', { timeout: 300 })).end).toEqual({ how: 'timeout' });
  },
  'SHELL-12 what was printed before a timeout is kept': async (subject) => {
    expect(await run(subject, 'echo so far; sleep 30', { timeout: 300 })).toMatchObject({
      end: { how: 'timeout' },
      text: 'so far\n',
    });
  },
  'SHELL-12 a loop that does nothing is ended': async (subject) => {
    const { end } = await run(subject, 'while true; do :; done', { timeout: 300 });
    expect(end).toEqual({ how: 'timeout' });
  },
  'SHELL-13 a cancelled command is ended': async (subject) => {
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 200);
    expect((await run(subject, 'sleep 30', { abort })).end).toEqual({ how: 'cancelled' });
  },
  'SHELL-13 a command that is cancelled before it begins does nothing': async (subject) => {
    const abort = new AbortController();
    abort.abort();
    expect((await run(subject, 'echo x > a.txt', { abort })).end).toEqual({ how: 'cancelled' });
    expect(subject.workspace.paths()).toEqual([]);
  },
  'SHELL-14 a command that is too long is refused, with its size': async (subject) => {
    const command = `: ${'x'.repeat(200_000)}`;
    expect((await run(subject, command)).end).toEqual({
      how: 'refused',
      reason: expect.stringMatching(/too long/i),
      size: 200_002,
    });
  },
  'SHELL-14 a command with a NUL is refused': async (subject) => {
    expect((await run(subject, 'echo \0')).end).toEqual({ how: 'refused', reason: expect.stringContaining('NUL'), size: 6 });
  },
  'SHELL-15 a process that does not listen to signals is killed': async (subject) => {
    const { end, text } = await run(subject, "trap '' TERM INT HUP; echo $$; sleep 30", { timeout: 300 });
    expect(end).toEqual({ how: 'timeout' });
    expect(await isAlive(subject, text)).toBe(false);
  },
  'SHELL-15 SHELL-16 a child in the background ends with its shell, and does not hold it': async (subject) => {
    const { end, text } = await run(subject, 'sleep 30 & echo $!', { timeout: 2000 });
    expect(end).toEqual(exited(0));
    expect(await isAlive(subject, text)).toBe(false);
  },
  'SHELL-15 children of a pipeline are killed with a timeout': async (subject) => {
    const { end, text } = await run(subject, 'sleep 30 | sleep 30 & echo $!; sleep 30', { timeout: 300 });
    expect(end).toEqual({ how: 'timeout' });
    expect(await isAlive(subject, text)).toBe(false);
  },
  'SHELL-15 a command that is ended is gone within 250 ms': async (subject) => {
    const late: number[] = [];
    for (let n = 0; n < 5; n += 1) {
      const abort = new AbortController();
      let cancelled = 0;
      setTimeout(() => {
        cancelled = performance.now();
        abort.abort();
      }, 100);
      await run(subject, 'while true; do sleep 0.01; done', { abort });
      late.push(performance.now() - cancelled);
    }
    // The third of five: one that the machine held up says nothing of the driver.
    expect(late.toSorted((a, b) => a - b)[2]).toBeLessThan(250);
  },
  'WORK-01 files that a command writes, moves and deletes are those of the workspace': async ({ driver, workspace }) => {
    await workspace.put('keep.txt', 'keep');
    await workspace.put('old/a.txt', 'a');
    await workspace.put('old/b.txt', 'b');
    await workspace.put('gone/c.txt', 'c');
    const { end, remarks } = await run(
      { driver },
      'mv old/a.txt a.txt; rm -r gone; mkdir empty new; echo n > new/n.txt; echo "#!" > run; chmod +x run; ln -s new/n.txt link; echo more >> keep.txt',
    );
    expect([end, remarks]).toEqual([exited(0), []]);
    expect(workspace.paths()).toEqual(['a.txt', 'empty/', 'keep.txt', 'link -> new/n.txt', 'new/n.txt', 'old/b.txt', 'run*']);
    expect([workspace.text('a.txt'), workspace.text('keep.txt'), workspace.text('new/n.txt')]).toEqual([
      'a',
      'keepmore\n',
      'n\n',
    ]);
  },
  'WORK-01 a file takes the place of a folder, and a folder that of a file': async ({ driver, workspace }) => {
    await workspace.put('a', 'x');
    await workspace.put('b/c', 'x');
    expect((await run({ driver }, 'rm a; mkdir a; echo 1 > a/n; rm -r b; echo 2 > b')).remarks).toEqual([]);
    expect(workspace.paths()).toEqual(['a/n', 'b']);
    expect((await run({ driver }, 'cat a/n b')).text).toBe('1\n2\n');
  },
  'WORK-01 a command sees what others changed since the one before': async (subject) => {
    const { workspace } = subject;
    await workspace.put('a.txt', 'one');
    await workspace.put('b.txt', 'b');
    await run(subject, 'echo by command > c.txt');
    await workspace.put('a.txt', 'two');
    await workspace.change([{ type: 'delete', path: 'b.txt' }]);
    await workspace.put('d/d.txt', 'd', true);
    expect(await run(subject, 'cat a.txt; echo; ls; test -x d/d.txt && echo program')).toMatchObject({
      text: 'two\na.txt\nc.txt\nd\nprogram\n',
    });
  },
  'WORK-01 a command that changes no file changes nothing': async (subject) => {
    await subject.workspace.put('a.txt', 'one');
    const before = subject.workspace.made.length;
    await run(subject, 'cat a.txt; grep -r one .; ls -l');
    await run(subject, 'true');
    expect(subject.workspace.made).toHaveLength(before);
  },
  'WORK-01 what a command wrote before a timeout is kept': async (subject) => {
    await run(subject, 'echo x > a.txt; sleep 30', { timeout: 300 });
    expect(subject.workspace.text('a.txt')).toBe('x\n');
  },
  'WORK-01 bytes of files survive a command that copies, moves and pipes them': async (subject) => {
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    await subject.workspace.put('a.bin', bytes);
    await run(subject, 'cp a.bin b.bin; cat a.bin > c.bin; cat a.bin | tee d.bin > /dev/null; mv a.bin e.bin');
    for (const path of ['b.bin', 'c.bin', 'd.bin', 'e.bin']) {
      const read = await subject.workspace.read(path);
      expect(read.ok && read.value.bytes.join(), path).toBe(bytes.join());
    }
  },
  'SHELL-10 text of any language arrives as it is, from a file and from the command': async (subject) => {
    await subject.workspace.put('a.txt', 'Olá, 世界 🧵\r\n');
    const { text } = await run(subject, "cat a.txt; grep -o 世 a.txt; echo 'ü€🧵'; wc -c < a.txt | tr -d ' '");
    expect(text).toBe('Olá, 世界 🧵\r\n世\nü€🧵\n19\n');
  },
  'WORK-01 what somebody else wrote meanwhile stays, and what the command wrote stands beside it': async (subject) => {
    const { workspace } = subject;
    await workspace.put('a.txt', 'one');
    await workspace.put('b.txt', 'one');
    const onOutput = async (): Promise<void> => {
      if (workspace.text('a.txt') === 'one') await workspace.put('a.txt', 'theirs');
      if (workspace.text('b.txt') === 'one') await workspace.put('b.txt', 'theirs');
    };
    const { remarks } = await run(subject, 'echo mine > a.txt; rm b.txt; echo c > c.txt; echo done', { onOutput, id: 'call_7' });
    expect(workspace.paths()).toEqual(['a.txt', 'a.txt.shell-call_7', 'b.txt', 'c.txt']);
    expect([workspace.text('a.txt'), workspace.text('a.txt.shell-call_7'), workspace.text('b.txt')]).toEqual([
      'theirs',
      'mine\n',
      'theirs',
    ]);
    expect(remarks.toSorted()).toEqual([
      expect.stringContaining('a.txt.shell-call_7'),
      expect.stringMatching(/^b\.txt .*not deleted/),
    ]);
    expect((await run(subject, 'cat a.txt b.txt')).text).toBe('theirstheirs');
  },
  'WORK-01 a file that the workspace does not take is named, and the others are saved': async (subject) => {
    subject.workspace.refuse.set('big', 'quota_exceeded');
    const { end, remarks } = await run(subject, 'echo x > big; echo y > small');
    expect([end, remarks]).toEqual([exited(0), ['Not saved: big. big: quota_exceeded.']]);
    expect(subject.workspace.paths()).toEqual(['small']);
  },
};

/** The cases for a driver. One of `gaps`, which the driver cannot do, must fail: else it is no gap. */
export function shellContract(make: () => Promise<Subject>, gaps: readonly string[] = []): void {
  const kept = Object.keys(cases).filter((title) => !gaps.includes(title));
  test.each(kept)('%s', async (title) => {
    expect.hasAssertions();
    await cases[title]?.(await make());
  });
  for (const title of gaps) {
    test(`not so: ${title}`, async () => {
      await expect(cases[title]?.(await make())).rejects.toThrow();
    });
  }
}
