/**
 * `npm run token -- NAME`: prints a token for AUTH=token, signed with AUTH_SECRET from the environment or from `.dev.vars`.
 * Options: `--role viewer|member|operator` (member), `--scope SCOPE` (all sessions), `--jurisdiction NAME` (none), `--hours N` (24).
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs, parseEnv } from 'node:util';
import { SignJWT } from 'jose';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    role: { type: 'string', default: 'member' },
    scope: { type: 'string' },
    jurisdiction: { type: 'string' },
    hours: { type: 'string', default: '24' },
  },
});
const { hours, ...claims } = values;
const [name, ...more] = positionals;
const secret = process.env.AUTH_SECRET ?? fromFile('AUTH_SECRET');

if (name === undefined || more.length > 0) fail('Say whom the token is for: npm run token -- NAME');
else if (!(Number(hours) > 0)) fail('--hours is a number above 0.');
else if (!['viewer', 'member', 'operator'].includes(claims.role)) fail('--role is viewer, member or operator.');
else if (secret === undefined || secret === '')
  fail('Set AUTH_SECRET, in the environment or in .dev.vars, to what the server has.');
else console.log(await mint(name, secret));

function mint(participant: string, key: string): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(participant)
    .setExpirationTime(new Date(Date.now() + Number(hours) * 3_600_000))
    .sign(new TextEncoder().encode(key));
}

function fromFile(variable: string): string | undefined {
  const file = join(import.meta.dirname, '../.dev.vars');
  return existsSync(file) ? parseEnv(readFileSync(file, 'utf8'))[variable] : undefined;
}

function fail(reason: string): void {
  console.error(reason);
  process.exitCode = 1;
}
