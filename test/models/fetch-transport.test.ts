import { describe, expect, test } from 'vitest';
import { Cancelled, ModelError } from '../../src/core/index.ts';
import { type Fetch, FetchTransport } from '../../src/models/index.ts';
import { collect, collectUntilError, rejection } from './support.ts';

const address = 'https://secret-host.example/v1/chat/completions';
const headers = { authorization: 'Bearer sk-secret' };
const never = new AbortController().signal;

const text = (chunks: readonly Uint8Array[]): string => chunks.map((bytes) => new TextDecoder().decode(bytes)).join('');

describe('a request', () => {
  test('MODEL-08 HTTP-01 posts, and gives status, headers and body', async () => {
    const seen: [string, RequestInit][] = [];
    const transport = new FetchTransport(async (url, init) => {
      seen.push([url, init]);
      return new Response('Hello', { status: 201, headers: { 'x-id': '7' } });
    });
    const response = await transport.post(address, headers, '{"a":1}', never);
    expect(seen).toMatchObject([[address, { method: 'POST', headers, body: '{"a":1}' }]]);
    expect([response.status, response.headers.get('x-id')]).toEqual([201, '7']);
    expect(text(await collect(response.body))).toBe('Hello');
  });

  test('HTTP-01 the body is read piece by piece, as it comes', async () => {
    const pulled: string[] = [];
    const source = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          pulled.push('pull');
          controller.enqueue(new TextEncoder().encode(`${pulled.length}`));
          if (pulled.length === 3) controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const response = await new FetchTransport(async () => new Response(source)).post(address, {}, '', never);
    expect(pulled).toEqual([]);
    const reader = response.body[Symbol.asyncIterator]();
    await reader.next();
    expect(pulled).toHaveLength(1);
    await reader.next();
    expect(pulled).toHaveLength(2);
  });

  test('HTTP-10 redirects are not followed: the answer is given as it is', async () => {
    const modes: unknown[] = [];
    const transport = new FetchTransport(async (_, init) => {
      modes.push(init.redirect);
      return new Response(null, { status: 307, headers: { location: 'https://elsewhere.example/' } });
    });
    expect((await transport.post(address, headers, '', never)).status).toBe(307);
    expect(modes).toEqual(['manual']);
  });

  test('HTTP-01 a response without a body has an empty one', async () => {
    const response = await new FetchTransport(async () => new Response(null, { status: 204 })).post(address, {}, '', never);
    expect(await collect(response.body)).toEqual([]);
  });
});

describe('a broken connection', () => {
  test('CC-13 is a transport error that names no address and no key', async () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:443'), { code: 'ECONNREFUSED' });
    const transport = new FetchTransport(async () => {
      throw new TypeError(`fetch failed: ${address}`, { cause });
    });
    const error = await rejection(transport.post(address, headers, '', never));
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({ kind: 'transport_error', message: expect.stringContaining('ECONNREFUSED') });
    expect(`${String(error)} ${JSON.stringify(error)}`).not.toMatch(/secret|10\.0\.0\.7/);
  });

  test('CC-13 is a transport error also in the middle of the body, after what came', async () => {
    const source = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('Hel'));
      },
      pull(controller) {
        controller.error(new Error(`terminated ${address}`));
      },
    });
    const response = await new FetchTransport(async () => new Response(source)).post(address, headers, '', never);
    const { items, error } = await collectUntilError(response.body);
    expect(text(items)).toBe('Hel');
    expect(error).toMatchObject({ kind: 'transport_error', message: expect.not.stringContaining('secret') });
  });
});

describe('cancel', () => {
  const stuck: Fetch = () => new Promise(() => {});

  test('CANC-03 HTTP-02 ends a request that does not look at its signal', async () => {
    const cancel = new AbortController();
    const posting = new FetchTransport(stuck).post(address, {}, '', cancel.signal);
    cancel.abort();
    expect(await rejection(posting)).toBeInstanceOf(Cancelled);
  });

  test('CANC-03 HTTP-02 ends the wait for a body that stalls, and closes the body', async () => {
    const closed = Promise.withResolvers<void>();
    const source = new ReadableStream<Uint8Array>({ cancel: () => closed.resolve() });
    const cancel = new AbortController();
    const response = await new FetchTransport(async () => new Response(source)).post(address, {}, '', cancel.signal);
    const reading = collect(response.body);
    cancel.abort();
    expect(await rejection(reading)).toBeInstanceOf(Cancelled);
    await closed.promise;
  });

  test('CANC-03 a signal that has fired sends nothing', async () => {
    let sent = 0;
    const transport = new FetchTransport(async () => {
      sent += 1;
      return new Response('');
    });
    expect(await rejection(transport.post(address, {}, '', AbortSignal.abort()))).toBeInstanceOf(Cancelled);
    expect(sent).toBe(0);
  });

  test('CANC-02 the signal goes to fetch', async () => {
    const cancel = new AbortController();
    const signals: unknown[] = [];
    const transport = new FetchTransport(async (_, init) => {
      signals.push(init.signal);
      return new Response('');
    });
    await transport.post(address, {}, '', cancel.signal);
    expect(signals).toEqual([cancel.signal]);
  });

  test('RUN-11 whoever stops reading closes the body', async () => {
    let closed = false;
    const source = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array([65])),
      cancel: () => {
        closed = true;
      },
    });
    const response = await new FetchTransport(async () => new Response(source)).post(address, {}, '', never);
    for await (const _ of response.body) break;
    expect(closed).toBe(true);
  });
});
