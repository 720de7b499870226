import { describe, expect, it } from 'vitest';
import { post, problemIn, refusedAs, type Send, signedIn, somebody, tokenServer } from './support.ts';

const turn = '/api/sessions/work/turn';

/** What the demo model answers with a question at once, so that the turn ends without waiting for its pace. */
const askMe = { message: 'ask me an open question' };

/** The types of the events in a stream that has ended. */
async function typesOf(response: Response): Promise<unknown[]> {
  const lines = new TextDecoder().decode(await response.arrayBuffer()).split('\n');
  const data = lines.map((line) => line.replace(/^data: /, '')).filter((line) => line.startsWith('{'));
  return data.map((line) => (JSON.parse(line) as { type: unknown }).type);
}

async function ended(send: Send, path = turn, body: object = askMe): Promise<unknown> {
  return (await send(`${path}?wait`, post(body))).json();
}

function named(init: RequestInit | undefined, client: string): RequestInit {
  const headers = new Headers(init?.headers);
  headers.set('reins-client', client);
  return { ...init, headers };
}

describe('what starts work', () => {
  it('answers at once with its receipt', async () => {
    const send = await signedIn();
    const response = await send(turn, post(askMe));
    expect(response.status).toBe(202);
    expect(await response.json()).toEqual({ run: expect.any(String), turn: 1, cursor: expect.stringMatching(/^\d+\.\d+$/) });
  });

  it.each([
    ['text/event-stream', 'text/event-stream'],
    ['application/json;q=0.5, text/event-stream', 'text/event-stream'],
    ['application/x-ndjson', 'application/x-ndjson'],
  ])("with Accept: %s it answers with the run's events until its end", async (accept, type) => {
    const send = await signedIn();
    const response = await send(turn, post(askMe, { accept }));
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
    expect((await typesOf(response)).at(-1)).toBe('turn_ended');
  });

  it.each(['*/*', 'application/json', 'text/html, application/json', 'application/json, text/event-stream;q=0.5'])(
    'with Accept: %s it answers with its receipt',
    async (accept) => {
      const send = await signedIn();
      expect((await send(turn, post(askMe, { accept }))).status).toBe(202);
    },
  );

  it('with ?wait it answers with the ended run', async () => {
    const send = await signedIn();
    expect(await ended(send)).toMatchObject({
      run: expect.any(String),
      turn: 1,
      reason: 'awaiting_input',
      finish: 'tool_calls',
      error: null,
      pending: [{ call: { name: 'ask_user' } }],
    });
  });

  it('an answer resumes the turn, and may be followed or awaited as well', async () => {
    const send = await signedIn();
    const first = (await ended(send)) as { pending: { call: { id: string }; needs: { id: string }[] }[] };
    const answers = first.pending.map(({ call, needs }) => ({ callId: call.id, values: { [needs[0]?.id ?? '']: 'Ann' } }));
    const response = await send('/api/sessions/work/answers', post({ answers }, { accept: 'text/event-stream' }));
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect((await typesOf(response)).slice(0, 1)).toEqual(['turn_started']);
  });

  it('the same id again answers as the first time, and another body is refused', async () => {
    const send = await signedIn();
    const first = await (await send(turn, post({ ...askMe, id: 'once' }))).json();
    const again = await send(turn, post({ ...askMe, id: 'once' }));
    expect([again.status, await again.json()]).toEqual([202, first]);
    expect(await refusedAs(await send(turn, post({ message: 'Other', id: 'once' })))).toBe('409 id_reused');
  });

  it('SESS-01 the first accepted command lists the session, a refused one does not', async () => {
    const send = await signedIn();
    await send('/api/sessions/refused/turn', post({ message: 7 }));
    await send('/api/sessions/read');
    await ended(send);
    const { sessions } = await (await send('/api/sessions')).json<{ sessions: { scope: string }[] }>();
    expect(sessions.map(({ scope }) => scope)).toEqual(['work']);
  });
});

describe('the order of refusals', () => {
  it('the receipt of an id comes before the body, the body before what the session awaits', async () => {
    const send = await signedIn();
    await ended(send, turn, { ...askMe, id: 'once' });
    expect(await refusedAs(await send(turn, post({ id: 'once', message: 7 })))).toBe('409 id_reused');
    expect(await refusedAs(await send(turn, post({ id: 'twice', message: 7 })))).toBe('400 bad_request');
    expect(await refusedAs(await send(turn, post({ id: 'twice', message: 'Go on' })))).toBe('409 awaiting_input');
    expect((await send(turn, post({ ...askMe, id: 'once' }))).status).toBe(202);
  });

  it('a refusal is not remembered', async () => {
    const send = await signedIn();
    expect(await refusedAs(await send(turn, post({ id: 'once', message: 7 })))).toBe('400 bad_request');
    expect((await send(turn, post({ ...askMe, id: 'once' }))).status).toBe(202);
  });
});

