import * as z from 'zod';
import { type HostName, hosts } from '../models/chat/hosts.ts';
import type { ConfigProblem } from './problem.ts';

/** What a variable may hold, and how that is said: `<name> must <must>.` */
export interface Rule<T> {
  readonly shape: z.ZodType<T>;
  readonly must: string;
}

const names = z
  .string()
  .transform((text) => text.split(',').map((name) => name.trim()))
  .pipe(z.array(z.string().min(1).max(200)));
const tokens = z
  .string()
  .regex(/^[1-9]\d{0,8}$/)
  .transform(Number);
const secret = z.string().regex(/^[\x21-\x7e]+$/);
const hostNames = Object.keys(hosts) as [HostName, ...HostName[]];

/** The rules of the variables that choose models. */
export const rules = {
  url: {
    shape: z.url({ protocol: /^https?$/ }).refine((url) => !/\/(chat\/completions|responses|messages)\b/.test(url)),
    must: 'be the base URL of an endpoint, up to the version path, such as http://127.0.0.1:8080/v1',
  },
  key: { shape: secret, must: 'be the key of that endpoint, without white space' },
  models: {
    shape: names,
    must: 'be the name of a model, or several names separated by commas, the default one first and none of them twice',
  },
  failover: {
    shape: names,
    must: 'be names of HARNESS_MODEL, in the order in which they are asked, separated by commas, none of them twice, and not the only one that it has',
  },
  format: { shape: z.enum(['chat', 'responses']), must: 'be one of chat, responses' },
  host: { shape: z.enum(hostNames), must: `be one of ${hostNames.join(', ')}` },
  contextWindow: { shape: tokens, must: "be the model's window: a positive whole number of tokens" },
  maxOutputTokens: { shape: tokens, must: 'be the longest reply: a positive whole number of tokens' },
  gatewayToken: { shape: secret, must: 'be the token of an AI Gateway, without white space' },
} as const satisfies { readonly [name: string]: Rule<unknown> };

/** Reads a Worker's variables and keeps every problem with them. No problem repeats a value, which may be secret. */
export class Variables {
  readonly problems: ConfigProblem[] = [];
  readonly #env: { readonly [name: string]: unknown };

  constructor(env: object) {
    this.#env = env as { readonly [name: string]: unknown };
  }

  /** The value of a variable; null when it is absent or empty, and when it breaks its rule, which is a problem. */
  read<T>(name: string, { shape, must }: Rule<T>): T | null {
    const value = this.#env[name];
    if (value === undefined || value === '') return null;
    const parsed = z.safeParse(shape, value);
    if (parsed.success) return parsed.data;
    this.refuse(name, must);
    return null;
  }

  /** The problem that a variable holds what it must not. */
  refuse(where: string, must: string): void {
    this.problems.push({ code: 'variable_invalid', where, message: `${where} must ${must}.` });
  }

  /** The problem that a variable is missing, told once. `since` says what asks for it. */
  miss(where: string, since: string, { must }: Pick<Rule<unknown>, 'must'>): void {
    if (this.problems.some((problem) => problem.where === where)) return;
    const message = `${where} must be set too, since ${since}: it must ${must}.`;
    this.problems.push({ code: 'variable_missing', where, message });
  }
}
