import {
  applyEvent,
  formatCursor,
  type ServerFrame,
  type SessionEvent,
  type Snapshot,
} from '../../src/session/protocol/index.ts';

/** How a server answered a command that was sent over a socket. */
type Reply = Extract<ServerFrame, { readonly type: 'ack' | 'refused' }>;

/** A browser's tab without the browser: one socket, and the screen that its frames make. */
export class Tab {
  /** The events that came over this socket, in order. */
  readonly events: SessionEvent[] = [];
  /** Every answer to a command, in order. */
  readonly replies: Reply[] = [];
  /** Resolves with the code when the socket has closed. */
  readonly closed: Promise<number>;
  /** True when the server took the cursor and sent no snapshot. */
  resumed = false;
  readonly #socket: WebSocket;
  readonly #waiting = new Set<() => void>();
  readonly #ended: Promise<never>;
  #screen: Snapshot | null;
  #commands = 0;
  #ready = false;

  private constructor(url: URL, screen: Snapshot | null) {
    if (screen !== null) url.searchParams.set('cursor', formatCursor(screen));
    url.protocol = 'ws:';
    this.#screen = screen;
    this.#socket = new WebSocket(url);
    this.#socket.addEventListener('message', ({ data }) => this.#take(JSON.parse(String(data)) as ServerFrame));
    this.closed = new Promise((resolve) => this.#socket.addEventListener('close', ({ code }) => resolve(code)));
    this.#ended = this.closed.then((code) => Promise.reject(new Error(`The socket closed with ${code}.`)));
    this.#ended.catch(() => undefined);
  }

  /** Opens a tab on a session of the server at `address`; with a `screen` it comes back from there. */
  static async open(address: string, scope: string, screen: Snapshot | null = null): Promise<Tab> {
    const tab = new Tab(new URL(`/api/sessions/${scope}/socket`, address), screen);
    await tab.#until(() => tab.#ready);
    return tab;
  }

  /** What the tab shows now. */
  get screen(): Snapshot {
    if (this.#screen === null) throw new Error('The socket is not ready.');
    return this.#screen;
  }

  /** The text of the reply that streams. */
  get streamed(): string {
    return (this.screen.step?.content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');
  }

  /** Resolves with the screen once it shows this; rejects when the socket closes before. */
  async sees(what: (screen: Snapshot) => boolean): Promise<Snapshot> {
    await this.#until(() => what(this.screen));
    return this.screen;
  }

  /** Resolves when the reply that streams has reached this text. */
  async reads(text: string): Promise<void> {
    await this.#until(() => this.streamed.includes(text));
  }

  /** Sends a command, under an id of its own unless one is given, and resolves with the answer. */
  async send(type: string, body: object = {}): Promise<Reply> {
    this.#commands += 1;
    const frame = { id: `command-${this.#commands}-${crypto.randomUUID()}`, ...body, type };
    this.say(JSON.stringify(frame));
    const answer = (): Reply | undefined => this.replies.find(({ id }) => id === frame.id);
    await this.#until(() => answer() !== undefined);
    return answer() as Reply;
  }

  /** Sends a frame as it is. */
  say(frame: string | Uint8Array<ArrayBuffer>): void {
    this.#socket.send(frame);
  }

  /** Resolves once so many answers have come. */
  async answered(count: number): Promise<readonly Reply[]> {
    await this.#until(() => this.replies.length >= count);
    return this.replies;
  }

  /** Closes the tab; resolves with what it showed last. */
  async close(): Promise<Snapshot> {
    this.#socket.close();
    await this.closed;
    return this.screen;
  }

  #take(frame: ServerFrame): void {
    if (frame.type === 'ready') {
      this.#ready = true;
      this.resumed = frame.snapshot === undefined;
      this.#screen = frame.snapshot ?? this.#screen;
    } else if (frame.type === 'ack' || frame.type === 'refused') this.replies.push(frame);
    else if ('seq' in frame) {
      this.events.push(frame);
      this.#screen = applyEvent(this.screen, frame);
    }
    for (const wake of this.#waiting) wake();
  }

  async #until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      await Promise.race([promise, this.#ended]).finally(() => this.#waiting.delete(resolve));
    }
  }
}
