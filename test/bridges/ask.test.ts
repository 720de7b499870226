import { expect, test } from 'vitest';
import { askFor, readDecision } from '../../bridges/chat/ask.ts';
import type { Lines } from '../../bridges/chat/terminal.ts';
import { approval, type Need, type Pending, question } from '../../src/core/index.ts';

function pendingOf(...needs: Need[]): Pending {
  return { call: { type: 'tool_call', id: 'c1', name: 'write_note', input: { text: 'milk' } }, needs, state: null };
}

/** A person who types these lines and leaves; `prompts` is what was asked. */
function typing(...typed: string[]): Lines & { readonly prompts: string[] } {
  const prompts: string[] = [];
  const ask = async (prompt: string): Promise<string | null> => {
    prompts.push(prompt);
    return typed.shift() ?? null;
  };
  return { prompts, ask, listen: () => {} };
}

test('PAUSE-07 an approval is allowed, denied, or denied with a reason', () => {
  expect(readDecision('y')).toEqual({ allowed: true, reason: null });
  expect(readDecision(' YES ')).toEqual({ allowed: true, reason: null });
  expect(readDecision('n')).toEqual({ allowed: false, reason: null });
  expect(readDecision('no, not now')).toEqual({ allowed: false, reason: 'not now' });
  for (const line of ['', 'maybe', 'yesterday', 'nothing']) expect(readDecision(line), line).toBeUndefined();
});

test('PAUSE-07 APPR-08 what is no decision is asked again, and never taken for a yes', async () => {
  const lines = typing('', 'sure', 'y');
  expect(await askFor(pendingOf(approval('write_note changes files')), lines)).toMatchObject({
    callId: 'c1',
    decisions: { approval: { allowed: true, reason: null } },
  });
  expect(lines.prompts).toHaveLength(3);
  expect(lines.prompts[0]).toContain('write_note {"text":"milk"}');
});

test('PAUSE-09 PAUSE-20 a choice is taken by its number or its text, and nothing else is', async () => {
  const pending = pendingOf(question('colour', 'Which?', ['red', 'blue']));
  expect(await askFor(pending, typing('2'))).toMatchObject({ values: { colour: 'blue' } });
  expect(await askFor(pending, typing('red'))).toMatchObject({ values: { colour: 'red' } });
  expect(await askFor(pending, typing('0', '3', 'green', '1'))).toMatchObject({ values: { colour: 'red' } });
  expect(await askFor(pendingOf(question('name', 'Who?')), typing('2'))).toMatchObject({ values: { name: '2' } });
});

test('PAUSE-08 PAUSE-18 an empty line declines a question, under decisions', async () => {
  expect(await askFor(pendingOf(question('name', 'Who?')), typing(''))).toEqual({
    callId: 'c1',
    decisions: { name: { allowed: false, reason: null } },
    values: {},
  });
});

test('PAUSE-10 several needs of a call are answered together, or not at all when the person leaves', async () => {
  const pending = pendingOf(approval('Deploy'), question('env', 'Where?', ['staging', 'prod']));
  expect(await askFor(pending, typing('y', '1'))).toEqual({
    callId: 'c1',
    decisions: { approval: { allowed: true, reason: null } },
    values: { env: 'staging' },
  });
  expect(await askFor(pending, typing('y'))).toBeNull();
});
