import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ModelError } from '../../src/core/index.ts';
import { eventSizeLimit, lines, type ServerSentEvent, sse } from '../../src/models/index.ts';
import { cutAt, cutEvery } from '../../src/testing/index.ts';
import { bodyOf, collect, cuttings, eventStream, rejection } from './support.ts';

async function read(chunks: readonly (string | Uint8Array)[], contentType = 'text/event-stream'): Promise<ServerSentEvent[]> {
  const headers = new Headers({ 'content-type': contentType });
  return (await collect(sse({ status: 200, headers, body: bodyOf(...chunks) }))).flat();
}

function data(...texts: readonly string[]): ServerSentEvent[] {
  return texts.map((text) => ({ event: null, data: text }));
}

const utf8 = new TextEncoder();

describe('events', { timeout: 60_000 }, () => {
  const bodies: readonly (readonly [name: string, body: string, expected: ServerSentEvent[]])[] = [
    ['LF', 'data: 1\n\ndata: 2\n\n', data('1', '2')],
    ['CRLF', 'data: 1\r\n\r\ndata: 2\r\n\r\n', data('1', '2')],
    ['CR', 'data: 1\r\rdata: 2\r\r', data('1', '2')],
    ['mixed line ends', 'data: 1\r\n\ndata: 2\r\r\ndata: 3\n\r', data('1', '2', '3')],
    ['a byte order mark', '\u{feff}data: 1\n\n', data('1')],
    ['a second byte order mark, which is text', '\u{feff}data: \u{feff}1\n\n', data('\u{feff}1')],
    ['comments', ': one\n\ndata: 1\n: two\n\n:\n\n', data('1')],
    ['several data lines', 'data: a\ndata: b\ndata\ndata:  c\n\n', data('a\nb\n\n c')],
    ['no space after the colon', 'data:{"a":1}\n\n', data('{"a":1}')],
    ['a colon in the text', 'data: a: b:c\n\n', data('a: b:c')],
    ['other fields', 'id: 7\nretry: 10\nother: x\ndata: 1\n\n', data('1')],
    ['an event without data', 'event: ping\n\ndata: 1\n\n', data('1')],
    ['a type', 'event: error\ndata: 1\n\ndata: 2\n\n', [{ event: 'error', data: '1' }, ...data('2')]],
    ['the last event without its blank line', 'data: 1\n\ndata: 2\n', data('1', '2')],
    ['the last event without any line end', 'data: 1\n\ndata: 2', data('1', '2')],
    ['the last event ended by one CR', 'data: 1\r\rdata: 2\r', data('1', '2')],
    ['a last comment', 'data: 1\n\n: bye', data('1')],
    ['nothing', '', []],
    ['a lone byte order mark', '\u{feff}', []],
    ['characters of two, three and four bytes', 'data: é€😀\n\n', data('é€😀')],
  ];

  test.each(bodies)('HTTP-05 HTTP-06 the same however the bytes are cut: %s', async (_, body, expected) => {
    for (const chunks of cuttings(body)) expect(await read(chunks)).toEqual(expected);
  });

  test('HTTP-06 a character that is cut by the end of the body becomes the replacement character', async () => {
    const cut = utf8.encode('data: é').subarray(0, -1);
    expect(await read([cut])).toEqual(data('\u{fffd}'));
  });

  test('HTTP-05 any events in any line ends come out as they went in, whatever the cuts', async () => {
    const text = fc.string({ unit: 'binary' }).map((value) => value.replaceAll(/[\r\n\u{feff}]/gu, ''));
    const events = fc.array(fc.array(text, { minLength: 1, maxLength: 3 }), { maxLength: 5 });
    const end = fc.constantFrom('\n', '\r', '\r\n');
    await fc.assert(
      fc.asyncProperty(events, end, fc.boolean(), fc.array(fc.nat(400)), async (all, lineEnd, closed, places) => {
        const blocks = all.map((dataLines) => dataLines.map((line) => `data: ${line}${lineEnd}`).join(''));
        const body = utf8.encode(blocks.join(lineEnd) + (closed ? lineEnd : ''));
        const cuts = places.filter((place) => place < body.length).sort((a, b) => a - b);
        expect(await read(cutAt(body, ...cuts))).toEqual(data(...all.map((dataLines) => dataLines.join('\n'))));
      }),
      { numRuns: 200 },
    );
  });

  test('HTTP-05 an event is given as soon as its blank line is there', async () => {
    const taken: string[] = [];
    async function* body(): AsyncGenerator<Uint8Array, void, undefined> {
      yield utf8.encode('data: 1\n\ndata: 2');
      taken.push('asked for more');
      yield utf8.encode('\n\n');
    }
    for await (const [first] of sse({ status: 200, headers: new Headers(eventStream), body: body() }))
      taken.push(first?.data ?? '');
    expect(taken).toEqual(['1', 'asked for more', '2']);
  });

  test.each(['application/json', 'text/html; charset=utf-8', 'text/event-stream-2'])(
    'HTTP-03 another content type is refused and named: %s',
    async (type) => {
      const error = await rejection(read(['data: 1\n\n'], type));
      expect(error).toBeInstanceOf(ModelError);
      expect(error).toMatchObject({ kind: 'model_error', message: expect.stringContaining(type.split(';')[0] ?? '') });
    },
  );

  test('HTTP-03 a missing content type is refused', async () => {
    const stream = collect(sse({ status: 200, headers: new Headers(), body: bodyOf('data: 1\n\n') }));
    expect(await rejection(stream)).toMatchObject({ kind: 'model_error' });
  });

  test('HTTP-03 parameters and case of the content type do not matter', async () => {
    expect(await read(['data: 1\n\n'], 'Text/Event-Stream; charset=utf-8')).toEqual(data('1'));
  });

  test('HTTP-05 an event that never ends is broken off', async () => {
    const piece = utf8.encode(`data: ${'x'.repeat(1024 * 1024)}\n`);
    const count = Math.ceil(eventSizeLimit / piece.length) + 1;
    const error = await rejection(read(['data: 1\n\n', ...Array.from({ length: count }, () => piece)]));
    expect(error).toMatchObject({ kind: 'transport_error' });
  });
});

describe('lines', () => {
  test('HTTP-04 lines end with LF or CRLF, the last one with the body, whatever the cuts', async () => {
    const body = '{"a":"é"}\r\n\n{"b":2}\n{"c":"😀"}';
    for (const chunks of cuttings(body)) {
      expect(await collect(lines(bodyOf(...chunks)))).toEqual(['{"a":"é"}', '{"b":2}', '{"c":"😀"}']);
    }
  });

  test('HTTP-04 a body that ends with a line end has no empty last line', async () => {
    expect(await collect(lines(bodyOf(...cutEvery('1\n2\n', 1))))).toEqual(['1', '2']);
  });
});
