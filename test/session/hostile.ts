import * as fc from 'fast-check';
import { isObject, type Json, type JsonObject } from '../../src/core/index.ts';
import type { CommandType } from '../../src/session/protocol/index.ts';

/** JSON as a client may write it: keys twice, numbers that no double holds. */
type Wild =
  | { readonly raw: string }
  | { readonly items: readonly Wild[] }
  | { readonly entries: readonly (readonly [string, Wild])[] };

/** Texts that have broken programs: names of every object's properties, halves of characters, NUL, great length, no text at all. */
export const wildText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '',
      ' ',
      '__proto__',
      'constructor',
      'prototype',
      'toString',
      'hasOwnProperty',
      'valueOf',
      '\0',
      'a\0b',
      '\ud800',
      '\udfff\ud800',
      '\u202e\ufeff\u2028',
      '../../etc/passwd',
      "'; DROP TABLE runs; --",
      '%s%n{{7*7}}${7*7}',
    ),
  },
  { weight: 1, arbitrary: fc.integer({ min: 100, max: 60_000 }).map((length) => 'x'.repeat(length)) },
);

const wildNumber = fc.constantFrom('0', '-0', '-1', '1.5', '1e400', '-1e400', '1e-400', '9007199254740993', '1E5', '0.1e1');

/** Any JSON at all. */
const wild: fc.Arbitrary<Wild> = fc.letrec<{ value: Wild }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('null', 'true', 'false').map((raw) => ({ raw })),
    wildNumber.map((raw) => ({ raw })),
    wildText.map((text) => ({ raw: JSON.stringify(text) })),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => ({ items })),
    fc.array(fc.tuple(wildText, tie('value')), { maxLength: 4 }).map((entries) => ({ entries })),
    // Deeper than anybody may go.
    fc.integer({ min: 100, max: 3000 }).map((depth) => ({ raw: `${'['.repeat(depth)}${']'.repeat(depth)}` })),
  ),
})).value;

function written(value: Wild): string {
  if ('raw' in value) return value.raw;
  if ('items' in value) return `[${value.items.map(written).join(',')}]`;
  return `{${value.entries.map(([key, field]) => `${JSON.stringify(key)}:${written(field)}`).join(',')}}`;
}

function tame(value: Json): Wild {
  if (Array.isArray(value)) return { items: value.map((item: Json) => tame(item)) };
  if (isObject(value)) return { entries: Object.entries(value).map(([key, field]) => [key, tame(field)] as const) };
  return { raw: JSON.stringify(value) };
}

/** The value with one change somewhere in it: a field replaced, left out, added, or there twice. */
function mutated(value: Wild): fc.Arbitrary<Wild> {
  const here: fc.Arbitrary<Wild>[] = [wild];
  if ('entries' in value) {
    const { entries } = value;
    here.push(
      fc.tuple(wildText, wild).map((entry) => ({ entries: [...entries, entry] })),
      ...entries.flatMap(([key, field], index) => [
        fc.constant({ entries: entries.toSpliced(index, 1) }),
        wild.map((other) => ({ entries: [...entries, [key, other] as const] })),
        mutated(field).map((other) => ({ entries: entries.with(index, [key, other] as const) })),
      ]),
    );
  }
  if ('items' in value) {
    const { items } = value;
    here.push(
      fc.constant({ items: [...items, ...items] }),
      ...items.map((item, index) => mutated(item).map((other) => ({ items: items.with(index, other) }))),
    );
  }
  return fc.oneof(...here);
}

/** A body of each command with every field that it may have. */
export const samples: { readonly [T in CommandType]: JsonObject } = {
  turn: { message: { role: 'user', content: [{ type: 'text', text: 'Hello' }] }, tools: ['clock'], maxSteps: 3 },
  answers: {
    answers: [
      {
        callId: 'call_1',
        decisions: { approval: { allowed: true, reason: 'so', scope: 'once', input: {}, stop: false } },
        values: { q: 1 },
      },
    ],
    now: true,
  },
  resume: { message: { role: 'assistant', content: [{ type: 'text', text: 'So far' }] }, ifRev: 1 },
  retry: { cancelOnDisconnect: false },
  interject: { message: 'Also this', delivery: 'queue' },
  message: { message: 'And this', delivery: 'auto' },
  cancel: { target: 'run_1' },
  interrupt: { target: 'run_1' },
  partial: { op: 'keep', message: { content: 'So far' }, ifRev: 1 },
  deny_all: { reason: 'no' },
  inbox: { item: 'item_1', op: 'edit', message: 'Changed', delivery: 'steer' },
  patch: { title: 'A title', mode: 'chat', model: null, maxSteps: 5 },
  new: {},
  undo: { path: 'notes/plan.md' },
};

const broken = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom('', '\ufeff{}', '{}{}', "{'a':1}", '{"a":1,}', '//', '{"a":NaN}', '{"type":', '"\\ud800"', '\0'),
  fc.integer({ min: 1000, max: 200_000 }).map((depth) => '['.repeat(depth)),
);

/** The text of a body, or of a frame where it names its `type` and an id: almost right, of another kind altogether, or no JSON. */
export function wildBody(type: CommandType, head: JsonObject = {}): fc.Arbitrary<string> {
  const whole = tame({ ...head, ...samples[type] });
  return fc.oneof(
    { weight: 6, arbitrary: mutated(whole).map(written) },
    { weight: 2, arbitrary: wild.map(written) },
    { weight: 1, arbitrary: fc.nat({ max: 200 }).map((end) => written(whole).slice(0, end)) },
    { weight: 1, arbitrary: broken },
  );
}

/** What no refusal may hold: words of the runtime, of the database, of the code. */
export const internal = /\bat \S+:\d+|TypeError|RangeError|SyntaxError|SQLITE|\.ts\b|node_modules|\[object|workerd/;
