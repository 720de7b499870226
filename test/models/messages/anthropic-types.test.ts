import type {
  MessageCreateParamsStreaming,
  RawMessageStreamEvent,
  StopReason,
} from '@anthropic-ai/sdk/resources/messages/messages';
import { expect, test } from 'vitest';
import { defaultOptions, type Finish, type JsonObject, type Message, userText } from '../../../src/core/index.ts';
import { MessagesDecoder } from '../../../src/models/messages/decode.ts';
import { encodeRequest } from '../../../src/models/messages/encode.ts';
import type {
  AssistantBlock,
  MessagesRequest,
  MessagesTool,
  TextBlock,
  ToolUseBlock,
  UserBlock,
} from '../../../src/models/messages/request.ts';
import { TestPrompt } from '../../../src/testing/index.ts';

type Known<T> = { [K in keyof T as string extends K ? never : K]: T[K] };
type Writable<T> = T extends readonly (infer One)[]
  ? Writable<One>[]
  : T extends object
    ? { -readonly [K in keyof T]: Writable<T[K]> }
    : T;
/** Citations are what the provider sent. */
type Uncited<T> = T extends { type: 'text' } ? Omit<T, 'citations'> : T;

/** Our blocks of a kind we know, with lists that may be written to. */
type OurUserBlock =
  | Uncited<Writable<Exclude<UserBlock, { type: 'tool_result' }>>>
  | (Omit<Writable<Extract<UserBlock, { type: 'tool_result' }>>, 'content'> & {
      content?: Uncited<Writable<Exclude<UserBlock, { type: 'tool_result' }>>>[];
    });
type OurReplyBlock = Uncited<Writable<Known<ToolUseBlock> | Exclude<AssistantBlock, ToolUseBlock | JsonObject>>>;

/** Our request, likewise, without the keys that are the operator's own. */
type Ours = Omit<Known<MessagesRequest>, 'messages' | 'tools' | 'system'> & {
  tools?: (Omit<MessagesTool, 'input_schema'> & { input_schema: { type: 'object' } })[];
  system?: Uncited<Writable<TextBlock>>[];
  messages: ({ role: 'user'; content: OurUserBlock[] } | { role: 'assistant'; content: OurReplyBlock[] })[];
};

/** The compiler is the test: a key whose value Anthropic does not take is an error here. */
const asAnthropic = (request: Ours): MessageCreateParamsStreaming => request;

test('ANT-07 the types of the @anthropic-ai/sdk package take our request', () => {
  const call = { type: 'tool_call', id: 'c1', name: 'read', input: { path: 'x' } } as const;
  const thought = { type: 'reasoning', text: 'Hm', provider: { 'anthropic/m': { signature: 'S' } } } as const;
  const messages: readonly Message[] = [
    userText('u', 'Hi'),
    { id: 'a', role: 'assistant', content: [thought, { type: 'text', text: 'Reading.' }, call] },
    { id: 'r', role: 'user', content: [{ type: 'tool_result', callId: 'c1', content: [], error: false }] },
  ];
  const tools = [{ name: 'read', description: 'Reads.', input: { type: 'object' }, hints: {} }];
  const prompt = new TestPrompt({ system: 'Be brief.', messages, tools, options: { ...defaultOptions, maxOutputTokens: 5 } });
  const request = encodeRequest(prompt, { model: 'm', owner: 'anthropic/m', maxOutputTokens: 9 });
  expect(asAnthropic(request as object as Ours).messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
});

test('ANT-01 the types of the @anthropic-ai/sdk package make events that our decoder reads', () => {
  const events: readonly RawMessageStreamEvent[] = [
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'S' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_stop' },
  ];
  const decoder = new MessagesDecoder('anthropic/m');
  expect(events.flatMap((event) => decoder.add(event as object as JsonObject))).toEqual([
    { type: 'reasoning', text: '', provider: { 'anthropic/m': { signature: 'S' } } },
    { type: 'border' },
  ]);
  expect(decoder.done).toBe(true);
});

test('ANT-08 every stop reason of the @anthropic-ai/sdk package has its finish', () => {
  const finishes: { readonly [reason in StopReason]: Finish } = {
    end_turn: 'stop',
    stop_sequence: 'stop',
    max_tokens: 'length',
    model_context_window_exceeded: 'length',
    tool_use: 'tool_calls',
    refusal: 'refusal',
    pause_turn: 'other',
  };
  for (const [reason, finish] of Object.entries(finishes)) {
    const decoder = new MessagesDecoder('anthropic/m');
    decoder.add({ type: 'message_delta', delta: { stop_reason: reason } });
    expect(decoder.end()).toEqual([{ type: 'finish', finish }]);
  }
});
