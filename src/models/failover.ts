import {
  AllowanceError,
  type Delta,
  type Model,
  ModelError,
  type ModelMiddleware,
  type NextModel,
  type Prompt,
} from '../core/index.ts';

/** Told before each change: the place of the model that failed, from 0, how it did, and the place of the one that is asked now. */
export type OnFailover = (place: number, error: ModelError, next: number) => Promise<void> | void;

/** How `failover` asks its models. */
export interface FailoverOptions {
  /** What the model at each place is asked through, such as `retryModel()`: a model has failed when this gives up. */
  readonly through?: (place: number) => ModelMiddleware;
  readonly onFailover?: OnFailover;
  /** The place that the first prompt begins at, where a life before this one came so far; 0 by default. */
  readonly from?: number;
}

/**
 * Models as one: each prompt goes to the first, and to the next one when a model fails in a way that another one may not: it
 * is asked too often, cannot be reached, or its server fails. Only before the first delta (MW-13): what was said by one model
 * is not gone on with by another. A conversation that another model was part of is no hindrance, since each model translates
 * it for its API. Whether a reply can be continued is the first model's to say; one that cannot is then not asked.
 * @throws the last error, or at once one of another kind.
 */
export function failover(models: readonly [Model, ...Model[]], options: FailoverOptions = {}): Model {
  const { through, onFailover, from = 0 } = options;
  const [{ continues }] = models;
  const all = models.map((model, place): Asked => ({ place, model, stream: asker(model, through?.(place)) }));
  let begin = from;
  return {
    ...(continues === undefined ? {} : { continues }),
    stream: (prompt) => {
      const able = all.filter((asked) => mayAsk(asked, begin, prompt));
      begin = 0;
      const [only, ...others] = able;
      return only !== undefined && others.length === 0 ? only.stream(prompt) : ask(able, prompt, onFailover);
    },
  };
}

interface Asked {
  readonly place: number;
  readonly model: Model;
  readonly stream: NextModel;
}

function asker(model: Model, layer: ModelMiddleware | undefined): NextModel {
  const next: NextModel = (prompt) => model.stream(prompt);
  return layer === undefined ? next : (prompt) => layer.stream(prompt, next);
}

function mayAsk({ place, model }: Asked, begin: number, prompt: Prompt): boolean {
  return place === begin || (place > begin && (!prompt.continue || model.continues !== false));
}

async function* ask(
  able: readonly Asked[],
  prompt: Prompt,
  onFailover: OnFailover | undefined,
): AsyncGenerator<Delta, void, undefined> {
  for (const [at, { place, stream }] of able.entries()) {
    const next = able[at + 1];
    let passed = false;
    try {
      for await (const delta of stream(prompt)) {
        passed = true;
        yield delta;
      }
      return;
    } catch (error) {
      if (passed || next === undefined || !mayPass(error)) throw error;
      await onFailover?.(place, error, next.place);
    }
  }
}

/** True for a failure of this model, which says nothing of another one. */
function mayPass(error: unknown): error is ModelError {
  // What a rule of the host refuses, it refuses of every model.
  if (!(error instanceof ModelError) || error instanceof AllowanceError) return false;
  return error.kind === 'model_error' ? (error.status ?? 0) >= 500 : error.kind !== 'context_too_long';
}
