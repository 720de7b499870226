import { isObject, type Json, parseJson } from '../core/index.ts';
import { byteLength } from './bytes.ts';
import { type CommandResult, identityHeader, type SocketIdentity } from './api.ts';
import { FloodLimit } from './flood.ts';
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

/** A socket that was sent this many characters since it was last heard of reads too slowly: it is closed and comes back by its cursor. */
const unheardLimit = 8 * 1024 * 1024;

/** Who is there is told at most once in this time, in ms: with many clients each telling is long, and goes to all. */
const presencePause = 500;

/** What the hub asks of its session. */
export interface HubPort {
  command(type: CommandType, raw: Json, actor: Actor): Outcome<CommandResult>;
  /** The frames that bring a client up to now: `ready`, with a snapshot or followed by the events after the cursor. */
  welcome(cursor: string | null): Iterable<ServerFrame>;
  /** The run that this command started is to be cancelled when its client goes. */
  disconnected(run: string, actor: Actor): void;
  now(): number;
  /** Frames a minute that one participant may send over all its sockets. */
  readonly frameRate: number;
  /** True for a nested session: it takes only answers and cancel from outside. */
  readonly nested: boolean;
}

/** What a socket keeps while the object hibernates (16 KB at most). */
interface Attachment extends SocketIdentity {
  readonly client: string;
  readonly label?: string;
  readonly editing?: boolean;
  /** Runs to cancel when the socket goes. */
  readonly cancels: readonly string[];
}

/** The sockets of a session: they hibernate, share what is broadcast, and each may fall behind on its own without slowing the run. */
export class Hub {
  readonly #ctx: DurableObjectState;
  readonly #port: HubPort;
  /** Characters sent to each socket since it was last heard of. */
  readonly #unheard = new WeakMap<WebSocket, { sent: number; heard: number }>();
  /** By participant. */
  readonly #floods = new Map<string, FloodLimit>();
  #presenceTimer: ReturnType<typeof setTimeout> | null = null;
  #presenceChanged = false;

