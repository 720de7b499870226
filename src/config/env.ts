import type { HostName } from '../models/index.ts';
import type { Checked } from './problem.ts';
import { type Format, isGateway, isOwn, openai, type Provider, providers, variablesOf } from './providers.ts';
import { rules, Variables } from './variables.ts';

/** Where a provider is asked. */
export interface Endpoint {
  readonly provider: Provider;
  readonly format: Format;
  readonly url: string;
  readonly key: string | null;
  /** What the AI Gateway at this URL wants beside the key. */
  readonly gatewayToken: string | null;
}

/** A model that the operator named. */
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
}

/** The settings in a Worker's variables; an empty one counts as absent. A wrong one is a problem and is never guessed at. */
export function readEnv(env: object): Checked<Settings> {
  const variables = new Variables(env);
  const values = readValues(variables);
  if (variables.problems.length > 0) return { ok: false, problems: variables.problems };
  const models = (values.names ?? []).flatMap((name) => modelOf(name, values, variables));
  checkTogether(values, models, variables);
  return variables.problems.length > 0 ? { ok: false, problems: variables.problems } : { ok: true, value: { models } };
}

/** The values of all variables, each by itself. */
interface Values {
  readonly names: readonly string[] | null;
  /** The endpoints that are connected: those with a key or a URL. */
  readonly endpoints: readonly Endpoint[];
  /** The first variable that connects one; null when none does. */
  readonly connecting: string | null;
  /** What is said of the models at the endpoint of openai. */
  readonly own: Pick<ModelSetting, 'host' | 'contextWindow' | 'maxOutputTokens'>;
  readonly format: 'chat' | 'responses' | null;
  readonly gatewayToken: string | null;
}

function readValues(variables: Variables): Values {
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
    };
    return [{ endpoint, by: url === null ? name.key : name.url }];
  });
  return {
    names: variables.read('HARNESS_MODEL', rules.models),
    endpoints: connected.map(({ endpoint }) => endpoint),
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

/**
 * The model of a name. What stands before its first slash is its provider if that is connected, else it is part of the name of
 * a model at the endpoint of openai. So is `openai/` itself where that endpoint is another server: many have such names.
 */
function modelOf(text: string, { endpoints, own }: Values, variables: Variables): readonly ModelSetting[] {
  const slash = text.indexOf('/');
  const [first, rest] = [text.slice(0, Math.max(slash, 0)), text.slice(slash + 1)];
  const named = endpoints.find(({ provider, url }) => provider.id === first && (provider !== openai || isOwn(openai, url)));
  const endpoint = named ?? endpoints.find(({ provider }) => provider === openai);
  if (endpoint === undefined) {
    missEndpoint(first, variables);
    return [];
  }
  const model = named === undefined ? text : rest;
  const { provider } = endpoint;
  const set = provider === openai ? own : { host: provider.host, contextWindow: null, maxOutputTokens: null };
  return [{ name: `${provider.id}/${model}`, model, endpoint, ...set }];
}

function missEndpoint(id: string, variables: Variables): void {
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
  const alone = own.host !== null ? 'HARNESS_HOST' : format !== null ? 'HARNESS_OPENAI_FORMAT' : null;
  const set = connecting ?? alone;
  if (names === null && set !== null) {
    if (connecting === null) variables.miss('HARNESS_OPENAI_URL', `${set} is`, rules.url);
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
