import { approval, type ToolMiddleware } from '../core/index.ts';

/**
 * Asks for leave before each call of a tool that is not read-only (MW-15). A call that was answered passes, so an approved
 * one runs when the turn is resumed (MW-16); a denied one is settled by the run (PAUSE-13). A name that nobody offers passes
 * too: it gets the unknown-tool result, and asking about it would help nobody.
 */
export function approveWrites(): ToolMiddleware {
  return {
    call(call, context, next) {
      const writes = context.spec !== null && context.spec.hints.readOnly !== true;
      if (!writes || context.answers() !== null) return next(call, context);
      return context.needsInput([approval(`${call.name} changes files`)]);
    },
  };
}
