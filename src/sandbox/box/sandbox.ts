import { DurableObject } from 'cloudflare:workers';
import { systemClock } from '../../core/index.ts';
import { type ContainerPort, idleLimit, Keeper } from './keeper.ts';

/** Where the server of a box listens (container/Dockerfile). */
const port = 8080;

/** The object that owns the container of a session. Its address is that of the session. */
export class Sandbox extends DurableObject<Env> {
  readonly #keeper: Keeper;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    if (ctx.container === undefined) throw new Error('No container is attached to this class.');
    this.#keeper = new Keeper({
      container: containerPort(ctx.container),
      clock: systemClock,
      setAlarm: (time) => (time === null ? ctx.storage.deleteAlarm() : ctx.storage.setAlarm(time)),
    });
  }

  override async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    return this.#keeper.answer(pathname, request.method, new Uint8Array(await request.arrayBuffer()));
  }

  override alarm(): Promise<void> {
    return this.#keeper.alarm();
  }
}

function containerPort(container: Container): ContainerPort {
  return {
    get running() {
      return container.running;
    },
    async start() {
      container.start({ enableInternet: false });
      // How it ends is told by the requests that fail.
      void container.monitor().catch(() => null);
      await container.setInactivityTimeout(idleLimit);
    },
    destroy: () => container.destroy(),
    fetch: (path, init) => container.getTcpPort(port).fetch(`http://box${path}`, init),
  };
}
