import { describe, expect, test } from 'vitest';
import { type JsonObject, type MediaPart, type Message, type Model, type Prompt } from '../../src/core/index.ts';
import { AnthropicMessages, ChatCompletions, OpenAIResponses } from '../../src/models/index.ts';
import { type FakeResponse, FakeTransport, TestPrompt } from '../../src/testing/index.ts';
import { chunk, collect, collectUntilError, event, eventStream, hello } from './support.ts';

const png: MediaPart = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' };
const looking: Message = { id: 'u', role: 'user', content: [{ type: 'text', text: 'Look' }, png] };
const prompt = (...messages: readonly Message[]): Prompt => new TestPrompt({ messages });
const refusal = (message: string, status = 400): FakeResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ error: { message } }),
});
const said: FakeResponse = { headers: eventStream, body: hello };

function chat(responses: ConstructorParameters<typeof FakeTransport>[0]): { transport: FakeTransport; model: Model } {
  const transport = new FakeTransport(responses);
  return { transport, model: new ChatCompletions({ transport, baseUrl: 'http://model.test/v1', model: 'm' }) };
}

const userOf = ({ requests }: FakeTransport, n: number): unknown =>
  (JSON.parse(requests[n]?.body ?? '') as { messages: JsonObject[] }).messages[0]?.content;
const note = 'Look\n\n[An image (image/png) was left out here: this model takes no images.]';

describe('a server that refuses media', () => {
  test.each([
    ['llama.cpp', 500, 'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj'],
    ['vLLM', 400, 'm is not a multimodal model'],
    ['OpenAI', 400, 'Invalid content type. image_url is only supported by certain models.'],
    ['OpenRouter', 404, 'No endpoints found that support image input'],
    [
      'Groq',
      400,
      "'messages.0' : for 'role:user' the following must be satisfied[('messages.0.content' : value must be a string)]",
    ],
    ['DeepSeek', 422, 'Failed to deserialize the JSON body: messages[0]: unknown variant `image_url`, expected `text`'],
    ['Ollama', 400, 'this model is missing data required for image input'],
    ['Anthropic on a picture', 400, 'messages.0.content.1.image: Could not process image'],
    ['Anthropic on its size', 400, 'messages.0.content.1.image.source.base64: image exceeds 5 MB maximum'],
  ])('ATT-11 as %s does is asked once more with notes, before anybody sees a word', async (_, status, message) => {
    const { transport, model } = chat([refusal(message, status), said]);
    const deltas = await collect(model.stream(prompt(looking)));
    expect(deltas).toContainEqual({ type: 'text', text: 'Hello' });
    expect(userOf(transport, 0)).toMatchObject([{ text: 'Look' }, { type: 'image_url' }]);
    expect(userOf(transport, 1)).toBe(note);
  });

  test('ATT-11 is known from then on', async () => {
    const { transport, model } = chat([refusal('image input is not supported', 500), said, said]);
    expect(model.takes?.(png)).toBe(true);
    await collect(model.stream(prompt(looking)));
    expect(model.takes?.(png)).toBe(false);
    await collect(model.stream(prompt(looking)));
    expect(transport.requests).toHaveLength(3);
    expect(userOf(transport, 2)).toBe(note);
  });

  test('FAIL-14 the second refusal counts, and so does one of something else', async () => {
    const twice = chat([refusal('no images: not supported'), refusal('image input is not supported'), said]);
    expect((await collectUntilError(twice.model.stream(prompt(looking)))).error).toMatchObject({ kind: 'model_error' });
    const other = chat([refusal('temperature must be positive'), said]);
    expect((await collectUntilError(other.model.stream(prompt(looking)))).error).toMatchObject({ kind: 'model_error' });
    expect(other.transport.requests).toHaveLength(1);
    const bare = chat([refusal('image input is not supported'), said]);
    const words: Message = { id: 'u', role: 'user', content: [{ type: 'text', text: 'Hi' }] };
    expect((await collectUntilError(bare.model.stream(prompt(words)))).error).toMatchObject({ kind: 'model_error' });
    expect(bare.transport.requests).toHaveLength(1);
  });

  test('MW-13 nothing is asked again once a word was seen', async () => {
    const broken = event(chunk({ content: 'Hel' })) + event({ error: { message: 'image input is not supported' } });
    const { transport, model } = chat([{ headers: eventStream, body: broken }, said]);
    const { items, error } = await collectUntilError(model.stream(prompt(looking)));
    expect(items).toContainEqual({ type: 'text', text: 'Hel' });
    expect(error).toMatchObject({ kind: 'model_error' });
    expect(transport.requests).toHaveLength(1);
  });
});

describe('what is known before any request', () => {
  const init = { transport: new FakeTransport([]), baseUrl: 'https://api.openai.com/v1', model: 'm' };
  const pdf: MediaPart = { type: 'document', mediaType: 'application/pdf', blob: 'h' };
  const csv: MediaPart = { type: 'document', mediaType: 'text/csv', blob: 'h' };
  const mp4: MediaPart = { type: 'video', mediaType: 'video/mp4', blob: 'h' };

  test.each<[string, (lacks: readonly MediaPart['type'][]) => Model]>([
    ['Chat Completions', (lacks) => new ChatCompletions({ ...init, lacks })],
    ['Responses', (lacks) => new OpenAIResponses({ ...init, lacks })],
    ['Messages', (lacks) => new AnthropicMessages({ ...init, lacks })],
  ])('ATT-11 %s says which media it takes', (_, make) => {
    const taken = (lacks: readonly MediaPart['type'][]): unknown => [png, pdf, csv, mp4].map((part) => make(lacks).takes?.(part));
    expect(taken([])).toEqual([true, true, true, false]);
    expect(taken(['image', 'document'])).toEqual([false, false, true, false]);
  });
});
