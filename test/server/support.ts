import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { SignJWT } from 'jose';
import { isObject, type JsonObject, randomId, silentLogger } from '../../src/core/index.ts';
import { type AppOptions, createApp } from '../../src/server/app.ts';

/** The secret that `token` signs with and that a server of `serverFor` trusts. */
export const secret = 'correct horse battery staple and then some';

/** Sends a request to the Worker's app; `path` begins with a slash. */
export type Send = (path: string, init?: RequestInit) => Promise<Response>;

/** An app with these variables beside the real bindings, at `origin`. */
export function server(
  variables: Readonly<Record<string, unknown>> = {},
  { origin = 'http://localhost:8787', ...options }: Partial<AppOptions> & { origin?: string } = {},
): Send {
  const app = createApp({ version: '0.0.0-test', logger: silentLogger, ...options });
  return async (path, init) => app.fetch(new Request(origin + path, init), { ...env, ...variables }, createExecutionContext());
}

/** An app that knows participants by token. */
export function tokenServer(variables: Readonly<Record<string, unknown>> = {}): Send {
  return server({ AUTH: 'token', AUTH_SECRET: secret, ...variables }, { origin: 'https://reins.example' });
}

/** A token of these claims. Good for an hour unless `exp` (s) says otherwise. */
export function token(claims: Readonly<Record<string, unknown>>, key = secret): Promise<string> {
  const exp = Math.floor(Date.now() / 1000) + 3600;
  return new SignJWT({ exp, ...claims }).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(key));
}

/** A participant that no other test has. */
export function somebody(): string {
  return randomId('somebody');
}

/** A sender with a token of these claims in each request; without `sub`, of somebody new. */
export async function signedIn(claims: Readonly<Record<string, unknown>> = {}, to: Send = tokenServer()): Promise<Send> {
  const authorization = `Bearer ${await token({ sub: somebody(), ...claims })}`;
  return (path, init = {}) =>
    to(path, { ...init, headers: { authorization, ...(init.headers as Record<string, string> | undefined) } });
}

/** A POST of JSON. */
export function post(body: unknown, headers: Readonly<Record<string, string>> = {}): RequestInit {
  return { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } };
}

/** The problem that an answer carries, checked for its form (RFC 9457). */
export async function problemIn(
  response: Response,
): Promise<{ readonly status: number; readonly code: unknown; readonly body: JsonObject }> {
  if (response.headers.get('content-type') !== 'application/problem+json')
    throw new Error(`no problem: ${await response.text()}`);
  const body: unknown = await response.json();
  if (!isObject(body) || body.status !== response.status) throw new Error('the problem has another status than the answer');
  return { status: response.status, code: body.code, body };
}

/** Status and code of a refusal. */
export async function refusedAs(response: Response): Promise<string> {
  const { status, code } = await problemIn(response);
  return `${status} ${String(code)}`;
}
