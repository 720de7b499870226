import { Client } from '../lib/client.ts';
import { questionOf } from '../lib/directive.ts';
import { withServers } from '../lib/servers.ts';
import { interleaved, median } from '../lib/stats.ts';
import { figure, type Table } from '../lib/table.ts';
import type { Target } from '../lib/target.ts';
import { type Part, spread } from './part.ts';

/** How many sockets hear how many deltas, how often. The peer takes seconds where others take parts of one. */
const cases = [
  { sockets: 1, deltas: 10_000, rounds: 9 },
  { sockets: 10, deltas: 5_000, rounds: 7 },
  { sockets: 100, deltas: 1_000, rounds: 5 },
] as const;

/** Deltas a second from the model to all sockets of a new session, all sockets added up: from the question to the last delta on the last socket. */
async function rate(target: Target, sockets: number, deltas: number): Promise<number> {
  const session = crypto.randomUUID();
  const clients = await Promise.all(Array.from({ length: sockets }, () => Client.open(target, session)));
  const [asker] = clients;
  if (asker === undefined) throw new Error('Nobody asks.');
  // The first turn makes tables and compiles; what is measured is the second.
  await turn(clients, asker, 20);
  const began = performance.now();
  await turn(clients, asker, deltas);
  const last = Math.max(...clients.map((client) => client.lastDelta));
  for (const client of clients) client.close();
  return (deltas * sockets * 1000) / (last - began);
}

/** Asks, and waits until every socket has had every delta, once. */
async function turn(clients: readonly Client[], asker: Client, deltas: number): Promise<void> {
  for (const client of clients) client.reset();
  const ended = clients.map((client) => client.ended());
  asker.ask(questionOf({ deltas }));
  await Promise.all(ended);
  const wrong = clients.find((client) => client.deltas !== deltas);
  if (wrong !== undefined) throw new Error(`A socket got ${wrong.deltas} of ${deltas} deltas.`);
}

/** How fast a reply goes through the object. */
export const part: Part = {
  name: 'deltas',
  async measure() {
    return withServers(async ({ relay, joining, ours, theirs }) => {
      const tables: Table[] = [];
      for (const { sockets, deltas, rounds } of cases) {
        const rates = await interleaved([relay, joining, ours, theirs], rounds, (target) => rate(target, sockets, deltas));
        const floor = median(rates.get(relay) ?? []);
        tables.push({
          title: `${figure(deltas)} deltas to ${sockets} ${sockets === 1 ? 'socket' : 'sockets'}, ${rounds} rounds`,
          head: ['', 'deltas delivered/s, median (quartiles)', 'of the bare relay'],
          rows: [...rates].map(([{ name }, values]) => [name, spread(values), figure(median(values) / floor)]),
        });
      }
      return tables;
    });
  },
};
