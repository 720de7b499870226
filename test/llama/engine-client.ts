import { Worker } from 'node:worker_threads';
import type { EngineOptions, EngineReply, EngineRequest, RequestReply } from './messages.ts';

/** The engine thread, seen from the server. */
export interface EngineClient {
  /** Queues a request; `onReply` gets its replies up to and including its end. Returns a cancel function. */
  complete(body: string, onReply: (reply: RequestReply) => void): () => void;
  stop(): Promise<void>;
}

/** Starts the engine thread and waits until the weights are loaded. */
export async function startEngine(options: EngineOptions): Promise<EngineClient> {
  const thread = new Worker(new URL('./engine.ts', import.meta.url), { workerData: options });
  const listeners = new Map<number, (reply: RequestReply) => void>();
  let lastId = 0;
  const send = (request: EngineRequest): void => thread.postMessage(request);

  const endAll = (error: unknown): void => {
    for (const [id, listener] of listeners) {
      listener({ kind: 'error', id, error: { code: 500, message: String(error), type: 'server_error' } });
      listener({ kind: 'end', id });
    }
    listeners.clear();
  };

  await new Promise<void>((resolve, reject) => {
    thread.on('error', (error) => {
      reject(error);
      endAll(error);
    });
    thread.on('exit', () => {
      reject(new Error('the engine thread ended'));
      endAll('the engine thread ended');
    });
    thread.on('message', (reply: EngineReply) => {
      if (reply.kind === 'ready') return resolve();
      if (reply.kind === 'failed') return reject(new Error(reply.reason));
      const listener = listeners.get(reply.id);
      if (reply.kind === 'end') listeners.delete(reply.id);
      listener?.(reply);
    });
  }).catch(async (error: unknown) => {
    await thread.terminate();
    throw error;
  });

  return {
    complete: (body, onReply) => {
      const id = ++lastId;
      listeners.set(id, onReply);
      send({ kind: 'complete', id, body });
      return () => send({ kind: 'cancel', id });
    },
    stop: async () => {
      await thread.terminate();
    },
  };
}
