import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Frame, frameBytes, joinBytes, readRecords } from '../../src/sandbox/wire/index.ts';
import { startCommand } from './command.ts';
import { pipes } from './pipe.ts';
import { Processes } from './processes.ts';
import { Tree, type TreeLimits } from './tree.ts';
import { type User, asUser } from './user.ts';

/** How a server is set up. */
export interface BoxInit {
  /** The folder of the workspace; commands run in it. */
  readonly root: string;
  /** The user of the commands, who runs nothing else (it takes root to be another one); null: the server's own. */
  readonly user: User | null;
  readonly env: NodeJS.ProcessEnv;
  readonly limits?: TreeLimits;
}

interface ExecBody {
  readonly id: string;
  readonly command: string;
  /** In ms. */
  readonly timeout: number;
}

interface LogsBody {
  readonly id: string;
  readonly from: number | null;
  /** In bytes. */
  readonly most: number;
}

/**
 * The server of a box: it runs one command at a time, keeps programs running beside them, and keeps the files of the workspace. Whoever reaches
 * its port may do all of it, so nobody but the session's object does.
 */
export function boxServer(init: BoxInit): Server {
  const box = new Box(init);
  return createServer((request, response) => {
    box.answer(request, response).catch((error: unknown) => {
      // What a client gets then breaks off, and it takes the box for lost.
      console.error(error);
      response.destroy();
    });
  });
}

class Box {
  /** Tells one life of the box from another: what was in the one before is gone. */
  readonly #boot = randomUUID();
  readonly #init: BoxInit;
  readonly #tree: Tree;
  readonly #pipe = pipes();
  readonly #processes = new Processes(this.#boot.slice(0, 4));
  #running: { readonly id: string; cancel(): void } | null = null;
  /** A cancel may come before its command has started. */
  #cancelled: string | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(init: BoxInit) {
    this.#init = init;
    this.#tree = new Tree(init.root, init.limits);
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    switch (`${request.method} ${request.url}`) {
      case 'GET /health':
        return json(response, 200, { boot: this.#boot, running: this.#running?.id ?? null });
      case 'POST /exec':
        return this.#exec(await bodyOf<ExecBody>(request), response);
      case 'POST /cancel':
        this.#cancel((await bodyOf<{ id: string }>(request)).id);
        return json(response, 200, {});
      case 'POST /push':
        await this.#alone(() => asUser(this.#init.user, () => this.#tree.apply(readRecords(request))));
        return json(response, 200, { boot: this.#boot });
      case 'POST /pull':
        return this.#alone(() => asUser(this.#init.user, () => this.#pull(response)));
      case 'POST /pulled':
        this.#tree.settle((await bodyOf<{ mark: number }>(request)).mark);
        return json(response, 200, {});
      case 'POST /processes':
        return this.#start((await bodyOf<{ command: string }>(request)).command, response);
      case 'POST /processes/logs':
        return this.#logs(await bodyOf<LogsBody>(request), response);
      case 'POST /processes/stop': {
        const stopped = await this.#processes.stop((await bodyOf<{ id: string }>(request)).id);
        return stopped === null ? this.#unknown(response) : json(response, 200, stopped);
      }
      default:
        return json(response, 404, {});
    }
  }

  /** One thing at a time touches the files, since a command may change any of them. */
  #alone<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#last.then(act);
    this.#last = done.catch(() => null);
    return done;
  }

  async #exec(body: ExecBody, response: ServerResponse): Promise<void> {
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).flushHeaders();
    await this.#alone(async () => response.end(frameBytes(await this.#run(body, response))));
  }

  /** Runs a command and sends what it prints; gives the frame that closes the stream. */
  async #run({ id, command, timeout }: ExecBody, response: ServerResponse): Promise<Frame> {
    if (this.#cancelled === id) return { type: 'end', code: null, signal: null, timedOut: false, cancelled: true };
    const { root, user, env } = this.#init;
    const sweep = user === null ? null : { uid: user.uid, spared: this.#processes.sessions };
    const running = await startCommand({ command, cwd: root, timeout, user, env, sweep }, this.#pipe());
    if ('reason' in running) return { type: 'refused', ...running };
    this.#running = { id, cancel: running.cancel };
    response.once('close', running.cancel);
    if (this.#cancelled === id || response.destroyed) running.cancel();
    try {
      for await (const bytes of running.output) await send(response, frameBytes({ type: 'data', bytes }));
      return { type: 'end', ...(await running.end) };
    } finally {
      this.#running = null;
    }
  }

  /** Not while files are touched as another user, who may not start anything, nor while a command ends, which would kill it. */
  async #start(command: string, response: ServerResponse): Promise<void> {
    const { root, user, env } = this.#init;
    return json(response, 200, await this.#alone(() => this.#processes.start({ command, cwd: root, user, env })));
  }

  #logs({ id, from, most }: LogsBody, response: ServerResponse): void {
    const logs = this.#processes.logs(id, from, most);
    if (logs === null) return this.#unknown(response);
    const head = {
      'content-type': 'application/octet-stream',
      'box-place': JSON.stringify(logs.place),
      'box-end': JSON.stringify(logs.state.end),
    };
    response.writeHead(200, head).end(logs.bytes);
  }

  /** Who asks for a process that there is not is told of those that there are. */
  #unknown(response: ServerResponse): void {
    json(response, 404, { processes: this.#processes.list() });
  }

  async #pull(response: ServerResponse): Promise<void> {
    const changes = await this.#tree.changes();
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'box-boot': this.#boot, 'box-mark': changes.mark });
    for await (const bytes of changes.records) await send(response, bytes);
    response.end();
  }

  #cancel(id: string): void {
    this.#cancelled = id;
    if (this.#running?.id === id) this.#running.cancel();
  }
}

/** Sends, and waits while the other side reads no further; what nobody reads any more is dropped. */
async function send(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  if (response.destroyed || response.write(bytes)) return;
  await new Promise<void>((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.on('drain', go).on('close', go);
  });
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function bodyOf<T>(request: IncomingMessage): Promise<T> {
  const pieces: Uint8Array[] = [];
  for await (const piece of request) pieces.push(piece);
  return JSON.parse(new TextDecoder().decode(joinBytes(pieces)));
}
