import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { type Delta, isObject, type JsonObject, textOf, toolCalls } from '../../../src/core/index.ts';
import { OpenAIResponses } from '../../../src/models/index.ts';
import { FakeTransport, TestPrompt } from '../../../src/testing/index.ts';
import { expectWellFormed, playRecorded } from '../recorded.ts';
import { collectUntilError, cuttings, eventStream, typed } from '../support.ts';

const folder = join(import.meta.dirname, '../../../../shared/fixtures/providers/responses');
const files = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];

/** The replies that a recording holds, each the list of its events: some recordings hold all steps of a turn. */
function repliesIn(file: string): readonly (readonly JsonObject[])[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  const events = lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as JsonObject);
  const ends = events.flatMap(({ type }, at) => (/^response\.(completed|failed)$/.test(String(type)) ? [at + 1] : []));
  return ends.map((end, n) => events.slice(ends[n - 1] ?? 0, end));
}

type Item = Record<string, unknown> & { type: string };
type Texts = readonly { readonly text?: string; readonly refusal?: string }[];

const said = (list: unknown, between = ''): string =>
  ((list ?? []) as Texts).map(({ text, refusal }) => text ?? refusal ?? '').join(between);

/** The whole items of a reply in the order of the output. What a message streamed was shown: an end that denies it changes nothing. */
function itemsIn(events: readonly JsonObject[]): readonly Item[] {
  const done = events.filter(({ type }) => type === 'response.output_item.done');
  const streamed = (at: unknown): string =>
    events
      .filter((event) => event.type === 'response.output_text.delta' && event.output_index === at)
      .map(({ delta }) => String(delta))
      .join('');
  return done
    .toSorted((a, b) => Number(a.output_index) - Number(b.output_index))
    .map(({ item, output_index: at }) => {
      const whole = structuredClone(item) as unknown as Item;
      return said(whole.content).startsWith(streamed(at)) ? whole : { ...whole, content: [{ text: streamed(at) }] };
    });
}

const thought = ({ summary, content }: Item): string =>
  said([...((summary ?? []) as Texts), ...((content ?? []) as Texts)], '\n\n');
const readable = ({ encrypted_content: encrypted, content }: Item): boolean =>
  Boolean(encrypted) || (Array.isArray(content) && content.length > 0);

/** What of the items goes back: no ids, no empty texts, no thoughts that nobody could read. */
function returned(items: readonly Item[]): readonly object[] {
  return items.flatMap(({ id: _id, ...item }): object[] => {
    if (item.type === 'message') {
      const text = said(item.content);
      const phase = item.phase === undefined ? {} : { phase: item.phase };
      return text === '' ? [] : [{ type: 'message', role: 'assistant', content: text, ...phase }];
    }
    if (item.type === 'reasoning') return readable(item) ? [item] : [];
    if (item.type !== 'function_call') return [item];
    const { status: _status, ...call } = item;
    return [{ ...call, arguments: JSON.stringify(JSON.parse(String(call.arguments))) }];
  });
}

function usageIn(end: JsonObject) {
  const usage = end.usage as Record<string, number> & { input_tokens_details: Record<string, number> };
  return {
    input: usage.input_tokens,
    output: usage.output_tokens,
    cacheRead: usage.input_tokens_details.cached_tokens ?? 0,
    cacheWrite: usage.input_tokens_details.cache_write_tokens ?? 0,
  };
}

const modelOver = (transport: FakeTransport) =>
  new OpenAIResponses({ transport, baseUrl: 'http://localhost/v1', model: 'gpt-5.3-codex' });

async function deltasOf(chunks: readonly Uint8Array[]): Promise<{ items: readonly Delta[]; error: unknown }> {
  const transport = new FakeTransport([{ headers: eventStream, body: chunks }]);
  return collectUntilError(modelOver(transport).stream(new TestPrompt()));
}

test.skipIf(files.length === 0)('recorded streams: skipped where ../shared/fixtures is absent', () => {
  expect(files.length).toBeGreaterThan(0);
});

const cases = files.flatMap((file) => repliesIn(file).map((events, n) => [`${basename(file)} ${n + 1}`, events] as const));
const fails = ([, events]: (typeof cases)[number]): boolean => events.at(-1)?.type === 'response.failed';
const after = typed({ type: 'response.completed', response: { status: 'completed', output: [] } });

test.each(cases.filter((one) => !fails(one)))('RESP-02 RESP-03 RESP-07 %s', async (_, recorded) => {
  const items = itemsIn(recorded);
  const of = (type: string): readonly Item[] => items.filter((item) => item.type === type);
  const { events, ended, next } = await playRecorded(typed(...recorded), after, modelOver);

  expectWellFormed(events);
  expect(textOf(ended.message)).toBe(
    of('message')
      .map(({ content }) => said(content))
      .join(''),
  );
  const thoughts = ended.message.content.flatMap((part) => (part.type === 'reasoning' ? [part.text] : []));
  expect(thoughts.join('')).toBe(of('reasoning').map(thought).join(''));
  const calls = of('function_call');
  expect(toolCalls(ended.message).map(({ providerId, name, input }) => ({ id: providerId, name, input }))).toEqual(
    calls.map((call) => ({ id: call.call_id, name: call.name, input: JSON.parse(String(call.arguments)) as unknown })),
  );
  const end = recorded.at(-1)?.response;
  expect(ended.usage).toEqual(usageIn(isObject(end) ? end : {}));
  expect(ended.finish).toBe(calls.length > 0 ? 'tool_calls' : 'stop');

  const { input } = next as { input: readonly Item[] };
  const back = returned(items);
  expect(input.slice(1, 1 + back.length)).toEqual(back);
  expect(input.slice(1 + back.length).map(({ type, call_id: id }) => [type, id])).toEqual(
    calls.length === 0 ? [['message', undefined]] : calls.map((call) => ['function_call_output', call.call_id]),
  );
});

test.each(cases.filter(fails))('RESP-04 FAIL-14 %s', async (_, recorded) => {
  const { error } = await deltasOf([new TextEncoder().encode(typed(...recorded))]);
  expect(error).toMatchObject({ kind: 'model_error', message: expect.stringMatching(/quota/) });
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
