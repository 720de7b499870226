import { isObject, type Json, parseJson } from '../core/index.ts';
import { type CommandResult, identityHeader, type SocketIdentity } from './api.ts';
import { byteLength } from './bytes.ts';
import { Client, overdue, silence, silentTotal } from './client.ts';
import { tooMany } from './flood.ts';
import {
  type Actor,
  bodies,
  type CommandType,
  isDeeper,
  nestingLimit,
  type Outcome,
  type Presence,
  presenceFrame,
  type Problem,
  refused,
  type ServerFrame,
  type SessionEvent,
  statusOf,
} from './protocol/index.ts';

/** The longest frame a client may send, in bytes. */
const frameLimit = 1024 * 1024;

/**
 * Who is there is told at most once in this time, in ms. A telling names all and goes to all, so with many clients it is rarer, by so much for each
 * name that is sent: what it costs stays the same.
 */
const presencePause = 500;
const presenceShare = 0.1;

/** What the hub asks of its session. */
export interface HubPort {
  command(type: CommandType, raw: Json, actor: Actor): Outcome<CommandResult>;
  /** The frames that bring a client up to now: `ready`, with a snapshot or followed by the events after the cursor. */
  welcome(cursor: string | null): Iterable<ServerFrame>;
  /** The run that this command started is to be cancelled when its client goes. */
  disconnected(run: string, actor: Actor): void;
  now(): number;
  /** Frames a minute that a socket may send. */
  readonly frameRate: number;
  /** True for a nested session: it takes only answers and cancel from outside. */
  readonly nested: boolean;
}

/** The sockets of a session: they hibernate, share what is broadcast, and each may fall behind or misbehave by itself without slowing the run. */
export class Hub {
  readonly #ctx: DurableObjectState;
  readonly #port: HubPort;
  readonly #known = new WeakMap<WebSocket, Client>();
  #presenceTimer: ReturnType<typeof setTimeout> | null = null;
  #presenceTold = '';
  #presenceChanged = false;

