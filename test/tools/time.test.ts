import { expect, test } from 'vitest';
import { Cancelled } from '../../src/core/index.ts';
import { FakeClock, TestCall } from '../../src/testing/index.ts';
import { clockTool, longestWait, waitTool } from '../../src/tools/index.ts';

test('TOOL-01 TOOL-07 TOOL-08 clock tells the day and time in words to the model and in ms to the application', async () => {
  const clock = new FakeClock();
  clock.advance(Date.UTC(2026, 10, 30, 12, 34, 56));
  const result = await clockTool(clock).call({}, new TestCall());
  expect(result).toMatchObject({ content: [{ text: 'Monday, 2026-11-30T12:34:56.000Z' }], value: clock.now(), error: false });
});

test('TOOL-29 clock and wait promise to change nothing, so that they run beside each other', () => {
  for (const tool of [clockTool(new FakeClock()), waitTool(new FakeClock())]) expect(tool.spec.hints.readOnly).toBe(true);
});

test('TOOL-28 clock takes no input, and wait no time that is missing, negative or too long', async () => {
  expect(await clockTool(new FakeClock()).check({ zone: 'UTC' })).toHaveLength(1);
  const wait = waitTool(new FakeClock());
  for (const input of [{}, { seconds: -1 }, { seconds: '5' }, { seconds: longestWait + 1 }]) {
    expect(await wait.check(input), JSON.stringify(input)).toMatchObject([{ path: 'seconds' }]);
  }
  expect(await wait.check({ seconds: longestWait })).toEqual([]);
});

test('TOOL-13 wait reports once a second until its time is over', async () => {
  const clock = new FakeClock();
  const call = new TestCall();
  const waiting = waitTool(clock).call({ seconds: 2.5 }, call);
  for (const ms of [1000, 1000, 500]) {
    await clock.sleeping();
    clock.advance(ms);
  }
  expect(await waiting).toMatchObject({ content: [{ text: 'Waited 2.5 seconds.' }], error: false });
  expect(clock.asked).toEqual([1000, 1000, 500]);
  expect(call.progressed).toEqual([
    { waited: 1, seconds: 2.5 },
    { waited: 2, seconds: 2.5 },
    { waited: 2.5, seconds: 2.5 },
  ]);
});

test('CANC-04 CANC-12 wait ends at once when it is cancelled, and reports nothing more', async () => {
  const clock = new FakeClock();
  const call = new TestCall();
  const waiting = waitTool(clock).call({ seconds: 60 }, call);
  await clock.sleeping();
  call.cancel();
  await expect(waiting).rejects.toThrow(Cancelled);
  expect(clock.now()).toBe(0);
  expect(call.progressed).toEqual([]);
});
