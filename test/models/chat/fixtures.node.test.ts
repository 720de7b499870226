import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { type Delta, isObject, type JsonObject, Run, textOf, toolCalls, toolList, userText } from '../../../src/core/index.ts';
import { ChatCompletions, type Host, type HostName, hosts } from '../../../src/models/index.ts';
import { countingIds, FakeTransport, TestPrompt } from '../../../src/testing/index.ts';
import { expectWellFormed } from '../recorded.ts';
import { collect, cuttings, event, eventStream, hello } from '../support.ts';

const folder = join(import.meta.dirname, '../../../../shared/fixtures/providers/chat');
const files = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];

/** A recorded stream as it came over the wire. Where its framing was taken off it is put back. */
function wireOf(file: string): string {
  const content = readFileSync(file, 'utf8');
  if (file.endsWith('.sse')) return content;
  return [...content.split('\n').filter((line) => line.trim() !== ''), '[DONE]'].map(event).join('');
}

/** The chunks of a recorded stream, parsed without our reader. */
function chunksOf(wire: string): JsonObject[] {
  const texts = wire.split('\n').flatMap((line) => (line.startsWith('data: {') ? [line.slice('data: '.length)] : []));
  return texts.map((text) => JSON.parse(text) as JsonObject);
}

function hostOf(file: string): HostName {
  const name = basename(file).split('__')[0] ?? '';
  return Object.hasOwn(hosts, name) ? (name as HostName) : 'generic';
}

interface Recorded {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  readonly usage: { readonly input: number; readonly output: number; readonly cacheRead: number };
  readonly finish: unknown;
}

/** What a stream holds, put together here by a plain walk over its chunks. */
function recorded(chunks: readonly JsonObject[]): Recorded {
  const choices = chunks.flatMap((chunk) => (Array.isArray(chunk.choices) ? chunk.choices.filter(isObject) : []));
  const deltas = choices.flatMap(({ delta }) => (isObject(delta) ? [delta] : []));
  const joined = (...fields: readonly string[]): string =>
    deltas.flatMap((delta) => fields.map((field) => delta[field]).filter((value) => typeof value === 'string')).join('');
  const usages = chunks.flatMap(({ usage }) => (isObject(usage) ? [usage as Record<string, number & JsonObject>] : []));
  const usage = usages.at(-1) ?? {};
  const [prompt, total] = [usage.prompt_tokens ?? 0, usage.total_tokens ?? 0];
  return {
    text: joined('content', 'refusal'),
    reasoning: joined('reasoning_content', 'reasoning'),
    calls: callsOf(deltas),
    usage: { input: prompt, output: total - prompt, cacheRead: Number(usage.prompt_tokens_details?.cached_tokens ?? 0) },
    finish: choices.findLast((choice) => typeof choice.finish_reason === 'string')?.finish_reason,
  };
}

function callsOf(deltas: readonly JsonObject[]): Recorded['calls'] {
  const calls = new Map<unknown, { id: string; name: string; args: string }>();
  for (const fragment of deltas.flatMap(({ tool_calls: list }) => (Array.isArray(list) ? list.filter(isObject) : []))) {
    const part = fragment.function as Record<string, string | undefined>;
    const call = calls.get(fragment.index) ?? { id: '', name: '', args: '' };
    calls.set(fragment.index, {
      id: call.id || String(fragment.id ?? ''),
      name: call.name || (part.name ?? ''),
      args: call.args + (part.arguments ?? ''),
    });
  }
  return [...calls.values()].map(({ id, name, args }) => ({ id, name, input: JSON.parse(args) as unknown }));
}

async function deltasOf(chunks: readonly Uint8Array[], host: HostName): Promise<Delta[]> {
  const transport = new FakeTransport([{ headers: eventStream, body: chunks }]);
  const model = new ChatCompletions({ transport, baseUrl: 'http://localhost/v1', model: 'm', host });
  return collect(model.stream(new TestPrompt()));
}

/** Plays the stream as the first reply of a turn; a second reply follows when it called. */
async function play(wire: string, host: HostName) {
  const transport = new FakeTransport([
    { headers: eventStream, body: wire },
    { headers: eventStream, body: hello },
  ]);
  const model = new ChatCompletions({ transport, baseUrl: 'http://localhost/v1', model: 'm', host });
  const run = new Run({ model, tools: toolList(), mintId: countingIds() });
  const events = await collect(run.turn(userText('u', 'Hi')));
  const again = transport.requests[1]?.body;
  return { events, again: again === undefined ? null : (JSON.parse(again) as { messages: readonly JsonObject[] }).messages };
}

test.skipIf(files.length === 0)('recorded streams: skipped where ../shared/fixtures is absent', () => {
  expect(files.length).toBeGreaterThan(0);
});

const cases = files.map((file) => [basename(file), file] as const);
const someId: unknown = expect.any(String);

test.each(cases)('CC-04 CC-05 CC-08 %s', async (_, file) => {
  const wire = wireOf(file);
  const host = hostOf(file);
  const held = recorded(chunksOf(wire));
  const { events, again } = await play(wire, host);

  expectWellFormed(events);
  const ended = events.find(({ type }) => type === 'message_ended');
  if (ended?.type !== 'message_ended') throw new Error('no message');
  expect(textOf(ended.message)).toBe(held.text);
  expect(ended.message.content.map((part) => (part.type === 'reasoning' ? part.text : '')).join('')).toBe(held.reasoning);
  expect(toolCalls(ended.message).map(({ providerId, name, input }) => ({ id: providerId, name, input }))).toEqual(held.calls);
  expect(ended.usage).toEqual({ cacheWrite: 0, ...held.usage });
  expect(ended.finish).toBe(held.finish);

  expect(again !== null).toBe(held.calls.length > 0);
  if (again === null) return;
  const sent = again[1] as JsonObject & { tool_calls: { id: string; function: { name: string; arguments: string } }[] };
  expect(sent.content ?? '').toBe(held.text);
  const calls = sent.tool_calls.map((call) => ({
    name: call.function.name,
    input: JSON.parse(call.function.arguments) as unknown,
  }));
  expect(calls).toEqual(held.calls.map(({ name, input }) => ({ name, input })));
  expect(again.slice(2).map((message) => message.tool_call_id)).toEqual(sent.tool_calls.map(({ id }) => id));
  const { callIds, echoesReasoning }: Host = hosts[host];
  const taken = ({ id }: { readonly id: string }): boolean => id.length <= callIds.most && id.search(callIds.refused) === -1;
  expect(sent.tool_calls.map(({ id }) => id)).toEqual(held.calls.map((call) => (taken(call) ? call.id : someId)));
  expect(sent.reasoning_content ?? sent.reasoning ?? '').toBe(echoesReasoning === 'never' ? '' : held.reasoning);
});

test.each(cases)(
  'HTTP-05 HTTP-06 %s is the same however it is cut',
  async (_, file) => {
    const wire = wireOf(file);
    const [whole, ...others] = cuttings(wire);
    const expected = await deltasOf(whole ?? [], hostOf(file));
    for (const chunks of others) expect(await deltasOf(chunks, hostOf(file))).toEqual(expected);
  },
  120_000,
);
