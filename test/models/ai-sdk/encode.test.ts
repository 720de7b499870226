import type { LanguageModelV3CallOptions, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type ContentPart,
  defaultOptions,
  type JsonObject,
  type Message,
  type Part,
  type PromptFields,
  userText,
} from '../../../src/core/index.ts';
import { encodeCall } from '../../../src/models/ai-sdk/encode.ts';
import { resultMediaText } from '../../../src/models/media.ts';
import { asV3 } from '../../../src/models/ai-sdk/v3.ts';
import { TestPrompt } from '../../../src/testing/index.ts';

const target = { owner: 'lab/m', callIds: { refused: /[^a-zA-Z0-9_-]/, least: 1, most: 64 }, mediaInResults: true } as const;
const own = (data: JsonObject) => ({ provider: { 'lab/m': data } });
const foreign = { provider: { 'other/m': { other: { signature: 'FOREIGN' } } } };

const hi = userText('u', 'Hi');
const text = (value: string, data: object = {}): Part => ({ type: 'text', text: value, ...data });
const thought = (value: string, data: object): Part => ({ type: 'reasoning', text: value, ...data });
const call = (id: string, data: object = {}): Part => ({ type: 'tool_call', id, name: 'read', input: { n: 1 }, ...data });
const assistant = (id: string, ...content: readonly Part[]): Message => ({ id, role: 'assistant', content });
const result = (callId: string, content: readonly ContentPart[] = [{ type: 'text', text: 'ok' }], error = false): Part => ({
  type: 'tool_result',
  callId,
  content,
  error,
});
const results = (...content: readonly Part[]): Message => ({ id: 'r', role: 'user', content });
const image: ContentPart = { type: 'image', mediaType: 'image/png', data: 'aWNvbg==' };
const pdf: ContentPart = { type: 'document', mediaType: 'application/pdf', data: 'JVBERg==' };

const encode = (fields: Partial<PromptFields>): LanguageModelV4CallOptions => encodeCall(new TestPrompt(fields), target);

