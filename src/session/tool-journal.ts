import type { Pending, ToolMiddleware } from '../core/index.ts';

/** What is told of a call as it runs. */
export interface ToolJournal {
  /** It runs now: told before it does, so that the journal knows what had begun. */
  started(callId: string): void;
  /** It did no more than ask: after a crash it need not run again to ask the same. */
  waiting(callId: string, pending: Pending): void;
}

/** The innermost tool middleware: tells the journal what the calls that really run come to before they settle. */
export function toolJournal(journal: ToolJournal): ToolMiddleware {
  return {
    async call(call, context, next) {
      if (context.spec !== null) journal.started(context.id);
      const result = await next(call, context);
      const pending = context.pending();
      if (pending !== null) journal.waiting(context.id, pending);
      return result;
    },
  };
}
