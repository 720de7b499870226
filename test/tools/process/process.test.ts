import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { textOf } from '../../../src/core/index.ts';
import { TestCall } from '../../../src/testing/index.ts';
import {
  logPage,
  type ProcessEnd,
  type ProcessOutput,
  processLogsTool,
  processStartTool,
  processStopTool,
} from '../../../src/tools/index.ts';
import { wholeCharacters } from '../../../src/tools/process/whole-characters.ts';
import { fakeProcesses } from './fake-processes.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const output = (text: string | Uint8Array, other: Partial<ProcessOutput> = {}): ProcessOutput => {
  const piece = typeof text === 'string' ? bytes(text) : text;
  return { end: null, bytes: piece, from: 0, first: 0, total: piece.length, ...other };
};

async function logs(answer: ProcessOutput, input: { readonly from?: number } = {}) {
  const result = await processLogsTool(fakeProcesses({ logs: answer })).call({ process: 'p1', ...input }, new TestCall());
  return { text: textOf({ id: '', role: 'user', content: result.content }), value: result.value, error: result.error };
}

test('SHELL-18 a process that was started has a name, and what was lost before is said first', async () => {
  const driver = fakeProcesses({ start: { process: 'p1-ab', remarks: ['Started anew.'] } });
  expect(await processStartTool(driver).call({ command: 'node server.js' }, new TestCall())).toMatchObject({
    content: [{ text: 'Started anew.\nStarted the process p1-ab.' }],
    value: { process: 'p1-ab' },
    error: false,
  });
  expect(driver.asked).toEqual(['node server.js']);
});

test('SHELL-18 SHELL-14 one that was not started is an error with its reason', async () => {
  const driver = fakeProcesses({ start: { process: null, reason: 'too many', remarks: [] } });
  expect(await processStartTool(driver).call({ command: 'x' }, new TestCall())).toMatchObject({
    content: [{ text: 'The process could not be started: too many.' }],
    error: true,
  });
});

test('SHELL-18 SHELL-19 starting and stopping promise nothing, so that a person is asked; reading only reads', () => {
  const driver = fakeProcesses();
  expect(processStartTool(driver).spec.hints).toEqual({ destructive: true, openWorld: true });
  expect(processStopTool(driver).spec.hints.readOnly).not.toBe(true);
  expect(processLogsTool(driver).spec.hints.readOnly).toBe(true);
});

test('SHELL-18 the logs say whether it runs and where to go on, and ask for the end of them or from a place', async () => {
  expect(await logs(output('up\n', { from: 4, total: 7 }))).toEqual({
    text: 'Running. Bytes 4 to 7 of 7; go on with from: 7.\nup\n',
    value: { running: true, next: 7, total: 7 },
    error: false,
  });
  const driver = fakeProcesses();
  await processLogsTool(driver).call({ process: 'p1' }, new TestCall());
  await processLogsTool(driver).call({ process: 'p1', from: 0 }, new TestCall());
  expect(driver.asked).toEqual([
    ['p1', null, logPage],
    ['p1', 0, logPage],
  ]);
});

test.each<[ProcessEnd, string]>([
  [{ how: 'exited', code: 3 }, 'Ended with exit code 3'],
  [{ how: 'stopped' }, 'Stopped'],
])('SHELL-18 how it ended: %j', async (end, words) => {
  expect(await logs(output('x', { end }))).toMatchObject({
    text: `${words}. Bytes 0 to 1 of 1; go on with from: 1.\nx`,
    value: { running: false },
  });
  const stopped = await processStopTool(fakeProcesses({ stop: { process: 'p1', command: 'x', end } })).call(
    { process: 'p1' },
    new TestCall(),
  );
  expect(stopped).toMatchObject({ content: [{ text: `It ran no more: ${words}.` }], error: false });
});

test('SHELL-18 what is no longer kept is said to one who asks for it', async () => {
  const late = output('x', { from: 10, first: 10, total: 11 });
  expect((await logs(late, { from: 4 })).text).toContain('Bytes 4 to 9 are no longer kept.');
  expect((await logs(late, { from: 10 })).text).not.toContain('no longer');
  expect((await logs(late)).text).not.toContain('no longer');
});

test('SHELL-18 SHELL-10 half a character waits for its rest, unless none can come', async () => {
  const half = bytes('a€').subarray(0, 3);
  expect(await logs(output(half))).toMatchObject({ text: expect.stringMatching(/\na$/), value: { next: 1 } });
  const end = { how: 'exited', code: 0 } as const;
  expect(await logs(output(half, { end, total: 4 }))).toMatchObject({ value: { next: 1 } });
  expect(await logs(output(half, { end }))).toMatchObject({ text: expect.stringMatching(/\na\uFFFD$/), value: { next: 3 } });
});

test('SHELL-18 SHELL-10 a text is cut between characters wherever it ends, and other bytes lose at most three', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(), (text, cut) => {
      const all = bytes(text);
      const piece = all.subarray(0, cut % (all.length + 1));
      const whole = wholeCharacters(piece);
      expect(piece.length - whole.length).toBeLessThan(4);
      expect(text.startsWith(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(whole))).toBe(true);
    }),
  );
  fc.assert(
    fc.property(fc.uint8Array(), (piece) => {
      expect(piece.length - wholeCharacters(piece).length).toBeLessThan(4);
    }),
  );
});

test('SHELL-18 of a process that there is not the model hears so, and which there are', async () => {
  const others = [
    { process: 'p1', command: `node ${'x'.repeat(200)}`, end: null },
    { process: 'p2', command: 'make', end: { how: 'exited', code: 2 } as const },
  ];
  const driver = fakeProcesses({ logs: { others }, stop: { others: [] } });
  const read = await processLogsTool(driver).call({ process: 'p9' }, new TestCall());
  expect(read.error).toBe(true);
  const text = textOf({ id: '', role: 'user', content: read.content });
  expect(text).toMatch(/^There is no process p9\./);
  expect(text).toMatch(/\np1 \(Running\): node x{95}\np2 \(Ended with exit code 2\): make$/);
  const stopped = await processStopTool(driver).call({ process: 'p9' }, new TestCall());
  expect(stopped).toMatchObject({
    error: true,
    content: [{ text: expect.stringMatching(/^There is no process p9\..*\nThere are no others\.$/) }],
  });
});

test('SHELL-18 a process that ran is stopped', async () => {
  const driver = fakeProcesses({ stop: { process: 'p1', command: 'x', end: null } });
  expect(await processStopTool(driver).call({ process: 'p1' }, new TestCall())).toMatchObject({
    content: [{ text: 'Stopped the process p1.' }],
    error: false,
  });
  expect(driver.asked).toEqual(['p1']);
});
