import { expect, it } from 'vitest';
import { noUsage } from '../../src/core/index.ts';
import { readLost } from '../../src/session/lost.ts';
import type { SessionEvent } from '../../src/session/protocol/index.ts';
import type { RunRow } from '../../src/session/rows/runs.ts';
import { unusedSnapshot } from '../../src/session/state.ts';

const row = { id: 'run_1', turn: 1, seq: 0 } as RunRow;
const said = { id: 'm', role: 'assistant', content: [] } as const;

const asked = [
  { type: 'step_started', n: 1 },
  { type: 'message_started', id: 'm' },
];
const wait = { type: 'retry_scheduled', after: 700, attempt: 2, reason: 'rate_limited', model: 'lab/a' };
const failedOver = { type: 'warning', code: 'failed_over', detail: '', model: 'lab/b' };
const recovered = { type: 'warning', code: 'recovered', detail: '' };
const whole = { type: 'message_ended', id: 'm', message: said, usage: noUsage, finish: 'stop' };

/** How far the step came with its models, after these events, each told at 1000 ms. */
function askedAfter(...told: readonly object[]): unknown {
  const head = { run: row.id, turn: 1, parent: null, at: 1000 };
  const events = told.map((event, index) => ({ ...head, ...event, seq: index + 1 }) as unknown as SessionEvent);
  return readLost(unusedSnapshot('lost', 0, 'chat', null), row, events).asked;
}

it.each<[string, readonly object[], unknown]>([
  ['nothing, where nothing is told', asked, null],
  ['who is waited for, for how long, and how often it was asked', [...asked, wait], { model: 'lab/a', tries: 2, until: 1700 }],
  ['who is asked instead, for the first time', [...asked, wait, failedOver], { model: 'lab/b', tries: 0, until: 0 }],
  [
    'the same over the death of a life',
    [...asked, wait, recovered, ...asked.slice(1)],
    { model: 'lab/a', tries: 2, until: 1700 },
  ],
  ['nothing of a reply that is whole', [...asked, wait, whole], null],
  ['nothing of the step before', [...asked, wait, { type: 'step_started', n: 2 }], null],
  ['nothing of a nested run', [...asked, { ...wait, parent: 'call_1' }], null],
  ['nothing of a release that named no model', [...asked, { ...wait, model: undefined }], null],
])('RUN-04 MW-14 a life that takes a run over knows of its models %s', (_, told, expected) => {
  expect(askedAfter(...told)).toEqual(expected);
});
