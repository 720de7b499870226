import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/index.ts';
import { byteLength } from '../../src/session/bytes.ts';
import { largeLimit, LargeValues, stateLimit } from '../../src/session/large.ts';
import { applyEvent, type Large, type SessionEvent, type Snapshot } from '../../src/session/protocol/index.ts';
import { fakeChat, TestSession, text } from './support.ts';

const chat = fakeChat();

const kept = new Map<string, { mediaType: string; text: string }>();
const large = new LargeValues('a b', (hash, blob) => kept.set(hash, blob));
const long = '🧵é'.repeat(20_000);

/** The text of the first part of a message, as it travelled. */
function textIn(snapshot: Snapshot, message: number): unknown {
  const part = snapshot.messages[message]?.content[0];
  return part?.type === 'text' ? part.text : undefined;
}

describe('a large value', () => {
  it.each<[string, Json]>([
    ['text', { type: 'text', text: long }],
    ['value', { outcome: { content: [], value: { list: [long] }, meta: [], error: false } }],
    ['progress', { calls: [{ id: 'c', progress: long }] }],
    ['input', { type: 'tool_call_ready', id: 'c', name: 'n', input: { text: long } }],
  ])('G-19 travels as a reference where it is a %s', (field, value) => {
    const found: Large[] = [];
    JSON.stringify(large.travel(value), (key, item: unknown) => {
      if (key === field) found.push(item as Large);
      return item;
    });
    expect(found).toEqual([
      {
        preview: expect.any(String),
        bytes: expect.any(Number),
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        href: `/api/sessions/a%20b/blobs/${found[0]?.hash}`,
      },
    ]);
    const whole = kept.get(found[0]?.hash ?? '');
    expect(byteLength(whole?.text ?? '')).toBe(found[0]?.bytes);
    expect(whole?.text.startsWith(found[0]?.preview ?? '?')).toBe(true);
    expect(found[0]?.preview.isWellFormed()).toBe(true);
  });

  it('G-19 is one above 64 KiB of UTF-8, and not at it', () => {
    const at = { text: 'é'.repeat(largeLimit / 2) };
    expect(large.travel(at)).toBe(at);
    expect(large.travel({ text: `${at.text}x` }).text).toMatchObject({ bytes: largeLimit + 1 });
  });

  it('G-19 is not one in a delta or in the text of the reply in progress, which readers join', () => {
    const delta = { type: 'text_delta', id: 'm', text: long };
    expect(large.travel(delta)).toBe(delta);
    const snapshot = { step: { id: 'm', content: [{ type: 'text', text: long }], calls: [] } };
    expect(large.travel(snapshot)).toBe(snapshot);
  });

  it('PAUSE-04 a state above 4 KiB travels as a ref, which no client reads', () => {
    const pending = (state: Json): Json => ({ call: {}, needs: [], state });
    const small = pending('x'.repeat(stateLimit - 2));
    expect(large.travel(small)).toBe(small);
    expect(large.travel(pending('x'.repeat(stateLimit)))).toEqual(pending({ ref: expect.stringMatching(/^[0-9a-f]{64}$/) }));
  });

  it('G-19 leaves everything else as the same object', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(large.travel(value)).toBe(value);
      }),
    );
  });
});

describe('a session with large texts', () => {
  it('G-19 gives references to its readers, the whole to the model, and exact bytes on demand', async () => {
    const session = new TestSession();
    const socket = await session.socket();
    const unused = socket.frames[0]?.snapshot as unknown as Snapshot;
    chat.reply(text(long.slice(0, 40_000)), text(long.slice(40_000)));
    await session.turn(long);
    await socket.frame((frame) => frame.type === 'state' && frame.lastEnded !== undefined);

    const snapshot = await session.snapshot();
    for (const message of [0, 1]) {
      const reference = textIn(snapshot, message) as Large;
      expect(reference.bytes).toBe(byteLength(long));
      expect(await session.stub.blob(reference.hash)).toMatchObject({ ok: true, value: { content: long } });
    }
    expect(chat.requests[0]?.text).toContain(JSON.stringify(long).slice(1, -1));
    expect(JSON.stringify(snapshot).length).toBeLessThan(30_000);

    const events = socket.frames.filter((frame) => typeof frame.seq === 'number') as unknown as SessionEvent[];
    const { presence: _p, ...folded } = events.reduce(applyEvent, unused);
    const { presence: _q, ...fresh } = snapshot;
    expect(folded).toEqual(fresh);

    await session.evict();
    const { presence: _r, ...woken } = await session.snapshot();
    expect(woken).toEqual(fresh);
    expect(await session.stub.blob('0'.repeat(64))).toMatchObject({ ok: false, problem: { code: 'not_found' } });
  });
});
