import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { type Json, type JsonObject, randomId } from '../../src/core/index.ts';
import { type Address, stubAt } from '../../src/session/address.ts';
import { identityHeader, type SessionApi, type SocketIdentity } from '../../src/session/api.ts';
import type { Actor, CommandType, EndedRun, SessionEvent, Snapshot } from '../../src/session/protocol/index.ts';

export * from './fake-chat.ts';

/** The receipt of a command that starts work. */
export interface Started {
  readonly run: string;
  readonly turn: number;
  readonly cursor: string;
}

/** A refusal, as a session gives it. */
export type Refusal = JsonObject & { readonly code: string; readonly detail: string };

/** True for the events that a test waits for. */
export type Until = (event: SessionEvent) => boolean;

/** One session under test. Every test takes a new one: storage is shared by all files. */
export class TestSession {
  readonly address: Address;
  readonly actor: Actor;

  constructor(address: Partial<Address> = {}) {
    const { jurisdiction = null, participant = randomId('somebody'), scope = randomId('scope') } = address;
    this.address = { jurisdiction, participant, scope };
    this.actor = { participant };
  }

  /** The object, reached anew: a stub does not outlive the object's death. Its type is what it answers, without the layers of RPC. */
  get stub(): DurableObjectStub & SessionApi {
    const sessions: DurableObjectNamespace = env.SESSIONS;
    return stubAt(sessions, this.address) as DurableObjectStub & SessionApi;
  }

  /** Sends a command and gives what it answered: its result, or its refusal. */
  async command(type: CommandType, body: JsonObject, by: Actor = this.actor): Promise<{ ok: unknown } | { refused: Refusal }> {
    const outcome = await this.stub.command(type, body, by);
    return outcome.ok ? { ok: outcome.value } : { refused: outcome.problem as unknown as Refusal };
  }

  /** Sends a command that is to be accepted, and gives its result. */
  async accept<T = unknown>(type: CommandType, body: JsonObject = {}, by: Actor = this.actor): Promise<T> {
    const answer = await this.command(type, body, by);
    if ('refused' in answer) throw new Error(`${type} was refused: ${answer.refused.code}: ${answer.refused.detail}`);
    return answer.ok as T;
  }

  /** Sends a command that is to be refused, and gives the refusal. */
  async refuse(type: CommandType, body: JsonObject = {}, by: Actor = this.actor): Promise<Refusal> {
    const answer = await this.command(type, body, by);
    if ('ok' in answer) throw new Error(`${type} was accepted: ${JSON.stringify(answer.ok)}`);
    return answer.refused;
  }

  /** The code of a refusal. */
  async refusal(type: CommandType, body: JsonObject = {}, by: Actor = this.actor): Promise<string> {
    return (await this.refuse(type, body, by)).code;
  }

  /** Starts work, and gives the run as it ended. */
  async play(type: CommandType, body: JsonObject = {}, by: Actor = this.actor): Promise<EndedRun> {
    return this.ended((await this.accept<Started>(type, body, by)).run);
  }

  /** Takes a turn with a text, to its end. */
  turn(message: string): Promise<EndedRun> {
    return this.play('turn', { message });
  }

  /** How a run ended, once it has. */
  async ended(run: string): Promise<EndedRun> {
    const outcome = await this.stub.ended(run);
    if (!outcome.ok) throw new Error(`No such run: ${outcome.problem.code}`);
    return outcome.value;
  }

  snapshot(): Promise<Snapshot> {
    return this.stub.snapshot();
  }

  /** The first event that fits, from the session's beginning or after a cursor; waits until there is one. */
  async event(until: Until, cursor?: string): Promise<SessionEvent> {
    const event = (await this.events(until, cursor)).at(-1);
    if (event === undefined) throw new Error('No event came');
    return event;
  }

  /** The events from the session's beginning, or after a cursor, up to and with the first that fits; waits until there is one. */
  async events(until: Until, cursor?: string): Promise<SessionEvent[]> {
    const socket = await this.socket(cursor ?? `${(await this.snapshot()).epoch}.0`);
    if (socket.frames[0]?.snapshot !== undefined) throw new Error('The cursor cannot be resumed');
    await socket.frame((frame) => typeof frame.seq === 'number' && until(frame as unknown as SessionEvent));
    const events = socket.events();
    socket.close();
    return events.slice(0, events.findIndex(until) + 1);
  }

  /** All events that are there now. */
  async history(): Promise<SessionEvent[]> {
    const { seq } = await this.snapshot();
    return seq === 0 ? [] : this.events((event) => event.seq === seq);
  }

