import { type Clock, type Model, systemClock, type Transport } from '../core/index.ts';
import { ChatCompletions, FetchTransport } from '../models/index.ts';
import { DemoModel } from '../models/demo/index.ts';
import type { Settings } from './env.ts';

/** A model as clients are told of it. `window` is in tokens, null when it is not known. */
export interface ModelDescription {
  readonly name: string;
  /** True for the built-in demo model: no language model is connected. */
  readonly demo: boolean;
  readonly window: number | null;
  /** `continues`: whether it can go on from an edited reply; null while that is not known (INTR-21). */
  readonly capabilities: { readonly continues: boolean | null };
}

/** A model that sessions may use. */
export interface ConfiguredModel {
  readonly description: ModelDescription;
  readonly model: Model;
}

/** What models are made of; each has the runtime's own as default. */
export interface ModelPorts {
  readonly transport?: Transport;
  readonly clock?: Clock;
}

/** The models that the settings give, the default one first: `openai/<model>` at the endpoint, or `demo` where there is none. */
export function configuredModels(settings: Settings, ports: ModelPorts = {}): readonly [ConfiguredModel, ...ConfiguredModel[]] {
  const { endpoint, contextWindow } = settings;
  const clock = ports.clock ?? systemClock;
  if (endpoint === null) {
    const model = new DemoModel({ clock });
    return [{ description: { name: 'demo', demo: true, window: null, capabilities: { continues: model.continues } }, model }];
  }
  const model: Model = new ChatCompletions({
    transport: ports.transport ?? new FetchTransport(),
    baseUrl: endpoint.url,
    model: endpoint.model,
    clock,
    ...(endpoint.key === null ? {} : { key: endpoint.key }),
    ...(endpoint.host === null ? {} : { host: endpoint.host }),
  });
  const capabilities = { continues: model.continues ?? null };
  const description = { name: `openai/${endpoint.model}`, demo: false, window: contextWindow, capabilities };
  return [{ description, model }];
}

/** The model of this name; the default one for null, and for a name that is configured no more (SESS-07). */
export function pickModel(models: readonly [ConfiguredModel, ...ConfiguredModel[]], wanted: string | null): ConfiguredModel {
  return models.find(({ description }) => description.name === wanted) ?? models[0];
}
