import type { LanguageModelV4, LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider';
import { stepCountIs, streamText, tool } from 'ai';
import * as z from 'zod';
import type { Contestant } from './contestant.ts';
import { lookup, type Script, type ScriptedStep, toolName } from './script.ts';

const usage: LanguageModelV4Usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};

function* reply(step: ScriptedStep): Generator<LanguageModelV4StreamPart> {
  yield { type: 'stream-start', warnings: [] };
  yield { type: 'text-start', id: 'text' };
  for (const delta of step.texts) yield { type: 'text-delta', id: 'text', delta };
  yield { type: 'text-end', id: 'text' };
  for (const { id, fragments } of step.calls) {
    yield { type: 'tool-input-start', id, toolName };
    for (const delta of fragments) yield { type: 'tool-input-delta', id, delta };
    yield { type: 'tool-input-end', id };
    yield { type: 'tool-call', toolCallId: id, toolName, input: fragments.join('') };
  }
  const called = step.calls.length > 0;
  yield { type: 'finish', usage, finishReason: { unified: called ? 'tool-calls' : 'stop', raw: undefined } };
}

function scripted(script: Script): LanguageModelV4 {
  const steps = script.steps.values();
  return {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('The script only streams.')),
    doStream: async () => {
      const step = steps.next().value;
      if (step === undefined) throw new Error('The script has ended.');
      const parts = reply(step);
      const stream = new ReadableStream<LanguageModelV4StreamPart>({
        start(controller) {
          for (const part of parts) controller.enqueue(part);
          controller.close();
        },
      });
      return { stream };
    },
  };
}

const tools = {
  [toolName]: tool({
    description: 'Looks an entry up.',
    inputSchema: z.object({ key: z.string() }),
    execute: async ({ key }) => lookup(key),
  }),
};

/** `streamText` of the AI SDK with tools, its parts read as `fullStream`. */
export const contestant: Contestant = {
  name: 'AI SDK `streamText`',
  async play(script) {
    let [events, characters, results] = [0, 0, 0];
    const answer = streamText({ model: scripted(script), tools, prompt: 'Go.', stopWhen: stepCountIs(1000) });
    for await (const part of answer.fullStream) {
      events += 1;
      if (part.type === 'text-delta') characters += part.text.length;
      else if (part.type === 'tool-result') results += 1;
    }
    return { events, characters, results };
  },
};
