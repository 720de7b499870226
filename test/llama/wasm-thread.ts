import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import vm from 'node:vm';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';

/** The address the engine's code fetches its wasm file from. Trap: a file URL would need XMLHttpRequest. */
export const wasmUrl = 'https://wllama.invalid/wllama.wasm';

/**
 * Runs a script made for a browser's dedicated worker inside this Node worker thread.
 *
 * Trap: `process` is hidden, since the script would otherwise take its Node path and call `require`.
 */
function runBrowserWorker(code: string): void {
  const port = parentPort;
  if (port === null) throw new Error('not a worker thread');
  const scope: Record<string, unknown> = {
    self: globalThis,
    WorkerGlobalScope: class {},
    location: new URL('worker.js', wasmUrl),
    onmessage: null,
    postMessage: (message: unknown, options?: { transfer?: ArrayBuffer[] }) => port.postMessage(message, options?.transfer ?? []),
    fetch: fetchWasm,
    process: undefined,
  };
  for (const [name, value] of Object.entries(scope)) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  }
  vm.runInThisContext(code, { filename: 'wllama-worker.js' });
  port.on('message', (data: unknown) => {
    const listener: unknown = Reflect.get(globalThis, 'onmessage');
    if (typeof listener === 'function') Reflect.apply(listener, globalThis, [{ data }]);
  });
}

async function fetchWasm(url: string): Promise<Response> {
  if (url !== wasmUrl) return new Response(null, { status: 404 });
  const file = createRequire(import.meta.url).resolve('@wllama/wllama/esm/wasm/wllama.wasm');
  return new Response(await readFile(file), { headers: { 'content-type': 'application/wasm' } });
}

if (!isMainThread && typeof workerData === 'object' && workerData !== null && 'browserCode' in workerData) {
  runBrowserWorker(String(workerData.browserCode));
}
