import * as z from 'zod';
import { type HostName, hosts } from '../models/chat/hosts.ts';
import type { Checked, ConfigProblem } from './problem.ts';

const tokens = z
  .string()
  .regex(/^[1-9]\d{0,8}$/)
  .transform(Number);
const hostNames = Object.keys(hosts) as [HostName, ...HostName[]];

/** The Worker's variables that choose the model: the shape of each, and what its value must be. */
const variables = {
  HARNESS_OPENAI_URL: {
    shape: z.url({ protocol: /^https?$/ }).refine((url) => !url.includes('/chat/completions')),
    must: 'be the base URL of a Chat Completions endpoint, up to the version path, such as http://127.0.0.1:8080/v1',
  },
  HARNESS_MODEL: { shape: z.string().trim().min(1).max(200), must: 'be the name of a model at that endpoint' },
  HARNESS_OPENAI_KEY: { shape: z.string().regex(/^[\x21-\x7e]+$/), must: 'be the key of that endpoint, without white space' },
  HARNESS_HOST: { shape: z.enum(hostNames), must: `be one of ${hostNames.join(', ')}` },
  HARNESS_CONTEXT_WINDOW: { shape: tokens, must: "be the model's window: a positive whole number of tokens" },
  HARNESS_MAX_OUTPUT_TOKENS: { shape: tokens, must: 'be the longest reply: a positive whole number of tokens' },
} as const;

type Variable = keyof typeof variables;

/** A Chat Completions endpoint. `host` is the preset to use; null: it follows from the URL. */
export interface Endpoint {
  readonly url: string;
  readonly model: string;
  readonly key: string | null;
  readonly host: HostName | null;
}

/** What the operator set. Without an endpoint the demo model speaks. Tokens; null: not known, the provider's default. */
export interface Settings {
  readonly endpoint: Endpoint | null;
  readonly contextWindow: number | null;
  readonly maxOutputTokens: number | null;
}

/** The settings in a Worker's variables; an empty one counts as absent. A wrong one is a problem and is never guessed at. */
export function readEnv(env: object): Checked<Settings> {
  const problems: ConfigProblem[] = [];
  const read = <V extends Variable>(name: V): z.output<(typeof variables)[V]['shape']> | null => {
    const value = (env as { readonly [name: string]: unknown })[name];
    if (value === undefined || value === '') return null;
    const { shape, must } = variables[name];
    const parsed = z.safeParse(shape, value);
    if (parsed.success) return parsed.data as z.output<(typeof variables)[V]['shape']>;
    problems.push({ code: 'variable_invalid', where: name, message: `${name} must ${must}.` });
    return null;
  };
  const url = read('HARNESS_OPENAI_URL');
  const model = read('HARNESS_MODEL');
  const key = read('HARNESS_OPENAI_KEY');
  const host = read('HARNESS_HOST');
  const contextWindow = read('HARNESS_CONTEXT_WINDOW');
  const maxOutputTokens = read('HARNESS_MAX_OUTPUT_TOKENS');
  if (problems.length > 0) return { ok: false, problems };

  const named = { HARNESS_OPENAI_URL: url, HARNESS_MODEL: model, HARNESS_OPENAI_KEY: key, HARNESS_HOST: host };
  const [set] = Object.entries(named).flatMap(([name, value]) => (value === null ? [] : [name]));
  for (const name of ['HARNESS_OPENAI_URL', 'HARNESS_MODEL'] as const) {
    if (set === undefined || named[name] !== null) continue;
    problems.push({
      code: 'variable_missing',
      where: name,
      message: `${name} must be set too, since ${set} is: it must ${variables[name].must}.`,
    });
  }
  if (problems.length > 0) return { ok: false, problems };
  const endpoint = url === null || model === null ? null : { url, model, key, host };
  return { ok: true, value: { endpoint, contextWindow, maxOutputTokens } };
}
