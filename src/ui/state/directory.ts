import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { Summary } from '../../session/protocol/wire.ts';
import type { Api } from './api.ts';
import { backoff } from './backoff.ts';

interface Page {
  readonly sessions: readonly Summary[];
  readonly cursor: string | null;
}

/** The reader's sessions: the list, kept up to date by the feed, and the search. */
export class Directory {
  readonly #api: Api;
  readonly #random: () => number;
  readonly #all: Signal<ReadonlyMap<string, Summary>> = signal(new Map());
  /** Sessions that the reader deleted and may still take back. */
  readonly #hidden: Signal<ReadonlySet<string>> = signal(new Set());
  readonly query: Signal<string> = signal('');
  readonly #found: Signal<ReadonlySet<string> | null> = signal(null);
  readonly cursor: Signal<string | null> = signal(null);
  readonly loaded: Signal<boolean> = signal(false);
  /** What the list shows now, newest first. */
  readonly shown: ReadonlySignal<readonly Summary[]>;
  #abort: AbortController | null = null;

  constructor(api: Api, random: () => number) {
    this.#api = api;
    this.#random = random;
    this.shown = computed(() => {
      const found = this.query.value === '' ? null : this.#found.value;
      const all = [...this.#all.value.values()].filter(
        ({ scope }) => !this.#hidden.value.has(scope) && (found === null || found.has(scope)),
      );
      return all.sort((a, b) => b.updated - a.updated || (a.scope < b.scope ? 1 : -1));
    });
  }

  /** The newest session; null when there is none. */
  newest(): Summary | null {
    return this.shown.peek()[0] ?? null;
  }

  /** Reads the newest page anew. @throws ApiError when it cannot be had. */
  async refresh(): Promise<void> {
    const page = await this.#api.get<Page>('/sessions?limit=50');
    this.#all.value = new Map(page.sessions.map((summary) => [summary.scope, summary]));
    this.cursor.value = page.cursor;
    this.loaded.value = true;
  }

  /** Reads the next page of older sessions. @throws ApiError when it cannot be had. */
  async more(): Promise<void> {
    if (this.cursor.value === null) return;
    const page = await this.#api.get<Page>(`/sessions?limit=50&cursor=${encodeURIComponent(this.cursor.value)}`);
    this.#add(page.sessions);
    this.cursor.value = page.cursor;
  }

  /** Searches the titles on the server; an empty text shows all. @throws ApiError when it cannot be had. */
  async search(text: string): Promise<void> {
    this.query.value = text;
    if (text === '') return;
    const page = await this.#api.get<Page>(`/sessions?limit=50&q=${encodeURIComponent(text)}`);
    if (this.query.value !== text) return;
    this.#found.value = new Set(page.sessions.map((summary) => summary.scope));
    this.#add(page.sessions);
  }

  /** Hides a session, or shows it again. */
  hide(scope: string, hidden: boolean): void {
    const next = new Set(this.#hidden.value);
    if (hidden) next.add(scope);
    else next.delete(scope);
    this.#hidden.value = next;
  }

  /** Erases a session for good. @throws ApiError when the server refuses. */
  async erase(scope: string): Promise<void> {
    await this.#api.change('DELETE', `/sessions/${encodeURIComponent(scope)}`);
    this.#remove(scope);
  }

  /** Renames a session. @throws ApiError when the server refuses. */
  async rename(scope: string, title: string): Promise<void> {
    await this.#api.change('PATCH', `/sessions/${encodeURIComponent(scope)}`, { title });
  }

  /** Keeps the list up to date until `stop`: follows the feed, and lists anew after each time it was away. */
  async follow(): Promise<void> {
    const abort = new AbortController();
    this.#abort = abort;
    for (let attempt = 0; !abort.signal.aborted; attempt += 1) {
      const began = await this.#read(abort.signal).catch(() => false);
      if (abort.signal.aborted) return;
      if (began) attempt = 0;
      await new Promise((resolve) => setTimeout(resolve, backoff(attempt, this.#random())));
    }
  }

  stop(): void {
    this.#abort?.abort();
  }

  async #read(signal: AbortSignal): Promise<boolean> {
    const response = await this.#api.fetch('GET', '/feed', { signal });
    await this.refresh();
    const events = response.body?.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()).getReader();
    for (let next = await events?.read(); next !== undefined && !next.done; next = await events?.read()) {
      const data = JSON.parse(next.value.data) as Summary;
      if (next.value.event === 'removed') this.#remove(data.scope);
      else this.#add([data]);
    }
    return true;
  }

  #add(sessions: readonly Summary[]): void {
    this.#all.value = new Map([...this.#all.value, ...sessions.map((summary) => [summary.scope, summary] as const)]);
  }

  #remove(scope: string): void {
    const next = new Map(this.#all.value);
    next.delete(scope);
    this.#all.value = next;
    this.hide(scope, false);
  }
}
