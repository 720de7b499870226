import { describe, expect, it } from 'vitest';
import { modes } from '../../src/config/index.ts';
import { secret, server, signedIn, token, tokenServer } from './support.ts';

interface Check {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly detail: string;
}

async function examine(
  variables: Readonly<Record<string, unknown>> = {},
): Promise<{ status: number; checks: readonly Check[]; text: string }> {
  const operator = {
    headers: {
      authorization: `Bearer ${await token({ sub: 'root', role: 'operator' }, String(variables.AUTH_SECRET ?? secret))}`,
    },
  };
  const response = await server(variables)('/api/doctor', operator);
  const text = await response.text();
  return { status: response.status, checks: (JSON.parse(text) as { checks: Check[] }).checks, text };
}

const named = (checks: readonly Check[], name: string): Check | undefined => checks.find((check) => check.name === name);
const endpoint = { HARNESS_OPENAI_URL: 'http://127.0.0.1:8080/v1', HARNESS_MODEL: 'some-model' };

describe('the doctor', () => {
  it('finds a fresh clone consistent, and says that only the demo speaks', async () => {
    const { status, checks } = await examine();
    expect(status).toBe(200);
    expect(checks.filter(({ status }) => status !== 'ok').map(({ name, status }) => `${status} ${name}`)).toEqual(['warn model']);
  });

  it('puts what is worst first', async () => {
    const { status, checks } = await examine({ ...endpoint, DIRECTORY: undefined });
    expect(status).toBe(503);
    expect(checks[0]).toMatchObject({ name: 'bindings', status: 'fail', detail: expect.stringContaining('DIRECTORY') });
    const order = checks.map(({ status }) => ['fail', 'warn', 'ok'].indexOf(status));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  it.each([
    ['short', 'fail'],
    ['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'fail'],
    ['twenty-four characters!!', 'warn'],
    [secret, 'ok'],
  ])('judges the secret %s: %s, and never repeats it', async (AUTH_SECRET, verdict) => {
    const { checks, text } = await examine({ AUTH: 'token', AUTH_SECRET });
    expect(named(checks, 'auth')?.status).toBe(verdict);
    expect(text).not.toContain(AUTH_SECRET);
  });

  it('names a variable that cannot be read, without its value', async () => {
    const { status, checks, text } = await examine({ LIMIT_COMMANDS: 'plenty', ALLOWED_ORIGINS: '*' });
    expect(status).toBe(503);
    expect(named(checks, 'settings')).toMatchObject({
      status: 'fail',
      detail: expect.stringMatching(/ALLOWED_ORIGINS, LIMIT_COMMANDS/),
    });
    expect(text).not.toContain('plenty');
  });

  it('fails for a wrong variable of the model, and repeats neither the endpoint nor its key', async () => {
    const { status, checks, text } = await examine({
      HARNESS_OPENAI_URL: 'http://10.1.2.3:8080/v1',
      HARNESS_OPENAI_KEY: 'sk-very-secret',
    });
    expect([status, named(checks, 'HARNESS_MODEL')?.status]).toEqual([503, 'fail']);
    expect(text).not.toMatch(/10\.1\.2\.3|sk-very-secret/);
  });

  it('CTXW-05 passes on what the configuration warns of, such as a server that cuts the system text', async () => {
    const { status, text } = await examine({ ...endpoint, HARNESS_HOST: 'ollama' });
    expect(status).toBe(200);
    expect(text).toMatch(/HARNESS_CONTEXT_WINDOW.*OLLAMA_CONTEXT_LENGTH/);
  });
});

describe('GET /config', () => {
  it('tells what there is to choose from', async () => {
    const send = await signedIn();
    const config = await (await send('/api/config')).json();
    expect(config).toMatchObject({
      modes: modes.map(({ name, description }) => ({ name, description })),
      models: [{ name: 'demo', demo: true }],
      tools: Object.fromEntries(modes.map(({ name, tools }) => [name, tools])),
      limits: { commandsPerMinute: 300, socketsPerMinute: 120, bodyBytes: 1_048_576 },
      shell: 'embedded',
    });
    expect(JSON.stringify(config)).not.toContain(modes[0]?.system.slice(0, 20));
  });

  it('names the connected model and neither its endpoint nor its key', async () => {
    const send = await signedIn({}, tokenServer({ ...endpoint, HARNESS_OPENAI_KEY: 'sk-very-secret' }));
    const text = await (await send('/api/config')).text();
    expect(text).toContain('"openai/some-model"');
    expect(text).not.toMatch(/127\.0\.0\.1|sk-very-secret/);
  });
});
