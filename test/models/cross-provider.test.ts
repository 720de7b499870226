import type { LanguageModelV4Message } from '@ai-sdk/provider';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ContentPart, JsonObject, Message, Part, ToolCallPart, ToolResultPart } from '../../src/core/index.ts';
import { encodeCall } from '../../src/models/ai-sdk/encode.ts';
import { encodeRequest as encodeChat } from '../../src/models/chat/encode.ts';
import { type HostName, hosts } from '../../src/models/index.ts';
import { encodeRequest as encodeMessages } from '../../src/models/messages/encode.ts';
import type { Owner } from '../../src/models/provider-data.ts';
import { encodeRequest as encodeResponses } from '../../src/models/responses/encode.ts';
import { TestPrompt } from '../../src/testing/index.ts';

// A session changes its model at any step. Whoever made the history, each API must take it: the rules below are those that the
// providers publish for their requests, written here anew and not taken from the encoders.

/** What the modules leave in a history: two models of each, so that one meets another of its own kind. */
const makers = {
  chat: ['openai/m', 'openai/n'],
  messages: ['anthropic/m', 'anthropic/n'],
  responses: ['openai/m', 'openai/n'],
  sdk: ['google/m', 'google/n'],
} as const satisfies { readonly [kind: string]: readonly Owner[] };

type Kind = keyof typeof makers;

interface Maker {
  readonly kind: Kind;
  readonly owner: Owner;
}

const maker: fc.Arbitrary<Maker> = fc
  .constantFrom(...(Object.keys(makers) as Kind[]))
  .chain((kind) => fc.constantFrom(...makers[kind]).map((owner) => ({ kind, owner })));

/** A secret that names whose it is: no other model may ever get it. */
const sealed = (owner: Owner, kind: Kind, n: number): string => `sealed<${kind} ${owner}>${n}`;

const text = fc.constantFrom('Hello', 'ünï ☃', ' padded ', '', ' ', '\n\t');
const image: ContentPart = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' };

/** Ids as providers make them, and as they should not. */
const providerId = fc.constantFrom(
  'call_1',
  'call_1',
  'toolu_01AbC-_',
  'D681PevKs',
  'functions.read:0',
  'fc|item 7',
  'ид',
  'x'.repeat(90),
  '',
);

function thought({ kind, owner }: Maker, words: string, n: number): Part {
  const secret = sealed(owner, kind, n);
  const data: { readonly [K in Kind]: JsonObject } = {
    chat: { openai: { field: 'reasoning', details: [{ type: 'reasoning.encrypted', data: secret }], owner } },
    messages: { [owner]: n % 3 === 0 ? { redacted: secret } : { signature: secret } },
    responses: { [owner]: { type: 'reasoning', summary: [], encrypted_content: secret } },
    sdk: { [owner]: { google: { thoughtSignature: secret } } },
  };
  return { type: 'reasoning', text: words, ...(n % 4 === 0 ? {} : { provider: data[kind] }) };
}

/** A piece that only its model understands; Chat Completions has none. */
function unknownParts({ kind, owner }: Maker, n: number): Part[] {
  if (kind === 'chat') return [];
  const secret = sealed(owner, kind, n);
  const data: { readonly [K in Exclude<Kind, 'chat'>]: JsonObject } = {
    messages: { type: 'server_tool_use', id: `srvtoolu_${n}`, name: 'web_search', input: { secret } },
    responses: { type: 'web_search_call', status: 'completed', action: { type: 'search', query: secret } },
    sdk: { type: 'custom', kind: 'google.note', providerOptions: { google: { secret } } },
  };
  return [{ type: 'opaque', provider: { [owner]: data[kind] } }];
}

interface CallSeed {
  readonly name: string;
  readonly providerId: string | undefined;
  readonly malformed: boolean;
  readonly extra: boolean;
}

const callSeed: fc.Arbitrary<CallSeed> = fc.record({
  name: fc.constantFrom('read', 'functions.read', 'läs', 'x'.repeat(90)),
  providerId: fc.option(providerId, { nil: undefined }),
  malformed: fc.boolean(),
  extra: fc.boolean(),
});

const step = fc.record({
  maker,
  thoughts: fc.array(text, { maxLength: 2 }),
  unknown: fc.boolean(),
  texts: fc.array(text, { maxLength: 2 }),
  thoughtLast: fc.boolean(),
  calls: fc.array(callSeed, { maxLength: 3 }),
  /** How many of the calls have a result: the others were paused or cut. */
  results: fc.nat({ max: 3 }),
  result: fc.array(fc.oneof(text, fc.constant(image)), { maxLength: 2 }),
});

