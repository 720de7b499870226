import type { AiBinding } from '../../../src/models/index.ts';

/** What a binding was asked to run. */
export interface FakeRun {
  readonly model: string;
  readonly inputs: object;
  readonly options: Parameters<AiBinding['run']>[2];
}

/** A binding to Workers AI that answers as it is told, once a run, and keeps what it was asked. An Error is thrown. */
export class FakeBinding implements AiBinding {
  readonly runs: FakeRun[] = [];
  readonly #answers: readonly (Response | Error | Promise<Response>)[];

  constructor(...answers: readonly (Response | Error | Promise<Response>)[]) {
    this.#answers = answers;
  }

  async run(model: string, inputs: object, options: FakeRun['options']): Promise<Response> {
    this.runs.push({ model, inputs, options });
    const answer = await this.#answers[this.runs.length - 1];
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error('There is no answer for this run.');
    return answer;
  }
}
