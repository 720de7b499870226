import { isObject, type Json, randomId } from '../src/core/index.ts';
import {
  applyEvent,
  type CommandType,
  formatCursor,
  type ServerFrame,
  type SessionEvent,
  type Snapshot,
} from '../src/session/protocol/index.ts';

/** Where a session is, and who asks. `url` is the server's address; `token` a bearer token, null where none is needed. */
export interface SessionAddress {
  readonly url: URL;
  readonly scope: string;
  readonly token: string | null;
}

/** The server refused a command or the session; `code` is stable (docs/wire.md, refusals). */
export class Refused extends Error {
  readonly code: string;

  constructor(code: string, detail: string) {
    super(detail);
    this.code = code;
  }
}

/** There is no connection, and no more attempts. */
export class Unreachable extends Error {}

/** What hears of a session: each event once and in order, `event` null when a snapshot took its place. */
export type Watcher = (snapshot: Snapshot, event: SessionEvent | null) => void;

interface Sent {
  readonly frame: string;
  readonly resolve: (result: Json) => void;
  readonly reject: (error: Error) => void;
}

const attempts = 8;
const identityExpired = 1008;

/**
 * A session over a WebSocket, folded by the reducer that the page uses. A lost connection is taken up again after the last
 * event that was seen. Commands without an answer are then sent again under the same id, which counts once (docs/wire.md).
 */
export class SessionClient {
  readonly #address: SessionAddress;
  readonly #watchers = new Set<Watcher>();
  readonly #sent = new Map<string, Sent>();
  readonly #lost = Promise.withResolvers<never>();
  #socket: WebSocket | null = null;
  #snapshot: Snapshot;
  /** True from the server's first frame on: commands go out at once. */
  #ready = false;
  #failures = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  private constructor(address: SessionAddress, snapshot: Snapshot) {
    this.#address = address;
    this.#snapshot = snapshot;
    this.#lost.promise.catch(() => {});
  }

  /**
   * Opens a session: an unused one is empty and is not created by it.
   * @throws Refused when the server does not let us in; Unreachable when there is none.
   */
  static async open(address: SessionAddress): Promise<SessionClient> {
    const client = new SessionClient(address, await readSnapshot(address));
    client.#connect();
    return client;
  }

  /** The session as far as it is known here. */
  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** Adds a watcher; the function that it gives takes it away again. */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /**
   * Resolves as soon as the snapshot is so.
   * @throws Unreachable when the connection is lost for good before.
   */
  async until(isSo: (snapshot: Snapshot) => boolean): Promise<Snapshot> {
    if (isSo(this.#snapshot)) return this.#snapshot;
    const found = Promise.withResolvers<Snapshot>();
    const unwatch = this.watch((snapshot) => {
      if (isSo(snapshot)) found.resolve(snapshot);
    });
    try {
      return await Promise.race([found.promise, this.#lost.promise]);
    } finally {
      unwatch();
    }
  }

  /**
   * Sends a command and gives what its route answers; `id` names it for a later cancel.
   * @throws Refused; Unreachable when the connection is lost for good before the answer.
   */
  command(type: CommandType, body: object, id: string = randomId('cmd')): Promise<Json> {
    const answer = Promise.withResolvers<Json>();
    const frame = JSON.stringify({ ...body, type, id });
    this.#sent.set(id, { frame, resolve: answer.resolve, reject: answer.reject });
    if (this.#ready) this.#socket?.send(frame);
    return Promise.race([answer.promise, this.#lost.promise]);
  }

  /** Leaves the session; what runs in it goes on. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#retry);
    this.#socket?.close();
  }

  #connect(): void {
    const { url, scope, token } = this.#address;
    const address = new URL(`/api/sessions/${encodeURIComponent(scope)}/socket`, url);
    address.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    address.searchParams.set('cursor', formatCursor(this.#snapshot));
    const socket = new WebSocket(address, ['reins.v1', ...(token === null ? [] : [`bearer.${token}`])]);
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(String(data)) as ServerFrame));
    socket.addEventListener('close', ({ code }) => this.#disconnected(code));
    // A close follows every error, and says more.
    socket.addEventListener('error', () => {});
  }

  #disconnected(code: number): void {
    if (this.#closed) return;
    this.#ready = false;
    this.#failures += 1;
    if (code === identityExpired)
      this.#lost.reject(new Refused('unauthenticated', 'The token has expired. The turn goes on without us.'));
    else if (this.#failures > attempts)
      this.#lost.reject(new Unreachable('The connection is lost. The turn goes on without us.'));
    else this.#retry = setTimeout(() => this.#connect(), Math.min(4000, 100 * 2 ** this.#failures));
  }

  #receive(frame: ServerFrame): void {
    switch (frame.type) {
      case 'ready':
        this.#ready = true;
        this.#failures = 0;
        if (frame.snapshot !== undefined) this.#show(frame.snapshot, null);
        for (const { frame: text } of this.#sent.values()) this.#socket?.send(text);
        break;
      case 'ack':
        this.#sent.get(frame.id)?.resolve(frame.result);
        this.#sent.delete(frame.id);
        break;
      case 'refused':
        this.#sent.get(frame.id ?? '')?.reject(new Refused(frame.code, frame.detail));
        this.#sent.delete(frame.id ?? '');
        break;
      case 'presence':
      case 'pong':
        break;
      default:
        this.#show(applyEvent(this.#snapshot, frame), frame);
    }
  }

  #show(snapshot: Snapshot, event: SessionEvent | null): void {
    if (event !== null && snapshot === this.#snapshot) return;
    this.#snapshot = snapshot;
    for (const watcher of this.#watchers) watcher(snapshot, event);
  }
}

async function readSnapshot({ url, scope, token }: SessionAddress): Promise<Snapshot> {
  const address = new URL(`/api/sessions/${encodeURIComponent(scope)}`, url);
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(address, { headers }).catch(() => null);
  if (response === null) throw new Unreachable(`There is no server at ${url.origin}. Start one with: npm start`);
  const body = (await response.json().catch(() => null)) as Json;
  if (response.ok && isObject(body)) return body as unknown as Snapshot;
  const problem = isObject(body) && typeof body.detail === 'string' ? body : null;
  throw new Refused(
    String(problem?.code ?? 'internal'),
    String(problem?.detail ?? `${url.origin} answers ${response.status}, and is no server of ours.`),
  );
}
