import type { CallIdRule } from '../call-ids.ts';
import { imageTypes, type MediaRule } from '../media.ts';

/**
 * How a host continues a reply (CC-09). `last`: the edit is sent as the last message, and nothing else; `flags`: with these
 * keys beside it; `prefix`: marked with `prefix: true`, in a base path that ends in `at` when that is named; `none`: it cannot.
 */
export type Continuation =
  | { readonly how: 'last' }
  | { readonly how: 'flags'; readonly flags: { readonly [key: string]: boolean } }
  | { readonly how: 'prefix'; readonly at?: string }
  | { readonly how: 'none' };

/** Where one Chat Completions server differs from the next. Data only (CC-02): no code asks for a host by its name. */
export interface Host {
  /** Domains that mean this host; a subdomain counts. */
  readonly domains: readonly string[];
  /** Ports that mean this host, whatever the name. */
  readonly ports: readonly string[];
  /** The field that bounds the tokens of a reply. */
  readonly tokenLimit: 'max_tokens' | 'max_completion_tokens';
  /** True when usage comes only if `stream_options` asks; a host that refuses the field has false. */
  readonly asksForUsage: boolean;
  /** The fields in which reasoning may go back; the first one is the host's own. `content` stands for a list of typed parts. */
  readonly reasoningFields: readonly string[];
  /** Whether messages with calls carry their reasoning back: never, when there is some, or always, an empty one at least (CC-08). */
  readonly echoesReasoning: 'never' | 'present' | 'always';
  readonly continuation: Continuation;
  /** True when the continued text may begin with the edit itself. */
  readonly repeatsEdit: boolean;
  readonly callIds: CallIdRule;
  /** The content of an assistant message that has only calls: some templates refuse null. */
  readonly emptyContent: '' | null;
  /** True when user messages in a row are joined, for templates that demand alternation (STEER-17). */
  readonly joinsUsers: boolean;
  /** True when a user message may not follow a tool message: a short assistant message goes between. */
  readonly bridgesTools: boolean;
  /** What it takes in a user message beside text; whether the model behind it does is another question. */
  readonly media: MediaRule;
}

const anyId: CallIdRule = { refused: /[^\x21-\x7e]/, least: 1, most: 256 };
const plainId: CallIdRule = { refused: /[^a-zA-Z0-9_-]/, least: 1, most: 40 };

const images: MediaRule = { types: imageTypes, files: [] };
const sound = ['audio/wav', 'audio/mpeg'] as const;

/** A server that nothing is known of, and the ground of the local ones: what most templates take. */
const generic: Host = {
  domains: [],
  ports: [],
  tokenLimit: 'max_tokens',
  asksForUsage: true,
  reasoningFields: ['reasoning_content', 'reasoning', 'reasoning_text'],
  echoesReasoning: 'present',
  continuation: { how: 'last' },
  repeatsEdit: true,
  callIds: anyId,
  emptyContent: '',
  joinsUsers: true,
  bridgesTools: false,
  media: images,
};

/** A service with one API for all its models, which takes any order of messages. */
const service: Host = { ...generic, joinsUsers: false, repeatsEdit: false, echoesReasoning: 'never' };

/** The presets by name (`HARNESS_HOST`). */
export const hosts = {
  generic,
  openai: {
    ...service,
    domains: ['api.openai.com', 'openai.azure.com'],
    tokenLimit: 'max_completion_tokens',
    continuation: { how: 'none' },
    callIds: plainId,
    emptyContent: null,
    media: { types: [...imageTypes, ...sound, 'application/pdf'], files: ['document'] },
  },
  // Its template decides about alternation and content; a reply begins with the edit when the edit is the last message.
  llama_cpp: {
    ...generic,
    reasoningFields: ['reasoning_content'],
    media: { types: ['image/png', 'image/jpeg', 'image/gif', 'image/bmp', ...sound], files: [] },
  },
  // Both flags true is refused (INTR-11). The edit comes back only where the request asks for an echo.
  vllm: {
    ...generic,
    reasoningFields: ['reasoning', 'reasoning_content'],
    continuation: { how: 'flags', flags: { continue_final_message: true, add_generation_prompt: false } },
    repeatsEdit: false,
    media: { types: [...imageTypes, ...sound, 'video/mp4'], files: [] },
  },
  exl3: { ...generic, reasoningFields: ['reasoning_content'] },
  ollama: { ...generic, ports: ['11434'], reasoningFields: ['reasoning'] },
  openrouter: {
    ...service,
    domains: ['openrouter.ai'],
    reasoningFields: ['reasoning', 'reasoning_content'],
    echoesReasoning: 'present',
    continuation: { how: 'last' },
    callIds: { ...plainId, most: 64 },
    media: { types: [...imageTypes, ...sound, 'video/mp4', 'application/pdf'], files: [] },
  },
  // Answers 400 when a message with calls comes back without its reasoning, and to content that is no text. Continues in its beta path alone.
  deepseek: {
    ...service,
    domains: ['api.deepseek.com'],
    reasoningFields: ['reasoning_content'],
    echoesReasoning: 'always',
    continuation: { how: 'prefix', at: '/beta' },
    media: { types: [], files: [] },
  },
  groq: {
    ...service,
    domains: ['api.groq.com'],
    tokenLimit: 'max_completion_tokens',
    reasoningFields: ['reasoning'],
    media: { ...images, imageLimit: 4_000_000 },
  },
  // Sends usage unasked, refuses fields it does not know, and takes call ids of exactly nine letters and digits.
  mistral: {
    ...service,
    domains: ['api.mistral.ai'],
    asksForUsage: false,
    reasoningFields: ['content'],
    echoesReasoning: 'present',
    continuation: { how: 'prefix' },
    repeatsEdit: true,
    callIds: { refused: /[^a-zA-Z0-9]/, least: 9, most: 9 },
    bridgesTools: true,
  },
  xai: {
    ...service,
    domains: ['api.x.ai'],
    tokenLimit: 'max_completion_tokens',
    reasoningFields: ['reasoning_content'],
    continuation: { how: 'none' },
    media: { types: ['image/png', 'image/jpeg'], files: [] },
  },
  // Its models differ. Whether one goes on from an edit is not known, and its schema of messages has no field for reasoning.
  workers_ai: {
    ...service,
    domains: ['api.cloudflare.com'],
    reasoningFields: ['reasoning_content', 'reasoning'],
    continuation: { how: 'none' },
    callIds: { refused: /[^a-zA-Z0-9_.:-]/, least: 1, most: 64 },
  },
} as const satisfies { readonly [name: string]: Host };

/** The name of a preset. */
export type HostName = keyof typeof hosts;

/** The preset that a base URL means: by its domain or port, `generic` when it says nothing. */
export function hostFor(url: URL): HostName {
  const named = (name: string): name is HostName => {
    const { domains, ports }: Host = hosts[name as HostName];
    return ports.includes(url.port) || domains.some((domain) => `.${url.hostname}`.endsWith(`.${domain}`));
  };
  return Object.keys(hosts).find(named) ?? 'generic';
}
