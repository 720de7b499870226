/**
 * Reins with two doors for the bench: GET /api/bench/SCOPE/rows tells how many rows the session has written, POST /api/bench/SCOPE/fill/COUNT puts
 * messages into its rows.
 */
import { defaultMode } from '../../../src/config/index.ts';
import { stubAt } from '../../../src/session/address.ts';
import { putMessage } from '../../../src/session/rows/messages.ts';
import { readSession } from '../../../src/session/rows/session.ts';
import { Session as Bare } from '../../../src/session/session.ts';
import worker from '../../../src/worker.ts';
import { filler, meter, rowsWritten } from '../meter.ts';

export { Directory } from '../../../src/worker.ts';

/** A session that counts and can be filled. */
export class Session extends Bare {
  constructor(ctx: DurableObjectState, env: Env) {
    super(meter(ctx), env);
  }

  /** How many rows it has written since it came to life. */
  rows(): number {
    return rowsWritten(this.ctx);
  }

  /** Puts so many messages into the conversation. They are seen when the object comes to life again. */
  async fill(count: number): Promise<void> {
    await this.command('patch', { mode: defaultMode }, { participant: 'local' });
    const { storage } = this.ctx;
    const thread = readSession(storage.sql)?.thread ?? 1;
    storage.transactionSync(() => {
      for (let n = 0; n < count; n += 1) {
        const role = n % 2 === 0 ? 'user' : 'assistant';
        const content = [{ type: 'text', text: filler(n) }] as const;
        putMessage(storage.sql, thread, { id: `msg_${n}`, role, content, run: null, created: n });
      }
    });
  }
}

export default {
  async fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
    const [, , bench, scope = '', act, count] = new URL(request.url).pathname.split('/');
    if (bench !== 'bench') return worker.fetch(request, env, ctx);
    const namespace = env.SESSIONS as unknown as DurableObjectNamespace<Session>;
    const session = stubAt(namespace, { jurisdiction: null, participant: 'local', scope });
    if (act === 'fill') await session.fill(Number(count));
    return Response.json(await session.rows());
  },
};
