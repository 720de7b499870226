import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MediaPart, Message, Part } from '../../src/core/index.ts';
import { encodeCall } from '../../src/models/ai-sdk/encode.ts';
import { encodeRequest as encodeChat } from '../../src/models/chat/encode.ts';
import { type HostName, hosts } from '../../src/models/index.ts';
import { encodeRequest as encodeMessages } from '../../src/models/messages/encode.ts';
import type { Owner } from '../../src/models/provider-data.ts';
import { encodeRequest as encodeResponses } from '../../src/models/responses/encode.ts';
import { TestPrompt } from '../../src/testing/index.ts';
import { edit, history, type Kind, makers } from './histories.ts';
import { checkChat, checkMessages, checkResponses, checkSdk } from './request-rules.ts';

// A session changes its model at any step. Whoever made the history, each API must take it.

/** The media that people and tools put into a conversation. */
function mediaIn(messages: readonly Message[]): readonly MediaPart[] {
  const parts = messages
    .flatMap(({ content }) => content)
    .flatMap((part): readonly Part[] => (part.type === 'tool_result' ? part.content : [part]));
  return parts.filter((part): part is MediaPart => 'mediaType' in part);
}

/** A model is sent each medium, as itself, as its text, or as a note that it is missing: nothing is left out in silence (THR-09). */
function expectAllMedia(request: object, messages: readonly Message[]): void {
  const json = JSON.stringify(request);
  const count = (pattern: RegExp): number => (json.match(pattern) ?? []).length;
  const sent = count(/data:[a-z]+\/[a-z0-9+-]+;base64,|"input_audio":|"file_id":|"type":"base64"|"type":"data"/g);
  const told = count(/was left out here: /g) + count(/\[document [a-z/]+\]\\n/g);
  expect(sent + told).toBe(mediaIn(messages).length);
}

/** The seals of anybody else that a request holds. */
function foreignSeals(request: object, owner: Owner, kind: Kind): readonly string[] {
  const seals = JSON.stringify(request).match(/sealed<[^>]*>/g) ?? [];
  return seals.filter((seal) => seal !== `sealed<${kind} ${owner}>`);
}

/** How many of a model's own thoughts must go back: those of whole steps, before something that is sent. */
function ownSeals(messages: readonly Message[], owner: Owner, kind: Kind): number {
  const steps = messages.filter(({ role }) => role === 'assistant');
  const sent = steps.flatMap(({ content }) => content.slice(0, content.findLastIndex(({ type }) => type === 'tool_call') + 1));
  return sent.filter((part) => JSON.stringify(part).includes(`sealed<${kind} ${owner}>`)).length;
}

const wordsOf = ({ content }: Message): string => content.map((part) => (part.type === 'text' ? part.text : '')).join('');

const countSeals = (request: object): number => (JSON.stringify(request).match(/sealed</g) ?? []).length;

