import type { JsonObject } from '../../src/core/index.ts';
import { identityHeader } from '../../src/session/api.ts';
import type { CommandType, SessionEvent, Snapshot } from '../../src/session/protocol/index.ts';
import { type TestSession, TestSocket } from '../session/support.ts';
import { View } from './view.ts';

/** A client that outlives the deaths of the object: it comes back by its cursor, and sends again what has no answer, under the same id. */
export class Survivor {
  /** What it was told wrong; stays empty. */
  readonly wrong: string[] = [];
  readonly session: TestSession;
  readonly #view = new View((how, what) => this.wrong.push(`${how}: ${what}`));
  #socket: TestSocket | null = null;
  #taken = 0;
  #commands = 0;

  constructor(session: TestSession) {
    this.session = session;
  }

  /** Gives a command until it is accepted. */
  async accept(type: CommandType, body: JsonObject = {}): Promise<void> {
    this.#commands += 1;
    const whole = { id: `command-${this.#commands}`, ...body };
    for (;;) {
      const answer = await this.session.command(type, whole).catch(() => null);
      if (answer !== null && 'ok' in answer) return;
      if (answer !== null && answer.refused.code !== 'unavailable') {
        throw new Error(`${type} was refused: ${answer.refused.code}`);
      }
    }
  }

  /** Waits until the screen shows this. */
  async sees(fits: (shown: Snapshot) => boolean): Promise<Snapshot> {
    for (;;) {
      const socket = await this.#connected();
      this.#take(socket);
      const { shown } = this.#view;
      if (shown !== null && fits(shown)) return shown;
      await Promise.race([socket.frame(() => true, this.#taken), socket.closed]);
    }
  }

  /** Waits until the session answers: it may die once more after all is seen. */
  async outlives(): Promise<void> {
    while ((await this.session.snapshot().catch(() => null)) === null);
  }

  /** Goes away. */
  close(): void {
    this.#socket?.close();
    this.#socket = null;
  }

  async #connected(): Promise<TestSocket> {
    while (this.#socket === null) {
      const socket = await this.#connect().catch(() => null);
      if (socket === null) continue;
      this.#socket = socket;
      this.#taken = 0;
      void socket.closed.then(() => {
        if (this.#socket === socket) this.#socket = null;
      });
    }
    return this.#socket;
  }

  async #connect(): Promise<TestSocket | null> {
    const { cursor } = this.#view;
    const identity = { participant: this.session.address.participant, role: 'member', expires: null };
    const response = await this.session.stub.fetch(`http://session/socket${cursor === null ? '' : `?cursor=${cursor}`}`, {
      headers: { upgrade: 'websocket', [identityHeader]: JSON.stringify(identity) },
    });
    return response.webSocket === null ? null : new TestSocket(response.webSocket);
  }

  #take(socket: TestSocket): void {
    for (const frame of socket.frames.slice(this.#taken)) {
      if (frame.type === 'ready' && frame.snapshot !== undefined) this.#view.snapshot(frame.snapshot as unknown as Snapshot);
      else if (frame.type === 'ready') this.#view.resumed(String(frame.cursor));
      else if (typeof frame.seq === 'number') this.#view.event(frame as unknown as SessionEvent);
    }
    this.#taken = socket.frames.length;
  }
}
