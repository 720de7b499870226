import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { expect } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import type { HostName } from '../../src/models/index.ts';

// The rules that the providers publish for their requests, written here anew and not taken from the encoders.

/** What stands in data of base64, and what kind of part it is in. */
function dataUrl(url: unknown): string {
  const [, type = ''] = /^data:([a-z]+\/[a-z0-9+-]+);base64,[A-Za-z0-9+/]+={0,2}$/.exec(String(url)) ?? [];
  expect(type, String(url)).not.toBe('');
  return type;
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

const fourImages = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** What each host's pages say that the parts of a user message may be. Who says nothing of a kind does not take it. */
const chatParts: { readonly [H in HostName]?: { readonly [part: string]: readonly string[] } } = {
  openai: { image_url: fourImages, input_audio: ['wav', 'mp3'], file: ['application/pdf', 'file_of_openai'] },
  llama_cpp: { image_url: ['image/png', 'image/jpeg', 'image/gif', 'image/bmp'], input_audio: ['wav', 'mp3'] },
  vllm: { image_url: fourImages, input_audio: ['wav', 'mp3'], video_url: ['video/mp4'] },
  openrouter: { image_url: fourImages, input_audio: ['wav', 'mp3'], file: ['application/pdf'], video_url: ['video/mp4'] },
  deepseek: {},
  xai: { image_url: ['image/png', 'image/jpeg'] },
};

function checkChatContent(host: HostName, content: unknown): void {
  if (typeof content === 'string') {
    expect(content.trim()).not.toBe('');
    return;
  }
  const taken = chatParts[host] ?? { image_url: fourImages };
  const parts = content as readonly JsonObject[];
  expect(
    parts.some(({ type }) => type !== 'text'),
    'a list only where a text is not enough',
  ).toBe(true);
  for (const part of parts) {
    if (part.type === 'text') {
      expect(String(part.text).trim()).not.toBe('');
      continue;
    }
    const value = part[String(part.type)] as JsonObject;
    const format = value.format ?? value.file_id ?? dataUrl(value.url ?? value.file_data);
    expect(taken[String(part.type)] ?? []).toContain(format);
  }
}

/** https://platform.openai.com/docs/api-reference/chat, and what the pages of the hosts say besides. */
export function checkChat(host: HostName, sent: readonly object[]): void {
  const messages = sent as readonly JsonObject[];
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
      checkChatContent(host, message.content);
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

/** https://platform.claude.com/docs/en/build-with-claude/vision, /pdf-support and /files. */
function checkBlock({ type, text: words, source }: JsonObject): void {
  if (type === 'tool_result') return;
  if (type === 'text') {
    expect(String(words).trim()).not.toBe('');
    return;
  }
  const { type: how, media_type: mediaType, data, file_id: file } = source as JsonObject;
  if (how === 'file') {
    expect(file).toBe('file_of_anthropic');
    expect(['image', 'document']).toContain(type);
    return;
  }
  expect(how).toBe('base64');
  expect(String(data)).toMatch(/^[A-Za-z0-9+/]+={0,2}$/);
  expect(type === 'image' ? fourImages : type === 'document' ? ['application/pdf'] : []).toContain(mediaType);
}

/** https://platform.claude.com/docs/en/api/messages and /docs/en/build-with-claude/extended-thinking. */
export function checkMessages(turns: readonly { readonly role: string; readonly content: readonly object[] }[]): void {
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
    else for (const block of blocks) checkBlock(block);
    for (const block of blocks) if (block.type === 'thinking') expect(block.signature).toMatch(/^sealed<messages/);
    for (const { type, content: inner } of blocks) {
      if (type !== 'tool_result') continue;
      expect(inner).not.toEqual([]);
      for (const block of (inner ?? []) as readonly JsonObject[]) checkBlock(block);
    }
    // What the server's own tools were asked has its answer, unless the user's side must answer first.
    const served = blocks.map(({ tool_use_id: id }) => id);
    if (open.length === 0) for (const { type, id } of blocks) if (type === 'server_tool_use') expect(served).toContain(id);
  }
  expectPairs({ calls, results }, /^[a-zA-Z0-9_-]{1,64}$/);
  expect(turns.at(-1)?.role).toBe('user');
}

/** https://platform.openai.com/docs/guides/images-vision and /guides/pdf-files. */
function checkInput({ type, text: words, image_url: image, file_data: file, filename, file_id: id }: JsonObject): void {
  if (type === 'input_text') expect(words).not.toBe('');
  else if (id !== undefined) expect(id).toBe('file_of_openai');
  else if (type === 'input_image') expect(fourImages).toContain(dataUrl(image));
  else {
    expect(type).toBe('input_file');
    expect(dataUrl(file)).toBe('application/pdf');
    expect(filename).toBe('document.pdf');
  }
}

/** https://platform.openai.com/docs/api-reference/responses/create, without storage. */
export function checkResponses(items: readonly object[]): void {
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
        if (item.role === 'user') for (const part of item.content as readonly JsonObject[]) checkInput(part);
        break;
      case 'function_call':
        expect(item.name).toMatch(toolName);
        expect(JSON.parse(String(item.arguments))).toBeTypeOf('object');
        calls.push(String(item.call_id));
        break;
      case 'function_call_output':
        expect(open).toContain(item.call_id);
        results.push(String(item.call_id));
        if (typeof item.output !== 'string') for (const part of item.output as readonly JsonObject[]) checkInput(part);
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
export function checkSdk(messages: readonly LanguageModelV4Message[], rule: RegExp): void {
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
      for (const part of message.content) {
        if (part.type === 'text') expect(part.text.trim()).not.toBe('');
        if (part.type === 'file') expect(part.data).toMatchObject({ type: 'data' });
      }
    }
  }
  expectPairs({ calls, results }, rule);
  expect(messages.at(-1)?.role).toBe('user');
}
