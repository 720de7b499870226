import { Cancelled, type Clock, isObject, parseJson, type Transport, type TransportResponse } from '../../core/index.ts';
import { FetchTransport } from '../fetch-transport.ts';
import { textIn } from '../read.ts';
import { chatAnswer, thrownRefusal } from './answer.ts';

/** The part of a Worker's binding to Workers AI that a transport uses. */
export interface AiBinding {
  /** Runs a model; with `returnRawResponse` it gives the answer as it is, an error too. */
  run(
    model: string,
    inputs: object,
    options: { readonly returnRawResponse: true; readonly signal: AbortSignal },
  ): Promise<Response>;
}

/** True for what can be asked as a binding to Workers AI. */
export function isAiBinding(value: unknown): value is AiBinding {
  return typeof value === 'object' && value !== null && 'run' in value && typeof value.run === 'function';
}

/**
 * A transport for Chat Completions over a Worker's binding to Workers AI: the model of a request is named to the binding, and the rest is what it is run
 * with. Address and headers count for nothing. Every call wants the raw response, since the platform's binding keeps the options of its last call alone and
 * reads them when an earlier one is answered.
 */
export class BindingTransport implements Transport {
  readonly #ai: AiBinding;
  readonly #clock: Clock;

  constructor(ai: AiBinding, clock: Clock) {
    this.#ai = ai;
    this.#clock = clock;
  }

  /** @throws as FetchTransport. A refusal is an answer, also one that the binding throws. */
  post(url: string, headers: Readonly<Record<string, string>>, body: string, cancel: AbortSignal): Promise<TransportResponse> {
    return new FetchTransport(() => this.#answer(body, cancel)).post(url, headers, body, cancel);
  }

  async #answer(body: string, cancel: AbortSignal): Promise<Response> {
    const request = parseJson(body);
    const { model, ...inputs } = isObject(request) ? request : {};
    const answer = await this.#run(textIn(model), inputs, cancel);
    if (!cancel.aborted) return chatAnswer(answer, this.#clock.now());
    // Nobody waits for it any more.
    await answer.body?.cancel();
    throw new Cancelled();
  }

  async #run(model: string, inputs: object, signal: AbortSignal): Promise<Response> {
    try {
      return await this.#ai.run(model, inputs, { returnRawResponse: true, signal });
    } catch (error) {
      const refusal = thrownRefusal(error, this.#clock.now());
      if (refusal === null) throw error;
      return refusal;
    }
  }
}
