import type { ChatCompletionChunk, ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';
import { describe, expect, test } from 'vitest';
import { defaultOptions, type JsonObject, type Message, userText } from '../../../src/core/index.ts';
import { ChatDecoder } from '../../../src/models/chat/decode.ts';
import { encodeRequest } from '../../../src/models/chat/encode.ts';
import type {
  ChatAssistantMessage,
  ChatMessage,
  ChatRequest,
  ChatTool,
  ChatToolCall,
  ChatUserPart,
} from '../../../src/models/chat/request.ts';
import { hosts } from '../../../src/models/index.ts';
import { TestPrompt } from '../../../src/testing/index.ts';

type Known<T> = { [K in keyof T as string extends K ? never : K]: T[K] };
type AssistantMessage = Omit<Known<ChatAssistantMessage>, 'content' | 'tool_calls'> & {
  content: string | null;
  tool_calls?: ChatToolCall[];
};

/** OpenAI takes no moving pictures here. */
type UserMessage = { role: 'user'; content: string | Exclude<ChatUserPart, { type: 'video_url' }>[] };

/** Our request with lists that may be written to, and without the keys that are a host's or the operator's own. */
type Ours = Omit<Known<ChatRequest>, 'messages' | 'tools'> & {
  tools?: ChatTool[];
  messages: (Exclude<ChatMessage, ChatAssistantMessage | { role: 'user' }> | UserMessage | AssistantMessage)[];
};

/** The compiler is the test: a key whose value OpenAI does not take is an error here. */
const asOpenAI = (request: Ours): ChatCompletionCreateParamsStreaming => request;

describe('the types of the openai package', () => {
  test('CC-02 take our request to OpenAI as it is', () => {
    const call = { type: 'tool_call', id: 'c1', name: 'read', input: { path: 'x' } } as const;
    const messages: readonly Message[] = [
      userText('u', 'Hi'),
      { id: 'a', role: 'assistant', content: [call] },
      { id: 'r', role: 'user', content: [{ type: 'tool_result', callId: 'c1', content: [], error: false }] },
    ];
    const tools = [{ name: 'read', description: 'Reads.', input: { type: 'object' }, hints: {} }];
    const prompt = new TestPrompt({ system: 'Be brief.', messages, tools, options: { ...defaultOptions, maxOutputTokens: 5 } });
    const request = asOpenAI(encodeRequest(prompt, { model: 'm', host: hosts.openai, owner: 'openai/m' }) as Ours);
    expect(request.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
  });

  test('CC-04 make chunks that our decoder reads', () => {
    const chunk: ChatCompletionChunk = {
      id: 'x',
      created: 0,
      model: 'm',
      object: 'chat.completion.chunk',
      choices: [
        {
          index: 0,
          delta: { content: 'Hello', tool_calls: [{ index: 0, id: 'c', function: { name: 'read' } }] },
          finish_reason: null,
        },
      ],
    };
    expect(new ChatDecoder('openai/m').add(chunk as object as JsonObject)).toEqual([
      { type: 'text', text: 'Hello' },
      { type: 'tool_call', index: 0, id: 'c', name: 'read' },
    ]);
  });
});
