import { describe, expect, it } from 'vitest';
import { isLarge, settle, SettleMemory } from '../../src/ui/lib/large.ts';

const large = (hash: string) => ({ preview: `begin ${hash}`, bytes: 70_000, hash, href: `/api/sessions/s/blobs/${hash}` });
const none = new Map<string, never>();

describe('a large value', () => {
  it('is told by its four fields and a path of ours', () => {
    const { hash: _, ...without } = large('a');
    expect(isLarge(large('a'))).toBe(true);
    expect(
      [without, 'text', null, { ...large('a'), href: 'https://elsewhere.test/api/sessions/s/blobs/a' }].map(isLarge),
    ).toEqual([false, false, false, false]);
  });

  it('leaves what holds none the same object', () => {
    const value = { messages: [{ content: [{ type: 'text', text: 'short' }] }], step: null };
    expect(settle(value, none)).toEqual({ value, missing: [] });
    expect(settle(value, none).value).toBe(value);
  });

  it('is shown by its preview while it is not known, in the shape of its place', () => {
    const value = { text: large('a'), value: large('b'), input: large('c'), list: [{ progress: large('d') }] };
    const settled = settle(value, none);
    expect(settled.value).toEqual({
      text: 'begin a…',
      value: 'begin b',
      input: { preview: 'begin c' },
      list: [{ progress: 'begin d' }],
    });
    expect(settled.missing.map(({ hash }) => hash)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('is whole where it is known, and what a tool made to look like one is not touched', () => {
    const value = { text: large('a'), input: { deep: { text: large('b') } } };
    const known = new Map([
      [large('a').href, 'all of a'],
      [large('b').href, 'all of b'],
    ]);
    expect(settle(value, known)).toEqual({ value: { text: 'all of a', input: value.input }, missing: [] });
  });

  it('keeps names such as __proto__ as they are', () => {
    const value = JSON.parse(`{"__proto__": 1, "text": ${JSON.stringify(large('a'))}}`) as object;
    expect(JSON.stringify(settle(value, none).value)).toBe('{"__proto__":1,"text":"begin a…"}');
  });

  it('with a memory gives the same object again until something missing is known', () => {
    const memory = new SettleMemory();
    const [a, b] = [{ text: large('a') }, { text: large('b') }];
    const before = settle([a, b], none, memory).value;
    expect(settle([a, b], none, memory).value[0]).toBe(before[0]);
    expect(memory.cut.has(before[0] ?? {})).toBe(true);
    const after = settle([a, b], new Map([[large('a').href, 'all']]), memory).value;
    expect(after[0]).toEqual({ text: 'all' });
    expect(memory.cut.has(after[0] ?? {})).toBe(false);
    expect(after[1]).toBe(before[1]);
  });
});
