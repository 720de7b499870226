import { setTimeout as sleep } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import type { Json, JsonObject } from '../../src/core/index.ts';
import type { ServerFrame, SessionEvent, Snapshot } from '../../src/session/protocol/index.ts';
import type { View } from '../../test/chaos/view.ts';

/** A command, as a client keeps it until it has an answer. Its type is the last part of its route, too. */
export interface Command {
  readonly id: string;
  readonly type: 'turn' | 'answers' | 'interject' | 'message' | 'cancel';
  readonly body: JsonObject;
}

/** How the server answered a command: what it gave, or the code of its refusal. */
export type Answer = { readonly result: Json } | { readonly code: string };

/** A client's connection to one session: it feeds the client's view, and comes back by itself when it is lost, until it is closed. */
export interface Link {
  open(): void;
  close(): void;
  /** Sends a command once. Null when the connection went before the answer came: nobody knows whether it was accepted. */
  send(command: Command): Promise<Answer | null>;
}

/** How long a client waits before it comes back, in ms. */
const pause = 50;

/** A link over a WebSocket. */
export class SocketLink implements Link {
  readonly #url: URL;
  readonly #view: View;
  readonly #waiting = new Map<string, (answer: Answer | null) => void>();
  #socket: WebSocket | null = null;
  /** True from the server's first frame on. */
  #isReady = false;
  /** Resolves when the connection comes or goes. */
  #changed = Promise.withResolvers<void>();
  #open = false;

  constructor(session: string, view: View) {
    this.#url = new URL(`${session}/socket`);
    this.#url.protocol = 'ws:';
    this.#view = view;
  }

  open(): void {
    this.#open = true;
    this.#connect();
  }

  close(): void {
    this.#open = false;
    this.#socket?.close();
    this.#lost();
  }

  async send({ id, type, body }: Command): Promise<Answer | null> {
    while (this.#open && !this.#isReady) await this.#changed.promise;
    if (!this.#open) return null;
    const { promise, resolve } = Promise.withResolvers<Answer | null>();
    this.#waiting.set(id, resolve);
    this.#socket?.send(JSON.stringify({ ...body, type, id }));
    return promise;
  }

  #connect(): void {
    const { cursor } = this.#view;
    if (cursor !== null) this.#url.searchParams.set('cursor', cursor);
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      if (socket === this.#socket) this.#take(JSON.parse(String(data)) as ServerFrame);
    });
    // A close follows every error.
    socket.addEventListener('error', () => {});
    socket.addEventListener('close', () => {
      if (socket !== this.#socket) return;
      this.#lost();
      if (this.#open) setTimeout(() => this.#open && this.#connect(), pause);
    });
  }

  #lost(): void {
    this.#socket = null;
    this.#turn(false);
    for (const resolve of this.#waiting.values()) resolve(null);
    this.#waiting.clear();
  }

  #take(frame: ServerFrame): void {
    switch (frame.type) {
      case 'ready':
        if (frame.snapshot === undefined) this.#view.resumed(frame.cursor);
        else this.#view.snapshot(frame.snapshot);
        return this.#turn(true);
      case 'ack':
        return this.#answered(frame.id, { result: frame.result });
      case 'refused':
        return this.#answered(frame.id ?? '', { code: frame.code });
      case 'presence':
      case 'pong':
        return;
      default:
        this.#view.event(frame);
    }
  }

  #turn(ready: boolean): void {
    this.#isReady = ready;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  #answered(id: string, answer: Answer): void {
    this.#waiting.get(id)?.(answer);
    this.#waiting.delete(id);
  }
}

/** A link over HTTP: commands are posted, events come as server-sent events. */
export class HttpLink implements Link {
  readonly #session: string;
  readonly #view: View;
  #closed = new AbortController();

  constructor(session: string, view: View) {
    this.#session = session;
    this.#view = view;
  }

  open(): void {
    this.#closed = new AbortController();
    void this.#follow(this.#closed.signal);
  }

  close(): void {
    this.#closed.abort();
  }

  async send({ id, type, body }: Command): Promise<Answer | null> {
    const init = { method: 'POST', body: JSON.stringify({ ...body, id }), signal: this.#closed.signal };
    try {
      const response = await fetch(`${this.#session}/${type}`, init);
      if (response.status >= 500) return null;
      if (response.status === 204) return { result: null };
      const answer = (await response.json()) as JsonObject;
      return response.ok ? { result: answer } : { code: String(answer.code) };
    } catch {
      return null;
    }
  }

  async #follow(closed: AbortSignal): Promise<void> {
    while (!closed.aborted) {
      await this.#read(closed).catch(() => {});
      await sleep(pause);
    }
  }

  async #read(closed: AbortSignal): Promise<void> {
    const { cursor } = this.#view;
    const headers: Record<string, string> = cursor === null ? {} : { 'last-event-id': cursor };
    const response = await fetch(`${this.#session}/events`, { headers, signal: closed });
    if (!response.ok || response.body === null) return;
    const parser = createParser({
      onEvent: ({ event, data }) => {
        const value: unknown = JSON.parse(data);
        if (event === 'snapshot') this.#view.snapshot(value as Snapshot);
        else this.#view.event(value as SessionEvent);
      },
    });
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) parser.feed(text);
  }
}
