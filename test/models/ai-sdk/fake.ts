import type { LanguageModelV3, LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { StreamPart } from '../../../src/models/ai-sdk/interface.ts';
import { Gate } from '../../../src/testing/index.ts';

/** A reply as a model object streams it; at a Gate it stalls, deaf to the signal, and an Error breaks it. */
export type Act = StreamPart | Gate | Error;

/** A model object that plays one list a call, and what it was called with. */
export interface Fake<T> {
  readonly model: T;
  readonly calls: readonly LanguageModelV4CallOptions[];
  /** True once the stream was told that nobody reads on. */
  readonly left: () => boolean;
}

/** A model object of version 4. */
export function fakeV4(...acts: readonly Act[]): Fake<LanguageModelV4> {
  const { part, calls, left } = player(acts);
  const model: LanguageModelV4 = {
    specificationVersion: 'v4',
    provider: 'lab.chat',
    modelId: 'm',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('Reins only streams.')),
    doStream: (options) => {
      calls.push(options);
      return Promise.resolve({ stream: part() });
    },
  };
  return { model, calls, left };
}

/** A model object of version 3. */
export function fakeV3(...acts: readonly Act[]): Fake<LanguageModelV3> {
  const { part, calls, left } = player(acts);
  const model: LanguageModelV3 = {
    specificationVersion: 'v3',
    provider: 'lab.chat',
    modelId: 'm',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('Reins only streams.')),
    doStream: (options) => {
      calls.push(options as unknown as LanguageModelV4CallOptions);
      return Promise.resolve({ stream: part() });
    },
  };
  return { model, calls, left };
}

function player(acts: readonly Act[]) {
  const calls: LanguageModelV4CallOptions[] = [];
  let cancelled = false;
  function part<P>(): ReadableStream<P> {
    const ahead = [...acts];
    return new ReadableStream<P>({
      async pull(controller) {
        let next = ahead.shift();
        for (; next instanceof Gate; next = ahead.shift()) await next.wait();
        if (next === undefined) controller.close();
        else if (next instanceof Error) controller.error(next);
        else controller.enqueue(next as P);
      },
      cancel() {
        cancelled = true;
      },
    });
  }
  return { part, calls, left: () => cancelled };
}
