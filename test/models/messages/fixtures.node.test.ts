import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { type Delta, isObject, type JsonObject, type Part, textOf, toolCalls } from '../../../src/core/index.ts';
import { AnthropicMessages } from '../../../src/models/index.ts';
import { FakeTransport, TestPrompt } from '../../../src/testing/index.ts';
import { expectWellFormed, playRecorded } from '../recorded.ts';
import { collect, cuttings, eventStream, typed } from '../support.ts';

const folder = join(import.meta.dirname, '../../../../shared/fixtures/providers/messages');
const files = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];

/** The replies that a recording holds, each the list of its events: some recordings hold all steps of a turn. */
function repliesIn(file: string): readonly (readonly JsonObject[])[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  const events = lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as JsonObject);
  const ends = events.flatMap(({ type }, at) => (type === 'message_stop' ? [at + 1] : []));
  return ends.map((end, n) => events.slice(ends[n - 1] ?? 0, end));
}

type Block = Record<string, unknown> & { type: string; text?: string };

/** The blocks that a reply holds, put together here by a plain walk over its events. */
function blocksIn(events: readonly JsonObject[]): readonly Block[] {
  const blocks: Block[] = [];
  const json: string[] = [];
  for (const event of events) {
    const at = Number(event.index);
    const message = isObject(event.message) ? event.message : {};
    if (event.type === 'message_start') blocks.push(...((message.content ?? []) as unknown as Block[]).slice(blocks.length));
    if (event.type === 'content_block_start') blocks[at] = structuredClone(event.content_block) as unknown as Block;
    if (event.type !== 'content_block_delta') continue;
    const delta = event.delta as Record<string, string> & { citation: unknown };
    const block = blocks[at] as Block & { citations: unknown[] };
    if (delta.type === 'text_delta') block.text = `${block.text}${delta.text}`;
    if (delta.type === 'thinking_delta') block.thinking = `${String(block.thinking)}${delta.thinking}`;
    if (delta.type === 'signature_delta') block.signature = delta.signature;
    if (delta.type === 'citations_delta') block.citations.push(delta.citation);
    if (delta.type === 'input_json_delta') json[at] = `${json[at] ?? ''}${delta.partial_json}`;
  }
  return blocks.map((block, at) => (json[at] ? { ...block, input: JSON.parse(json[at]) as unknown } : block));
}

/** What of the blocks goes back: all but blank texts, as the API refuses those. */
function returned(blocks: readonly Block[]): readonly Block[] {
  return blocks
    .filter(({ type, text }) => type !== 'text' || text?.trim() !== '')
    .map(
      ({ citations, ...block }) => (Array.isArray(citations) && citations.length > 0 ? { ...block, citations } : block) as Block,
    );
}

/** Usage as the last event that has a figure says it. */
function usageIn(events: readonly JsonObject[]) {
  const usages = events.flatMap(({ message, usage }) => [isObject(message) ? message.usage : null, usage].filter(isObject));
  const last = (key: string): unknown => usages.findLast((usage) => typeof usage[key] === 'number')?.[key] ?? 0;
  return {
    input: last('input_tokens'),
    output: last('output_tokens'),
    cacheRead: last('cache_read_input_tokens'),
    cacheWrite: last('cache_creation_input_tokens'),
  };
}

const finishes: Readonly<Record<string, string>> = { end_turn: 'stop', tool_use: 'tool_calls', refusal: 'refusal' };

function finishIn(events: readonly JsonObject[]): unknown {
  const reasons = events.flatMap(({ message, delta }) => [message, delta].map((one) => (isObject(one) ? one.stop_reason : null)));
  return finishes[String(reasons.findLast((reason) => typeof reason === 'string'))];
}

const modelOver = (transport: FakeTransport) =>
  new AnthropicMessages({ transport, baseUrl: 'http://localhost/v1', model: 'claude-opus-4-5' });

async function deltasOf(chunks: readonly Uint8Array[]): Promise<Delta[]> {
  const transport = new FakeTransport([{ headers: eventStream, body: chunks }]);
  return collect(modelOver(transport).stream(new TestPrompt()));
}

test.skipIf(files.length === 0)('recorded streams: skipped where ../shared/fixtures is absent', () => {
  expect(files.length).toBeGreaterThan(0);
});

const cases = files.flatMap((file) => repliesIn(file).map((events, n) => [`${basename(file)} ${n + 1}`, events] as const));
const after = typed(
  { type: 'message_start', message: { id: 'after', content: [] } },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
  { type: 'message_stop' },
);
const joined = (parts: readonly Part[], type: Part['type']): string =>
  parts.map((part) => (part.type === type && 'text' in part ? part.text : '')).join('');

test.each(cases)('ANT-01 ANT-08 ANT-09 %s', async (_, recorded) => {
  const blocks = blocksIn(recorded);
  const texts = (type: string, field: string) =>
    blocks.map((block) => (block.type === type ? String(block[field]) : '')).join('');
  const { events, ended, next } = await playRecorded(typed(...recorded), after, modelOver);

  expectWellFormed(events);
  const { content } = ended.message;
  expect(textOf(ended.message)).toBe(texts('text', 'text'));
  expect(joined(content, 'reasoning')).toBe(texts('thinking', 'thinking'));
  expect(toolCalls(ended.message).map(({ providerId, name, input }) => ({ id: providerId, name, input }))).toEqual(
    blocks.flatMap(({ type, id, name, input }) => (type === 'tool_use' ? [{ id, name, input }] : [])),
  );
  expect(ended.usage).toEqual(usageIn(recorded));
  expect(ended.finish).toBe(finishIn(recorded));

  const sent = (next as { messages: { role: string; content: unknown }[] }).messages;
  const back = returned(blocks);
  expect(sent[1]).toEqual(back.length === 0 ? undefined : { role: 'assistant', content: back });
});

test.each(cases)(
  'HTTP-05 HTTP-06 %s is the same however it is cut',
  async (_, recorded) => {
    const [whole, ...others] = cuttings(typed(...recorded));
    const expected = await deltasOf(whole ?? []);
    for (const chunks of others) expect(await deltasOf(chunks)).toEqual(expected);
  },
  120_000,
);