describe('a conversation that other models were part of', () => {
  test.each(Object.keys(hosts) as HostName[])('CC-02 MODEL-11 is valid for Chat Completions at %s', (name) => {
    const owner = makers.chat[0];
    fc.assert(
      fc.property(history, (messages) => {
        const request = encodeChat(new TestPrompt({ messages }), { model: 'm', host: hosts[name], owner });
        checkChat(name, request.messages);
        expect(foreignSeals(request, owner, 'chat')).toEqual([]);
        expectAllMedia(request, messages);
      }),
    );
  });

  test('ANT-07 ANT-10 MODEL-11 is valid for Anthropic Messages, its own thoughts with it', () => {
    const owner = makers.messages[0];
    fc.assert(
      fc.property(history, (messages) => {
        const request = encodeMessages(new TestPrompt({ messages }), { model: 'm', owner, maxOutputTokens: 9 });
        checkMessages(request.messages);
        expect(foreignSeals(request, owner, 'messages')).toEqual([]);
        expectAllMedia(request, messages);
        expect(countSeals(request)).toBeGreaterThanOrEqual(ownSeals(messages, owner, 'messages'));
      }),
    );
  });

  test('RESP-02 RESP-03 MODEL-11 is valid for OpenAI Responses, its own thoughts with it', () => {
    const owner = makers.responses[0];
    fc.assert(
      fc.property(history, (messages) => {
        const request = encodeResponses(new TestPrompt({ messages }), { model: 'm', owner });
        checkResponses(request.input);
        expect(foreignSeals(request, owner, 'responses')).toEqual([]);
        expectAllMedia(request, messages);
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
      fc.property(history, (messages) => {
        const call = encodeCall(new TestPrompt({ messages }), {
          owner,
          callIds: { refused, least, most },
          mediaInResults: least === 1,
        });
        checkSdk(call.prompt, rule);
        // Mistral's package writes whatever stands in a result out as text.
        if (least !== 1)
          for (const message of call.prompt) if (message.role === 'tool') expect(JSON.stringify(message)).not.toContain('"file"');
        expect(foreignSeals(call, owner, 'sdk')).toEqual([]);
        expectAllMedia(call, messages);
        expect(countSeals(call)).toBeGreaterThanOrEqual(ownSeals(messages, owner, 'sdk'));
      }),
    );
  });

  test.each((Object.keys(hosts) as HostName[]).filter((name) => hosts[name].continuation.how !== 'none'))(
    'INTR-10 INTR-17 CC-09 a reply of any model is gone on with at %s: its text comes last, and nothing else of it',
    (name) => {
      const owner = makers.chat[0];
      fc.assert(
        fc.property(history, edit, (messages, cut) => {
          const prompt = new TestPrompt({ messages: [...messages, cut], continue: true });
          const request = encodeChat(prompt, { model: 'm', host: hosts[name], owner });
          checkChat(name, request.messages.slice(0, -1));
          const { role, content, ...marks } = request.messages.at(-1) ?? { role: null, content: null };
          expect({ role, content }).toEqual({ role: 'assistant', content: wordsOf(cut) });
          expect(Object.keys(marks)).toEqual(hosts[name].continuation.how === 'prefix' ? ['prefix'] : []);
        }),
      );
    },
  );

  test('INTR-12 INTR-17 a reply of any model is gone on with by Anthropic Messages and by packages of the AI SDK', () => {
    fc.assert(
      fc.property(history, edit, (messages, cut) => {
        const prompt = new TestPrompt({ messages: [...messages, cut], continue: true });
        const { messages: turns } = encodeMessages(prompt, { model: 'm', owner: makers.messages[0], maxOutputTokens: 9 });
        checkMessages(turns.slice(0, -1));
        expect(turns.at(-1)).toEqual({ role: 'assistant', content: [{ type: 'text', text: wordsOf(cut).trimEnd() }] });
        const callIds = { refused: /[^a-zA-Z0-9_-]/, least: 1, most: 64 };
        const call = encodeCall(prompt, { owner: makers.sdk[0], callIds, mediaInResults: true });
        checkSdk(call.prompt.slice(0, -1), /^[a-zA-Z0-9_-]{1,64}$/);
        expect(call.prompt.at(-1)).toEqual({ role: 'assistant', content: [{ type: 'text', text: wordsOf(cut) }] });
      }),
    );
  });

  test('ATT-11 a model that is known to take no media is sent texts and notes alone', () => {
    const lacks = ['image', 'document', 'audio', 'video'] as const;
    fc.assert(
      fc.property(history, (messages) => {
        const prompt = new TestPrompt({ messages });
        const requests = [
          encodeChat(prompt, { model: 'm', host: hosts.openai, owner: makers.chat[0], lacks }),
          encodeMessages(prompt, { model: 'm', owner: makers.messages[0], maxOutputTokens: 9, lacks }),
          encodeResponses(prompt, { model: 'm', owner: makers.responses[0], lacks }),
          encodeCall(prompt, {
            owner: makers.sdk[0],
            callIds: { refused: /[^a-zA-Z0-9_-]/, least: 1, most: 64 },
            mediaInResults: true,
            lacks,
          }),
        ];
        for (const request of requests) {
          expectAllMedia(request, messages);
          expect(JSON.stringify(request)).not.toMatch(/;base64,|"file_id"|"input_audio"|"type":"(base64|data)"/);
        }
      }),
    );
  });
});
