import { describe, expect, test } from 'vitest';
import type { ContentPart, MediaPart, Message, ToolResultPart } from '../../src/core/index.ts';
import { encodeRequest } from '../../src/models/chat/encode.ts';
import { type HostName, hosts } from '../../src/models/index.ts';
import { kindOf, leftOutNote, type MediaRule, resultMediaText, shownPart } from '../../src/models/media.ts';
import { TestPrompt } from '../../src/testing/index.ts';

const png: MediaPart = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' };
const wav: MediaPart = { type: 'audio', mediaType: 'audio/wav', data: 'UklGRg==' };
const pdf: MediaPart = { type: 'document', mediaType: 'application/pdf', data: 'JVBERi0=' };
const csv: MediaPart = { type: 'document', mediaType: 'text/csv', data: btoa('a,b\n1,2') };
const mp4: MediaPart = { type: 'video', mediaType: 'video/mp4', data: 'AAAA' };

describe('a part as a model is shown it', () => {
  const rule: MediaRule = { types: ['image/png', 'application/pdf'], imageLimit: 20, files: ['document'] };
  const show = (part: ContentPart, lacks: readonly MediaPart['type'][] = []): unknown =>
    shownPart(part, rule, { owner: 'lab/m', lacks });

  test('ATT-02 goes by its bytes where the API takes its type', () => {
    expect(show(png)).toEqual(png);
    expect(show(pdf)).toEqual(pdf);
  });

  test('ATT-11 a document that is text goes as text, to whichever model', () => {
    const words = { type: 'text', text: '[document text/csv]\na,b\n1,2\n[end of the document]' };
    expect(show(csv)).toEqual(words);
    expect(show(csv, ['document'])).toEqual(words);
    expect(show({ ...csv, mediaType: 'application/ld+json', data: btoa('{}') })).toMatchObject({ text: /\{\}/ });
    const { data: _, ...bare } = pdf;
    expect(show({ ...bare, chunks: ['One.', 'Two.'] })).toMatchObject({
      text: '[document application/pdf]\nOne.\n\nTwo.\n[end of the document]',
    });
  });

  test.each<[string, MediaPart, readonly MediaPart['type'][], string]>([
    ['a kind that the model lacks', png, ['image'], 'this model takes no images'],
    ['a kind that the API has not', wav, [], 'this model takes no audio'],
    ['a type that the API has not', { ...png, mediaType: 'image/tiff' }, [], 'this model does not take its type'],
    ['a type that is none of its kind', { ...png, mediaType: 'application/pdf' }, [], 'this model does not take its type'],
    ['an image that is too large', { ...png, data: 'A'.repeat(24) }, [], 'it is too large for this model'],
    ['bytes that are not here', { type: 'image', mediaType: 'image/png', blob: 'h' }, [], 'its bytes are not here'],
    [
      "another provider's file",
      { type: 'document', mediaType: 'application/pdf', providerFile: 'f', heldBy: 'other' },
      [],
      'another provider holds it',
    ],
    [
      'a file of a kind that is not taken so',
      { type: 'image', mediaType: 'image/png', providerFile: 'f', heldBy: 'lab' },
      [],
      'this model takes no images that are held elsewhere',
    ],
  ])('ATT-11 THR-09 %s is told of, never left out in silence', (_, part, lacks, why) => {
    expect(show(part, lacks)).toEqual(leftOutNote(part, why));
    expect(leftOutNote(part, why).text).toContain(`(${part.mediaType}) was left out here: ${why}.`);
  });

  test('ATT-02 a file goes by its id to the provider that holds it', () => {
    const held: MediaPart = { type: 'document', mediaType: 'application/pdf', providerFile: 'f', heldBy: 'lab' };
    expect(show(held)).toEqual({ type: 'document', mediaType: 'application/pdf', file: 'f' });
  });

  test('THR-08 every media type is of one kind', () => {
    expect(['image/png', 'audio/wav', 'video/mp4'].map(kindOf)).toEqual(['image', 'audio', 'video']);
    expect(['text/html', 'imageless/x', 'application/zip'].map(kindOf)).toEqual(['document', 'document', 'document']);
  });
});

