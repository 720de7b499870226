import type { ToolMiddleware } from '../core/index.ts';

/** The innermost tool middleware: tells that a call runs now, before it does, so that the journal knows what had begun. */
export function toolJournal(started: (callId: string) => void): ToolMiddleware {
  return {
    call(call, context, next) {
      if (context.spec !== null) started(context.id);
      return next(call, context);
    },
  };
}
