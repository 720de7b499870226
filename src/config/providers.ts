import type { HostName } from '../models/index.ts';

/** How an API is spoken to: Chat Completions, OpenAI Responses, Anthropic Messages. */
export type Format = 'chat' | 'responses' | 'messages';

/** A service that models are asked at. Its variables are `HARNESS_<ID>_KEY` and `HARNESS_<ID>_URL`. */
export interface Provider {
  /** As in `<provider>/<model>`, and as the catalogue knows it. */
  readonly id: string;
  /** The base URL where no other one is set. */
  readonly url: string;
  readonly format: Format;
  /** The preset of Chat Completions, wherever the base URL leads; null: it follows from the URL. */
  readonly host: HostName | null;
  /** What it is called in the path of an AI Gateway. */
  readonly gateway: string;
}

/** The provider at whose endpoint a model is that names none: any server that speaks its API, too. */
export const openai = {
  id: 'openai',
  url: 'https://api.openai.com/v1',
  format: 'chat',
  host: null,
  gateway: 'openai',
} as const satisfies Provider;

/** The providers that variables connect. Data only: another one is one more line, here and in docs/configuration.md. */
export const providers: readonly Provider[] = [
  openai,
  { id: 'anthropic', url: 'https://api.anthropic.com/v1', format: 'messages', host: null, gateway: 'anthropic' },
  { id: 'openrouter', url: 'https://openrouter.ai/api/v1', format: 'chat', host: 'openrouter', gateway: 'openrouter' },
  { id: 'groq', url: 'https://api.groq.com/openai/v1', format: 'chat', host: 'groq', gateway: 'groq' },
  { id: 'mistral', url: 'https://api.mistral.ai/v1', format: 'chat', host: 'mistral', gateway: 'mistral' },
  { id: 'deepseek', url: 'https://api.deepseek.com/v1', format: 'chat', host: 'deepseek', gateway: 'deepseek' },
  { id: 'xai', url: 'https://api.x.ai/v1', format: 'chat', host: 'xai', gateway: 'grok' },
];

/** Workers AI, which a binding of the Worker connects and no variable. The address stands for the binding and is never asked. */
export const workersAi = {
  id: 'workers-ai',
  url: 'https://workers-ai.invalid/v1',
  format: 'chat',
  host: 'workers_ai',
  gateway: 'workers-ai',
} as const satisfies Provider;

/** The name of the binding to Workers AI in `wrangler.toml`. */
export const aiBindingName = 'AI';

/** The model of Workers AI that speaks where no variable says which: one that calls tools, in a large window, at a low price. */
export const defaultWorkersAiModel = '@cf/zai-org/glm-4.7-flash';

/** The variables of a provider. */
export function variablesOf({ id }: Provider): { readonly key: string; readonly url: string } {
  const prefix = `HARNESS_${id.toUpperCase()}`;
  return { key: `${prefix}_KEY`, url: `${prefix}_URL` };
}

/** True for the address of a Cloudflare AI Gateway. */
export function isGateway(url: string): boolean {
  return new URL(url).hostname === 'gateway.ai.cloudflare.com';
}

/** True when a base URL leads to the provider itself, by its own domain or through an AI Gateway, and so to the models it is known for. */
export function isOwn({ url, gateway }: Provider, base: string): boolean {
  const { hostname, pathname } = new URL(base);
  // /v1/<account>/<gateway>/<provider>
  return hostname === new URL(url).hostname || (isGateway(base) && pathname.split('/')[4] === gateway);
}

/** True when a base URL is at one of these services, which all want a key. */
export function wantsKey(base: string): boolean {
  const { hostname } = new URL(base);
  return providers.some(({ url }) => new URL(url).hostname === hostname);
}
