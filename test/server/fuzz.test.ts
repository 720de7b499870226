import { runInDurableObject } from 'cloudflare:test';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sessionOf } from '../../src/server/objects.ts';
import { type CommandType, statusOf } from '../../src/session/protocol/index.ts';
import { env } from 'cloudflare:workers';
import { internal, samples, wildBody, wildText } from '../session/hostile.ts';
import { fakeChat } from '../session/support.ts';
import { problemIn, signedIn, somebody } from './support.ts';

fakeChat({ LIMIT_COMMANDS: '1000000', LIMIT_SOCKETS: '1000000' });

const commands = Object.keys(samples).filter((name) => name !== 'patch' && name !== 'deny_all') as CommandType[];

/** A piece of a path or of a query: percent-encoded rightly, wrongly, or not at all. */
const piece: fc.Arbitrary<string> = fc.oneof(
  wildText.map((text) => encodeURIComponent(text.toWellFormed()).slice(0, 3000)),
  fc.constantFrom(
    '%',
    '%zz',
    '%E0%A4%A',
    '%00',
    '..',
    '%2e%2e',
    '%2F',
    '-',
    '*',
    '::sub::',
    'a%3A%3Asub%3A%3Ab',
    '1e400',
    '-1',
    '1.0',
  ),
);

/** A path of the API, most often of a session whose scope is in order. */
const path: fc.Arbitrary<string> = fc
  .record({
    scope: fc.oneof({ weight: 4, arbitrary: fc.constant('work') }, { weight: 1, arbitrary: piece }),
    below: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...commands, 'pending/deny-all') },
      { weight: 2, arbitrary: fc.constantFrom('', 'messages', 'events', 'socket') },
      { weight: 1, arbitrary: fc.tuple(fc.constantFrom('inbox', 'blobs', 'files'), piece).map((parts) => parts.join('/')) },
      { weight: 1, arbitrary: piece },
    ),
    elsewhere: fc.oneof(
      { weight: 6, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.oneof(fc.constantFrom('sessions', 'feed', 'config', 'doctor', 'openapi.json'), piece) },
    ),
    query: fc.array(fc.tuple(fc.constantFrom('cursor', 'limit', 'q', 'before', 'wait', '__proto__'), piece), { maxLength: 2 }),
  })
  .map(({ scope, below, elsewhere, query }) => {
    const whole = elsewhere ?? `sessions/${scope}${below === '' ? '' : `/${below}`}`;
    return `/api/${whole}?${query.map(([name, value]) => `${name}=${value}`).join('&')}`;
  });

const headers = fc.dictionary(
  fc.constantFrom(
    'accept',
    'origin',
    'reins-client',
    'last-event-id',
    'content-type',
    'upgrade',
    'sec-websocket-protocol',
    'range',
    'reins-identity',
  ),
  fc.oneof(
    fc.constantFrom(
      '',
      'text/event-stream',
      'application/x-ndjson;q=0.9, */*;q=x',
      'websocket',
      ';;;,,,q=',
      'null',
      'https://evil.example',
      '1.1',
    ),
    fc.stringMatching(/^[\x21-\x7e]{0,60}$/),
  ),
  { maxKeys: 2 },
);

const request = fc.record({
  method: fc.oneof(
    { weight: 4, arbitrary: fc.constant('POST') },
    { weight: 3, arbitrary: fc.constantFrom('GET', 'PATCH', 'PUT', 'HEAD', 'OPTIONS') },
  ),
  path,
  headers,
  body: fc.constantFrom(...commands).chain((command) => wildBody(command)),
});

describe('a client gone mad', () => {
  it('gets an answer or a problem of the table, and makes nothing of an address that was never used', async () => {
    let sub = somebody();
    let send = await signedIn({ sub });
    await fc.assert(
      fc.asyncProperty(request, async ({ method, path, headers, body }) => {
        const response = await send(path, { method, headers, ...(method === 'GET' || method === 'HEAD' ? {} : { body }) });
        response.webSocket?.accept();
        response.webSocket?.close();
        if (response.status >= 400 && method !== 'HEAD') {
          const { code, body: problem, status } = await problemIn(response);
          expect(status).toBe(statusOf[code as keyof typeof statusOf]);
          expect(['internal', 'unavailable', 'rate_limited']).not.toContain(code);
          expect(JSON.stringify(problem)).not.toMatch(internal);
          expect(JSON.stringify(problem).length).toBeLessThan(10_000);
        } else await response.body?.cancel();
        if (response.status < 300 && method !== 'GET') {
          // Something may have begun: go on where nothing has.
          sub = somebody();
          send = await signedIn({ sub });
          return;
        }
        const session = sessionOf(env, { participant: sub, jurisdiction: null } as Parameters<typeof sessionOf>[1], 'work');
        expect(
          await runInDurableObject(session, (_, { storage }) => storage.sql.exec('SELECT name FROM sqlite_master').toArray()),
        ).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });
});
