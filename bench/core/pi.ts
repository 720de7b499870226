import { type AgentLoopConfig, type AgentTool, agentLoop, type StreamFn } from '@earendil-works/pi-agent-core';
import {
  type AssistantMessage,
  type AssistantMessageEventStream,
  createAssistantMessageEventStream,
  type Model,
} from '@earendil-works/pi-ai';
import type { Contestant } from './contestant.ts';
import { lookup, type Script, type ScriptedStep, toolName } from './script.ts';

const model: Model<'openai-completions'> = {
  id: 'scripted',
  name: 'scripted',
  api: 'openai-completions',
  provider: 'scripted',
  baseUrl: 'http://model.invalid/v1',
  input: ['text'],
  reasoning: false,
  contextWindow: 1_000_000,
  maxTokens: 100_000,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
};

const noCost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

/** Keeps the message so far in place, as the providers of pi-ai do. */
function reply(step: ScriptedStep): AssistantMessageEventStream {
  const stream = createAssistantMessageEventStream();
  const partial: AssistantMessage = {
    role: 'assistant',
    content: [],
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: noCost },
    stopReason: 'stop',
    timestamp: Date.now(),
  };
  stream.push({ type: 'start', partial });
  const text = { type: 'text' as const, text: '' };
  partial.content.push(text);
  stream.push({ type: 'text_start', contentIndex: 0, partial });
  for (const delta of step.texts) {
    text.text += delta;
    stream.push({ type: 'text_delta', contentIndex: 0, delta, partial });
  }
  stream.push({ type: 'text_end', contentIndex: 0, content: text.text, partial });
  for (const { id, fragments } of step.calls) {
    const toolCall = { type: 'toolCall' as const, id, name: toolName, arguments: {} };
    const contentIndex = partial.content.push(toolCall) - 1;
    stream.push({ type: 'toolcall_start', contentIndex, partial });
    for (const delta of fragments) stream.push({ type: 'toolcall_delta', contentIndex, delta, partial });
    toolCall.arguments = JSON.parse(fragments.join('')) as object;
    stream.push({ type: 'toolcall_end', contentIndex, toolCall, partial });
  }
  const reason = step.calls.length > 0 ? 'toolUse' : 'stop';
  partial.stopReason = reason;
  stream.push({ type: 'done', reason, message: partial });
  return stream;
}

function scripted(script: Script): StreamFn {
  const steps = script.steps.values();
  return () => {
    const step = steps.next().value;
    if (step === undefined) throw new Error('The script has ended.');
    return reply(step);
  };
}

const lookupTool: AgentTool = {
  name: toolName,
  label: 'Look up',
  description: 'Looks an entry up.',
  parameters: { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] },
  execute: async (_id, params) => ({
    content: [{ type: 'text', text: lookup((params as { key: string }).key) }],
    details: undefined,
  }),
};

const config: AgentLoopConfig = { model, convertToLlm: (messages) => messages };

/** `agentLoop` of pi-agent-core, its events read as a stream. */
export const contestant: Contestant = {
  name: 'pi-agent-core `agentLoop`',
  async play(script) {
    let [events, characters, results] = [0, 0, 0];
    const question = { role: 'user' as const, content: 'Go.', timestamp: Date.now() };
    const context = { messages: [], tools: [lookupTool] };
    for await (const event of agentLoop([question], context, config, undefined, scripted(script))) {
      events += 1;
      if (event.type === 'message_update' && event.assistantMessageEvent.type === 'text_delta')
        characters += event.assistantMessageEvent.delta.length;
      else if (event.type === 'tool_execution_end') results += 1;
    }
    return { events, characters, results };
  },
};