  /** Rows of the session's database. */
  rows<T extends Record<string, SqlStorageValue>>(query: string, ...values: SqlStorageValue[]): Promise<T[]> {
    return runInDurableObject(this.stub, (_session, state) => state.storage.sql.exec<T>(query, ...values).toArray());
  }

  /** How many rows a table has. */
  async count(table: string): Promise<number> {
    return (await this.rows<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))[0]?.n ?? 0;
  }

  /** Opens a socket, as the Worker hands it on; it is ready when its first frame has come. */
  async socket(cursor?: string, identity: Partial<SocketIdentity> = {}): Promise<TestSocket> {
    const whole: SocketIdentity = { participant: this.address.participant, role: 'member', expires: null, ...identity };
    const query = cursor === undefined ? '' : `?cursor=${cursor}`;
    const response = await this.stub.fetch(`http://session/socket${query}`, {
      headers: { upgrade: 'websocket', [identityHeader]: JSON.stringify(whole) },
    });
    if (response.webSocket === null) throw new Error(`No socket: ${response.status}`);
    const socket = new TestSocket(response.webSocket);
    await socket.frame((frame) => frame.type === 'ready');
    return socket;
  }

  /** The object leaves memory in good order, as an idle one does; sockets hibernate. */
  async evict(): Promise<void> {
    await evictDurableObject(this.stub);
  }

  /** The object dies where it stands: only what was committed is left. */
  async kill(): Promise<void> {
    await runInDurableObject(this.stub, (_session, state) => state.abort('killed by the test')).catch(() => {});
  }
}

/** A frame of the server. */
export type Frame = JsonObject & { readonly type: string };

/** A client's end of a socket. */
export class TestSocket {
  /** Every frame that came, in order. */
  readonly frames: Frame[] = [];
  /** Resolves with the code when the socket is closed. */
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;
  #waiting: (() => void)[] = [];

  constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => {
      socket.addEventListener('close', (event) => resolve(event.code));
    });
    socket.addEventListener('message', (event) => {
      this.frames.push(JSON.parse(String(event.data)) as Frame);
      for (const wake of this.#waiting.splice(0)) wake();
    });
    socket.accept();
  }

  /** The first frame that fits, at or after index `from` of `frames`; waits until there is one. */
  async frame(fits: (frame: Frame) => boolean, from = 0): Promise<Frame> {
    for (;;) {
      const found = this.frames.slice(from).find(fits);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }

  /** Sends a value as one frame; a string goes out as it is. */
  send(value: Json): void {
    this.#socket.send(typeof value === 'string' ? value : JSON.stringify(value));
  }

  /** Sends bytes as a binary frame. */
  sendBytes(bytes: Uint8Array): void {
    this.#socket.send(bytes);
  }

  /** Sends a command under a new id, or the given one, and gives the frame that answers it. */
  command(type: string, body: JsonObject = {}): Promise<Frame> {
    const id = typeof body.id === 'string' ? body.id : randomId('cmd');
    const from = this.frames.length;
    this.send({ ...body, type, id });
    return this.frame((frame) => (frame.type === 'ack' || frame.type === 'refused') && frame.id === id, from);
  }

  /** Events of the session that came, in order. */
  events(): SessionEvent[] {
    return this.frames.filter((frame) => typeof frame.seq === 'number') as unknown as SessionEvent[];
  }

  close(code = 1000): void {
    this.#socket.close(code);
  }
}

/** Fits the top-level event of this type, with these fields. */
export function isEvent(type: string, fields: JsonObject = {}): Until {
  return (event) => {
    const values = event as unknown as JsonObject;
    return values.type === type && Object.entries(fields).every(([name, value]) => values[name] === value);
  };
}

/** Fits the state event that follows a run's end. */
export const atRest: Until = (event) => event.type === 'state' && event.lastEnded !== undefined && event.lastEnded !== null;

/** What messages say, one line each: texts as they are, calls as `<name>`, results as `[text]`. */
export function saidIn(messages: readonly { readonly role: string; readonly content?: unknown }[]): string[] {
  return messages.map(({ role, content }) => `${role}: ${said(content)}`);
}

function said(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : '';
  return content
    .map((part: JsonObject) => {
      if (part.type === 'tool_call') return `<${String(part.name)}>`;
      return part.type === 'tool_result' ? `[${said(part.content)}]` : String(part.text);
    })
    .join('');
}
