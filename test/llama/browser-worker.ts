import { resolveObjectURL } from 'node:buffer';
import { Worker as NodeWorker } from 'node:worker_threads';
import { wasmUrl } from './wasm-thread.ts';

/** Just enough of the browser's Worker, over a Node worker thread, for the engine's library. */
class BrowserWorker {
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onerror: ((error: unknown) => void) | null = null;
  readonly #thread: Promise<NodeWorker>;

  constructor(url: string) {
    this.#thread = this.#start(url);
    this.#thread.catch((error: unknown) => this.onerror?.(error));
  }

  postMessage(message: unknown, options?: { transfer?: ArrayBuffer[] }): void {
    void this.#thread.then((thread) => thread.postMessage(message, options?.transfer ?? []));
  }

  terminate(): void {
    void this.#thread.then((thread) => thread.terminate());
  }

  async #start(url: string): Promise<NodeWorker> {
    const browserCode = await resolveObjectURL(url)?.text();
    if (browserCode === undefined) throw new Error(`no code behind ${url}`);
    const thread = new NodeWorker(new URL('./wasm-thread.ts', import.meta.url), { workerData: { browserCode } });
    thread.on('message', (data: unknown) => this.onmessage?.({ data }));
    thread.on('error', (error) => this.onerror?.(error));
    return thread;
  }
}

/** Gives this thread the browser globals the engine's library reads. Call before importing it. */
export function installBrowserGlobals(): void {
  Object.assign(globalThis, { Worker: BrowserWorker, self: { location: new URL(wasmUrl) } });
}
