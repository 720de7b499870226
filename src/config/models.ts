import { type Clock, type Model, type Options, systemClock, type Transport, type Usage } from '../core/index.ts';
import { AnthropicMessages, BindingTransport, ChatCompletions, FetchTransport, OpenAIResponses } from '../models/index.ts';
import {
  type Capabilities,
  capabilitiesOf,
  costOf,
  findModel,
  type Price,
  type Rates,
  ratesOf,
  type Thinking,
} from '../models/catalog/index.ts';
import { DemoModel } from '../models/demo/index.ts';
import type { ModelSetting, Settings } from './env.ts';
import { isOwn } from './providers.ts';

/** A model as clients are told of it. What is not known is null. */
export interface ModelDescription {
  readonly name: string;
  /** True for the built-in demo model: no language model is connected. */
  readonly demo: boolean;
  /** The context window, in tokens. */
  readonly window: number | null;
  /** The longest reply, in tokens. */
  readonly output: number | null;
  readonly capabilities: {
    /** Whether it can go on from an edited reply (INTR-21). */
    readonly continues: boolean | null;
    /** Whether a prompt may hold images. */
    readonly images: boolean | null;
    /** Whether a reply may hold several calls. */
    readonly parallelCalls: boolean | null;
    /** How a request asks it to think. */
    readonly thinking: Thinking | null;
  };
  /** USD for a million tokens, as the catalogue has them; of those that hold at a time the last one counts. */
  readonly prices: readonly Price[] | null;
}

/** A model that sessions may use. */
export interface ConfiguredModel {
  readonly description: ModelDescription;
  readonly model: Model;
  /** What a turn with it is played with. */
  readonly options: Pick<Options, 'contextWindow' | 'maxOutputTokens'>;
  /** What a request with this usage cost at a time, in ms. */
  readonly charge: (usage: Usage, at: number) => Charge;
}

/** What the tokens of a request cost: the rates that held, and USD in all. Null is what is not known, which is never zero (BUD-03). */
export interface Charge {
  readonly rates: Rates | null;
  readonly cost: number | null;
}

/** What models are made of; each has the runtime's own as default. */
export interface ModelPorts {
  readonly transport?: Transport;
  readonly clock?: Clock;
}

/** The models that the settings give, the default one first, or `demo` where there is none. */
export function configuredModels(settings: Settings, ports: ModelPorts = {}): readonly [ConfiguredModel, ...ConfiguredModel[]] {
  const [first, ...others] = settings.models.map((setting) => configured(setting, ports));
  return first === undefined ? [demo(ports)] : [first, ...others];
}

/** The model of this name; the default one for null, and for a name that is configured no more (SESS-07). */
export function pickModel(models: readonly [ConfiguredModel, ...ConfiguredModel[]], wanted: string | null): ConfiguredModel {
  return models.find(({ description }) => description.name === wanted) ?? models[0];
}

/** The models of a turn: the one of this name, as `pickModel` has it, and those that it falls over to, in their order. */
export function modelsFor(
  settings: Settings,
  wanted: string | null,
  ports: ModelPorts = {},
): readonly [ConfiguredModel, ...ConfiguredModel[]] {
  const models = configuredModels(settings, ports);
  const first = pickModel(models, wanted);
  return [first, ...settings.failover.map((name) => pickModel(models, name)).filter((model) => model !== first)];
}

const noCharge: Charge = { rates: null, cost: null };

const unknown: Capabilities = { window: null, output: null, prefill: null, thinking: null, images: null, parallelCalls: null };

function demo({ clock = systemClock }: ModelPorts): ConfiguredModel {
  const model = new DemoModel({ clock });
  return { description: describe('demo', model, unknown, null), model, options: {}, charge: () => noCharge };
}

/** What the operator set wins over the catalogue, which is asked only about a provider's own endpoint: elsewhere names prove nothing. */
function configured(setting: ModelSetting, ports: ModelPorts): ConfiguredModel {
  const { name, endpoint, contextWindow, maxOutputTokens } = setting;
  const own = isOwn(endpoint.provider, endpoint.url);
  const known = own ? capabilitiesOf(name) : unknown;
  const window = contextWindow ?? known.window;
  const model = modelOf(setting, known, ports);
  const facts = { ...known, window, output: maxOutputTokens ?? known.output };
  return {
    description: describe(name, model, facts, (own ? findModel(name)?.prices : undefined) ?? null),
    model,
    options: {
      ...(window === null ? {} : { contextWindow: window }),
      ...(maxOutputTokens === null ? {} : { maxOutputTokens }),
    },
    charge: (usage, at) => (own ? { rates: ratesOf(usage, name, at), cost: costOf(usage, name, at) } : noCharge),
  };
}

function describe(name: string, model: Model, facts: Capabilities, prices: readonly Price[] | null): ModelDescription {
  const { window, output, images, parallelCalls, thinking, prefill } = facts;
  const continues = model.continues ?? (prefill === null ? null : true);
  return {
    name,
    demo: model instanceof DemoModel,
    window,
    output,
    capabilities: { continues, images, parallelCalls, thinking },
    prices,
  };
}

/** A model that is told what it is known not to do. */
function modelOf({ model, endpoint, host }: ModelSetting, known: Capabilities, ports: ModelPorts): Model {
  const { provider, format, url, key, gatewayToken, binding } = endpoint;
  const clock = ports.clock ?? systemClock;
  const init = {
    transport: binding === null ? (ports.transport ?? new FetchTransport()) : new BindingTransport(binding, clock),
    clock,
    baseUrl: url,
    model,
    ...(key === null ? {} : { key }),
    ...(gatewayToken === null ? {} : { headers: { 'cf-aig-authorization': `Bearer ${gatewayToken}` } }),
    ...(known.prefill === 'none' ? { continues: false as const } : {}),
    ...(known.images === false ? { lacks: ['image'] as const } : {}),
  };
  switch (format) {
    case 'chat':
      return new ChatCompletions({ ...init, provider: provider.id, ...(host === null ? {} : { host }) });
    case 'responses':
      return new OpenAIResponses({ ...init, provider: provider.id });
    case 'messages':
      return new AnthropicMessages({ ...init, provider: provider.id });
  }
}