describe('Chat Completions', () => {
  const user = (...content: readonly ContentPart[]): Message => ({ id: 'u', role: 'user', content });
  const text = (words: string): ContentPart => ({ type: 'text', text: words });
  const sent = (
    host: HostName,
    ...messages: readonly Message[]
  ): readonly { readonly role: string; readonly content?: unknown }[] =>
    encodeRequest(new TestPrompt({ messages }), { model: 'm', host: hosts[host], owner: 'openai/m' }).messages;

  test('ATT-01 media stand beside the text in the form of each kind', () => {
    expect(sent('openai', user(text('Look'), png, wav, pdf))).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
          { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
          { type: 'file', file: { filename: 'document.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
        ],
      },
    ]);
    expect(sent('openai', user(text('Hear'), { ...wav, mediaType: 'audio/mpeg' }))).toMatchObject([
      { content: [{}, { input_audio: { format: 'mp3' } }] },
    ]);
    expect(sent('vllm', user(text('Watch'), mp4))).toMatchObject([
      { content: [{}, { type: 'video_url', video_url: { url: 'data:video/mp4;base64,AAAA' } }] },
    ]);
    const { data: _, ...bare } = pdf;
    expect(sent('openai', user(text('Read'), { ...bare, providerFile: 'file-1', heldBy: 'openai' }))).toMatchObject([
      { content: [{}, { type: 'file', file: { file_id: 'file-1' } }] },
    ]);
  });

  test('CC-02 the content stays a text where nothing but text is in it', () => {
    expect(sent('generic', user(text('Read'), csv))).toEqual([
      { role: 'user', content: 'Read\n\n[document text/csv]\na,b\n1,2\n[end of the document]' },
    ]);
    expect(sent('deepseek', user(text('Look'), png))).toEqual([
      { role: 'user', content: 'Look\n\n[An image (image/png) was left out here: this model takes no images.]' },
    ]);
  });

  test('STEER-17 user messages in a row are joined, whichever of them holds media', () => {
    const parts = { look: { type: 'text', text: 'Look' }, and: { type: 'text', text: 'And?' } };
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
    expect(sent('llama_cpp', user(text('Look'), png), user(text('And?')))).toEqual([
      { role: 'user', content: [parts.look, image, parts.and] },
    ]);
    expect(sent('llama_cpp', user(text('Look')), user(text('And?'), png))).toEqual([
      { role: 'user', content: [parts.look, parts.and, image] },
    ]);
    expect(sent('llama_cpp', user(text('Look')), user(text(' '), png))).toEqual([{ role: 'user', content: [parts.look, image] }]);
  });

  describe('media in a result', () => {
    const call = (id: string) => ({ type: 'tool_call', id, name: 'look', input: {} }) as const;
    const result = (callId: string, ...content: readonly ContentPart[]): ToolResultPart => ({
      type: 'tool_result',
      callId,
      content,
      error: false,
    });
    const history: readonly Message[] = [
      user(text('Look')),
      { id: 'a', role: 'assistant', content: [call('c1'), call('c2')] },
      { id: 'r', role: 'user', content: [result('c1', text('Here:'), png), result('c2', wav)] },
    ];

    test('CC-14 go into a user message behind all results of the step, which names their origin', () => {
      const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
      expect(sent('openai', ...history).slice(2)).toEqual([
        { role: 'tool', tool_call_id: 'c1', content: 'Here:\n\n[image/png: in the next message]' },
        { role: 'tool', tool_call_id: 'c2', content: '[audio/wav: in the next message]' },
        {
          role: 'user',
          content: [
            { type: 'text', text: resultMediaText },
            image,
            { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
          ],
        },
      ]);
      // What the host does not take stays a note in the result.
      expect(sent('generic', ...history).slice(2)).toEqual([
        { role: 'tool', tool_call_id: 'c1', content: 'Here:\n\n[image/png: in the next message]' },
        {
          role: 'tool',
          tool_call_id: 'c2',
          content: '[An audio recording (audio/wav) was left out here: this model takes no audio.]',
        },
        { role: 'user', content: [{ type: 'text', text: resultMediaText }, image] },
      ]);
    });

    test('CC-14 the message keeps its bytes when the conversation goes on, by a reply or by a person', () => {
      const before = sent('openai', ...history);
      const reply: Message = { id: 'b', role: 'assistant', content: [{ type: 'text', text: 'I see.' }] };
      expect(sent('openai', ...history, reply, user(text('So?'))).slice(0, before.length)).toEqual(before);
      expect(sent('openai', ...history, user(text('So?'))).slice(0, before.length)).toEqual(before);
    });

    test('CC-03 a host that wants a reply between results and a user message gets one', () => {
      expect(sent('mistral', ...history).map(({ role }) => role)).toEqual([
        'user',
        'assistant',
        'tool',
        'tool',
        'assistant',
        'user',
      ]);
    });
  });
});