describe('a call', () => {
  test('MODEL-03 MODEL-04 options of this module replace what is built in, whole, and those of others do not go', () => {
    const provider = {
      'ai-sdk': { maxOutputTokens: 9, toolChoice: { type: 'required' }, providerOptions: { lab: { effort: 'low' } } },
      openai: { top_p: 1 },
    };
    const tools = [{ name: 'read', description: 'Reads.', input: { type: 'object', properties: {} }, hints: {} }];
    expect(encode({ messages: [hi], tools, options: { ...defaultOptions, maxOutputTokens: 5, provider } })).toEqual({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      maxOutputTokens: 9,
      tools: [{ type: 'function', name: 'read', description: 'Reads.', inputSchema: { type: 'object', properties: {} } }],
      toolChoice: { type: 'required' },
      providerOptions: { lab: { effort: 'low' } },
    });
  });

  test('MODEL-11 a reply goes back in its order with its own data, and a result stands behind each call', () => {
    const reply = assistant(
      'a',
      thought('Hm.', own({ lab: { signature: 's' } })),
      thought('Unsigned.', own({})),
      thought('Not mine.', foreign),
      text('Look.', own({ lab: { phase: 1 } })),
      { type: 'opaque', ...own({ type: 'custom', kind: 'lab.x' }) },
      { type: 'opaque', ...foreign },
      call('c1', { providerId: 'p-1', ...own({ lab: { signature: 't' } }) }),
      call('c2', { providerId: 'p-1' }),
    );
    const answers = results(result('c1', [], true), text('By the way'));
    expect(encode({ system: 'S', messages: [hi, reply, answers] }).prompt).toEqual([
      { role: 'system', content: 'S' },
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm.', providerOptions: { lab: { signature: 's' } } },
          { type: 'reasoning', text: 'Unsigned.' },
          { type: 'text', text: 'Look.', providerOptions: { lab: { phase: 1 } } },
          { type: 'custom', kind: 'lab.x' },
          {
            type: 'tool-call',
            toolCallId: 'p-1',
            toolName: 'read',
            input: { n: 1 },
            providerOptions: { lab: { signature: 't' } },
          },
          { type: 'tool-call', toolCallId: 'c2', toolName: 'read', input: { n: 1 } },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'p-1', toolName: 'read', output: { type: 'error-text', value: '' } },
          {
            type: 'tool-result',
            toolCallId: 'c2',
            toolName: 'read',
            output: { type: 'error-text', value: 'Interrupted: this call has no result' },
          },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'By the way' }] },
    ]);
  });

  test('RESP-07 a file that came by its address is one again', () => {
    const stored = own({ type: 'file', mediaType: 'image/png', data: { type: 'url', url: 'https://lab.test/1' } });
    const { prompt } = encode({ messages: [assistant('a', { type: 'opaque', ...stored }), hi] });
    expect(prompt[0]?.content).toEqual([
      { type: 'file', mediaType: 'image/png', data: { type: 'url', url: new URL('https://lab.test/1') } },
    ]);
  });

  test('MODEL-10 media go by their bytes, in messages and in results', () => {
    const file = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aWNvbg==' } };
    const messages = [
      { ...hi, content: [image] },
      assistant('a', call('c')),
      results(result('c', [{ type: 'text', text: 'A' }, image])),
    ];
    const [user, , tool] = encode({ messages }).prompt;
    expect(user?.content).toEqual([file]);
    expect(tool?.content).toMatchObject([{ output: { type: 'content', value: [{ type: 'text', text: 'A' }, file] } }]);
  });

  test('CC-14 media of results follow in a user message where a package would write them out as text', () => {
    const file = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aWNvbg==' } };
    const messages = [
      hi,
      assistant('a', call('c')),
      results(result('c', [{ type: 'text', text: 'A' }, image])),
      userText('u9', 'And?'),
    ];
    const { prompt } = encodeCall(new TestPrompt({ messages }), { ...target, mediaInResults: false });
    expect(prompt.slice(2)).toMatchObject([
      { role: 'tool', content: [{ output: { type: 'text', value: 'A\n\n[image/png: in the next message]' } }] },
      { role: 'user', content: [{ type: 'text', text: resultMediaText }, file, { type: 'text', text: 'And?' }] },
    ]);
  });

  test('ATT-11 media that cannot be shown are told of', () => {
    const messages = [{ ...hi, content: [{ type: 'image', mediaType: 'image/png', blob: 'sha' } as const] }];
    const [user] = encode({ messages }).prompt;
    expect(user?.content).toEqual([{ type: 'text', text: '[An image (image/png) was left out here: its bytes are not here.]' }]);
  });

  test('MODEL-02 what is to be continued comes last, and nothing else does so', () => {
    const messages = [hi, assistant('a', thought('Hm.', own({})), text('It is'), call('c'))];
    expect(encode({ messages, continue: true }).prompt.at(-1)).toEqual({
      role: 'assistant',
      content: [{ type: 'text', text: 'It is' }],
    });
    expect(() => encode({ messages: [hi, assistant('a', text('It is'))] })).toThrow(/must end with a user message/);
    expect(() => encode({ messages: [hi, assistant('a', text(' '))], continue: true })).toThrow(/must hold text/);
  });
});

describe('version 3 of the interface', () => {
  test('has its own form for files, and no parts that it does not know', () => {
    const messages = [
      { ...hi, content: [image] },
      assistant(
        'a',
        { type: 'opaque', ...own({ type: 'custom', kind: 'lab.x' }) },
        { type: 'opaque', ...own({ type: 'file', mediaType: 'a/b', data: { type: 'data', data: 'Yg==' } }) },
        call('c'),
      ),
      results(result('c', [image, pdf])),
    ];
    const v3: LanguageModelV3CallOptions = asV3(encode({ messages, options: { ...defaultOptions, maxOutputTokens: 5 } }));
    expect(v3).toMatchObject({
      maxOutputTokens: 5,
      prompt: [
        { role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: 'aWNvbg==' }] },
        { role: 'assistant', content: [{ type: 'file', data: 'Yg==' }, { type: 'tool-call' }] },
        {
          role: 'tool',
          content: [
            {
              output: {
                type: 'content',
                value: [
                  { type: 'image-data', mediaType: 'image/png', data: 'aWNvbg==' },
                  { type: 'file-data', mediaType: 'application/pdf', data: 'JVBERg==' },
                ],
              },
            },
          ],
        },
      ],
    });
  });

  test('MODEL-06 refuses the option that it does not know', () => {
    const options = { ...defaultOptions, provider: { 'ai-sdk': { reasoning: 'high' } } };
    expect(() => asV3(encode({ options }))).toThrow(/takes no option reasoning/);
  });
});

