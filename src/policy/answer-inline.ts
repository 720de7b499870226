import { type Answer, type Call, deniedReasons, notRun, type Pending, type ToolMiddleware } from '../core/index.ts';

/** Asks a person who is there: gives the answer to every need of a pending call. It may reject, which fails the turn. */
export type Asker = (pending: Pending, context: Call) => Promise<Omit<Answer, 'callId'>>;

/**
 * Answers a paused call on the spot instead of ending the turn, round after round (PAUSE-26, PAUSE-28). It stands outside the
 * middleware that asks. The rule of a resume holds: a call that asked without a state and was denied is not made again
 * (PAUSE-27).
 */
export function answerInline(ask: Asker): ToolMiddleware {
  return {
    async call(call, context, next) {
      let result = await next(call, context);
      for (let pending = context.pending(); pending !== null; pending = context.pending()) {
        const answer = await ask(pending, context);
        context.answer(answer);
        const denied = deniedReasons(pending, { ...answer, callId: call.id });
        if (denied !== null && pending.state === null) return notRun.denied(denied);
        result = await next(call, context);
      }
      return result;
    },
  };
}
