import type {
  ResponseCreateParamsStreaming,
  ResponseReasoningItem,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses';
import { expect, test } from 'vitest';
import { defaultOptions, type JsonObject, type Message, userText } from '../../../src/core/index.ts';
import { ResponsesDecoder } from '../../../src/models/responses/decode.ts';
import { encodeRequest } from '../../../src/models/responses/encode.ts';
import type { FunctionCall, ResponsesItem, ResponsesRequest, ResponsesTool } from '../../../src/models/responses/request.ts';
import { TestPrompt } from '../../../src/testing/index.ts';

type Known<T> = { [K in keyof T as string extends K ? never : K]: T[K] };
type Writable<T> = T extends readonly (infer One)[]
  ? Writable<One>[]
  : T extends object
    ? { -readonly [K in keyof T]: Writable<T[K]> }
    : T;

/** A phase is whatever the provider sent. */
type Phased<T> = T extends { role: 'assistant' } ? Omit<T, 'phase'> & { phase?: 'commentary' | 'final_answer' } : T;

/** Our items of a kind we know, with lists that may be written to, and without the keys that came from the provider. */
type OurItem = Phased<Writable<Known<FunctionCall> | Exclude<ResponsesItem, FunctionCall | JsonObject>>>;

/** Our request, likewise. */
type Ours = Omit<Writable<Known<ResponsesRequest>>, 'input' | 'tools'> & {
  tools?: (Omit<ResponsesTool, 'parameters'> & { parameters: { [key: string]: unknown } })[];
  input: OurItem[];
};

/** The compiler is the test: a key whose value OpenAI does not take is an error here. */
const asOpenAI = (request: Ours): ResponseCreateParamsStreaming => request;

test('RESP-06 the types of the openai package take our request', () => {
  const call = { type: 'tool_call', id: 'c1', name: 'read', input: { path: 'x' } } as const;
  const messages: readonly Message[] = [
    userText('u', 'Hi'),
    { id: 'a', role: 'assistant', content: [{ type: 'text', text: 'Reading.' }, call] },
    { id: 'r', role: 'user', content: [{ type: 'tool_result', callId: 'c1', content: [], error: false }] },
  ];
  const tools = [{ name: 'read', description: 'Reads.', input: { type: 'object' }, hints: {} }];
  const prompt = new TestPrompt({ system: 'Be brief.', messages, tools, options: { ...defaultOptions, maxOutputTokens: 5 } });
  const request = asOpenAI(encodeRequest(prompt, { model: 'm', owner: 'openai/m' }) as Ours);
  expect((request.input as { type: string }[]).map(({ type }) => type)).toEqual([
    'message',
    'message',
    'function_call',
    'function_call_output',
  ]);
});

test('RESP-03 the types of the openai package make events that our decoder reads', () => {
  const item: ResponseReasoningItem = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA==' };
  const events: readonly ResponseStreamEvent[] = [
    { type: 'response.output_item.added', item, output_index: 0, sequence_number: 0 },
    {
      type: 'response.reasoning_summary_text.delta',
      item_id: 'rs_1',
      output_index: 0,
      summary_index: 0,
      delta: 'Hm',
      sequence_number: 1,
    },
    { type: 'response.output_item.done', item, output_index: 0, sequence_number: 2 },
    { type: 'error', code: 'server_error', message: 'boom', param: null, sequence_number: 3 },
  ];
  const decoder = new ResponsesDecoder('openai/m');
  expect(events.slice(0, -1).flatMap((event) => decoder.add(event as object as JsonObject))).toMatchObject([
    { type: 'reasoning', text: 'Hm' },
    { type: 'reasoning', provider: { 'openai/m': { encrypted_content: 'gAAA==' } } },
    { type: 'border' },
  ]);
  expect(() => decoder.add(events.at(-1) as object as JsonObject)).toThrow(/boom/);
});
