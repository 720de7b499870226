import { expect, test } from 'vitest';
import { TestCall } from '../../../src/testing/index.ts';
import {
  liveLimit,
  outputLimits,
  type OutputStore,
  readOutputTool,
  type ShellCommand,
  type ShellDriver,
  type ShellEnd,
  shellTool,
} from '../../../src/tools/index.ts';
import { fakeProcesses } from '../process/fake-processes.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A driver that prints these pieces, ends like this, and keeps what it was told. */
function fakeDriver(end: ShellEnd, pieces: readonly (string | Uint8Array)[] = [], remarks: readonly string[] = []) {
  const commands: ShellCommand[] = [];
  const driver: ShellDriver = {
    name: 'local',
    description: 'It only pretends.',
    processes: null,
    async run(command) {
      commands.push(command);
      for (const piece of pieces) await command.output(typeof piece === 'string' ? bytes(piece) : piece);
      return { end, remarks };
    },
    async settled() {},
  };
  return { driver, commands };
}

const done = { how: 'exited', code: 0 } as const;

/** Keeps outputs by their calls. */
function fakeOutputs(): OutputStore & { readonly kept: [string, string][] } {
  const kept: [string, string][] = [];
  return { kept, keep: (call, output) => void kept.unshift([call, output]), read: (back) => kept[back]?.[1] ?? null };
}

async function run(end: ShellEnd, pieces: readonly (string | Uint8Array)[] = [], remarks: readonly string[] = []) {
  return shellTool(fakeDriver(end, pieces, remarks).driver, fakeOutputs()).call({ command: 'x' }, new TestCall());
}

test('SHELL-06 the model reads the exit code, then the output; the application gets the code', async () => {
  expect(await run(done, ['one\n', 'two\n'])).toEqual({
    content: [{ type: 'text', text: 'Exit code 0\none\ntwo\n' }],
    value: 0,
    meta: { driver: 'local', bytes: 8, cut: 0 },
    error: false,
  });
  expect(await run(done)).toMatchObject({ content: [{ text: 'Exit code 0' }] });
});

test('SHELL-11 a code other than 0 is an error with that code', async () => {
  expect(await run({ how: 'exited', code: 3 }, ['no\n'])).toMatchObject({
    content: [{ text: 'Exit code 3\nno\n' }],
    value: 3,
    error: true,
  });
});

test.each<[string, ShellEnd, RegExp]>([
  ['SHELL-12 CMD-05 a timeout', { how: 'timeout' }, /^Timed out after 120 seconds: .*killed.*\nso far\n$/],
  ['SHELL-13 a cancel', { how: 'cancelled' }, /^Cancelled: .*killed.*\nso far\n$/],
  [
    'SHELL-14 a refusal',
    { how: 'refused', reason: 'argument list too long', size: 200_000 },
    /argument list too long.*200000 bytes/,
  ],
  ['SHELL-15 a driver that is gone', { how: 'lost', reason: 'the container stopped' }, /container stopped.*not known/],
])('%s is an error without a code, and what was printed stays', async (_, end, text) => {
  const result = await run(end, ['so far\n']);
  expect(result).toMatchObject({ value: null, error: true });
  expect(result.content).toMatchObject([{ text: expect.stringMatching(text) }]);
});

test('WORK-01 what happened to files beside the command is said before its output', async () => {
  expect(await run(done, ['out\n'], ['Not saved: a.'])).toMatchObject({
    content: [{ text: 'Not saved: a.\nExit code 0\nout\n' }],
  });
});

test('SHELL-05 SHELL-10 output is reported as it arrives, a character in two pieces as one', async () => {
  const { driver } = fakeDriver(done, ['one\n', Uint8Array.of(0xc3), Uint8Array.of(0xa4, 0xff)]);
  const call = new TestCall();
  await shellTool(driver, fakeOutputs()).call({ command: 'x' }, call);
  expect(call.progressed).toEqual(['one\n', 'ä\u{fffd}']);
});

test('SHELL-05 a flood is reported up to a limit, since what is reported is stored, and said to go on', async () => {
  const piece = 'x'.repeat(65_536);
  const { driver } = fakeDriver(
    done,
    Array.from({ length: 40 }, () => piece),
  );
  const call = new TestCall();
  const result = await shellTool(driver, fakeOutputs()).call({ command: 'x' }, call);
  expect(call.progressed).toEqual([
    ...Array.from({ length: liveLimit / 65_536 }, () => piece),
    expect.stringContaining('not shown'),
  ]);
  expect(result.meta).toMatchObject({ bytes: 40 * 65_536, cut: 40 * 65_536 - 30_000 });
});

test('SHELL-03 CMD-05 the timeout is the default one, or what was asked for and at most the longest', async () => {
  const { driver, commands } = fakeDriver({ how: 'timeout' });
  const tool = shellTool(driver, fakeOutputs(), { timeout: 20, maxTimeout: 60, maxOutput: 100 });
  const texts = [];
  for (const timeout of [undefined, 1, 0.5, 1000]) {
    const result = await tool.call(timeout === undefined ? { command: 'x' } : { command: 'x', timeout }, new TestCall());
    texts.push(result.content);
  }
  expect(commands.map((command) => command.timeout)).toEqual([20_000, 1000, 500, 60_000]);
  expect(texts).toMatchObject(
    ['20 seconds', '1 second:', '0.5 seconds', '60 seconds'].map((text) => [{ text: expect.stringContaining(text) }]),
  );
});

