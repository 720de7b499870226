import type { SocketIdentity } from './api.ts';
import { FloodLimit, minute } from './flood.ts';
import type { Actor, Presence } from './protocol/index.ts';

/** A socket that was sent so many characters since it was last heard of reads too slowly. */
export const unheardLimit = 8 * 1024 * 1024;

/** A socket that is not heard of for so long is silent, in ms. A client that lives says so more often. */
export const silence = 60_000;

/**
 * What the silent sockets of a session may have been sent together since they were last heard of, in characters: if they do not read, it waits in the
 * memory of the object, which is 128 MB.
 */
export const silentTotal = 32 * 1024 * 1024;

/** What a socket keeps while the object hibernates (16 KB at most). */
export interface Attachment extends SocketIdentity {
  readonly client: string;
  readonly label?: string;
  readonly editing?: boolean;
  /** Runs to cancel when the socket goes. */
  readonly cancels: readonly string[];
}

/**
 * A client's socket with all that is kept for it: of bounded size, whatever the client does. What must outlast the sleep of the object is
 * attached to the socket, and read from there once in a life.
 */
export class Client {
  readonly socket: WebSocket;
  /** The frames that it sends. */
  readonly frames: FloodLimit;
  /** The refusals that it gets because these were too many. */
  readonly refusals: FloodLimit;
  #attachment: Attachment;
  #welcome = 0;
  #sent = 0;
  #heard: number;

  /** `frameRate` is in frames a minute, `now` in ms; a new socket brings its attachment. */
  constructor(socket: WebSocket, frameRate: number, now: number, attachment?: Attachment) {
    this.socket = socket;
    this.#heard = now;
    this.frames = new FloodLimit(frameRate, minute);
    this.refusals = new FloodLimit(frameRate, minute);
    this.#attachment = attachment ?? (socket.deserializeAttachment() as Attachment);
    if (attachment !== undefined) socket.serializeAttachment(attachment);
  }

  /** What is attached to the socket. */
  get attachment(): Attachment {
    return this.#attachment;
  }

  /** Who it is, where its commands are signed; the name is the client's own, once it has said one. */
  get actor(): Actor {
    const { participant, client, label, role } = this.#attachment;
    return { participant, client: label ?? client, role };
  }

  /** How it is shown to the others. */
  get presence(): Presence {
    const { participant, client, label, editing } = this.#attachment;
    return { participant, client, ...(label === undefined ? {} : { label }), ...(editing === undefined ? {} : { editing }) };
  }

  /** The characters that it was sent since it was last heard of: what may still wait in memory. */
  get unheard(): number {
    return this.#welcome + this.#sent;
  }

  /** Changes its attachment. */
  keep(changes: Partial<Attachment>): void {
    this.#attachment = { ...this.#attachment, ...changes };
    this.socket.serializeAttachment(this.#attachment);
  }

  /** True when its identity has ended at `now` (ms). */
  isExpired(now: number): boolean {
    const { expires } = this.#attachment;
    return expires !== null && expires <= now;
  }

  /** When it was last heard of, in ms; before that, when this life of the object first met it. */
  get heard(): number {
    return this.#heard;
  }

  /** It was heard of at `at` (ms): what it was sent before does not count any more. */
  hear(at: number): void {
    this.#heard = at;
    this.#welcome = 0;
    this.#sent = 0;
  }

  /** Sends what it begins with. Not held against it: a client that this alone closed would come back for the same again. */
  welcome(text: string): void {
    this.#welcome += text.length;
    this.socket.send(text);
  }

  /** Sends; closes it instead when it is too far behind. */
  send(text: string): void {
    this.#sent += text.length;
    if (this.#sent > unheardLimit) return this.drop();
    try {
      this.socket.send(text);
    } catch {
      // It is closing: its close event tells the rest.
    }
  }

  /** Closes it because it reads too slowly. It comes back with its cursor, and has lost nothing. */
  drop(): void {
    this.close(1013, 'Reading too slowly: come back with the cursor');
  }

  /** Closes it, unless it is closed already. */
  close(code: number, reason: string): void {
    try {
      this.socket.close(code, reason);
    } catch {
      // Its close event tells the rest.
    }
  }
}

/** Those that must go so that the others together are not above `limit`: whoever is furthest behind goes first. */
export function overdue<C extends { readonly unheard: number }>(clients: readonly C[], limit: number): readonly C[] {
  let all = clients.reduce((sum, { unheard }) => sum + unheard, 0);
  if (all <= limit) return [];
  const gone: C[] = [];
  for (const client of clients.toSorted((a, b) => b.unheard - a.unheard)) {
    gone.push(client);
    all -= client.unheard;
    if (all <= limit) break;
  }
  return gone;
}