const turn = fc.record({
  said: fc.array(fc.tuple(fc.array(fc.oneof(text, fc.constant(image)), { maxLength: 2 })), { minLength: 1, maxLength: 2 }),
  steps: fc.array(step, { maxLength: 3 }),
});

const contentOf = (seeds: readonly (string | ContentPart)[]): ContentPart[] =>
  seeds.map((seed) => (typeof seed === 'string' ? { type: 'text', text: seed } : seed));

/** A conversation that ends with a person's word, as it does when a model is chosen anew; `media`: it may hold images. */
function history(media: boolean): fc.Arbitrary<readonly Message[]> {
  return fc.array(turn, { minLength: 1, maxLength: 4 }).map((turns) => {
    const messages: Message[] = [];
    let n = 0;
    const plain = (parts: readonly ContentPart[]): ContentPart[] => parts.filter(({ type }) => media || type === 'text');
    for (const { said, steps } of turns) {
      // What a person says is never empty: the session refuses it.
      for (const [parts] of said) {
        messages.push({
          id: `u${(n += 1)}`,
          role: 'user',
          content: [{ type: 'text', text: `Word ${n}.` }, ...plain(contentOf(parts))],
        });
      }
      for (const seed of steps) {
        const id = `a${(n += 1)}`;
        const calls = seed.calls.map(({ name, providerId: given, malformed, extra }, at): ToolCallPart => {
          n += 1;
          const secret = { [seed.maker.owner]: { [`sealed_${seed.maker.kind}`]: sealed(seed.maker.owner, seed.maker.kind, n) } };
          return {
            type: 'tool_call',
            id: `call_${id}_${at}`,
            name,
            input: malformed ? {} : { at },
            ...(given === undefined ? {} : { providerId: given }),
            ...(malformed ? { malformed: '{"at":' } : {}),
            ...(extra && seed.maker.kind !== 'chat' ? { provider: secret } : {}),
          };
        });
        const thoughts = seed.thoughts.map((words) => thought(seed.maker, words, (n += 1)));
        const content: Part[] = [
          ...thoughts,
          ...(seed.unknown ? unknownParts(seed.maker, (n += 1)) : []),
          ...seed.texts.map((words): Part => ({ type: 'text', text: words })),
          ...calls,
          ...(seed.thoughtLast ? [thought(seed.maker, 'At last.', (n += 1))] : []),
        ];
        messages.push({ id, role: 'assistant', content });
        const answered = calls.slice(0, seed.results).map((call, at): ToolResultPart => ({
          type: 'tool_result',
          callId: call.id,
          content: plain(contentOf(seed.result)),
          error: at === 1,
        }));
        if (answered.length > 0) messages.push({ id: `${id}_results`, role: 'user', content: answered });
      }
    }
    return [...messages, { id: 'last', role: 'user', content: [{ type: 'text', text: 'And now?' }] }];
  });
}

/** The seals of anybody else that a request holds. */
function foreignSeals(request: object, owner: Owner, kind: Kind): readonly string[] {
  const seals = JSON.stringify(request).match(/sealed<[^>]*>/g) ?? [];
  return seals.filter((seal) => seal !== `sealed<${kind} ${owner}>`);
}

interface Pairing {
  readonly calls: readonly string[];
  readonly results: readonly string[];
}

/** Each call has one result, and each id is one call's; `rule` is what the API takes for an id. */
function expectPairs({ calls, results }: Pairing, rule: RegExp): void {
  expect([...results].toSorted()).toEqual([...calls].toSorted());
  expect(new Set(calls).size).toBe(calls.length);
  for (const id of calls) expect(id).toMatch(rule);
}

/** What all of them take for the name of a tool. */
const toolName = /^[a-zA-Z0-9_-]{1,64}$/;

