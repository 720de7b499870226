import { expect, test } from 'vitest';
import { configuredModels, resolveMode, toolNames, toolsOf } from '../../src/config/index.ts';
import { allow, type Clock, Run, textOf, toolList, userText } from '../../src/core/index.ts';
import { approveWrites } from '../../src/policy/index.ts';
import type { Note } from '../../src/tools/index.ts';
import { fakePorts } from './ports.ts';

/** A clock on which every sleep is over at once. */
function hastyClock(): Clock {
  let now = 0;
  return {
    now: () => now,
    sleep: async (ms) => {
      now += ms;
    },
  };
}

/** A run of the shipped default mode with the demo model, and the notes that it writes. */
function shippedRun(): { readonly run: Run; readonly notes: readonly Note[] } {
  const clock = hastyClock();
  const notes: Note[] = [];
  const mode = resolveMode(null, toolNames);
  if (!mode.ok) throw new Error('The shipped default mode is not usable.');
  const [{ model }] = configuredModels({ models: [], failover: [] }, { clock });
  const store = {
    add: (text: string) => void notes.push({ text, created: clock.now() }),
    list: (limit: number) => notes.slice(-limit),
  };
  const tools = toolList(...toolsOf(mode.value, fakePorts({ clock, notes: store })));
  return { run: new Run({ model, tools, system: mode.value.system, middleware: [approveWrites()] }), notes };
}

async function play(run: Run, input: Parameters<Run['turn']>[0]): Promise<string> {
  for await (const _ of run.turn(input)) continue;
  const last = run.messages().findLast((message) => message.role === 'assistant');
  return last === undefined ? '' : textOf(last);
}

test('STATE-11 EX-13 out of the box a question for the time is answered by the clock', async () => {
  const { run } = shippedRun();
  expect(await play(run, userText('m1', 'What time is it?'))).toMatch(/^The clock says: Thursday, 1970-01-01T00:00:0/);
  expect(run.ended()).toMatchObject({ reason: 'done', finish: 'stop' });
});

test('MW-15 MW-16 a note is written once it is approved, and read in a later turn', async () => {
  const { run, notes } = shippedRun();
  await play(run, userText('m1', 'Write a note: buy milk'));
  expect(run.ended()?.reason).toBe('awaiting_input');
  expect(notes).toEqual([]);
  const answers = run.pending().map(({ call }) => ({ callId: call.id, decisions: { approval: allow }, values: {} }));
  expect(await play(run, answers)).toBe('The note is written.');
  expect(notes).toMatchObject([{ text: 'buy milk' }]);
  expect(await play(run, userText('m2', 'Read the notes'))).toContain('buy milk');
});

test('PAUSE-11 a question is put and its answer reported', async () => {
  const { run } = shippedRun();
  await play(run, userText('m1', 'ask me'));
  const answers = run.pending().map(({ call }) => ({ callId: call.id, decisions: {}, values: { answer: 'green' } }));
  expect(await play(run, answers)).toBe('You answered: green');
});

test('TOOL-24 TOOL-26 two calls of one reply are reported in their order', async () => {
  const { run } = shippedRun();
  expect(await play(run, userText('m1', 'two calls at once'))).toMatch(/^The clock says: [^]*\n\nWaited 3 seconds\.$/);
});
