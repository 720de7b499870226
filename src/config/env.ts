import { type AiBinding, type HostName, isAiBinding } from '../models/index.ts';
import type { Checked } from './problem.ts';
import {
  aiBindingName,
  defaultWorkersAiModel,
  type Format,
  isGateway,
  isOwn,
  openai,
  type Provider,
  providers,
  variablesOf,
  workersAi,
} from './providers.ts';
import { rules, Variables } from './variables.ts';

/** Where a provider is asked. */
export interface Endpoint {
  readonly provider: Provider;
  readonly format: Format;
  readonly url: string;
  readonly key: string | null;
  /** What the AI Gateway at this URL wants beside the key. */
  readonly gatewayToken: string | null;
  /** What is asked in place of the URL; null: that is. */
  readonly binding: AiBinding | null;
}

/** A model that the operator named, or that stands for one where there is a binding and no name. */
export interface ModelSetting {
  /** `<provider>/<model>`: what a session chooses it by. */
  readonly name: `${string}/${string}`;
  /** What the endpoint knows it by. */
  readonly model: string;
  readonly endpoint: Endpoint;
  /** The preset of Chat Completions; null: it follows from the URL. */
  readonly host: HostName | null;
  /** In tokens, as the operator set them; null: the operator did not. */
  readonly contextWindow: number | null;
  readonly maxOutputTokens: number | null;
}

/** What the operator set: the models, the default one first. Without any the demo model speaks. */
export interface Settings {
  readonly models: readonly ModelSetting[];
  /** The names of those that a model which fails falls over to, in their order. */
  readonly failover: readonly ModelSetting['name'][];
}

/**
 * The settings in a Worker's variables, and in its binding to Workers AI; an empty variable counts as absent. A wrong one is a problem and is never
 * guessed at.
 */
export function readEnv(env: object): Checked<Settings> {
  const variables = new Variables(env);
  const values = readValues(variables, bound(env));
  if (variables.problems.length > 0) return { ok: false, problems: variables.problems };
  const models = (values.names ?? unnamed(values)).flatMap((name) => modelOf(name, values, variables));
  checkTogether(values, models, variables);
  // Only where the models are right can it be said which of them are named.
  const failover = variables.problems.length > 0 ? [] : failoverOf(values, models, variables);
  return variables.problems.length > 0 ? { ok: false, problems: variables.problems } : { ok: true, value: { models, failover } };
}

/** The values of all variables, each by itself. */
interface Values {
  readonly names: readonly string[] | null;
  readonly failover: readonly string[] | null;
  /** The endpoints that are connected: those with a key or a URL, and the Worker's binding. */
  readonly endpoints: readonly Endpoint[];
  /** The first variable that connects one; null when none does. */
  readonly connecting: string | null;
  /** What is said of the models at the endpoint of openai. */
  readonly own: Pick<ModelSetting, 'host' | 'contextWindow' | 'maxOutputTokens'>;
  readonly format: 'chat' | 'responses' | null;
  readonly gatewayToken: string | null;
}

/** Where the Worker's binding leads; nothing where it has none, as on one's own machine. */
function bound(env: object): readonly Endpoint[] {
  const binding: unknown = Reflect.get(env, aiBindingName);
  if (!isAiBinding(binding)) return [];
  return [{ provider: workersAi, format: workersAi.format, url: workersAi.url, key: null, gatewayToken: null, binding }];
}

function readValues(variables: Variables, bindings: readonly Endpoint[]): Values {
  const format = variables.read('HARNESS_OPENAI_FORMAT', rules.format);
  const gatewayToken = variables.read('HARNESS_GATEWAY_TOKEN', rules.gatewayToken);
  const connected = providers.flatMap((provider) => {
    const name = variablesOf(provider);
    const url = variables.read(name.url, rules.url);
    const key = variables.read(name.key, rules.key);
    if (url === null && key === null) return [];
    const base = url ?? provider.url;
    const endpoint: Endpoint = {
      provider,
      format: (provider === openai ? format : null) ?? provider.format,
      url: base,
      key,
      gatewayToken: isGateway(base) ? gatewayToken : null,
      binding: null,
    };
    return [{ endpoint, by: url === null ? name.key : name.url }];
  });
  return {
    names: variables.read('HARNESS_MODEL', rules.models),
    failover: variables.read('HARNESS_FAILOVER', rules.failover),
    endpoints: [...connected.map(({ endpoint }) => endpoint), ...bindings],
    connecting: connected[0]?.by ?? null,
    own: {
      host: variables.read('HARNESS_HOST', rules.host),
      contextWindow: variables.read('HARNESS_CONTEXT_WINDOW', rules.contextWindow),
      maxOutputTokens: variables.read('HARNESS_MAX_OUTPUT_TOKENS', rules.maxOutputTokens),
    },
    format,
    gatewayToken,
  };
}

/** The names where HARNESS_MODEL has none: the default model of the binding, unless a variable wants a name. */
function unnamed(values: Values): readonly string[] {
  const binding = values.endpoints.some(({ provider }) => provider === workersAi);
  return binding && wantsName(values) === null ? [`${workersAi.id}/${defaultWorkersAiModel}`] : [];
}