describe('a client that goes away', () => {
  /** Begins a turn, reads until its first event has come, and goes. Gives how the turn ended. */
  async function leave(send: Send, body: object, init: RequestInit, query = ''): Promise<unknown> {
    const { body: stream } = await send(turn + query, { ...init, ...post(body, init.headers as Record<string, string>) });
    const reader = stream?.getReader();
    await reader?.read();
    await reader?.cancel();
    return ended(send, turn, body);
  }

  const slow = { message: 'wait 60 seconds', id: 'once', cancelOnDisconnect: true };
  const events = { headers: { accept: 'text/event-stream' } };

  it('CANC-14 C-9 stops the turn when it said so, following or waiting', async () => {
    expect(await leave(await signedIn(), slow, events)).toMatchObject({ reason: 'cancelled' });
    expect(await leave(await signedIn(), slow, {}, '?wait')).toMatchObject({ reason: 'cancelled' });
  });

  it('C-9 stops nothing otherwise', async () => {
    expect(await leave(await signedIn(), { ...askMe, id: 'once' }, events)).toMatchObject({ reason: 'awaiting_input' });
  });

  it('a client that waits and stays reads how the turn ended', async () => {
    const send = await signedIn();
    expect(await ended(send, turn, { ...askMe, cancelOnDisconnect: true })).toMatchObject({ reason: 'awaiting_input' });
  });
});

describe('who acts', () => {
  it.each([
    ['cli on a laptop', { client: 'cli on a laptop' }],
    ['tab\tstop', {}],
    ['x'.repeat(81), {}],
    ['', {}],
  ])('APPR-13 a command knows its participant, and the client by the name it gives itself: %s', async (name, shown) => {
    const sub = somebody();
    const send = await signedIn({ sub });
    await ended(await signedIn({ sub }, (path, init) => tokenServer()(path, named(init, name))));
    const { messages } = await (await send('/api/sessions/work')).json<{ messages: { by?: unknown }[] }>();
    expect(messages[0]?.by).toEqual({ participant: sub, role: 'member', ...shown });
  });
});

describe('the other commands', () => {
  it('a cancel of nothing is done at once, with nothing to say', async () => {
    const send = await signedIn();
    const response = await send('/api/sessions/work/cancel', { method: 'POST' });
    expect([response.status, await response.text()]).toEqual([204, '']);
  });

  it('PATCH answers with the session as changed', async () => {
    const send = await signedIn();
    const response = await send('/api/sessions/work', { ...post({ title: 'Renamed' }), method: 'PATCH' });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ scope: 'work', title: 'Renamed' });
    expect(await (await send('/api/sessions')).json()).toMatchObject({ sessions: [{ title: 'Renamed' }] });
  });

  it('POST /sessions creates once, under the scope that it names or a new one', async () => {
    const send = await signedIn();
    const first = await send('/api/sessions', post({ scope: 'work', title: 'Plan' }));
    expect([first.status, first.headers.get('location')]).toEqual([201, '/api/sessions/work']);
    expect(await first.json()).toMatchObject({ scope: 'work', title: 'Plan', status: 'idle', needs: 0 });
    const again = await send('/api/sessions', post({ scope: 'work', title: 'Other' }));
    expect([again.status, await again.json()]).toEqual([200, expect.objectContaining({ title: 'Plan' })]);
    const [one, other] = [await send('/api/sessions', post({})), await send('/api/sessions', post({}))];
    expect(one.headers.get('location')).not.toBe(other.headers.get('location'));
  });

  it('an item of the inbox is named by the path, not by the body', async () => {
    const send = await signedIn();
    const { code } = await problemIn(await send('/api/sessions/work/inbox/gone', post({ op: 'drop', item: 7 })));
    expect(code).toBe('not_found');
  });

  it('DELETE takes the session off the list, and it is unused again', async () => {
    const send = await signedIn();
    await send('/api/sessions', post({ scope: 'work', title: 'Gone' }));
    expect((await send('/api/sessions/work', { method: 'DELETE' })).status).toBe(204);
    expect(await (await send('/api/sessions')).json()).toEqual({ sessions: [], cursor: null });
    expect(await (await send('/api/sessions/work')).json()).not.toMatchObject({ title: 'Gone' });
    expect((await send('/api/sessions', post({ scope: 'work' }))).status).toBe(201);
  });
});
