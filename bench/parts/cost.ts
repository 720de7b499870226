import { Client } from '../lib/client.ts';
import { type Directive, questionOf } from '../lib/directive.ts';
import { openReins, type Servers, withServers } from '../lib/servers.ts';
import { figure, type Table } from '../lib/table.ts';
import { askPeer, type Target } from '../lib/target.ts';
import type { Part } from './part.ts';

/** Turns of so many deltas, so many ms apart. */
const lengths = [5, 100, 500, 2_000];
const pause = 5;

/** The conversation that grows: turns, characters of a question, deltas of an answer and characters of each, together 4 KiB. */
const growth = { turns: 40, question: 200, answer: { deltas: 64, size: 64 }, shown: [1, 10, 20, 40] } as const;

/** What one turn wrote and sent. */
interface Cost {
  readonly rows: number;
  readonly asker: number;
  readonly passive: number;
}

/** A session with two sockets, one of which asks. */
class Pair {
  readonly asker: Client;
  readonly passive: Client;

  private constructor(asker: Client, passive: Client) {
    this.asker = asker;
    this.passive = passive;
  }

  static async open(target: Target, session: string): Promise<Pair> {
    return new Pair(await Client.open(target, session), await Client.open(target, session));
  }

  /** Takes a turn; gives the bytes that each socket was sent. `send` is how the question is asked. */
  async turn(send: () => void): Promise<{ readonly asker: number; readonly passive: number }> {
    const clients = [this.asker, this.passive];
    for (const client of clients) client.reset();
    const ended = clients.map((client) => client.ended());
    send();
    await Promise.all(ended);
    return { asker: this.asker.bytes, passive: this.passive.bytes };
  }

  close(): void {
    this.asker.close();
    this.passive.close();
  }
}

async function costOf(target: Target, address: string, directive: Directive): Promise<Cost> {
  const session = crypto.randomUUID();
  const written = async (): Promise<number> => (await (await fetch(`${address}/api/bench/${session}/rows`)).json()) as number;
  const pair = await Pair.open(target, session);
  // The first turn makes the tables; a turn of the others is what is told.
  await pair.turn(() => pair.asker.ask(questionOf({ deltas: 1 })));
  const before = await written();
  const bytes = await pair.turn(() => pair.asker.ask(questionOf(directive)));
  const rows = (await written()) - before;
  pair.close();
  return { rows, ...bytes };
}

async function turnTable({ ours, theirs, reins, peer }: Servers): Promise<Table> {
  const rows: string[][] = [];
  for (const deltas of lengths) {
    const ourCost = await costOf(ours, reins.address, { deltas, pause });
    const theirCost = await costOf(theirs, peer.address, { deltas, pause });
    const bytes = [ourCost.asker, ourCost.passive, theirCost.asker, theirCost.passive];
    rows.push([figure(deltas), figure(ourCost.rows), figure(theirCost.rows), ...bytes.map(figure)]);
  }
  return {
    title: `A turn whose deltas come ${pause} ms apart: rows written, and bytes of frames to the socket that asked and to one that only reads`,
    head: [
      'deltas',
      'rows, Reins',
      'rows, AIChatAgent',
      'Reins, asker',
      'Reins, reader',
      'AIChatAgent, asker',
      'AIChatAgent, reader',
    ],
    rows,
  };
}

/** Bytes up, and down to the passive socket, of each turn. */
type Growth = readonly { readonly up: number; readonly down: number }[];

async function grow(target: Target, frameOf: (pair: Pair, turn: number) => string): Promise<Growth> {
  const pair = await Pair.open(target, crypto.randomUUID());
  const turns: { up: number; down: number }[] = [];
  for (let turn = 1; turn <= growth.turns; turn += 1) {
    const frame = frameOf(pair, turn);
    const { passive } = await pair.turn(() => pair.asker.send(frame));
    turns.push({ up: Buffer.byteLength(frame), down: passive });
  }
  pair.close();
  return turns;
}

async function growthTable({ ours, theirs }: Servers): Promise<Table> {
  const question = questionOf(growth.answer, growth.question);
  const our = await grow(ours, (_pair, turn) => ours.ask(question, `turn-${turn}`));
  // Its client sends the transcript as it has it, which is as the server last told it to others.
  let transcript: readonly object[] = [];
  const their = await grow(theirs, (pair, turn) => {
    pair.passive.onFrame = (frame) => {
      if (frame.includes('"cf_agent_chat_messages"'))
        transcript = (JSON.parse(String(frame)) as { messages: readonly object[] }).messages;
    };
    const asked = { id: `message-${turn}`, role: 'user', parts: [{ type: 'text', text: question }] };
    return askPeer([...transcript, asked], `turn-${turn}`);
  });
  const cell = (turns: Growth, turn: number, way: 'up' | 'down'): number => turns[turn - 1]?.[way] ?? Number.NaN;
  const columns = [
    [our, 'up'],
    [our, 'down'],
    [their, 'up'],
    [their, 'down'],
  ] as const;
  const last = growth.turns;
  return {
    title: `A conversation of ${last} turns (${growth.question} characters asked, 4 KiB answered, two tabs): bytes up from the tab that asks, and down to the other`,
    head: ['turn', 'Reins, up', 'Reins, down', 'AIChatAgent, up', 'AIChatAgent, down'],
    rows: [
      ...growth.shown.map((turn) => [String(turn), ...columns.map(([turns, way]) => figure(cell(turns, turn, way)))]),
      [`turn ${last} by turn 1`, ...columns.map(([turns, way]) => figure(cell(turns, last, way) / cell(turns, 1, way)))],
    ],
  };
}

/** What a turn writes and sends. */
export const part: Part = {
  name: 'cost',
  measure: () =>
    withServers(async (servers) => [await turnTable(servers), await growthTable(servers)], { reins: { main: openReins } }),
};
