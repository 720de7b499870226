import { backoff } from './backoff.ts';

/** One open connection, as the link uses it. */
export interface Wire {
  send(text: string): void;
  close(): void;
}

/** What a connection tells. `closed` comes once, also when it never opened; its code is a WebSocket close code. */
export interface WireEvents {
  opened(): void;
  text(text: string): void;
  closed(code: number): void;
}

/** Opens a connection. */
export type OpenWire = (events: WireEvents) => Wire;

/** Where the connection stands. */
export type LinkPhase = 'connecting' | 'live' | 'waiting' | 'stopped';

/** What a link needs: how to open, a source of randomness from 0 to 1, and who listens. */
export interface LinkInit {
  readonly open: OpenWire;
  readonly random: () => number;
  readonly onText: (text: string) => void;
  readonly onPhase: (phase: LinkPhase) => void;
  /** A connection ended; `opened` tells whether it ever stood. */
  readonly onLost: (code: number, opened: boolean) => void;
}

/** The exact text that the server answers without waking a sleeping session (docs/wire.md, WebSocket). */
export const pingText = '{"type":"ping"}';

/** How often a quiet connection is asked for a sign of life, and how long it has to give one, in ms. */
export const watchdog = { every: 20_000, patience: 8_000 } as const;

/**
 * Keeps one connection to a session alive: comes back after a loss with growing waits, at once when `nudge` says that the
 * reader or the network is back, and gives up on a connection that is open but silent.
 */
export class Link {
  readonly #init: LinkInit;
  #wire: Wire | null = null;
  #phase: LinkPhase = 'stopped';
  #attempt = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #ping: ReturnType<typeof setTimeout> | undefined;
  #deadline: ReturnType<typeof setTimeout> | undefined;

  constructor(init: LinkInit) {
    this.#init = init;
  }

  /** Connects, unless it has begun to. */
  start(): void {
    if (this.#phase === 'stopped') this.#connect();
  }

  /** Ends the connection for good. */
  stop(): void {
    this.#drop();
    this.#enter('stopped');
  }

  /** Ends the connection and opens the next at once: what came over it cannot be relied on. */
  restart(): void {
    this.#drop();
    this.#connect();
  }

  /** The reader looks, or the network is back: tries at once instead of waiting, or asks a standing connection for a sign of life. */
  nudge(): void {
    if (this.#phase === 'waiting') {
      this.#attempt = 0;
      this.restart();
    } else if (this.#phase === 'live') {
      this.#askForLife();
    }
  }

  /** Sends a text; false when there is no connection to send it on. */
  send(text: string): boolean {
    if (this.#wire === null || this.#phase !== 'live') return false;
    this.#wire.send(text);
    return true;
  }

  #connect(): void {
    clearTimeout(this.#retry);
    this.#enter('connecting');
    let opened = false;
    const wire = this.#init.open({
      opened: () => {
        if (this.#wire !== wire) return;
        opened = true;
        this.#attempt = 0;
        this.#enter('live');
        this.#schedulePing();
      },
      text: (text) => {
        if (this.#wire !== wire) return;
        clearTimeout(this.#deadline);
        this.#schedulePing();
        this.#init.onText(text);
      },
      closed: (code) => {
        if (this.#wire === wire) this.#lost(code, opened);
      },
    });
    this.#wire = wire;
  }

  #lost(code: number, opened: boolean): void {
    this.#drop();
    this.#enter('waiting');
    this.#retry = setTimeout(() => this.#connect(), backoff(this.#attempt, this.#init.random()));
    this.#attempt += 1;
    this.#init.onLost(code, opened);
  }

  #schedulePing(): void {
    clearTimeout(this.#ping);
    this.#ping = setTimeout(() => this.#askForLife(), watchdog.every);
  }

  #askForLife(): void {
    clearTimeout(this.#ping);
    clearTimeout(this.#deadline);
    this.#wire?.send(pingText);
    this.#deadline = setTimeout(() => this.#lost(1006, true), watchdog.patience);
  }

  #drop(): void {
    clearTimeout(this.#retry);
    clearTimeout(this.#ping);
    clearTimeout(this.#deadline);
    const wire = this.#wire;
    this.#wire = null;
    wire?.close();
  }

  #enter(phase: LinkPhase): void {
    if (this.#phase === phase) return;
    this.#phase = phase;
    this.#init.onPhase(phase);
  }
}