/** https://platform.openai.com/docs/api-reference/chat, and what the pages of the hosts say besides. */
function checkChat(host: HostName, messages: readonly JsonObject[]): void {
  const ids: { readonly [H in HostName]?: RegExp } = {
    openai: /^[\w-]{1,40}$/,
    openrouter: /^[\w-]{1,64}$/,
    mistral: /^[a-zA-Z0-9]{9}$/,
  };
  const local = ['generic', 'llama_cpp', 'vllm', 'exl3', 'ollama'].includes(host);
  let open: readonly string[] = [];
  const seen: string[] = [];
  for (const [at, message] of messages.entries()) {
    const before = messages[at - 1]?.role;
    if (message.role === 'tool') {
      expect(open).toContain(message.tool_call_id);
      open = open.filter((id) => id !== message.tool_call_id);
      expect(message.content).toBeTypeOf('string');
      continue;
    }
    expect(open, 'a call without its result').toEqual([]);
    if (message.role === 'user') {
      expect(String(message.content).trim()).not.toBe('');
      // Templates of local models want the roles to alternate; Mistral refuses a user behind a tool.
      if (local) expect(before).not.toBe('user');
      if (host === 'mistral') expect(before).not.toBe('tool');
      continue;
    }
    expect(message.role).toBe('assistant');
    const calls = (message.tool_calls ?? []) as { id: string; function: { name: string; arguments: string } }[];
    for (const call of calls) {
      expect(call.function.name).toMatch(toolName);
      expect(JSON.parse(call.function.arguments)).toBeTypeOf('object');
    }
    open = calls.map(({ id }) => id);
    expectPairs({ calls: open, results: open }, ids[host] ?? /^[\x21-\x7e]{1,256}$/);
    seen.push(...open);
    if (open.length === 0) expect(message.content ?? '').not.toBe('');
  }
  expect(new Set(seen).size).toBe(seen.length);
  expect(open).toEqual([]);
  expect(messages.at(-1)?.role).toBe('user');
}

/** https://platform.claude.com/docs/en/api/messages and /docs/en/build-with-claude/extended-thinking. */
function checkMessages(turns: readonly { readonly role: string; readonly content: readonly object[] }[]): void {
  const calls: string[] = [];
  const results: string[] = [];
  let open: readonly string[] = [];
  for (const [at, { role, content }] of turns.entries()) {
    expect(role).toBe(at % 2 === 0 ? 'user' : 'assistant');
    const blocks = content as readonly JsonObject[];
    expect(blocks).not.toEqual([]);
    for (const { type, text: words } of blocks) if (type === 'text') expect(String(words).trim()).not.toBe('');
    const first = blocks.findIndex(({ type }) => type !== 'tool_result');
    const heads = first === -1 ? blocks : blocks.slice(0, first);
    expect(heads.map(({ tool_use_id: id }) => id)).toEqual(open);
    expect(blocks.slice(heads.length).map(({ type }) => type)).not.toContain('tool_result');
    results.push(...open);
    open = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => String(id));
    calls.push(...open);
    for (const { type, name } of blocks) if (type === 'tool_use') expect(name).toMatch(toolName);
    if (role === 'assistant') expect(blocks.at(-1)?.type).not.toMatch(/thinking/);
    else expect(blocks.every(({ type }) => ['text', 'image', 'tool_result'].includes(String(type)))).toBe(true);
    for (const block of blocks) if (block.type === 'thinking') expect(block.signature).toMatch(/^sealed<messages/);
    for (const { type, content: inner } of blocks) if (type === 'tool_result') expect(inner).not.toEqual([]);
  }
  expectPairs({ calls, results }, /^[a-zA-Z0-9_-]{1,64}$/);
  expect(turns.at(-1)?.role).toBe('user');
}

/** https://platform.openai.com/docs/api-reference/responses/create, without storage. */
function checkResponses(items: readonly object[]): void {
  const calls: string[] = [];
  const results: string[] = [];
  const list = items as readonly JsonObject[];
  for (const [at, item] of list.entries()) {
    expect(item, 'nothing is stored there that an id could name').not.toHaveProperty('id');
    const open = calls.filter((id) => !results.includes(id));
    switch (item.type) {
      case 'message':
        if (item.role === 'user') expect(open).toEqual([]);
        expect(item.content).not.toEqual(item.role === 'user' ? [] : '');
        break;
      case 'function_call':
        expect(item.name).toMatch(toolName);
        expect(JSON.parse(String(item.arguments))).toBeTypeOf('object');
        calls.push(String(item.call_id));
        break;
      case 'function_call_output':
        expect(open).toContain(item.call_id);
        results.push(String(item.call_id));
        break;
      case 'reasoning':
        // Thoughts stand before what they led to.
        expect(['message', 'function_call', 'reasoning', 'web_search_call']).toContain(list[at + 1]?.type);
        expect(list[at + 1]?.role).not.toBe('user');
        break;
      default:
        expect(item.type).toBe('web_search_call');
    }
  }
  expectPairs({ calls, results }, /^[a-zA-Z0-9_-]{1,64}$/);
  expect(list.at(-1)).toMatchObject({ role: 'user' });
}

