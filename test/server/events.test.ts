import { describe, expect, it } from 'vitest';
import { post, type Send, signedIn } from './support.ts';

/** The first server-sent event of a stream, which is then left. */
async function firstOf(response: Response): Promise<string> {
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('\n\n')) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) throw new Error('the stream ended early');
    text += value;
  }
  await reader?.cancel();
  return text.slice(0, text.indexOf('\n\n'));
}

/** Runs a turn to its end; gives the cursor that stands before it. */
async function ran(send: Send): Promise<{ epoch: string; seq: number }> {
  const body = { message: 'ask me an open question', id: 'once' };
  await send('/api/sessions/work/turn?wait', post(body));
  const { cursor } = await (await send('/api/sessions/work/turn', post(body))).json<{ cursor: string }>();
  const [epoch = '', seq = ''] = cursor.split('.');
  return { epoch, seq: Number(seq) };
}

describe('GET /sessions/:scope/events', () => {
  it('begins with a snapshot when no cursor is given, or one that cannot be read', async () => {
    const send = await signedIn();
    for (const query of ['', '?cursor=yesterday']) {
      const first = await firstOf(await send(`/api/sessions/work/events${query}`));
      expect(first).toMatch(/^id: \d+\.\d+\nevent: snapshot\ndata: \{"scope":"work"/);
    }
  });

  it('goes on after a cursor, and after Last-Event-ID before that', async () => {
    const send = await signedIn();
    const { epoch, seq } = await ran(send);
    const path = `/api/sessions/work/events?cursor=${epoch}.${seq}`;
    expect(await firstOf(await send(path))).toContain(`id: ${epoch}.${seq + 1}\ndata: {`);
    const later = { headers: { 'last-event-id': `${epoch}.${seq + 2}` } };
    expect(await firstOf(await send(path, later))).toContain(`id: ${epoch}.${seq + 3}\ndata: {`);
  });
});

describe('GET /sessions/:scope/messages', () => {
  it('gives pages in order, newest page first, and knows no message of another session', async () => {
    const send = await signedIn();
    await ran(send);
    const page = async (query: string): Promise<{ messages: { id: string; role: string }[]; more: boolean }> =>
      (await send(`/api/sessions/work/messages?${query}`)).json();
    const { messages, more } = await page('');
    expect([messages.map(({ role }) => role), more]).toEqual([['user', 'assistant'], false]);
    const newest = await page('limit=1');
    expect([newest.messages, newest.more]).toEqual([messages.slice(1), true]);
    const older = await page(`limit=1&before=${newest.messages[0]?.id ?? ''}`);
    expect([older.messages, older.more]).toEqual([messages.slice(0, 1), false]);
    for (const [path, status] of [
      ['/api/sessions/work/messages?before=elsewhere', 404],
      ['/api/sessions/work/messages?limit=0', 400],
    ] as const) {
      expect((await send(path)).status).toBe(status);
    }
  });
});