  constructor(ctx: DurableObjectState, port: HubPort) {
    this.#ctx = ctx;
    this.#port = port;
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('{"type":"ping"}', '{"type":"pong"}'));
  }

  /** Who has the session open. */
  get presence(): readonly Presence[] {
    return this.#sockets().map((socket) => {
      const { participant, client, label, editing } = attachmentOf(socket);
      return { participant, client, ...(label === undefined ? {} : { label }), ...(editing === undefined ? {} : { editing }) };
    });
  }

  /** Answers an upgrade that the Worker has let through. */
  accept(request: Request, client: string): Response {
    const identity = JSON.parse(request.headers.get(identityHeader) ?? 'null') as SocketIdentity | null;
    if (identity === null) return new Response(null, { status: 403 });
    const { 0: theirs, 1: ours } = new WebSocketPair();
    this.#ctx.acceptWebSocket(ours);
    const attachment: Attachment = { ...identity, client, cancels: [] };
    ours.serializeAttachment(attachment);
    // Not counted as unheard: a client that this alone closed would come back for the same again.
    for (const frame of this.#port.welcome(new URL(request.url).searchParams.get('cursor'))) ours.send(JSON.stringify(frame));
    this.#send(ours, this.#presenceText());
    this.#tellPresence();
    return new Response(null, { status: 101, webSocket: theirs });
  }

  /** Sends an event to every socket; it is made a text once. */
  broadcast(event: SessionEvent): void {
    const sockets = this.#sockets();
    if (sockets.length === 0) return;
    const text = JSON.stringify(event);
    for (const socket of sockets) this.#send(socket, text);
  }

  /** Takes what a client sent. */
  receive(socket: WebSocket, data: string | ArrayBuffer): void {
    this.#unheard.set(socket, { sent: 0, heard: this.#port.now() });
    if (this.#closeExpired(socket)) return;
    if (typeof data !== 'string') return socket.close(1003, 'Frames are text');
    if (byteLength(data) > frameLimit) return socket.close(1009, 'A frame is at most 1 MiB');
    const frame = parseJson(data);
    const id = isObject(frame) && typeof frame.id === 'string' ? frame.id : null;
    const wait = this.#flood(socket).admit(this.#port.now());
    if (wait !== null) {
      const retryAfter = Math.ceil(wait / 1000);
      return this.#refuse(socket, id, {
        code: 'rate_limited',
        detail: `Too many frames: try again in ${retryAfter} s.`,
        retryAfter,
      });
    }
    if (!isObject(frame) || isDeeper(frame, nestingLimit)) {
      return this.#refuse(socket, id, { code: 'bad_request', detail: 'A frame is one JSON object, not nested too deep.' });
    }
    if (frame.type === 'ping') return this.#send(socket, '{"type":"pong"}');
    if (frame.type === 'presence') return this.#takePresence(socket, frame);
    this.#takeCommand(socket, frame, id);
  }

  /** A socket has gone: a lost connection stops nothing, unless its command said so (C-9). */
  gone(socket: WebSocket): void {
    const { cancels, ...attachment } = attachmentOf(socket);
    for (const run of cancels) this.#port.disconnected(run, actorOf(attachment));
    this.#tellPresence();
  }

  /**
   * Completes a client's closing handshake: the runtime does not do it for a socket that can hibernate, and the client would wait for it
   * for ten seconds. Codes that only a runtime may give (RFC 6455 7.4.1) are answered with a plain end.
   */
  answerClose(socket: WebSocket, code: number, reason: string): void {
    const sendable = code === 1000 || (code >= 3000 && code < 5000);
    try {
      socket.close(sendable ? code : 1000, reason);
    } catch {
      // It is closed already.
    }
  }

  /** Closes every socket; clients come back and are given what is there then. */
  closeAll(reason: string): void {
    for (const socket of this.#ctx.getWebSockets()) socket.close(1001, reason);
  }

  #takeCommand(socket: WebSocket, frame: { readonly [field: string]: Json }, id: string | null): void {
    const { type, ...raw } = frame;
    const attachment = attachmentOf(socket);
    if (typeof type !== 'string' || !Object.hasOwn(bodies, type) || type === 'new') {
      return this.#refuse(socket, id, { code: 'bad_request', detail: 'A frame names a command or presence in its type.' });
    }
    if (id === null) return this.#refuse(socket, id, { code: 'bad_request', detail: 'A command over a socket has an id.' });
    if (attachment.role === 'viewer') return this.#refuse(socket, id, { code: 'forbidden', detail: 'A viewer only reads.' });
    if (this.#port.nested && type !== 'answers' && type !== 'cancel') {
      return this.#refuse(socket, id, { code: 'forbidden', detail: 'A nested session takes only answers and cancel.' });
    }
    const outcome = this.#port.command(type as CommandType, raw, actorOf(attachment));
    if (!outcome.ok) return this.#refuse(socket, id, outcome.problem);
    const { value } = outcome;
    if (raw.cancelOnDisconnect === true && value !== null && 'run' in value && value.run !== null) {
      const kept: Attachment = { ...attachment, cancels: [...attachment.cancels, value.run].slice(-8) };
      socket.serializeAttachment(kept);
    }
    this.#send(socket, JSON.stringify({ type: 'ack', id, result: value }));
  }

  #takePresence(socket: WebSocket, frame: Json): void {
    const parsed = presenceFrame.safeParse(frame);
    if (!parsed.success)
      return this.#refuse(socket, null, refused('bad_request', 'A presence frame has a label or editing.').problem);
    const { label, editing } = parsed.data;
    const attachment = attachmentOf(socket);
    const kept: Attachment = {
      ...attachment,
      ...(label === undefined ? {} : { label }),
      ...(editing === undefined ? {} : { editing }),
    };
    socket.serializeAttachment(kept);
    this.#tellPresence();
  }

  #refuse(socket: WebSocket, id: string | null, problem: Problem): void {
    const { code, detail, ...extras } = problem;
    this.#send(socket, JSON.stringify({ type: 'refused', id, code, detail, status: statusOf[code], ...extras }));
  }

  /** Tells everybody who is there: at once, or, when that was told a moment ago, after the pause. */
  #tellPresence(): void {
    this.#presenceChanged = true;
    if (this.#presenceTimer !== null) return;
    this.#presenceChanged = false;
    const text = this.#presenceText();
    for (const socket of this.#sockets()) this.#send(socket, text);
    this.#presenceTimer = setTimeout(() => {
      this.#presenceTimer = null;
      if (this.#presenceChanged) this.#tellPresence();
    }, presencePause);
  }

  #presenceText(): string {
    return JSON.stringify({ type: 'presence', clients: this.presence });
  }

  #send(socket: WebSocket, text: string): void {
    if (this.#closeExpired(socket)) return;
    const before = this.#unheard.get(socket) ?? { sent: 0, heard: 0 };
    const ponged = this.#ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0;
    const sent = ponged > before.heard ? text.length : before.sent + text.length;
    this.#unheard.set(socket, { sent, heard: Math.max(before.heard, ponged) });
    try {
      if (sent > unheardLimit) socket.close(1013, 'Reading too slowly: come back with the cursor');
      else socket.send(text);
    } catch {
      // It is closing: its close event tells the rest.
    }
  }

  #closeExpired(socket: WebSocket): boolean {
    const { expires } = attachmentOf(socket);
    if (expires === null || this.#port.now() < expires) return false;
    socket.close(1008, 'The identity has expired');
    return true;
  }

  #flood(socket: WebSocket): FloodLimit {
    const { participant } = attachmentOf(socket);
    const known = this.#floods.get(participant) ?? new FloodLimit(this.#port.frameRate, 60_000);
    this.#floods.set(participant, known);
    return known;
  }

  #sockets(): WebSocket[] {
    return this.#ctx.getWebSockets().filter((socket) => socket.readyState === WebSocket.OPEN);
  }
}

function attachmentOf(socket: WebSocket): Attachment {
  return socket.deserializeAttachment() as Attachment;
}

function actorOf({ participant, client, label, role }: Omit<Attachment, 'cancels'>): Actor {
  return { participant, client: label ?? client, role };
}
