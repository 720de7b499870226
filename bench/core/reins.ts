import * as z from 'zod';
import { type Delta, type Model, Run, maxSteps, noUsage, textResult, tool, toolList } from '../../src/core/index.ts';
import type { Contestant } from './contestant.ts';
import { lookup, type Script, type ScriptedStep, toolName } from './script.ts';

async function* reply(step: ScriptedStep): AsyncGenerator<Delta> {
  for (const text of step.texts) yield { type: 'text', text };
  for (const [index, call] of step.calls.entries()) {
    yield { type: 'tool_call', index, id: call.id, name: toolName };
    for (const args of call.fragments) yield { type: 'tool_call', index, args };
  }
  yield { type: 'usage', usage: noUsage };
  yield { type: 'finish', finish: step.calls.length > 0 ? 'tool_calls' : 'stop' };
}

function scripted(script: Script): Model {
  const steps = script.steps.values();
  return {
    stream() {
      const step = steps.next().value;
      if (step === undefined) throw new Error('The script has ended.');
      return reply(step);
    },
  };
}

const lookupTool = tool({
  name: toolName,
  description: 'Looks an entry up.',
  input: z.object({ key: z.string() }),
  hints: { readOnly: true },
  call: ({ key }) => textResult(lookup(key)),
});

/** `Run` of src/core, its events read as a generator. */
export const contestant: Contestant = {
  name: 'Reins `Run`',
  async play(script) {
    let [events, characters, results] = [0, 0, 0];
    const run = new Run({ model: scripted(script), tools: toolList(lookupTool), stop: [maxSteps(1000)] });
    const question = { id: 'msg_1', role: 'user', content: [{ type: 'text', text: 'Go.' }] } as const;
    for await (const event of run.turn(question)) {
      events += 1;
      if (event.type === 'text_delta') characters += event.text.length;
      else if (event.type === 'tool_ended') results += 1;
    }
    return { events, characters, results };
  },
};
