import type { Contestant } from './contestant.ts';
import { lookup, type ScriptedStep } from './script.ts';

async function* reply(step: ScriptedStep): AsyncGenerator<{ readonly text?: string; readonly json?: string }> {
  for (const text of step.texts) yield { text };
  for (const call of step.calls) for (const json of call.fragments) yield { json };
}

/** The floor: the same deltas read from a bare generator, calls answered by a bare function. It checks, keeps and tells nothing. */
export const contestant: Contestant = {
  name: 'bare generator',
  async play(script) {
    let [events, characters, results] = [0, 0, 0];
    for (const step of script.steps) {
      for await (const { text } of reply(step)) {
        events += 1;
        characters += text?.length ?? 0;
      }
      for (const call of step.calls) results += lookup(call.key) === '' ? 0 : 1;
    }
    return { events, characters, results };
  },
};
