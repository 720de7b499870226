import { AllowanceError, type Delta, type Model, ModelError, type ModelMiddleware, type Prompt } from '../core/index.ts';

/** Told before each change: the place of the model that failed, from 0, and how it did. */
export type OnFailover = (place: number, error: ModelError) => Promise<void> | void;

/** How `failover` asks its models. */
export interface FailoverOptions {
  /** What each model is asked through, such as `retryModel()`: a model has failed when this gives up. */
  readonly through?: ModelMiddleware;
  readonly onFailover?: OnFailover;
}

/**
 * Models as one: each prompt goes to the first, and to the next one when a model fails in a way that another one may not: it
 * is asked too often, cannot be reached, or its server fails. Only before the first delta (MW-13): what was said by one model
 * is not gone on with by another. A conversation that another model was part of is no hindrance, since each model translates
 * it for its API. Whether a reply can be continued is the first model's to say; one that cannot is then not asked.
 * @throws the last error, or at once one of another kind.
 */
export function failover(models: readonly [Model, ...Model[]], options: FailoverOptions = {}): Model {
  const [{ continues }] = models;
  return {
    ...(continues === undefined ? {} : { continues }),
    stream: (prompt) => ask(models, prompt, options),
  };
}

async function* ask(
  models: readonly Model[],
  prompt: Prompt,
  { through, onFailover }: FailoverOptions,
): AsyncGenerator<Delta, void, undefined> {
  const able = [...models.entries()].filter(([place, model]) => place === 0 || !prompt.continue || model.continues !== false);
  const last = able.at(-1)?.[0];
  for (const [place, model] of able) {
    let passed = false;
    try {
      const deltas = through === undefined ? model.stream(prompt) : through.stream(prompt, (asked) => model.stream(asked));
      for await (const delta of deltas) {
        passed = true;
        yield delta;
      }
      return;
    } catch (error) {
      if (passed || place === last || !mayPass(error)) throw error;
      await onFailover?.(place, error);
    }
  }
}

/** True for a failure of this model, which says nothing of another one. */
function mayPass(error: unknown): error is ModelError {
  // What a rule of the host refuses, it refuses of every model.
  if (!(error instanceof ModelError) || error instanceof AllowanceError) return false;
  return error.kind === 'model_error' ? (error.status ?? 0) >= 500 : error.kind !== 'context_too_long';
}
