import { beforeEach, expect, test } from 'vitest';
import { TestCall } from '../../src/testing/index.ts';
import { type Note, noteLimits, type NoteStore, readNotesTool, writeNoteTool } from '../../src/tools/index.ts';

let notes: Note[];
let store: NoteStore;

beforeEach(() => {
  notes = [];
  store = {
    add: (text) => void notes.push({ text, created: Date.UTC(2026, 10, 30) + notes.length }),
    list: (limit) => notes.slice(-limit),
  };
});

test('TOOL-01 a note that was written is read with its time', async () => {
  expect(await writeNoteTool(store).call({ text: ' buy milk ' }, new TestCall())).toMatchObject({
    content: [{ text: 'Saved.' }],
    error: false,
  });
  expect(await readNotesTool(store).call({}, new TestCall())).toMatchObject({
    content: [{ text: '2026-11-30T00:00:00.000Z: buy milk' }],
    value: [{ text: 'buy milk', created: Date.UTC(2026, 10, 30) }],
  });
});

test('TOOL-07 with no notes the model is told so', async () => {
  expect(await readNotesTool(store).call({}, new TestCall())).toMatchObject({
    content: [{ text: 'There are no notes yet.' }],
    error: false,
  });
});

test('TOOL-07 of many notes the newest are read, and the model is told that there are more', async () => {
  for (let n = 1; n <= noteLimits.read; n += 1) await store.add(`note ${n}`);
  const whole = await readNotesTool(store).call({}, new TestCall());
  expect(whole.content[0]).toMatchObject({ text: expect.not.stringContaining('left out') });
  await store.add('one more');
  const result = await readNotesTool(store).call({}, new TestCall());
  expect(result.value).toHaveLength(noteLimits.read);
  expect(result.content[0]).toMatchObject({
    text: expect.stringMatching(/^\(older notes are left out[^]*: note 2\n[^]*: one more$/),
  });
});

test('TOOL-28 an empty note and one that is too long are refused', async () => {
  const tool = writeNoteTool(store);
  for (const text of ['', ' \n', 'x'.repeat(noteLimits.text + 1)])
    expect(await tool.check({ text })).toMatchObject([{ path: 'text' }]);
  expect(await tool.check({ text: 'x'.repeat(noteLimits.text) })).toEqual([]);
});

test('MW-15 TOOL-29 writing does not promise to be read-only, so approve-writes asks; reading does', () => {
  expect(writeNoteTool(store).spec.hints.readOnly).not.toBe(true);
  expect(readNotesTool(store).spec.hints.readOnly).toBe(true);
});
