import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** The cable between a browser and a server: a test can pull it out and put it back. */
export class Cable {
  readonly #open = new Set<Socket>();
  readonly #server = createServer((near) => this.#join(near));
  readonly #port: number;
  #whole = true;

  /** `port` is the server's, on this machine. */
  constructor(port: number) {
    this.#port = port;
  }

  /** Gives the address at this end. */
  async lay(): Promise<string> {
    this.#server.listen(0, 'localhost');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('The cable has no end.');
    return `http://localhost:${address.port}`;
  }

  /** Breaks every connection, and refuses new ones. */
  pull(): void {
    this.#whole = false;
    for (const socket of this.#open) socket.destroy();
  }

  /** Lets new connections through. */
  plug(): void {
    this.#whole = true;
  }

  async remove(): Promise<void> {
    this.pull();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(near: Socket): void {
    if (!this.#whole) {
      near.destroy();
      return;
    }
    const far = connect(this.#port, 'localhost');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#open.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#open.delete(from);
        to.destroy();
      });
    }
  }
}