/** The first variable that is nothing without HARNESS_MODEL; null when there is none. */
function wantsName({ connecting, failover, own, format }: Values): string | null {
  if (connecting !== null) return connecting;
  if (own.host !== null) return 'HARNESS_HOST';
  if (format !== null) return 'HARNESS_OPENAI_FORMAT';
  return failover === null ? null : 'HARNESS_FAILOVER';
}

/** The model of a name; none, and a problem, where its endpoint is not connected. */
function modelOf(text: string, values: Values, variables: Variables): readonly ModelSetting[] {
  const found = placeOf(text, values);
  if (found === null) {
    missEndpoint(text.slice(0, Math.max(text.indexOf('/'), 0)), variables);
    return [];
  }
  const { endpoint, model } = found;
  const { provider } = endpoint;
  const set = provider === openai ? values.own : { host: provider.host, contextWindow: null, maxOutputTokens: null };
  return [{ name: `${provider.id}/${model}`, model, endpoint, ...set }];
}

/**
 * Where the model of a name is, and what it is called there; null where its endpoint is not connected. What stands before its first slash is its
 * provider if that is connected, else it is part of the name of a model at the endpoint of openai. So is `openai/` itself where that endpoint is
 * another server: many have such names.
 */
function placeOf(text: string, { endpoints }: Values): { readonly endpoint: Endpoint; readonly model: string } | null {
  const slash = text.indexOf('/');
  const [first, rest] = [text.slice(0, Math.max(slash, 0)), text.slice(slash + 1)];
  const named = endpoints.find(({ provider, url }) => provider.id === first && (provider !== openai || isOwn(openai, url)));
  if (named !== undefined) return { endpoint: named, model: rest };
  const endpoint = endpoints.find(({ provider }) => provider === openai);
  return endpoint === undefined ? null : { endpoint, model: text };
}

/** The models that HARNESS_FAILOVER names; each must be one that HARNESS_MODEL has, so that a wrong name is found before it is needed. */
function failoverOf(values: Values, models: readonly ModelSetting[], variables: Variables): readonly ModelSetting['name'][] {
  const names = (values.failover ?? []).flatMap((text) => {
    const found = placeOf(text, values);
    return found === null ? [] : [`${found.endpoint.provider.id}/${found.model}` as const];
  });
  const known = names.filter((name, at) => names.indexOf(name) === at && models.some((model) => model.name === name));
  if (values.failover !== null && (known.length < values.failover.length || models.length === 1)) {
    variables.refuse('HARNESS_FAILOVER', rules.failover.must);
  }
  return known;
}

function missEndpoint(id: string, variables: Variables): void {
  if (id === workersAi.id) {
    const must = 'be the binding to Workers AI, as wrangler.toml has it for a deployment';
    variables.miss(aiBindingName, `HARNESS_MODEL names a model of ${id}`, { must });
    return;
  }
  const provider = providers.find((known) => known.id === id);
  if (provider === undefined) variables.miss('HARNESS_OPENAI_URL', 'HARNESS_MODEL names a model without a provider', rules.url);
  else variables.miss(variablesOf(provider).key, `HARNESS_MODEL names a model of ${id}`, rules.key);
}

/** The problems of values that contradict each other, or of which one wants another. */
function checkTogether(values: Values, models: readonly ModelSetting[], variables: Variables): void {
  const { names, endpoints, connecting, own, format, gatewayToken } = values;
  const ofOpenai = {
    HARNESS_HOST: own.host,
    HARNESS_OPENAI_FORMAT: format,
    HARNESS_CONTEXT_WINDOW: own.contextWindow,
    HARNESS_MAX_OUTPUT_TOKENS: own.maxOutputTokens,
  };
  const set = wantsName(values);
  if (names === null && set !== null) {
    if (connecting === null && set !== 'HARNESS_FAILOVER') variables.miss('HARNESS_OPENAI_URL', `${set} is`, rules.url);
    variables.miss('HARNESS_MODEL', `${set} is`, rules.models);
  }
  if (models.some(({ name, model }, at) => model === '' || models.findIndex((other) => other.name === name) < at)) {
    variables.refuse('HARNESS_MODEL', rules.models.must);
  }
  if (models.length > 0 && models.every(({ endpoint }) => endpoint.provider !== openai)) {
    for (const [name, value] of Object.entries(ofOpenai)) {
      if (value === null) continue;
      variables.refuse(name, 'be left out: it is for models at the endpoint of openai, and HARNESS_MODEL names none there');
    }
  }
  if (own.host !== null && format === 'responses') {
    variables.refuse('HARNESS_HOST', 'be left out where HARNESS_OPENAI_FORMAT is responses: it is a preset of Chat Completions');
  }
  if (gatewayToken !== null && endpoints.every((endpoint) => endpoint.gatewayToken === null)) {
    variables.refuse('HARNESS_GATEWAY_TOKEN', 'be left out: no base URL is that of an AI Gateway');
  }
}
