import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { installBrowserGlobals } from './browser-worker.ts';
import type { EngineOptions } from './messages.ts';
import { wasmUrl } from './wasm-thread.ts';

/** One poll's answer: perhaps a piece of JSON text, and whether more will come. */
interface PolledResult {
  readonly hasMore: boolean;
  readonly isError: boolean;
  readonly json: string;
}

/** The library's internal calls, which are llama-server without its socket. */
export interface Engine {
  /** Parses and queues a Chat Completions request; returns its id. */
  start(body: string): Promise<number>;
  /** Generates about one token and returns what became ready. */
  poll(requestId: number): Promise<PolledResult>;
  cancel(requestId: number): Promise<void>;
  /** Native error lines logged since the last call. */
  takeLoggedErrors(): string[];
  terminate(): void;
}

interface ActionProxy {
  wllamaAction(name: string, message: object): Promise<Readonly<Record<string, unknown>>>;
}

interface WllamaLibrary {
  readonly Wllama: new (paths: { default: string }, config: object) => WllamaInstance;
}

interface WllamaInstance {
  loadModel(blobs: Blob[], params: object): Promise<void>;
  exit(): Promise<void>;
  getModelMetadata(): { readonly hparams: { readonly nVocab: number } };
  /** Private in the library: the only way to its JSON before it is turned into its own types. */
  readonly proxy: ActionProxy;
}

const nativeLogErrorsOnly = 4;

/** Loads the weights in a thread of its own. Replaces globals of the calling thread. */
export async function loadEngine(options: EngineOptions): Promise<Engine> {
  installBrowserGlobals();
  let loggedErrors: string[] = [];
  const remember = (...parts: unknown[]): void => {
    loggedErrors.push(parts.map(String).join(' '));
  };
  const ignore = (): void => {};
  const { Wllama } = await importLibrary();
  const wllama = new Wllama(
    { default: wasmUrl },
    {
      logger: { debug: ignore, log: ignore, warn: ignore, error: remember },
      // Trap: there is no browser storage, and the library's own managers refuse to start without it.
      cacheManager: {},
      modelManager: {},
    },
  );
  await wllama.loadModel([new Blob([Uint8Array.from(options.weights)])], {
    log_level: nativeLogErrorsOnly,
    n_ctx: options.contextTokens,
    // Trap: more threads spin against each other on a busy machine and are a thousand times slower.
    n_threads: 1,
    n_gpu_layers: 0,
    n_parallel: 1,
    n_batch: 512,
    jinja: true,
    reasoning: options.thinking,
    reasoning_format: 'deepseek',
    warmup: false,
  });
  // Trap: the library does not look at whether its load call succeeded.
  if (wllama.getModelMetadata().hparams.nVocab === 0) {
    await wllama.exit();
    throw new Error(loggedErrors.join('; ') || 'the engine refused the weights');
  }
  const { proxy } = wllama;
  return {
    start: async (body) => {
      const started = await proxy.wllamaAction('completion', {
        _name: 'cmpl_req',
        is_chat: true,
        data_json: body,
        files: [],
      });
      if (typeof started.req_id !== 'number') throw new Error('the engine gave no request id');
      return started.req_id;
    },
    poll: async (requestId) => {
      const polled = await proxy.wllamaAction('get_result', { _name: 'gres_req', req_id: requestId });
      return {
        hasMore: polled.has_more === true,
        isError: polled.is_error === true,
        json: typeof polled.data_json === 'string' ? polled.data_json : '',
      };
    },
    cancel: async (requestId) => {
      await proxy.wllamaAction('cancel', { _name: 'cncl_req', req_id: requestId });
    },
    takeLoggedErrors: () => {
      const taken = loggedErrors;
      loggedErrors = [];
      return taken;
    },
    terminate: () => {
      void wllama.exit();
    },
  };
}

async function importLibrary(): Promise<WllamaLibrary> {
  const file = createRequire(import.meta.url).resolve('@wllama/wllama/esm/index.js');
  return await import(pathToFileURL(file).href);
}
