import { WebSocket } from 'ws';
import { deltasIn, type Target } from './target.ts';

/** A socket of a session that counts what it is sent. */
export class Client {
  /** Deltas that came, since the count was last reset. */
  deltas = 0;
  /** Bytes of frames that came, since the count was last reset. */
  bytes = 0;
  /** When the first and the newest delta came, in ms of `performance.now`. */
  firstDelta = 0;
  lastDelta = 0;
  /** Hears every frame. */
  onFrame: ((frame: Buffer) => void) | null = null;
  readonly #socket: WebSocket;
  readonly #target: Target;
  readonly #waiting = new Set<() => void>();
  #ready = 0;
  #ends = 0;
  #asked = 0;
  #failure: Error | null = null;

  private constructor(target: Target, session: string) {
    this.#target = target;
    this.#socket = new WebSocket(target.socket(session), { perMessageDeflate: false });
    this.#socket.on('message', (frame: Buffer) => this.#take(frame));
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', (code) => this.#fail(new Error(`${target.name} closed the socket with ${code}.`)));
  }

  /** Opens a socket. It is ready when the server said so. */
  static async open(target: Target, session: string): Promise<Client> {
    const client = new Client(target, session);
    await client.until(() => client.#ready > 0);
    return client;
  }

  /** When the server said that it was ready, in ms of `performance.now`. */
  get ready(): number {
    return this.#ready;
  }

  /** Sets the counts to nothing. */
  reset(): void {
    this.deltas = 0;
    this.bytes = 0;
    this.firstDelta = 0;
  }

  /** Sends a frame. */
  send(frame: string): void {
    this.#socket.send(frame);
  }

  /** Asks a question. */
  ask(question: string): void {
    this.#asked += 1;
    this.send(this.#target.ask(question, `${this.#asked}-${crypto.randomUUID()}`));
  }

  /** Resolves when the question that was asked last, by whomever, is answered to its end. */
  async ended(): Promise<void> {
    const before = this.#ends;
    await this.until(() => this.#ends > before);
  }

  /** Resolves once this holds, looked at after every frame; rejects when the socket closes. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      if (this.#failure !== null) throw this.#failure;
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** Drops the connection. The peer does not answer a closing handshake, and waiting for one takes ten seconds. */
  close(): void {
    this.#socket.removeAllListeners('close');
    this.#socket.terminate();
  }

  #take(frame: Buffer): void {
    this.bytes += frame.length;
    if (this.#target.isDelta(frame)) {
      this.deltas += deltasIn(frame);
      this.lastDelta = performance.now();
      if (this.firstDelta === 0) this.firstDelta = this.lastDelta;
    } else if (this.#target.isEnd(frame)) this.#ends += 1;
    else if (this.#ready === 0 && this.#target.isReady(frame)) this.#ready = performance.now();
    this.onFrame?.(frame);
    this.#wake();
  }

  #fail(error: Error): void {
    this.#failure = error;
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
