import type { ShellEnd } from '../../tools/index.ts';
import {
  type EndFrame,
  type FileRecord,
  joinBytes,
  type LogPlace,
  type ProcessState,
  readFrames,
  readRecords,
  recordsEnd,
  type RefusedFrame,
} from '../wire/index.ts';

/** Reaches the server of a box: by the object that owns the container, or by HTTP. */
export type BoxFetch = (path: string, init: RequestInit) => Promise<Response>;

/** A command as the server takes it. */
export interface BoxCommand {
  readonly id: string;
  readonly command: string;
  /** In ms. */
  readonly timeout: number;
}

/** What a box has changed, as it hands it over. Once it is saved, settle `mark`. */
export interface Pulled {
  readonly boot: string;
  readonly mark: number;
  readonly records: AsyncIterable<FileRecord>;
}

/** A piece of what a process printed. */
export interface ProcessLog extends LogPlace {
  /** How the process ended; null while it runs. */
  readonly end: EndFrame | null;
  readonly bytes: Uint8Array;
}

/** The box does not know a process of that name; those that it knows. */
export interface UnknownProcess {
  readonly processes: readonly ProcessState[];
}

/** The server of a box as its other end sees it. But for `run`, what fails is thrown. */
export class BoxClient {
  readonly #fetch: BoxFetch;

  constructor(fetch: BoxFetch) {
    this.#fetch = fetch;
  }

  /** Which life of the box answers. It waits until one does, or the signal fires. */
  async boot(signal: AbortSignal): Promise<string> {
    const { boot } = await this.#json<{ boot: string }>('/health', { method: 'GET', signal });
    return boot;
  }

  /**
   * Runs a command. Gives how it ended; that the box is gone where the stream ends without saying so. What `output` throws is thrown, and ends
   * the command.
   */
  async run(command: BoxCommand, signal: AbortSignal, output: (bytes: Uint8Array) => Promise<void>): Promise<ShellEnd> {
    if (signal.aborted) return { how: 'cancelled' };
    const cancel = (): void => void this.#post('/cancel', { id: command.id }).catch(() => null);
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await this.#follow(command, output);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  /** Hands files over: records as bytes, in as many requests as there are pieces. Gives the life of the box that took them. */
  async push(pieces: AsyncIterable<Uint8Array<ArrayBuffer>>): Promise<string> {
    let taken = '';
    for await (const piece of pieces) {
      const body = joinBytes([piece, recordsEnd]);
      const { boot } = await this.#json<{ boot: string }>('/push', { method: 'POST', body });
      if (taken !== '' && boot !== taken) throw new Error('The box began anew between two pieces.');
      taken = boot;
    }
    return taken;
  }

  /** Asks what changed since what was settled last. */
  async pull(): Promise<Pulled> {
    const response = await this.#fetch('/pull', { method: 'POST' });
    const boot = response.headers.get('box-boot');
    if (response.body === null || boot === null) throw new Error(`The box answered ${response.status}.`);
    return { boot, mark: Number(response.headers.get('box-mark')), records: readRecords(response.body) };
  }

  /** Says that what a pull brought is saved. */
  async settle(mark: number): Promise<void> {
    await this.#post('/pulled', { mark });
  }

  /** Starts a program that runs on. */
  async startProcess(command: string): Promise<ProcessState | RefusedFrame> {
    return JSON.parse(await (await this.#post('/processes', { command })).text());
  }

  /** At most `most` bytes of what a process printed, from the place `from`; null: the last ones. */
  async processLog(id: string, from: number | null, most: number): Promise<ProcessLog | UnknownProcess> {
    const response = await this.#ask('/processes/logs', { id, from, most });
    if (response.status === 404) return JSON.parse(await response.text());
    const place: LogPlace = JSON.parse(response.headers.get('box-place') ?? '');
    const end: EndFrame | null = JSON.parse(response.headers.get('box-end') ?? '');
    return { ...place, end, bytes: new Uint8Array(await response.arrayBuffer()) };
  }

  /** Kills a process. Gives what it was before; resolves when it has ended. */
  async stopProcess(id: string): Promise<ProcessState | UnknownProcess> {
    return JSON.parse(await (await this.#ask('/processes/stop', { id })).text());
  }

  async #follow(command: BoxCommand, output: (bytes: Uint8Array) => Promise<void>): Promise<ShellEnd> {
    const lost = { how: 'lost', reason: 'the container stopped' } as const;
    const response = await this.#post('/exec', command).catch(() => null);
    if (response === null || response.body === null) return lost;
    const frames = readFrames(response.body);
    try {
      for (;;) {
        const next = await frames.next().catch(() => null);
        if (next === null || next.done === true) return lost;
        const frame = next.value;
        if (frame.type === 'data') await output(frame.bytes);
        else return frame.type === 'end' ? endOf(frame) : { how: 'refused', reason: frame.reason, size: frame.size };
      }
    } finally {
      // Where it was left before its end, this ends the command.
      await frames.return().catch(() => null);
    }
  }

  async #post(path: string, body: object): Promise<Response> {
    const response = await this.#fetch(path, { method: 'POST', body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`The box answered ${response.status}.`);
    return response;
  }

  /** As `#post`, for what the server may not know. */
  async #ask(path: string, body: object): Promise<Response> {
    const response = await this.#fetch(path, { method: 'POST', body: JSON.stringify(body) });
    if (!response.ok && response.status !== 404) throw new Error(`The box answered ${response.status}.`);
    return response;
  }

  async #json<T>(path: string, init: RequestInit): Promise<T> {
    const response = await this.#fetch(path, init);
    if (!response.ok) throw new Error(`The box answered ${response.status}.`);
    return JSON.parse(await response.text());
  }
}

function endOf(end: EndFrame): ShellEnd {
  if (end.cancelled) return { how: 'cancelled' };
  if (end.timedOut) return { how: 'timeout' };
  return { how: 'exited', code: exitCode(end) };
}

/** A shell that a signal ended without our doing has the code that bash tells of it. */
export function exitCode({ code, signal }: EndFrame): number {
  return code ?? 128 + (signal ?? 0);
}