describe('any conversation', () => {
  const parts = fc.array(
    fc.oneof(
      fc.string().map((value) => text(value)),
      fc
        .tuple(fc.string(), fc.constantFrom<object>(own({ lab: { signature: 's' } }), own({}), foreign, {}))
        .map(([value, data]) => thought(value, data)),
      fc.constantFrom<Part>(
        { type: 'opaque', ...own({ type: 'text', text: '', providerOptions: { lab: { signature: 's' } } }) },
        { type: 'opaque', ...foreign },
      ),
      fc.constantFrom('call_0', 'call_1', 'functions.read:0', '', 'x'.repeat(80)).map((providerId) => call('', { providerId })),
    ),
    { maxLength: 5 },
  );
  const contents = fc.array(
    fc.oneof(
      fc.string().map((value): ContentPart => ({ type: 'text', text: value })),
      fc.constantFrom(image, pdf),
    ),
    { maxLength: 3 },
  );
  const steps = fc.array(
    fc.record({ parts, answered: fc.boolean(), content: contents, error: fc.boolean(), user: fc.option(contents) }),
    { minLength: 1, maxLength: 5 },
  );
  type Steps = typeof steps extends fc.Arbitrary<infer T> ? T : never;

  /** Messages of a session: each step is a reply, its results or some of them, and what a person says behind them. */
  function session(all: Steps): Message[][] {
    const requests: Message[][] = [[hi]];
    let history: Message[] = [hi];
    all.forEach((step, n) => {
      const content = step.parts.map((part, i): Part => (part.type === 'tool_call' ? { ...part, id: `call_${n}_${i}` } : part));
      const ids = content.flatMap((part) => (part.type === 'tool_call' ? [part.id] : []));
      const answered = step.answered ? ids : ids.slice(1);
      history = [...history, assistant(`a${n}`, text(`${n}.`), ...content)];
      if (answered.length > 0) history = [...history, results(...answered.map((id) => result(id, step.content, step.error)))];
      const said = step.user ?? [];
      if (step.user !== null || ids.length === 0) history = [...history, { ...hi, content: [...said, text(`and ${n}`)] }];
      requests.push(history);
    });
    return requests;
  }

  test('FAIL-08 MODEL-11 makes a prompt that the interface takes: roles, pairs, nothing blank, nothing of another model', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const { prompt } = encode({ messages: session(all).at(-1) ?? [] });
        expect(JSON.stringify(prompt)).not.toContain('FOREIGN');
        expect(['user', 'tool']).toContain(prompt.at(-1)?.role);
        const seen = new Set<string>();
        prompt.forEach((message, at) => {
          if (message.role === 'system') throw new Error('no system text was given');
          expect(message.content.length).toBeGreaterThan(0);
          expect(prompt[at - 1]?.role).not.toBe(message.role);
          for (const part of message.content) {
            if (part.type === 'text' && part.providerOptions === undefined) expect(part.text.trim()).not.toBe('');
          }
          if (message.role !== 'assistant') return;
          expect(message.content.at(-1)?.type).not.toBe('reasoning');
          const asked = message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []));
          for (const id of asked) {
            expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
            expect(seen.has(id)).toBe(false);
            seen.add(id);
          }
          const next = prompt[at + 1];
          const answers =
            next?.role === 'tool' ? next.content.map((part) => (part.type === 'tool-result' ? part.toolCallId : '')) : [];
          expect(answers).toEqual(asked);
        });
      }),
      { numRuns: 300 },
    );
  });

  test('G-21 the prompt of request n+1 begins with that of request n', () => {
    const beginning = (messages: readonly Message[]): string =>
      JSON.stringify(encode({ messages, system: 'S' }).prompt).replace(/\]\}\]$/, '');
    fc.assert(
      fc.property(steps, (all) => {
        const prompts = session(all.map((step) => ({ ...step, answered: true }))).map(beginning);
        prompts.slice(1).forEach((next, n) => expect(next.startsWith(prompts[n] ?? '?')).toBe(true));
      }),
      { numRuns: 200 },
    );
  });
});
