import type { ReplyAccumulator } from './accumulator.ts';
import { MisuseError } from './error.ts';
import type { Event } from './event.ts';
import type { Origins } from './failure.ts';
import type { Middleware, ModelMiddleware, NextModel } from './middleware.ts';
import type { Delta, Model } from './model.ts';
import type { Clock } from './ports.ts';
import type { Prompt } from './prompt.ts';

/** How long a model may go on after the cancel signal before it is left behind, in ms (CANC-03, CANC-10). */
const modelGrace = 250;

/** What streaming a reply needs. */
export interface ReplyPorts {
  readonly model: Model;
  readonly middleware: readonly Middleware[];
  readonly origins: Origins;
  readonly clock: Clock;
  emit(event: Event): Promise<void>;
}

/** The names of the tools that the model was shown: those of the innermost prompt (MW-10). */
export type Offered = { names: ReadonlySet<string> };

/**
 * Streams the reply to a prompt into the accumulator, through the model seam. Gives false when the cancel signal ended it first.
 * @throws what the model or a middleware threw, marked with its origin.
 */
export async function streamReply(
  ports: ReplyPorts,
  prompt: Prompt,
  accumulator: ReplyAccumulator,
  offered: Offered,
): Promise<boolean> {
  const { cancel } = prompt;
  if (cancel.aborted) return false;
  const iterator = modelChain(ports, offered)(prompt)[Symbol.asyncIterator]();
  try {
    const whole = await new Reading(iterator, cancel, accumulator, ports).whole();
    if (!whole) await leave(iterator, ports.clock);
    return whole;
  } catch (error) {
    // What breaks after the signal broke because of it, except misuse, which is never swallowed.
    if (cancel.aborted && !(error instanceof MisuseError)) return false;
    throw error;
  }
}

/** Ends the stream. A generator that is stuck in its own await answers return() only when that ends: it is waited for `modelGrace`. */
async function leave(iterator: AsyncIterator<Delta>, clock: Clock): Promise<void> {
  const over = new AbortController();
  const left = Promise.resolve(iterator.return?.()).catch(() => {});
  await Promise.race([left, clock.sleep(modelGrace, over.signal)]);
  over.abort();
}

function modelChain(ports: ReplyPorts, offered: Offered): NextModel {
  const layers = ports.middleware.filter((layer): layer is ModelMiddleware => 'stream' in layer);
  return layers.reduceRight<NextModel>(wrap, (prompt) => {
    offered.names = new Set(prompt.tools.map((tool) => tool.name));
    return marked(ports, prompt);
  });
}

/** A middleware may call next again only until it has passed a delta on; afterwards the text would be added twice (MW-13). */
function wrap(next: NextModel, layer: ModelMiddleware): NextModel {
  return async function* (prompt) {
    let called = false;
    let passed = false;
    const guarded: NextModel = (inner) => {
      if (called && passed)
        throw new MisuseError('model_called_twice', 'A middleware called next again after a delta had been passed on.');
      called = true;
      return next(inner);
    };
    for await (const delta of layer.stream(prompt, guarded)) {
      passed = true;
      yield delta;
    }
  };
}

/** The model's own deltas; what it throws is marked as the model's. Written out, since a generator in between costs more than all it passes on. */
function marked({ model, origins }: ReplyPorts, prompt: Prompt): AsyncIterable<Delta> {
  let iterator: AsyncIterator<Delta> | null = null;
  const fail = async (error: unknown): Promise<never> => {
    throw origins.mark(error, 'model');
  };
  return {
    [Symbol.asyncIterator]: () => ({
      next() {
        try {
          iterator ??= model.stream(prompt)[Symbol.asyncIterator]();
          return iterator.next().then(undefined, fail);
        } catch (error) {
          return fail(error);
        }
      },
      async return() {
        try {
          await iterator?.return?.();
          return { done: true, value: undefined };
        } catch (error) {
          throw origins.mark(error, 'model');
        }
      },
    }),
  };
}

/**
 * Reads a stream into the accumulator and leaves it when the signal fires, also while it is silent: one race for the whole stream, since one for each delta
 * costs as much as the delta.
 */
class Reading {
  readonly #iterator: AsyncIterator<Delta>;
  readonly #signal: AbortSignal;
  readonly #accumulator: ReplyAccumulator;
  readonly #ports: ReplyPorts;
  /** The model is waited for, and not the consumer: a delta that was taken is told whole. */
  #waiting = false;

  constructor(iterator: AsyncIterator<Delta>, signal: AbortSignal, accumulator: ReplyAccumulator, ports: ReplyPorts) {
    this.#iterator = iterator;
    this.#signal = signal;
    this.#accumulator = accumulator;
    this.#ports = ports;
  }

  /** Reads to the end; gives false when the signal came first. */
  async whole(): Promise<boolean> {
    let onAbort = (): void => {};
    const left = new Promise<false>((resolve) => {
      onAbort = () => {
        if (this.#waiting) resolve(false);
      };
      this.#signal.addEventListener('abort', onAbort, { once: true });
    });
    try {
      return await Promise.race([left, this.#pump()]);
    } finally {
      this.#signal.removeEventListener('abort', onAbort);
    }
  }

  async #pump(): Promise<boolean> {
    while (!this.#signal.aborted) {
      this.#waiting = true;
      const next = await this.#iterator.next();
      this.#waiting = false;
      if (this.#signal.aborted) break;
      if (next.done === true) return true;
      for (const event of this.#accumulator.add(next.value)) await this.#ports.emit(event);
    }
    return false;
  }
}
