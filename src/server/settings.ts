import * as z from 'zod';
import { type Limits, readLimits } from '../config/index.ts';

const words = z.string().transform((text) => text.split(/[\s,]+/).filter((word) => word !== ''));
const origins = words.pipe(z.array(z.url({ protocol: /^https?$/ }).transform((url) => new URL(url).origin)));
const team = z
  .string()
  .regex(/^(https:\/\/)?[a-z0-9-]+(\.cloudflareaccess\.com)?\/?$/i)
  .transform(
    (text) =>
      `https://${text
        .replace(/^https:\/\//i, '')
        .replace(/\/$/, '')
        .replace(/\.cloudflareaccess\.com$/i, '')}.cloudflareaccess.com`,
  );

/** What the operator set for the server. */
export interface Settings {
  /** How participants are known; null when AUTH names no way, and then nobody is. */
  readonly auth: 'local' | 'token' | 'access' | null;
  /** The secret of AUTH `token`. */
  readonly secret: string | null;
  /** The origin of the team, which is also the issuer of its tokens. */
  readonly accessTeam: string | null;
  /** The audiences of Access applications that are accepted. */
  readonly accessAudience: readonly string[];
  /** The participants of AUTH `access` that are operators, by the `sub` or `email` of their token. */
  readonly accessOperators: readonly string[];
  /** Origins beside the Worker's own, as a browser writes them. */
  readonly allowedOrigins: readonly string[];
  readonly limits: Limits;
  /** The names of variables that could not be read. */
  readonly faults: readonly string[];
}

/** The settings in a Worker's bindings. A variable that cannot be read is named in `faults`; its default holds, but AUTH has none then. */
export function readSettings(env: object): Settings {
  const faults: string[] = [];
  const read = <S extends z.ZodType>(name: string, schema: S): z.output<S> | null => {
    const value: unknown = Reflect.get(env, name);
    if (value === undefined || value === '') return null;
    const parsed = z.safeParse(schema, value);
    if (parsed.success) return parsed.data;
    faults.push(name);
    return null;
  };
  const { limits, faults: limitFaults } = readLimits(env);
  const auth = read('AUTH', z.enum(['local', 'token', 'access']));
  return {
    auth: auth === null && !faults.includes('AUTH') ? 'local' : auth,
    secret: read('AUTH_SECRET', z.string()),
    accessTeam: read('ACCESS_TEAM', team),
    accessAudience: read('ACCESS_AUD', words) ?? [],
    accessOperators: read('ACCESS_OPERATORS', words) ?? [],
    allowedOrigins: read('ALLOWED_ORIGINS', origins) ?? [],
    limits,
    faults: [...faults, ...limitFaults],
  };
}