  constructor(ctx: DurableObjectState, port: HubPort) {
    this.#ctx = ctx;
    this.#port = port;
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('{"type":"ping"}', '{"type":"pong"}'));
  }

  /** Who has the session open. */
  get presence(): readonly Presence[] {
    return this.#clients().map((client) => client.presence);
  }

  /** Answers an upgrade that the Worker has let through. */
  accept(request: Request, id: string): Response {
    const identity = JSON.parse(request.headers.get(identityHeader) ?? 'null') as SocketIdentity | null;
    if (identity === null) return new Response(null, { status: 403 });
    const { 0: theirs, 1: ours } = new WebSocketPair();
    this.#ctx.acceptWebSocket(ours);
    const client = new Client(ours, this.#port.frameRate, this.#port.now(), { ...identity, client: id, cancels: [] });
    this.#known.set(ours, client);
    for (const frame of this.#port.welcome(new URL(request.url).searchParams.get('cursor')))
      client.welcome(JSON.stringify(frame));
    if (!this.#tellPresence()) this.#tell([client], this.#presenceText(this.#clients()));
    return new Response(null, { status: 101, webSocket: theirs });
  }

  /** Sends an event to every socket; it is made a text once. */
  broadcast(event: SessionEvent): void {
    const clients = this.#clients();
    if (clients.length === 0) return;
    this.#tell(clients, JSON.stringify(event));
    this.#relieve(clients);
  }

  /** Takes what a client sent. */
  receive(socket: WebSocket, data: string | ArrayBuffer): void {
    const client = this.#client(socket);
    const now = this.#port.now();
    client.hear(now);
    if (this.#closeExpired(client)) return;
    if (typeof data !== 'string') return client.close(1003, 'Frames are text');
    if (byteLength(data) > frameLimit) return client.close(1009, 'A frame is at most 1 MiB');
    const frame = parseJson(data);
    const id = isObject(frame) && typeof frame.id === 'string' ? frame.id : null;
    const wait = client.frames.admit(now);
    if (wait !== null) {
      if (client.refusals.admit(now) !== null) return client.close(1013, 'Too many frames: come back later');
      return this.#refuse(client, id, tooMany('frames', wait).problem);
    }
    if (!isObject(frame) || isDeeper(frame, nestingLimit)) {
      return this.#refuse(client, id, { code: 'bad_request', detail: 'A frame is one JSON object, not nested too deep.' });
    }
    if (frame.type === 'ping') return this.#send(client, '{"type":"pong"}');
    if (frame.type === 'presence') return this.#takePresence(client, frame);
    this.#takeCommand(client, frame, id);
  }

  /** A socket has gone: a lost connection stops nothing, unless its command said so (C-9). */
  gone(socket: WebSocket): void {
    const client = this.#client(socket);
    for (const run of client.attachment.cancels) this.#port.disconnected(run, client.actor);
    this.#tellPresence();
  }

  /**
   * Completes a client's closing handshake: the runtime does not do it for a socket that can hibernate, and the client would wait for it
   * for ten seconds. Codes that only a runtime may give (RFC 6455 7.4.1) are answered with a plain end.
   */
  answerClose(socket: WebSocket, code: number, reason: string): void {
    const sendable = code === 1000 || (code >= 3000 && code < 5000);
    this.#client(socket).close(sendable ? code : 1000, reason);
  }

  /** Closes every socket; clients come back and are given what is there then. */
  closeAll(reason: string): void {
    for (const socket of this.#ctx.getWebSockets()) this.#client(socket).close(1001, reason);
  }

  #takeCommand(client: Client, frame: { readonly [field: string]: Json }, id: string | null): void {
    const { type, ...raw } = frame;
    if (typeof type !== 'string' || !Object.hasOwn(bodies, type) || type === 'new') {
      return this.#refuse(client, id, { code: 'bad_request', detail: 'A frame names a command or presence in its type.' });
    }
    if (id === null) return this.#refuse(client, id, { code: 'bad_request', detail: 'A command over a socket has an id.' });
    if (client.attachment.role === 'viewer')
      return this.#refuse(client, id, { code: 'forbidden', detail: 'A viewer only reads.' });
    if (this.#port.nested && type !== 'answers' && type !== 'cancel') {
      return this.#refuse(client, id, { code: 'forbidden', detail: 'A nested session takes only answers and cancel.' });
    }
    const outcome = this.#port.command(type as CommandType, raw, client.actor);
    if (!outcome.ok) return this.#refuse(client, id, outcome.problem);
    const { value } = outcome;
    if (raw.cancelOnDisconnect === true && value !== null && 'run' in value && value.run !== null) {
      client.keep({ cancels: [...client.attachment.cancels, value.run].slice(-8) });
    }
    this.#send(client, JSON.stringify({ type: 'ack', id, result: value }));
  }

  #takePresence(client: Client, frame: Json): void {
    const parsed = presenceFrame.safeParse(frame);
    if (!parsed.success)
      return this.#refuse(client, null, refused('bad_request', 'A presence frame has a label or editing.').problem);
    const { label, editing } = parsed.data;
    client.keep({ ...(label === undefined ? {} : { label }), ...(editing === undefined ? {} : { editing }) });
    this.#tellPresence();
  }

  #refuse(client: Client, id: string | null, problem: Problem): void {
    const { code, detail, ...extras } = problem;
    this.#send(client, JSON.stringify({ type: 'refused', id, code, detail, status: statusOf[code], ...extras }));
  }

  /** Tells everybody who is there, if that changed: at once and true, or, when it was told a moment ago, after the pause. */
  #tellPresence(): boolean {
    this.#presenceChanged = true;
    if (this.#presenceTimer !== null) return false;
    this.#presenceChanged = false;
    const clients = this.#clients();
    const text = this.#presenceText(clients);
    if (text !== this.#presenceTold) this.#tell(clients, text);
    this.#presenceTold = text;
    const pause = Math.max(presencePause, clients.length ** 2 * presenceShare);
    this.#presenceTimer = setTimeout(() => {
      this.#presenceTimer = null;
      if (this.#presenceChanged) this.#tellPresence();
    }, pause);
    return true;
  }

  #presenceText(clients: readonly Client[]): string {
    return JSON.stringify({ type: 'presence', clients: clients.map((client) => client.presence) });
  }

  #tell(clients: readonly Client[], text: string): void {
    for (const client of clients) this.#send(client, text);
  }

  /** What may wait for clients that do not read is bounded, however many they are. */
  #relieve(clients: readonly Client[]): void {
    const since = this.#port.now() - silence;
    const silent = clients.filter(({ heard }) => heard <= since);
    for (const client of overdue(silent, silentTotal)) client.drop();
  }

  #send(client: Client, text: string): void {
    const ponged = this.#ctx.getWebSocketAutoResponseTimestamp(client.socket)?.getTime() ?? 0;
    if (ponged > client.heard) client.hear(ponged);
    client.send(text);
  }

  #closeExpired(client: Client): boolean {
    if (!client.isExpired(this.#port.now())) return false;
    client.close(1008, 'The identity has expired');
    return true;
  }

  /** Those who are there. One whose identity has expired is not, and is told so: nothing that is sent to all reaches it. */
  #clients(): Client[] {
    const open = this.#ctx.getWebSockets().filter((socket) => socket.readyState === WebSocket.OPEN);
    return open.map((socket) => this.#client(socket)).filter((client) => !this.#closeExpired(client));
  }

  #client(socket: WebSocket): Client {
    const known = this.#known.get(socket) ?? new Client(socket, this.#port.frameRate, this.#port.now());
    this.#known.set(socket, known);
    return known;
  }
}
