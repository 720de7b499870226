import { setTimeout as sleep } from 'node:timers/promises';
import type { Snapshot } from '../../src/session/protocol/index.ts';
import type { FakeOpenAI, RecordedRequest } from '../../test/e2e/fake-openai.ts';
import type { LocalServer } from '../lib/local-server.ts';
import { checkSession } from './check.ts';
import { Client } from './client.ts';
import { HttpLink, SocketLink } from './links.ts';
import { askedIn } from './model.ts';
import type { Random } from './random.ts';
import type { Report } from './report.ts';
import { readList, readSnapshot, takeTurn } from './session.ts';
import { View } from '../../test/chaos/view.ts';
import { inputText, isBeginning } from './words.ts';

/** How long a round may take to come to rest, and recovery by alarm to begin, in ms. */
const restLimit = 45_000;
const aloneLimit = 12_000;

/** What a round plays on. */
export interface Stage {
  readonly server: LocalServer;
  readonly model: FakeOpenAI;
  readonly report: Report;
}

/** A session of a round, and who has it open: two sockets, and one client over HTTP. */
interface Table {
  readonly scope: string;
  /** Its address. */
  readonly session: string;
  readonly blank: Snapshot;
  readonly clients: readonly Client[];
}

/**
 * Plays a round: two sessions with three clients each, and the runtime killed in the midst of it, sometimes twice. Where `alone` is set nobody
 * touches the sessions after the kill until they go on by themselves. Then lets all of it come to rest, and checks it.
 */
export async function playRound(n: number, random: Random, stage: Stage, alone: boolean): Promise<void> {
  const tables = await Promise.all(['a', 'b'].map((letter) => setTable(`r${n}${letter}`, random, stage)));
  const clients = tables.flatMap((table) => table.clients);
  const asked = stage.model.requests.length;
  let kills = 0;
  const kill = async (): Promise<void> => {
    kills += 1;
    stage.report.count('kills');
    await stage.server.crash();
  };
  const over = new AbortController();
  const playing = Promise.all(clients.map((client) => client.play(over.signal)));
  await sleep(random.between(300, 1500));
  if (alone) {
    // With nothing that runs there is nothing to go on with.
    for (let waits = 0; waits < 200 && !tables.every(runs); waits += 1) await sleep(10);
    over.abort();
    // Whoever is in the middle of a command gives up on it; it is sent again at the end.
    await sleep(random.between(0, 40));
    const killed = kill();
    for (const client of clients) client.close();
    const before = stage.model.requests.length;
    await killed;
    await goOnAlone(tables, stage, before);
    for (const client of clients) client.open();
  } else {
    await kill();
    await sleep(random.between(200, 1000));
    if (random.chance(0.3)) await kill();
    await sleep(random.between(0, 500));
    over.abort();
  }
  await playing;
  const late = AbortSignal.timeout(restLimit);
  await Promise.all(tables.map((table) => comeToRest(table, stage, late)));
  const requests = stage.model.requests.slice(asked);
  await Promise.all(
    tables.map(async (table) => {
      const own = requests.filter((request) => scopeOf(request) === table.scope);
      await checkSession({ ...table, requests: own, kills, report: stage.report });
    }),
  );
  for (const client of clients) client.close();
}

async function setTable(scope: string, random: Random, { server, report }: Stage): Promise<Table> {
  const session = `${server.address}/api/sessions/${scope}`;
  const clients = [0, 1, 2].map((index) => {
    const name = `${scope}.${index}`;
    const view = new View(
      (how, what) => report.fault(how, name, what),
      (shown) => {
        for (const said of falseTexts(shown)) report.fault('doubled', name, `a text that the model did not say: ${said}`);
      },
    );
    const link = index < 2 ? new SocketLink(session, view) : new HttpLink(session, view);
    return new Client({ name, link, view, random: random.fork(), report, ordered: index < 2 });
  });
  const blank = await readSnapshot(session);
  for (const client of clients) client.open();
  return { scope, session, blank, clients };
}

/** True while a client shows that a turn runs. */
function runs({ clients }: Table): boolean {
  return clients.some(({ shown }) => shown?.status === 'running');
}

/** The texts of replies on a screen that are no beginning of what the model said: words are missing, or there twice. */
function falseTexts({ step, partial, left }: Snapshot): readonly string[] {
  const replies = [step, partial?.message, ...left.map(({ message }) => message)];
  return replies
    .flatMap((reply) => reply?.content ?? [])
    .flatMap((part) => ((part.type === 'text' || part.type === 'reasoning') && !isBeginning(part.text) ? [part.text] : []));
}

/**
 * Waits until every session that ran when it was killed goes on, by what the list and the model's server say: neither wakes a session. `asked`:
 * how many requests had come before.
 */
async function goOnAlone(tables: readonly Table[], { server, model, report }: Stage, asked: number): Promise<void> {
  const began = Date.now();
  let waiting = tables.map(({ scope }) => scope);
  while (waiting.length > 0 && Date.now() - began < aloneLimit) {
    await sleep(100);
    const listed = await readList(server.address);
    const goesOn = new Set(model.requests.slice(asked).map(scopeOf));
    for (const scope of waiting) if (goesOn.has(scope)) report.alone(Date.now() - began);
    waiting = waiting.filter((scope) => listed.get(scope)?.status === 'running' && !goesOn.has(scope));
  }
  for (const scope of waiting) report.fault('hung', scope, `nothing went on by itself within ${aloneLimit / 1000} s of the kill`);
}

/** Delivers what has no answer yet, and answers what is asked, until nothing runs and nothing waits but what is held. */
async function comeToRest({ scope, session, clients }: Table, { report, server }: Stage, late: AbortSignal): Promise<void> {
  await Promise.all(clients.map((client) => client.settle(late)));
  let seq = -1;
  while (!late.aborted) {
    const shown = await readSnapshot(session);
    const open = shown.pending.filter(({ call }) => !shown.staged.some(({ callId }) => callId === call.id));
    if (shown.status === 'awaiting_input' && open.length > 0) await clients[0]?.answer(open, late);
    const rests = shown.status === 'idle' && shown.inbox.every(({ held }) => held);
    if (rests && shown.seq === seq) break;
    seq = rests ? shown.seq : -1;
    await sleep(50);
  }
  // What the notes hold, as the model is told.
  await takeTurn(session, `${scope}-audit`, inputText({ tag: `${scope}.audit`, plan: 'audit' }), late);
  const { seq: end } = await readSnapshot(session);
  while (!late.aborted && clients.some(({ shown }) => shown?.seq !== end)) await sleep(20);
  while (!late.aborted && (await readList(server.address)).get(scope)?.status !== 'idle') await sleep(50);
  if (late.aborted) report.fault('hung', scope, `not at rest within ${restLimit / 1000} s`);
}

/** The session that a request is made for: its tags begin with the scope. */
function scopeOf({ body }: RecordedRequest): string | undefined {
  return askedIn(body.messages)?.tag.split('.')[0];
}
