import worker from '../../src/worker.ts';
import { Sandbox } from '../../src/sandbox/box/sandbox.ts';

export { Directory, Session } from '../../src/worker.ts';
export { Sandbox };

/** What the suite's Worker has beside the platform's own. */
interface BoxEnv extends Env {
  readonly SANDBOX: DurableObjectNamespace<Sandbox>;
}

/** Reins with containers, and a door to a container by its name: `/box/<name>/<path of its server>`. */
export default {
  fetch(request: Request, env: BoxEnv, context: ExecutionContext): Response | Promise<Response> {
    const { pathname } = new URL(request.url);
    const [, name, path] = /^\/box\/([^/]+)(\/.*)$/.exec(pathname) ?? [];
    if (name === undefined || path === undefined) return worker.fetch(request, env, context);
    return env.SANDBOX.getByName(name).fetch(new Request(`http://box${path}`, request));
  },
};