/** The package's own types are checked by the compiler; what they do not say is how messages follow each other. */
function checkSdk(messages: readonly LanguageModelV4Message[], rule: RegExp): void {
  const calls: string[] = [];
  const results: string[] = [];
  for (const [at, message] of messages.entries()) {
    expect(message.content).not.toHaveLength(0);
    const before = messages[at - 1];
    expect(before?.role, 'roles take turns').not.toBe(message.role);
    const asked =
      before?.role === 'assistant' ? before.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : [])) : [];
    const answers =
      message.role === 'tool' ? message.content.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : [])) : [];
    expect(answers, 'results follow their calls').toEqual(asked);
    results.push(...answers);
    if (message.role === 'assistant') {
      calls.push(...message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : [])));
      for (const part of message.content) if (part.type === 'tool-call') expect(part.toolName).toMatch(toolName);
      expect(message.content.at(-1)?.type).not.toBe('reasoning');
    }
    if (message.role === 'user' || message.role === 'assistant') {
      for (const part of message.content) if (part.type === 'text') expect(part.text.trim()).not.toBe('');
    }
  }
  expectPairs({ calls, results }, rule);
  expect(messages.at(-1)?.role).toBe('user');
}

/** How many of a model's own thoughts must go back: those of whole steps, before something that is sent. */
function ownSeals(messages: readonly Message[], owner: Owner, kind: Kind): number {
  const steps = messages.filter(({ role }) => role === 'assistant');
  const sent = steps.flatMap(({ content }) => content.slice(0, content.findLastIndex(({ type }) => type === 'tool_call') + 1));
  return sent.filter((part) => JSON.stringify(part).includes(`sealed<${kind} ${owner}>`)).length;
}

const countSeals = (request: object): number => (JSON.stringify(request).match(/sealed</g) ?? []).length;

describe('a conversation that other models were part of', () => {
  test.each(Object.keys(hosts) as HostName[])('CC-02 MODEL-11 is valid for Chat Completions at %s', (name) => {
    const owner = makers.chat[0];
    fc.assert(
      fc.property(history(false), (messages) => {
        const request = encodeChat(new TestPrompt({ messages }), { model: 'm', host: hosts[name], owner });
        checkChat(name, request.messages as readonly object[] as readonly JsonObject[]);
        expect(foreignSeals(request, owner, 'chat')).toEqual([]);
      }),
    );
  });

  test('ANT-07 ANT-10 MODEL-11 is valid for Anthropic Messages, its own thoughts with it', () => {
    const owner = makers.messages[0];
    fc.assert(
      fc.property(history(true), (messages) => {
        const request = encodeMessages(new TestPrompt({ messages }), { model: 'm', owner, maxOutputTokens: 9 });
        checkMessages(request.messages);
        expect(foreignSeals(request, owner, 'messages')).toEqual([]);
        expect(countSeals(request)).toBeGreaterThanOrEqual(ownSeals(messages, owner, 'messages'));
      }),
    );
  });

  test('RESP-02 RESP-03 MODEL-11 is valid for OpenAI Responses, its own thoughts with it', () => {
    const owner = makers.responses[0];
    fc.assert(
      fc.property(history(true), (messages) => {
        const request = encodeResponses(new TestPrompt({ messages }), { model: 'm', owner });
        checkResponses(request.input);
        expect(foreignSeals(request, owner, 'responses')).toEqual([]);
        expect(countSeals(request)).toBeGreaterThanOrEqual(ownSeals(messages, owner, 'responses'));
      }),
    );
  });

  test.each([
    ['most', /[^a-zA-Z0-9_-]/, 1, 64, /^[a-zA-Z0-9_-]{1,64}$/],
    ['Mistral', /[^a-zA-Z0-9]/, 9, 9, /^[a-zA-Z0-9]{9}$/],
  ])('MODEL-11 is valid for packages of the AI SDK, with the ids of %s', (_, refused, least, most, rule) => {
    const owner = makers.sdk[0];
    fc.assert(
      fc.property(history(true), (messages) => {
        const call = encodeCall(new TestPrompt({ messages }), { owner, callIds: { refused, least, most } });
        checkSdk(call.prompt, rule);
        expect(foreignSeals(call, owner, 'sdk')).toEqual([]);
        expect(countSeals(call)).toBeGreaterThanOrEqual(ownSeals(messages, owner, 'sdk'));
      }),
    );
  });
});
