import { describeConfiguration, type Finding } from '../config/index.ts';
import type { Settings } from './settings.ts';

const severity: { readonly [S in Finding['status']]: number } = { fail: 0, warn: 1, ok: 2 };

/** The least bytes of a secret for HS256 (RFC 7518, 3.2), and what is so short or plain that it can be guessed. */
const secretBytes = 32;
const guessableBytes = 16;
const guessableVariety = 8;

/** What there is to say of the server's own settings, its bindings and the configuration, worst first. */
export function diagnose(settings: Settings, env: object): readonly Finding[] {
  const own = [settingsCheck(settings), authCheck(settings), bindingsCheck(env)];
  return [...own, ...describeConfiguration(env).checks].toSorted((a, b) => severity[a.status] - severity[b.status]);
}

function settingsCheck({ faults }: Settings): Finding {
  return faults.length === 0
    ? { name: 'settings', status: 'ok', detail: 'All variables can be read.' }
    : {
        name: 'settings',
        status: 'fail',
        detail: `These variables cannot be read, and their defaults hold: ${faults.join(', ')}.`,
      };
}

function authCheck(settings: Settings): Finding {
  const name = 'auth';
  switch (settings.auth) {
    case null:
      return { name, status: 'fail', detail: 'AUTH must be local, token or access; until it is, nobody is let in.' };
    case 'local':
      return {
        name,
        status: 'ok',
        detail: 'AUTH=local: everybody on this machine is the operator, and nobody elsewhere is let in.',
      };
    case 'token':
      return tokenCheck(settings.secret);
    case 'access':
      return settings.accessTeam === null || settings.accessAudience.length === 0
        ? { name, status: 'fail', detail: 'AUTH=access needs ACCESS_TEAM and ACCESS_AUD.' }
        : { name, status: 'ok', detail: 'Participants come from Cloudflare Access.' };
  }
}

function tokenCheck(secret: string | null): Finding {
  const name = 'auth';
  if (secret === null)
    return { name, status: 'fail', detail: 'AUTH=token needs AUTH_SECRET; until it is set, nobody is let in.' };
  const bytes = new TextEncoder().encode(secret).length;
  const remedy = `Use ${secretBytes} random bytes, as from: openssl rand -base64 ${secretBytes}.`;
  if (bytes < guessableBytes || new Set(secret).size < guessableVariety) {
    return { name, status: 'fail', detail: `AUTH_SECRET can be guessed. ${remedy}` };
  }
  if (bytes < secretBytes) return { name, status: 'warn', detail: `AUTH_SECRET is shorter than HS256 asks for. ${remedy}` };
  return { name, status: 'ok', detail: 'Participants come from signed tokens.' };
}

function bindingsCheck(env: object): Finding {
  const missing = ['SESSIONS', 'DIRECTORY'].filter((name) => Reflect.get(env, name) === undefined);
  return missing.length === 0
    ? { name: 'bindings', status: 'ok', detail: 'All bindings are there.' }
    : { name: 'bindings', status: 'fail', detail: `These bindings are missing in wrangler.toml: ${missing.join(', ')}.` };
}
