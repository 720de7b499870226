import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, workerData, type MessagePort } from 'node:worker_threads';
import type { EngineError, EngineOptions, EngineReply, EngineRequest } from './messages.ts';
import { loadEngine, type Engine } from './wllama.ts';

/** A call of the engine that takes longer than this counts as hung, and the engine is loaded anew. */
const callTimeoutMs = 30_000;

class EngineFault extends Error {}

/** Runs queued requests one after the other; more at a time than the engine has slots would hang it. */
class RequestQueue {
  readonly #options: EngineOptions;
  readonly #send: (reply: EngineReply) => void;
  readonly #cancelled = new Set<number>();
  readonly #unfinished = new Set<number>();
  readonly #dead = new WeakSet<Engine>();
  #engine: Promise<Engine>;
  #tail: Promise<void>;

  constructor(options: EngineOptions, send: (reply: EngineReply) => void) {
    this.#options = options;
    this.#send = send;
    this.#engine = loadEngine(options);
    this.#tail = this.#engine.then(
      () => send({ kind: 'ready' }),
      (error: unknown) => send({ kind: 'failed', reason: String(error) }),
    );
  }

  add(request: EngineRequest): void {
    if (request.kind === 'cancel') {
      if (this.#unfinished.has(request.id)) this.#cancelled.add(request.id);
      return;
    }
    this.#unfinished.add(request.id);
    this.#tail = this.#tail.then(() => this.#run(request.id, request.body));
  }

  async #run(id: number, body: string): Promise<void> {
    try {
      if (!this.#cancelled.has(id)) await this.#complete(await this.#engine, id, body);
    } catch (error) {
      this.#send({ kind: 'error', id, error: serverError(reasonOf(error)) });
    } finally {
      this.#unfinished.delete(id);
      this.#cancelled.delete(id);
      this.#send({ kind: 'end', id });
    }
  }

  async #complete(engine: Engine, id: number, body: string): Promise<void> {
    let requestId: number | undefined;
    let finished = false;
    engine.takeLoggedErrors();
    try {
      requestId = await this.#guard(engine, engine.start(body));
      while (!finished && !this.#cancelled.has(id)) {
        const polled = await this.#guard(engine, engine.poll(requestId));
        finished = polled.isError || !polled.hasMore;
        this.#forward(id, polled.isError, polled.json);
        if (this.#options.pauseMs > 0) await sleep(this.#options.pauseMs);
      }
    } finally {
      if (requestId !== undefined && !finished && !this.#dead.has(engine)) {
        await this.#guard(engine, engine.cancel(requestId)).catch(() => {});
      }
    }
  }

  #forward(id: number, isError: boolean, json: string): void {
    if (json === '' || json === 'null') return;
    const parsed: unknown = JSON.parse(json);
    if (isError) return this.#send({ kind: 'error', id, error: asEngineError(parsed) });
    const results: unknown[] = Array.isArray(parsed) ? parsed : [parsed];
    for (const result of results) this.#send({ kind: 'result', id, json: JSON.stringify(result) });
  }

  /**
   * Trap: C++ exceptions arrive as a meaningless RangeError, their text only as a native log line. An
   * aborted or silent engine is dead for good and is replaced.
   */
  async #guard<T>(engine: Engine, call: Promise<T>): Promise<T> {
    const timer = new AbortController();
    const timeout = sleep(callTimeoutMs, undefined, { signal: timer.signal }).then(() => {
      throw new EngineFault('the engine did not answer');
    });
    timeout.catch(() => {});
    try {
      return await Promise.race([call, timeout]);
    } catch (error) {
      if (error instanceof EngineFault || String(error).includes('(ABORT)')) this.#replace(engine);
      throw new Error(engine.takeLoggedErrors()[0] ?? reasonOf(error), { cause: error });
    } finally {
      timer.abort();
    }
  }

  #replace(engine: Engine): void {
    this.#dead.add(engine);
    engine.terminate();
    this.#engine = loadEngine(this.#options);
    this.#engine.catch(() => {});
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function serverError(message: string): EngineError {
  return { code: 500, message, type: 'server_error' };
}

function asEngineError(value: unknown): EngineError {
  const fields = typeof value === 'object' && value !== null ? value : {};
  return { ...serverError('the engine gave no reason'), ...fields };
}

function serve(port: MessagePort, options: EngineOptions): void {
  const queue = new RequestQueue(options, (reply) => port.postMessage(reply));
  port.on('message', (request: EngineRequest) => queue.add(request));
}

if (!isMainThread && parentPort !== null) serve(parentPort, workerData);
