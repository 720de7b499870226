import { Session as RealSession } from '../../src/session/session.ts';
import { type LifeHook, lifeHook } from './reaper.ts';

export { Directory } from '../../src/server/directory.ts';
export { default } from '../../src/worker.ts';

/** The session as it is; a test that set a hook hears of each life before it begins. */
export class Session extends RealSession {
  constructor(ctx: DurableObjectState, env: Env) {
    (Reflect.get(env, lifeHook) as LifeHook | undefined)?.(ctx);
    super(ctx, env);
  }
}
