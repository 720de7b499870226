import { Agent, type Model, Runner, tool } from '@openai/agents-core';
import * as z from 'zod';
import type { Contestant } from './contestant.ts';
import { lookup, type Script, type ScriptedStep, toolName } from './script.ts';

type StreamEvent = ReturnType<Model['getStreamedResponse']> extends AsyncIterable<infer E> ? E : never;

async function* reply(step: ScriptedStep, index: number): AsyncIterable<StreamEvent> {
  yield { type: 'response_started' };
  for (const delta of step.texts) yield { type: 'output_text_delta', delta };
  // The SDK has no event of its own for the arguments of a call; they travel as what its own models hand on.
  for (const { fragments } of step.calls)
    for (const delta of fragments) yield { type: 'model', event: { type: 'response.function_call_arguments.delta', delta } };
  yield {
    type: 'response_done',
    response: {
      id: `response_${index}`,
      usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
      output: [
        {
          type: 'message',
          role: 'assistant',
          status: 'completed',
          id: `message_${index}`,
          content: [{ type: 'output_text', text: step.texts.join('') }],
        },
        ...step.calls.map(({ id, fragments }) => ({
          type: 'function_call' as const,
          callId: id,
          name: toolName,
          status: 'completed' as const,
          arguments: fragments.join(''),
        })),
      ],
    },
  };
}

function scripted(script: Script): Model {
  const steps = script.steps.entries();
  return {
    getResponse: () => Promise.reject(new Error('The script only streams.')),
    getStreamedResponse() {
      const next = steps.next().value;
      if (next === undefined) throw new Error('The script has ended.');
      return reply(next[1], next[0]);
    },
  };
}

const lookupTool = tool({
  name: toolName,
  description: 'Looks an entry up.',
  parameters: z.object({ key: z.string() }),
  execute: async ({ key }) => lookup(key),
});

/** `Runner` of the OpenAI Agents SDK, streamed and without tracing. */
export const contestant: Contestant = {
  name: 'OpenAI Agents SDK `Runner`',
  async play(script) {
    let [events, characters, results] = [0, 0, 0];
    const agent = new Agent({ name: 'scripted', model: scripted(script), tools: [lookupTool] });
    const runner = new Runner({ tracingDisabled: true });
    const answer = await runner.run(agent, 'Go.', { stream: true, maxTurns: 1000 });
    for await (const event of answer) {
      events += 1;
      if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta')
        characters += event.data.delta.length;
      else if (event.type === 'run_item_stream_event' && event.name === 'tool_output') results += 1;
    }
    return { events, characters, results };
  },
};
