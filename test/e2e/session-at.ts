import type { EndedRun, SessionEvent, Snapshot } from '../../src/session/protocol/index.ts';
import { Tab } from './tab.ts';

/** An HTTP answer: its status, its media type, and its body, read as JSON where it is. */
interface Answer<T> {
  readonly status: number;
  readonly type: string;
  readonly body: T;
}

/** What a command that starts a run answers. */
interface Started {
  readonly run: string;
  readonly turn: number;
  readonly cursor: string;
}

/** One session of a running server, as a client reaches it over HTTP. */
export class SessionAt {
  readonly #server: string;
  readonly scope: string;

  /** `server` is its address. Every test takes a scope of its own. */
  constructor(server: string, scope: string) {
    this.#server = server;
    this.scope = scope;
  }

  /** Sends a command; `path` is what stands behind the scope. */
  async post<T = Started>(path: string, body: object = {}, accept = 'application/json'): Promise<Answer<T>> {
    return this.#ask<T>('POST', `/${path}`, { body: JSON.stringify(body), headers: { accept } });
  }

  /** Starts a run and waits for its end. */
  async run(path: string, body: object = {}): Promise<EndedRun> {
    return (await this.post<EndedRun>(`${path}?wait`, body)).body;
  }

  /** The events of the run that a command starts, read to their end. */
  async events(path: string, body: object, accept: string): Promise<SessionEvent[]> {
    const { type, body: text } = await this.post<string>(path, body, accept);
    const lines = text.split('\n').filter((line) => line.startsWith(type.startsWith('text/event-stream') ? 'data: ' : '{'));
    return lines.map((line) => JSON.parse(line.replace(/^data: /, '')) as SessionEvent);
  }

  async snapshot(): Promise<Snapshot> {
    return (await this.#ask<Snapshot>('GET', '')).body;
  }

  async erase(): Promise<number> {
    return (await this.#ask('DELETE', '')).status;
  }

  /** A tab on it; with a `screen` one that comes back from there. */
  tab(screen: Snapshot | null = null): Promise<Tab> {
    return Tab.open(this.#server, this.scope, screen);
  }

  async #ask<T>(method: string, path: string, init: RequestInit = {}): Promise<Answer<T>> {
    const response = await fetch(`${this.#server}/api/sessions/${this.scope}${path}`, { ...init, method });
    const type = response.headers.get('content-type') ?? '';
    const text = await response.text();
    return { status: response.status, type, body: (/\bjson$/.test(type) ? JSON.parse(text) : text) as T };
  }
}
