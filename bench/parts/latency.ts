import { Client } from '../lib/client.ts';
import { questionOf } from '../lib/directive.ts';
import { newStore } from '../lib/server.ts';
import { openReins, type Servers, startPeer, startReins, withServers } from '../lib/servers.ts';
import { startModel } from '../lib/model.ts';
import { interleaved, median, quantile } from '../lib/stats.ts';
import { figure, type Table } from '../lib/table.ts';
import { peer, reins, type Target } from '../lib/target.ts';
import { type Part, spread } from './part.ts';

/** Turns whose first delta is timed; a session takes so many of them before there is a new one. */
const sessions = 10;
const turns = 20;

/** How many objects are woken for the first time. */
const wakes = 40;

/** The long conversation: how many of them are woken, and how many messages each has. */
const longSessions = 5;
const longMessages = 20_000;

/** In ms, from the question's frame to the first delta, of every turn of one session. */
async function firstDeltas(target: Target): Promise<number[]> {
  const client = await Client.open(target, crypto.randomUUID());
  const times: number[] = [];
  for (let turn = 0; turn <= turns; turn += 1) {
    client.reset();
    const ended = client.ended();
    const asked = performance.now();
    client.ask(questionOf({ deltas: 5 }));
    await ended;
    // The first turn makes the tables.
    if (turn > 0) times.push(client.firstDelta - asked);
  }
  client.close();
  return times;
}

/** In ms, from opening a socket until the server says that it is ready. */
async function ready(target: Target, session: string = crypto.randomUUID()): Promise<number> {
  const began = performance.now();
  const client = await Client.open(target, session);
  client.close();
  return client.ready - began;
}

async function firstDeltaTable({ relay, ours, theirs }: Servers): Promise<Table> {
  const times = await interleaved([relay, ours, theirs], sessions, firstDeltas);
  return {
    title: `From the question to the first delta, ${sessions * turns} turns each, ms`,
    head: ['', 'p50', 'p99'],
    rows: [...times].map(([{ name }, lists]) => {
      const values = lists.flat();
      return [name, figure(median(values)), figure(quantile(values, 0.99))];
    }),
  };
}

async function firstWakeTable({ empty, ours, theirs }: Servers): Promise<Table> {
  const targets = [empty, ours, theirs];
  for (const target of targets) await ready(target);
  const times = await interleaved(targets, wakes, (target) => ready(target));
  const floor = median(times.get(empty) ?? []);
  return {
    title: `First wake of a session that was never used, until it is ready, ${wakes} each, ms`,
    head: ['', 'median (quartiles)', 'of an empty object'],
    rows: [...times].map(([{ name }, values]) => [name, spread(values), figure(median(values) / floor)]),
  };
}

/** The sessions are filled by one life of the servers and woken by the next. */
async function longWakeTable(): Promise<Table> {
  const model = await startModel();
  const stores = [newStore(), newStore()] as const;
  const names = Array.from({ length: longSessions }, (_, n) => `long-${n}`);
  const fillers = [
    await startReins(model.url, { main: openReins, store: stores[0] }),
    await startPeer(model.url, { store: stores[1] }),
  ];
  for (const { address } of fillers) {
    for (const name of names) await fetch(`${address}/api/bench/${name}/fill/${longMessages}`, { method: 'POST' });
  }
  await Promise.all(fillers.map((server) => server.stop()));
  const [ours, theirs] = [await startReins(model.url, { store: stores[0] }), await startPeer(model.url, { store: stores[1] })];
  const targets = [reins(ours.address), peer(theirs.address)] as const;
  for (const target of targets) await ready(target);
  const [fresh, long, peerFresh, peerLong, peerShown]: number[][] = [[], [], [], [], []];
  for (const name of names) {
    fresh?.push(await ready(targets[0]));
    long?.push(await ready(targets[0], name));
    peerFresh?.push(await ready(targets[1]));
    const began = performance.now();
    peerLong?.push(await ready(targets[1], name));
    await (await fetch(`${theirs.address}/agents/chat/${name}/get-messages`)).text();
    peerShown?.push(performance.now() - began);
  }
  await Promise.all([ours.stop(), theirs.stop()]);
  model.stop();
  const row = (name: string, values: number[] = []): string[] => [name, spread(values)];
  return {
    title: `Wake of a session with ${figure(longMessages)} messages of 200 characters, ${longSessions} each, ms`,
    head: ['', 'median (quartiles)'],
    rows: [
      row('Reins, never used: ready', fresh),
      row('Reins, long: ready, the newest page of messages with it', long),
      row('AIChatAgent, never used: ready', peerFresh),
      row('AIChatAgent, long: ready, without messages', peerLong),
      row('AIChatAgent, long: ready, then its messages, all of which it sends', peerShown),
    ],
  };
}

/** How long people wait. */
export const part: Part = {
  name: 'latency',
  async measure() {
    const tables = await withServers(async (servers) => [await firstDeltaTable(servers), await firstWakeTable(servers)]);
    return [...tables, await longWakeTable()];
  },
};
