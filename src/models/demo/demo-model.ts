import {
  Cancelled,
  type Clock,
  type Delta,
  isHostNote,
  type Model,
  ModelError,
  noUsage,
  type Prompt,
  systemClock,
  UnsupportedOptionError,
} from '../../core/index.ts';
import { plan } from './plan.ts';
import { finishOf, play, words } from './play.ts';

/** What a DemoModel may be given. `pace` is in ms a word. */
export interface DemoModelInit {
  readonly clock?: Clock;
  readonly pace?: number;
}

/**
 * The model that speaks where none is connected, and says so. No network and no chance: the prompt alone decides the reply. It
 * streams word by word, 40 words a second unless told otherwise, and counts a word as a token.
 */
export class DemoModel implements Model {
  readonly continues = true;
  readonly #clock: Clock;
  readonly #pace: number;

  constructor(init: DemoModelInit = {}) {
    this.#clock = init.clock ?? systemClock;
    this.#pace = init.pace ?? 25;
  }

  /**
   * @throws ModelError when the person asked it to fail; UnsupportedOptionError for provider options under `demo`, since it
   *   has none; Cancelled at once when `prompt.cancel` fires.
   */
  async *stream(prompt: Prompt): AsyncGenerator<Delta, void, undefined> {
    if (Object.hasOwn(prompt.options.provider, 'demo'))
      throw new UnsupportedOptionError('The demo model takes no provider options.');
    const script = plan({ ...prompt, messages: prompt.messages.filter((message) => !isHostNote(message)) });
    const whole = play(script, this.#pace);
    const ticks = whole.slice(0, prompt.options.maxOutputTokens);
    for (const { ms, delta } of ticks) {
      await this.#clock.sleep(ms, prompt.cancel);
      if (prompt.cancel.aborted) throw new Cancelled();
      if (delta instanceof ModelError) throw delta;
      yield delta;
    }
    yield { type: 'usage', usage: { ...noUsage, input: sizeOf(prompt), output: ticks.length } };
    yield { type: 'finish', finish: ticks.length < whole.length ? 'length' : finishOf(script) };
  }
}

function sizeOf({ system, messages, tools }: Prompt): number {
  return words(`${system ?? ''} ${JSON.stringify(messages)} ${JSON.stringify(tools)}`).length;
}
