import { Cancelled, type Delta, type Message, MisuseError, type Model, type Prompt } from '../core/index.ts';
import { finishDelta, messageDeltas, textDelta } from './deltas.ts';
import { Gate } from './gate.ts';

/** One thing that a fake model does: give a delta, or a message as its deltas; throw an error; wait at a gate. */
export type Act = Delta | Message | Error | Gate;

/**
 * What a fake model plays in one call: acts in order, or a text. A script without a finish ends with `tool_calls` when it
 * held a call, else with `stop`.
 */
export type Script = string | readonly Act[];

/** Chooses the script of a call by its prompt; `n` counts the calls from 0. */
export type Playwright = (prompt: Prompt, n: number) => Script;

/**
 * A model that plays scripts, one a call, and keeps the prompts it got (TEST-01). It sees the cancel signal before each act
 * and while it waits, and then throws Cancelled. A call past the last script throws MisuseError `script_missing`.
 */
export class FakeModel implements Model {
  /** The prompts so far, one a call. */
  readonly prompts: Prompt[] = [];
  readonly continues?: boolean;
  readonly #scripts: Playwright;
  #playing = 0;

  /** `continues` false makes it a model that is known not to continue a reply (INTR-21). */
  constructor(scripts: readonly Script[] | Playwright, options: { readonly continues?: boolean } = {}) {
    this.#scripts = typeof scripts === 'function' ? scripts : (_, n) => scripts[n] ?? missing(n);
    if (options.continues !== undefined) this.continues = options.continues;
  }

  /** How many streams have begun and not ended yet; 0 once a turn is over (RUN-11). */
  get playing(): number {
    return this.#playing;
  }

  stream(prompt: Prompt): AsyncIterable<Delta> {
    this.prompts.push(prompt);
    return this.#play(prompt, this.prompts.length - 1);
  }

  async *#play(prompt: Prompt, n: number): AsyncGenerator<Delta, void, undefined> {
    this.#playing += 1;
    try {
      const played = new Set<Delta['type']>();
      for (const act of acts(this.#scripts(prompt, n))) {
        if (prompt.cancel.aborted) throw new Cancelled();
        if (act instanceof Error) throw act;
        if (act instanceof Gate) {
          await act.wait(prompt.cancel);
          continue;
        }
        for (const delta of 'role' in act ? messageDeltas(act) : [act]) {
          played.add(delta.type);
          yield delta;
        }
      }
      if (!played.has('finish')) yield finishDelta(played.has('tool_call') ? 'tool_calls' : 'stop');
    } finally {
      this.#playing -= 1;
    }
  }
}

function acts(script: Script): readonly Act[] {
  return typeof script === 'string' ? [textDelta(script)] : script;
}

function missing(n: number): never {
  throw new MisuseError('script_missing', `The fake model was called ${n + 1} times and has no script for the last call.`);
}
