import { createParser } from 'eventsource-parser';
import type { SessionEvent, Snapshot, StoredMessage, Summary } from '../../src/session/protocol/index.ts';

/** The snapshot of a session; `session` is its address. */
export async function readSnapshot(session: string): Promise<Snapshot> {
  return read<Snapshot>(session);
}

/** The participant's list of sessions, by scope: reading it wakes no session. */
export async function readList(server: string): Promise<ReadonlyMap<string, Summary>> {
  const { sessions } = await read<{ readonly sessions: readonly Summary[] }>(`${server}/api/sessions?limit=20`);
  return new Map(sessions.map((summary) => [summary.scope, summary]));
}

/** Takes a turn to its end; rejects when the signal comes first. */
export async function takeTurn(session: string, id: string, message: string, signal: AbortSignal): Promise<void> {
  await read(`${session}/turn?wait`, { method: 'POST', body: JSON.stringify({ id, message }), signal });
}

async function read<T>(url: string, init: RequestInit = {}): Promise<T> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

/** All messages of a session, in order, page by page. */
export async function allMessages(session: string): Promise<readonly StoredMessage[]> {
  const messages: StoredMessage[] = [];
  for (let more = true; more;) {
    const before = messages[0] === undefined ? '' : `&before=${messages[0].id}`;
    const page = await read<{ messages: StoredMessage[]; more: boolean }>(`${session}/messages?limit=200${before}`);
    messages.unshift(...page.messages);
    more = page.more;
  }
  return messages;
}

/** All stored events of a session, up to the seq of its snapshot. */
export async function allEvents(session: string, { epoch, seq }: Snapshot): Promise<readonly SessionEvent[]> {
  const events: SessionEvent[] = [];
  const enough = new AbortController();
  const response = await fetch(`${session}/events?cursor=${epoch}.0`, { signal: enough.signal });
  const parser = createParser({
    onEvent: ({ event, data }) => {
      if (event !== 'snapshot') events.push(JSON.parse(data) as SessionEvent);
    },
  });
  for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    parser.feed(text);
    if ((events.at(-1)?.seq ?? 0) >= seq) break;
  }
  enough.abort();
  return events;
}
