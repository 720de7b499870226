import type { ConfiguredModel } from '../config/index.ts';
import type { Model, ModelErrorKind, ModelMiddleware, NextModel, Prompt } from '../core/index.ts';
import { failover, retryModel } from '../models/index.ts';
import { allowance, type Ask } from '../policy/index.ts';
import type { SessionEventBody } from './protocol/index.ts';

/** The code of the `warning` that another model is asked. */
export const failedOver = 'failed_over';

/** How far a step came with its models, as its events tell: who was asked last, how often in vain, and when again (ms). */
export interface AskedSoFar {
  readonly model: string;
  readonly tries: number;
  readonly until: number;
}

/** What clients are told while models are asked. */
export type AskingEvent = Extract<SessionEventBody, { readonly type: 'retry_scheduled' | 'warning' }>;

/** What asking needs. */
export interface AskingPorts {
  /** The model of the turn, and those that it falls over to, in their order. */
  readonly models: readonly [ConfiguredModel, ...ConfiguredModel[]];
  /** Asked before each call of a model; null: nothing is. */
  readonly ask: Ask | null;
  /** What a life before this one told of the step that is asked for first; null: nothing. */
  readonly before: AskedSoFar | null;
  tell(event: AskingEvent): void;
}

/** The models of a turn as one, and who of them was asked last: what answers is that one. */
export interface Asking {
  readonly model: Model;
  asked(): ConfiguredModel;
}

/**
 * Makes one of the models of a turn. Each is asked again when it is asked too often, and given up for the next one as `failover` has it; the
 * allowance is asked before each call. Clients are told before it happens, and a next life goes on from what they were told: a death gives no model
 * a fresh set of tries.
 */
export function asking({ models, ask, before, tell }: AskingPorts): Asking {
  const [first, ...others] = models;
  let asked = first;
  const from = models.findIndex((model) => nameOf(model) === before?.model);
  const through = (model: ConfiguredModel, place: number): ModelMiddleware => {
    const retry = retryModel({
      ...(before !== null && place === from ? { already: before } : {}),
      onWait: (after, attempt) => tell({ type: 'retry_scheduled', after, attempt, reason: 'rate_limited', model: nameOf(model) }),
    });
    const called: ModelMiddleware = {
      stream: (prompt, next) => {
        asked = model;
        return next(model === first ? prompt : sizedFor(model, prompt));
      },
    };
    return within(retry, ...(ask === null ? [] : [allowance(ask)]), called);
  };
  const model = failover([first.model, ...others.map((other) => other.model)], {
    through: (place) => through(models[place] ?? first, place),
    from: Math.max(from, 0),
    onFailover: (place, { kind }, next) => {
      const [failed, now] = [nameOf(models[place] ?? first), nameOf(models[next] ?? first)];
      tell({
        type: 'warning',
        code: failedOver,
        detail: `${failed} ${failures[kind]} (${kind}). ${now} is asked instead.`,
        model: now,
      });
    },
  });
  return { model, asked: () => asked };
}

/** How a model failed, as people read it. */
const failures: { readonly [K in ModelErrorKind]: string } = {
  rate_limited: 'takes no more requests for now',
  transport_error: 'did not answer',
  model_error: 'failed',
  context_too_long: 'cannot take a conversation of this length',
};

function nameOf({ description }: ConfiguredModel): string {
  return description.name;
}

/** The prompt with the sizes of this model, where it was made for another. */
function sizedFor({ options }: ConfiguredModel, prompt: Prompt): Prompt {
  const { contextWindow: _, maxOutputTokens: _m, ...rest } = prompt.options;
  return prompt.with({ options: { ...rest, ...options } });
}

/** Middleware as one, outermost first. */
function within(...layers: readonly ModelMiddleware[]): ModelMiddleware {
  return {
    stream: (prompt, next) =>
      layers.reduceRight<NextModel>((inner, layer) => (asked) => layer.stream(asked, inner), next)(prompt),
  };
}
