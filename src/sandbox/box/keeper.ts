import type { Clock } from '../../core/index.ts';

/** How long a container may take to start, and how often it is looked at meanwhile, in ms. */
const startLimit = 30_000;
const startLook = 50;

/** How long a command that should have ended may take to say so before its container is ended, in ms. */
const watchGrace = 2000;

/** How long a container is kept that nobody asks anything of, in ms. */
export const idleLimit = 600_000;

/** A container, as the platform gives it to its object. */
export interface ContainerPort {
  readonly running: boolean;
  /** Throws when there is none to be had just now. */
  start(): Promise<void>;
  destroy(): Promise<void>;
  /** Asks the server in it; rejects while that does not listen. */
  fetch(path: string, init: RequestInit): Promise<Response>;
}

/** What keeps a container: it, the object's alarm (null: none), and the time. */
export interface KeeperInit {
  readonly container: ContainerPort;
  readonly clock: Clock;
  setAlarm(time: number | null): Promise<void>;
}

/** A command that runs, as it is watched. */
interface Watched {
  readonly id: string;
  /** Fires when it has ended. */
  readonly over: AbortController;
}

/**
 * Keeps the container of a session: starts it when it is asked for its health, hands requests on to the server in it, ends it when nobody has asked for a while, and
 * whenever a command does not end in its time. What it answers to: what the server does, and `POST /destroy`.
 */
export class Keeper {
  readonly #init: KeeperInit;
  readonly #container: ContainerPort;
  #starting: Promise<void> | null = null;
  #watched: Watched | null = null;

  constructor(init: KeeperInit) {
    this.#init = init;
    this.#container = init.container;
  }

  async answer(path: string, method: string, body: Uint8Array<ArrayBuffer>): Promise<Response> {
    if (path === '/destroy') return this.#destroy();
    await this.#stayAwake();
    // Whoever brings files asks first which life of the box it is: whatever comes then finds it running, or lost.
    if (path === '/health') await this.#start();
    if (!this.#container.running) return new Response(null, { status: 503 });
    if (path === '/exec') return this.#exec(body);
    if (path === '/cancel') this.#cancel(body);
    return this.#container.fetch(path, method === 'GET' ? { method } : { method, body });
  }

  /** Nobody has asked for a while. A command that runs is somebody. */
  async alarm(): Promise<void> {
    if (this.#watched === null) await this.#destroy();
    else await this.#stayAwake();
  }

  #stayAwake(): Promise<void> {
    return this.#init.setAlarm(this.#init.clock.now() + idleLimit);
  }

  async #destroy(): Promise<Response> {
    await this.#init.setAlarm(null);
    if (this.#container.running) await this.#container.destroy();
    return new Response(null);
  }

  /** Starts the container if none runs; resolves when its server answers. */
  #start(): Promise<void> {
    this.#starting ??= this.#startAnew().finally(() => {
      this.#starting = null;
    });
    return this.#starting;
  }

  async #startAnew(): Promise<void> {
    const { clock } = this.#init;
    const end = clock.now() + startLimit;
    while (!(await this.#answers())) {
      if (clock.now() >= end) {
        // What runs and does not answer is of no use: the next command begins with another.
        if (this.#container.running) await this.#container.destroy();
        throw new Error('The container did not start in time.');
      }
      // There may be none to be had for a moment: the next look tries again.
      if (!this.#container.running) await this.#container.start().catch(() => null);
      await clock.sleep(startLook);
    }
  }

  async #answers(): Promise<boolean> {
    if (!this.#container.running) return false;
    const answer = await this.#container.fetch('/health', { method: 'GET' }).catch(() => null);
    await answer?.body?.cancel();
    return answer?.ok === true;
  }

  /** Hands a command on, and ends the container if the command does not end in its time. */
  async #exec(body: Uint8Array<ArrayBuffer>): Promise<Response> {
    const { id, timeout }: { readonly id: string; readonly timeout: number } = JSON.parse(new TextDecoder().decode(body));
    const watched: Watched = { id, over: new AbortController() };
    const over = (): void => {
      watched.over.abort();
      if (this.#watched === watched) this.#watched = null;
    };
    this.#watched = watched;
    void this.#endAfter(watched, timeout + watchGrace);
    const answer = await this.#container.fetch('/exec', { method: 'POST', body }).catch(() => null);
    if (answer?.body === null || answer === null) {
      over();
      return new Response(null, { status: 503 });
    }
    return new Response(followed(answer.body, over), { status: answer.status });
  }

  /** A command that a cancel does not end loses its container. */
  #cancel(body: Uint8Array): void {
    const { id }: { readonly id: string } = JSON.parse(new TextDecoder().decode(body));
    if (this.#watched?.id === id) void this.#endAfter(this.#watched, watchGrace);
  }

  async #endAfter({ over: { signal } }: Watched, wait: number): Promise<void> {
    await this.#init.clock.sleep(wait, signal);
    // One that cannot even be ended ends by itself when its object does.
    if (!signal.aborted) await this.#container.destroy().catch(() => null);
  }
}

/** The same bytes; `over` is told once when they end, break off, or are not wanted any more. */
function followed(body: ReadableStream<Uint8Array>, over: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const next = await reader.read();
        if (!next.done) return controller.enqueue(next.value);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      over();
    },
    async cancel(reason) {
      over();
      await reader.cancel(reason);
    },
  });
}