test('SHELL-03 TOOL-28 a command that is empty and a timeout that is none are refused', async () => {
  const tool = shellTool(fakeDriver(done).driver, fakeOutputs());
  for (const input of [
    {},
    { command: '' },
    { command: 'x', timeout: 0 },
    { command: 'x', timeout: -1 },
    { command: 'x', cwd: '/' },
  ]) {
    expect(await tool.check(input), JSON.stringify(input)).toHaveLength(1);
  }
  expect(await tool.check({ command: 'x', timeout: 3.5 })).toEqual([]);
});

test('SHELL-13 the driver hears of a cancel, and of whose call it is', async () => {
  const { driver, commands } = fakeDriver({ how: 'cancelled' });
  const call = new TestCall({ id: 'call_9', turn: 4 });
  await shellTool(driver, fakeOutputs()).call({ command: 'x' }, call);
  call.cancel();
  expect(commands).toMatchObject([{ id: 'call_9', turn: 4, signal: { aborted: true } }]);
});

test('SHELL-19 the hints are destructive and open world, never read-only, so calls run one by one and policies see them', () => {
  expect(shellTool(fakeDriver(done).driver, fakeOutputs()).spec.hints).toEqual({ destructive: true, openWorld: true });
});

test('SHELL-02 the description tells the model where it is and what is cut', () => {
  const { description } = shellTool(fakeDriver(done).driver, fakeOutputs(), { timeout: 1, maxTimeout: 2, maxOutput: 3 }).spec;
  expect(description).toContain('It only pretends.');
  expect(description).toContain('3 bytes');
});

test('SHELL-24 SHRINK-02 the whole of an output is kept where the model is shown less, and read in pages', async () => {
  const outputs = fakeOutputs();
  const text = Array.from({ length: 9000 }, (_, n) => `line ${n}\n`).join('');
  const shell = shellTool(fakeDriver(done, [text]).driver, outputs);
  await shell.call({ command: 'x' }, new TestCall({ id: 'call_1' }));
  expect(outputs.kept).toEqual([['call_1', text]]);
  const read = readOutputTool(outputs);
  const page = async (from: number): Promise<readonly string[]> => {
    const { content } = await read.call({ from }, new TestCall());
    return content[0]?.type === 'text' ? content[0].text.split('\n') : [];
  };
  const starts = [0, 20_000, 40_000, 60_000, 80_000];
  const pages = await Promise.all(starts.map(page));
  expect(pages.map(([head]) => head)).toEqual([
    ...starts.slice(1).map((next) => `Characters ${next - 20_000} to ${next - 1} of ${text.length}; go on with from: ${next}`),
    `Characters 80000 to ${text.length - 1} of ${text.length}`,
  ]);
  const all = pages.map((lines) => lines.slice(1).join('\n')).join('');
  expect(all).toBe(text);
  expect(read.spec.hints.readOnly).toBe(true);
});

test('SHELL-24 an output that is shown whole is not kept', async () => {
  const outputs = fakeOutputs();
  await shellTool(fakeDriver(done, ['short\n']).driver, outputs).call({ command: 'x' }, new TestCall());
  expect(outputs.kept).toEqual([]);
  expect(await readOutputTool(outputs).call({}, new TestCall())).toMatchObject({
    error: true,
    content: [{ text: 'No output was cut so far.' }],
  });
});

test('SHELL-24 of outputs that were kept the newest is read, or one before; not what is not there', async () => {
  const outputs = fakeOutputs();
  await outputs.keep('call_1', 'ä1');
  await outputs.keep('call_2', '2');
  const read = async (input: { back?: number; from?: number }) => readOutputTool(outputs).call({ ...input }, new TestCall());
  expect((await read({})).content).toMatchObject([{ text: 'Characters 0 to 0 of 1\n2' }]);
  expect((await read({ back: 1, from: 1 })).content).toMatchObject([{ text: 'Characters 1 to 1 of 2\n1' }]);
  for (const input of [{ back: 2 }, { from: 1 }]) expect((await read(input)).error, JSON.stringify(input)).toBe(true);
});

test('SHELL-24 what is kept has a limit too', async () => {
  const outputs = fakeOutputs();
  await shellTool(fakeDriver(done, ['x'.repeat(2 * outputLimits.keep)]).driver, outputs).call({ command: 'x' }, new TestCall());
  expect(outputs.kept[0]?.[1]).toContain(`[${outputLimits.keep} bytes cut]`);
});

test('SHRINK-01 SHRINK-05 SHRINK-11 the output of a known command is compressed, with a note, and kept whole', async () => {
  const outputs = fakeOutputs();
  const text = Array.from({ length: 300 }, (_, n) => `src/a/very/long/path/to/file.ts:${n}:const value = 1;\n`).join('');
  const result = await shellTool(fakeDriver(done, [text]).driver, outputs).call(
    { command: 'grep -rn value src' },
    new TestCall(),
  );
  expect(result.content).toMatchObject([
    { text: expect.stringMatching(/^Exit code 0\n[^]*\[output compressed from \d+ to \d+ tokens\]$/) },
  ]);
  expect(result.meta).toMatchObject({ shrunk: { before: expect.any(Number), after: expect.any(Number) } });
  expect(outputs.kept).toEqual([['call_1', text]]);
});

test('SHELL-18 the description names process_start only where there is one', () => {
  const { driver } = fakeDriver(done);
  const description = (of: ShellDriver): string => shellTool(of, fakeOutputs()).spec.description;
  expect(description(driver)).not.toContain('process_start');
  expect(description({ ...driver, processes: fakeProcesses() })).toContain('process_start');
});
