import { describe, expect, it } from 'vitest';
import { uploadLimit } from '../../src/session/protocol/index.ts';
import { post, refusedAs, signedIn, somebody } from './support.ts';

interface Answered {
  readonly messages: readonly {
    readonly content: readonly { readonly text: { readonly href: string; readonly bytes: number } }[];
  }[];
}

it('G-19 SESS-20 a large text is had under its href: exactly, by a reader too, and by nobody else', async () => {
  const sub = somebody();
  const send = await signedIn({ sub });
  const text = 'A line that is pasted often. '.repeat(4000);
  expect((await send('/api/sessions/paste/turn?wait', post({ message: text }))).status).toBe(200);
  const { messages } = await (await send('/api/sessions/paste')).json<Answered>();
  const page = await (await send('/api/sessions/paste/messages')).json<Answered>();
  const reference = messages[0]?.content[0]?.text;
  expect(page.messages[0]?.content[0]?.text).toEqual(reference);
  const href = reference?.href ?? '';

  const viewer = await signedIn({ sub, role: 'viewer' });
  const answer = await viewer(href);
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(await answer.text()).toBe(text);
  expect(await refusedAs(await (await signedIn())(href))).toBe('404 not_found');
  expect(await refusedAs(await send(href.replace(/.$/, 'x')))).toBe('404 not_found');
});

/** A request that uploads bytes. */
const bytes = (body: BodyInit, type?: string): RequestInit => ({
  method: 'POST',
  body,
  ...(type === undefined ? {} : { headers: { 'content-type': type } }),
});
const png = Uint8Array.from(atob('iVBORw0KGgo='), (character) => character.charCodeAt(0));

interface Uploaded {
  readonly hash: string;
  readonly bytes: number;
  readonly mediaType: string;
}

describe('an upload', () => {
  it('ATT-02 gives the hash, by which its bytes are had again and a message names it', async () => {
    const sub = somebody();
    const send = await signedIn({ sub });
    const answer = await send('/api/sessions/look/blobs', bytes(png, 'Image/PNG; q=1'));
    expect(answer.status).toBe(201);
    const uploaded = await answer.json<Uploaded>();
    expect(uploaded).toEqual({ hash: expect.stringMatching(/^[0-9a-f]{64}$/), bytes: png.length, mediaType: 'image/png' });
    const href = `/api/sessions/look/blobs/${uploaded.hash}`;
    expect(answer.headers.get('location')).toBe(href);

    const viewer = await signedIn({ sub, role: 'viewer' });
    const given = await viewer(href);
    expect(given.headers.get('content-type')).toBe('image/png');
    expect(given.headers.get('content-disposition')).toBeNull();
    expect(new Uint8Array(await given.arrayBuffer())).toEqual(png);
    expect(await refusedAs(await (await signedIn())(href))).toBe('404 not_found');

    const content = [
      { type: 'text', text: 'What is it?' },
      { type: 'image', blob: uploaded.hash },
    ];
    expect((await send('/api/sessions/look/turn?wait', post({ message: { content } }))).status).toBe(200);
  });

  it.each(['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/javascript', 'application/pdf'])(
    'ATT-02 of %s is never shown as what it says it is: it is saved, and nothing in it runs',
    async (type) => {
      const send = await signedIn();
      const { hash } = await (await send('/api/sessions/page/blobs', bytes('<script>alert(1)</script>', type))).json<Uploaded>();
      const { headers } = await send(`/api/sessions/page/blobs/${hash}`);
      expect(headers.get('content-disposition')).toBe('attachment');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain('sandbox');
    },
  );

  it('ATT-05 ATT-07 is refused before it leaves anything: empty, too large, of no type, by who may only read', async () => {
    const sub = somebody();
    const send = await signedIn({ sub });
    const path = '/api/sessions/none/blobs';
    expect(await refusedAs(await send(path, bytes('', 'image/png')))).toBe('422 attachment_empty');
    expect(await refusedAs(await send(path, { method: 'POST' }))).toBe('422 attachment_empty');
    expect(await refusedAs(await send(path, bytes(png, 'picture')))).toBe('400 bad_request');
    const large = new Uint8Array(uploadLimit + 1);
    expect(await refusedAs(await send(path, bytes(large, 'image/png')))).toBe('413 too_large');
    const viewer = await signedIn({ sub, role: 'viewer' });
    expect(await refusedAs(await viewer(path, bytes(png, 'image/png')))).toBe('403 forbidden');
    expect(await refusedAs(await send('/api/sessions/none%3A%3Asub%3A%3Aa/blobs', bytes(png, 'image/png')))).toBe(
      '403 forbidden',
    );
    const { sessions } = await (await send('/api/sessions')).json<{ sessions: unknown[] }>();
    expect(sessions).toEqual([]);
    expect((await send(path, bytes(png))).status).toBe(201);
  });
});
